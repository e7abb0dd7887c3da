#include "function_constants.h"

#include <cstring>

namespace assay {
namespace {

ConstantValue valueOf(const void *bytes, DataType type) {
  ConstantValue value{type.scalar, {}};
  const uint32_t size = scalarTypeInfo(type.scalar).bytes;
  for (uint32_t i = 0; i < type.components; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char *>(bytes) + size_t(i) * size, size);
    value.components.push_back(type.scalar == ScalarType::Bool ? bits != 0 : bits);
  }
  return value;
}

} // namespace

std::string DataType::name() const {
  return std::string(scalarTypeInfo(scalar).metalName) + (components > 1 ? std::to_string(components) : "");
}

void FunctionConstantValues::setConstantValue(const void *value, DataType type, uint32_t index) {
  byIndex_[index] = valueOf(value, type);
}

void FunctionConstantValues::setConstantValue(const void *value, DataType type, std::string_view name) {
  byName_.insert_or_assign(std::string(name), valueOf(value, type));
}

void FunctionConstantValues::setConstantValues(const void *values, DataType type, Range range) {
  for (uint64_t i = 0; i < range.length; ++i)
    setConstantValue(static_cast<const char *>(values) + i * type.bytes(), type,
                     static_cast<uint32_t>(range.location + i));
}

void FunctionConstantValues::reset() {
  byIndex_.clear();
  byName_.clear();
}

} // namespace assay
