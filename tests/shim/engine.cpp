// The engine that the shim tests play: it notes what it is asked and answers what it was told.
#include "engine.h"

#include "support/abi/builtins.h"

using namespace assay::test;

extern "C" {
void __assay_threadgroup_barrier(unsigned flags) {
  barrierFlags = flags;
}
void __assay_fence(unsigned, unsigned, unsigned) {} // what observers hear of a fence
void __assay_simd_op(unsigned operation, unsigned type, unsigned count, const void *in, void *out,
                     unsigned operand) {
  const size_t bytes = size_t(kInputs[operation]) * count * kBytes[type];
  const auto *from = static_cast<const unsigned char *>(in);
  calls.push_back({operation, type, count, operand, std::vector<unsigned char>(from, from + bytes)});
  if (out)
    std::memcpy(out, answer.data(), answer.size());
}
unsigned __assay_builtin(unsigned builtin, unsigned component) {
  return builtin == unsigned(assay::Builtin::ThreadIndexInSimdgroup) && component == 0 ? lane : ~0u;
}
// This runs before main, for the constants of prelude_functions.cpp: nothing dynamic.
unsigned long __assay_function_constant(unsigned index, unsigned component) {
  switch (index) {
  case 7: return 0xfffffffful; // -1
  case 8: return 0x3c00;       // 1.0h
  case 9: return 1;
  case 10: return component == 0 ? 0x3f800000 : component == 1 ? 0x40000000 : 0x40400000; // 1, 2, 3
  }
  return 0;
}
bool __assay_is_function_constant_defined(const void *) {
  return false;
}
}
