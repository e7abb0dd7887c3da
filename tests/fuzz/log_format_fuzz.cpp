// The formats of os_log, with arguments of every kind.
#include "fuzz.h"

#include "msl_shim/detail/log_record.h"
#include "runtime/log.h"
#include "support/abi/scalar_type.h"

#include <cstring>

using namespace assay;
using namespace assay::fuzz;
using namespace assay::runtime;

// The first byte is the number of arguments. Each takes a byte for its type, one for its count, and its
// value.
static int tryInput(const uint8_t *data, size_t size) {
  std::string_view rest = textOf(data, size);
  const auto byte = [&] {
    const uint8_t value = rest.empty() ? 0 : uint8_t(rest.front());
    rest.remove_prefix(std::min<size_t>(1, rest.size()));
    return value;
  };
  std::vector<LogArgument> arguments(byte() % 6);
  for (LogArgument &argument : arguments) {
    const uint32_t kind = byte() % (kScalarTypes.size() + 2);
    argument.type = kind < kScalarTypes.size()    ? kind
                    : kind == kScalarTypes.size() ? __assay_log_string
                                                  : __assay_log_pointer;
    argument.count = kind < kScalarTypes.size() ? 1 + byte() % 4 : 1;
    if (argument.type == __assay_log_string) {
      argument.text = takeLine(rest);
      continue;
    }
    const size_t bytes = std::min<size_t>(
        rest.size(),
        (kind < kScalarTypes.size() ? scalarTypeInfo(ScalarType(kind)).bytes : 8) * argument.count);
    std::memcpy(argument.bits, rest.data(), bytes);
    rest.remove_prefix(bytes);
  }
  const std::string format(rest);
  const std::string text = formatLog(format, arguments);
  if (format.find('%') == format.npos)
    require(text == format, "a format without conversions is its own text");
  require(text == formatLog(format, arguments), "a format has one text");
  return 0;
}

static const Parser parser("log_format", tryInput);
