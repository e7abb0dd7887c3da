// MTLFunctionConstantValues: values for the function constants of a kernel.
#pragma once

#include "data_type.h"
#include "size.h"

#include "../support/abi/module_info.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace assay {

/// Values by index or by name. Library::newFunction checks them: a name that the library does not have and a
/// type that is not the constant's are errors; an index that the library does not have is ignored, as in
/// Metal, so that one set of values can serve several libraries.
class FunctionConstantValues {
public:
  /// value   `type.bytes()` bytes, copied
  void setConstantValue(const void *value, DataType type, uint32_t index);
  void setConstantValue(const void *value, DataType type, std::string_view name);
  /// values   range.length values one after the other, for the indices range.location and up
  void setConstantValues(const void *values, DataType type, Range range);
  void reset();

  const std::map<uint32_t, ConstantValue> &byIndex() const { return byIndex_; }
  const std::map<std::string, ConstantValue, std::less<>> &byName() const { return byName_; }

private:
  std::map<uint32_t, ConstantValue> byIndex_;
  std::map<std::string, ConstantValue, std::less<>> byName_;
};

} // namespace assay
