// The values of attributes in every format and type, against arithmetic in double precision and the
// compiler's own _Float16.
#include "host/stage_fetch.h"

#include "support/abi/stage_input_abi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace assay::detail {
namespace {

using Bytes = std::array<uint8_t, 16>;

uint32_t bitsOf(const Bytes &bytes, uint32_t first, uint32_t count) {
  uint32_t field = 0;
  for (uint32_t i = 0; i < count; ++i)
    field |= uint32_t(bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
  return field;
}

double signedValue(uint32_t field, uint32_t bits) {
  return field >> (bits - 1) ? double(field) - std::ldexp(1, int(bits)) : double(field);
}

// A float without a sign, with five bits of exponent: of 11 or 10 bits.
double smallFloat(uint32_t field, uint32_t bits) {
  const int mantissa = int(bits) - 5, exponent = int(field >> mantissa);
  const double fraction = double(field & ((1u << mantissa) - 1)) * std::ldexp(1, -mantissa);
  if (exponent == 31)
    return fraction != 0 ? NAN : INFINITY;
  return exponent ? (1 + fraction) * std::ldexp(1, exponent - 15) : fraction * std::ldexp(1, -14);
}

// The components of a format, as numbers.
std::array<double, 4> valuesOf(AttributeFormat format, const Bytes &bytes) {
  const AttributeFormatInfo &info = *attributeFormatInfo(format);
  std::string name(info.name);
  std::array<double, 4> values{0, 0, 0, 1};
  if (name == "FloatRG11B10")
    return {smallFloat(bitsOf(bytes, 0, 11), 11), smallFloat(bitsOf(bytes, 11, 11), 11),
            smallFloat(bitsOf(bytes, 22, 10), 10), 1};
  if (name == "FloatRGB9E5") {
    const double scale = std::ldexp(1, int(bitsOf(bytes, 27, 5)) - 15 - 9);
    return {bitsOf(bytes, 0, 9) * scale, bitsOf(bytes, 9, 9) * scale, bitsOf(bytes, 18, 9) * scale, 1};
  }
  const bool packed = name.find("1010102") != name.npos;
  const bool isUnsigned = name[0] == 'U', normalized = name.find("Normalized") != name.npos;
  const bool bgra = name.find("BGRA") != name.npos;
  const bool isFloat = name.starts_with("Float") || name.starts_with("Half");
  if (const size_t suffix = name.find("Normalized"); suffix != name.npos)
    name.resize(suffix);
  const uint32_t components = packed ? 4 : isdigit(name.back()) ? uint32_t(name.back() - '0') : 1;
  for (uint32_t c = 0; c < components; ++c) {
    const uint32_t bits = packed ? (c == 3 ? 2 : 10) : info.bytes * 8u / components;
    const uint32_t at = bgra && c < 3 ? 2 - c : c;
    const uint32_t field = bitsOf(bytes, packed ? c * 10 : at * bits, bits);
    if (isFloat) {
      values[c] =
          bits == 32 ? double(std::bit_cast<float>(field)) : double(std::bit_cast<_Float16>(uint16_t(field)));
      continue;
    }
    const double number = isUnsigned ? field : signedValue(field, bits);
    const double most = std::ldexp(1, int(isUnsigned ? bits : bits - 1)) - 1;
    values[c] = normalized ? std::max(-1.0, number / most) : number;
  }
  return values;
}

bool fits(const AttributeFormatInfo &format, ScalarType type) {
  const ScalarTypeInfo &to = scalarTypeInfo(type);
  if (to.cls == ScalarClass::Float)
    return true;
  const std::string name(format.name);
  const bool integer = name.find("Float") == name.npos && name.find("Half") == name.npos &&
                       name.find("Normalized") == name.npos;
  const uint32_t bytes = name.find("Char") != name.npos ? 1 : name.find("Short") != name.npos ? 2 : 4;
  return integer && (name[0] == 'U') == (to.cls == ScalarClass::Unsigned) && bytes <= to.bytes;
}

// The bits of a number in the kernel's type. Every quotient of a normalized format is either a float's or a
// half's tie exactly or far from one in units of double precision, so that rounding twice is rounding once.
uint32_t expectedBits(double value, ScalarType type) {
  switch (type) {
  case ScalarType::Float: return std::bit_cast<uint32_t>(float(value));
  case ScalarType::Half: return std::bit_cast<uint16_t>(_Float16(value));
  default:
    return uint32_t(int64_t(value)) &
           (scalarTypeInfo(type).bytes == 4 ? ~0u : (1u << scalarTypeInfo(type).bytes * 8) - 1);
  }
}

bool isNan(uint32_t bits, ScalarType type) {
  return type == ScalarType::Float ? (bits & 0x7fffffff) > 0x7f800000
                                   : type == ScalarType::Half && (bits & 0x7fff) > 0x7c00;
}

KernelInfo kernelWith(ScalarType type, uint32_t components) {
  KernelInfo kernel;
  kernel.name = "k";
  ArgumentInfo &attribute = kernel.arguments.emplace_back();
  attribute.name = "in.v";
  attribute.kind = ArgumentKind::Attribute;
  attribute.index = 3;
  attribute.element = type;
  attribute.components = components;
  attribute.pointeeBytes = scalarTypeInfo(type).bytes * (components == 3 ? 4 : components);
  attribute.type = "T";
  return kernel;
}

} // namespace

struct Fetched {
  StageInputDescriptor descriptor{};
  FetchedBuffers buffers{};
  std::optional<StageInRegion> region{};
  StageInput all() const { return {descriptor, buffers, region}; }
};

TEST(StageFetch, ConvertsEachFormatToEachTypeThatItMayBecome) {
  std::mt19937 random(1);
  constexpr uint32_t kCount = 400;
  std::vector<uint8_t> memory(kCount * 16);
  for (uint8_t &byte : memory)
    byte = uint8_t(random());
  // The ends of every component.
  std::fill_n(memory.begin(), 16, 0);
  std::fill_n(memory.begin() + 16, 16, 0xff);
  for (int i = 32; i < 48; ++i)
    memory[size_t(i)] = i % 2 ? 0x80 : 0;
  size_t compared = 0;
  for (const AttributeFormatInfo &format : kAttributeFormats)
    for (const ScalarType type : {ScalarType::Float, ScalarType::Half, ScalarType::Char, ScalarType::UChar,
                                  ScalarType::Short, ScalarType::UShort, ScalarType::Int, ScalarType::UInt})
      for (const uint32_t components : {1u, 2u, 3u, 4u}) {
        const KernelInfo kernel = kernelWith(type, components);
        Fetched input;
        input.descriptor.attributes[3] = {format.format, 0, 2};
        input.descriptor.layouts[2] = {16, StepFunction::ThreadPositionInGridX};
        ASSERT_EQ(bool(checkStageInput(kernel, kernel.arguments, input.descriptor)), fits(format, type))
            << format.name << " to " << scalarTypeInfo(type).metalName;
        if (!fits(format, type))
          continue;
        // The last bytes of the buffer are those of the last element.
        input.buffers[2] = {memory.data(), (kCount - 1) * 16 + format.bytes};
        const auto table = fetchStageInput(kernel, kernel.arguments, input.all(), kCount, 1);
        ASSERT_TRUE(table) << renderDiagnostics(table.error().diagnostics);
        StageAttributeAbi record;
        std::memcpy(&record, table->memory.get(), sizeof record);
        ASSERT_EQ(record.columnStride, kernel.arguments[0].pointeeBytes);
        ASSERT_EQ(record.rowStride, 0u);
        ASSERT_EQ(record.first + kCount * record.columnStride, table->bytes);
        for (uint32_t i = 0; i < kCount; ++i) {
          Bytes bytes;
          std::memcpy(bytes.data(), &memory[i * 16], 16);
          const std::array<double, 4> values = valuesOf(format.format, bytes);
          for (uint32_t c = 0; c < components; ++c) {
            uint32_t got = 0;
            const uint32_t size = scalarTypeInfo(type).bytes;
            std::memcpy(&got, table->memory.get() + record.first + i * record.columnStride + c * size, size);
            const uint32_t expected = expectedBits(values[c], type);
            ++compared;
            if (std::isnan(values[c]))
              ASSERT_TRUE(isNan(got, type)) << format.name << " " << i << "." << c;
            else
              ASSERT_EQ(got, expected) << format.name << " to " << scalarTypeInfo(type).metalName
                                       << components << ", element " << i << "." << c << ": " << values[c];
          }
        }
      }
  EXPECT_GT(compared, 500'000u);
}

TEST(StageFetch, KeepsTheBitsOfFloats) {
  const std::vector<uint32_t> odd{0x7fa00001, 0xffc00000, 0x00000001, 0x80000000, 0x807fffff, 0x7f800000};
  const KernelInfo kernel = kernelWith(ScalarType::Float, 1);
  Fetched input;
  input.descriptor.attributes[3] = {AttributeFormat::Float, 0, 2};
  input.descriptor.layouts[2] = {4, StepFunction::ThreadPositionInGridX};
  std::vector<uint32_t> memory = odd;
  input.buffers[2] = {reinterpret_cast<uint8_t *>(memory.data()), memory.size() * 4};
  const auto table = fetchStageInput(kernel, kernel.arguments, input.all(), uint32_t(odd.size()), 1);
  ASSERT_TRUE(table);
  std::vector<uint32_t> got(odd.size());
  std::memcpy(got.data(), table->memory.get() + 32, odd.size() * 4);
  EXPECT_EQ(got, odd);
}

TEST(StageFetch, AnArgumentThatDoesNotExistHasAPlaceAndZeros) {
  KernelInfo kernel = kernelWith(ScalarType::Float, 4);
  kernel.arguments.push_back(kernel.arguments[0]);
  kernel.arguments[0].name = "in.missing";
  kernel.arguments[0].index = 1;
  const std::vector<ArgumentInfo> active{kernel.arguments[1]};
  Fetched input;
  input.descriptor.attributes[3] = {AttributeFormat::Float2, 0, 2};
  input.descriptor.layouts[2].stepFunction = StepFunction::ThreadPositionInGridY;
  float memory[] = {8, 9};
  input.buffers[2] = {reinterpret_cast<uint8_t *>(memory), sizeof memory};
  const auto table = fetchStageInput(kernel, active, input.all(), 100, 2);
  ASSERT_TRUE(table) << renderDiagnostics(table.error().diagnostics);
  StageAttributeAbi records[2];
  std::memcpy(records, table->memory.get(), sizeof records);
  float values[4];
  std::memcpy(values, table->memory.get() + records[0].first, 16);
  EXPECT_EQ(records[0].columnStride + records[0].rowStride, 0u);
  for (const float value : values)
    EXPECT_EQ(value, 0);
  EXPECT_EQ(records[1].rowStride, 16u);
  for (const int row : {0, 1}) {
    std::memcpy(values, table->memory.get() + records[1].first + row * 16, 16);
    EXPECT_EQ(values[0], 8);
    EXPECT_EQ(values[1], 9);
    EXPECT_EQ(values[2], 0);
    EXPECT_EQ(values[3], 1);
  }
}

} // namespace assay::detail
