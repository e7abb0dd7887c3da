// See soft_float.h.
#include "runtime/soft_float.h"

#include "support/numbers/float_bits.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace assay::runtime {
namespace {

// 16 bits in the low part of an xmm register.
float inXmm(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits));
}
uint16_t fromXmm(float reg) {
  return uint16_t(std::bit_cast<uint32_t>(reg));
}

float truncateFloatToHalf(float value) {
  return inXmm(halfFromFloat(value));
}
float truncateDoubleToHalf(double value) {
  return inXmm(halfFromDouble(value));
}
float truncateFloatToBfloat(float value) {
  return inXmm(bfloatFromFloat(value));
}
float truncateDoubleToBfloat(double value) {
  return inXmm(bfloatFromDouble(value));
}
float extendHalfToFloat(float half) {
  return floatFromHalf(fromXmm(half));
}

template <class Function> void *address(Function *function) {
  return reinterpret_cast<void *>(function);
}

// The overload of a C function for one type.
using Unary32 = float (*)(float);
using Unary64 = double (*)(double);
using Binary32 = float (*)(float, float);
using Binary64 = double (*)(double, double);
using Ternary64 = double (*)(double, double, double);

float roundEven(float value) {
  return __builtin_roundevenf(value);
}
double roundEven(double value) {
  return __builtin_roundeven(value);
}

const std::pair<const char *, void *> kSymbols[] = {
    {"__truncsfhf2", address(truncateFloatToHalf)},
    {"__truncdfhf2", address(truncateDoubleToHalf)},
    {"__truncsfbf2", address(truncateFloatToBfloat)},
    {"__truncdfbf2", address(truncateDoubleToBfloat)},
    {"__extendhfsf2", address(extendHalfToFloat)},
    {"fmaf", address(fusedMultiplyAdd)},
    {"fma", address(Ternary64(std::fma))},
    {"floorf", address(Unary32(std::floor))},
    {"floor", address(Unary64(std::floor))},
    {"ceilf", address(Unary32(std::ceil))},
    {"ceil", address(Unary64(std::ceil))},
    {"truncf", address(Unary32(std::trunc))},
    {"trunc", address(Unary64(std::trunc))},
    {"rintf", address(Unary32(std::rint))},
    {"rint", address(Unary64(std::rint))},
    {"nearbyintf", address(Unary32(std::nearbyint))},
    {"nearbyint", address(Unary64(std::nearbyint))},
    {"roundf", address(Unary32(std::round))},
    {"round", address(Unary64(std::round))},
    {"roundevenf", address(Unary32(roundEven))},
    {"roundeven", address(Unary64(roundEven))},
    {"fmodf", address(Binary32(std::fmod))},
    {"fmod", address(Binary64(std::fmod))},
    {"memcpy", address(std::memcpy)},
    {"memmove", address(std::memmove)},
    {"memset", address(std::memset)},
};

} // namespace

std::span<const std::pair<const char *, void *>> softFloatSymbols() {
  return kSymbols;
}

} // namespace assay::runtime
