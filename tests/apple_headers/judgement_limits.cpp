#include "judgement_limits.h"

#include <regex>

namespace assay::apple_headers {

namespace {

// A temporary object is in thread memory. Stock Clang lets references to any memory refer to one, and has as
// many candidates as there are memories.
constexpr const char *kTemporary = "in Metal, references to other memories do not refer to temporary objects";

// Of "statements: message".
constexpr DifferenceException kLimits[] = {
    {": use of overloaded operator '[-+*/!=]?=' is ambiguous", kTemporary},
    {": call to object of type .* is ambiguous", kTemporary},
    {"(for|of) type '(const )?__(constant|global|local) ", "members for objects elsewhere are left out"},
    {": invalid operands to binary expression .*(uniform<.*vector of|vector of.*uniform<)",
     "which scalars an operator takes beside a vector is Metal's own"},
    {"(&&|\\|\\|).*: cannot convert between vector and non-scalar",
     "these operators of vectors are Metal's own"},
};

constexpr const char *kHelper = "a helper of the library, which no program meets";
constexpr const char *kTensors = "for the headers of MetalPerformancePrimitives";
constexpr const char *kSpecified =
    "of the specification, 2.20.2; protected in the headers, or of another name";

// Of "class: member: message".
constexpr DifferenceException kMemberExceptions[] = {
    {"^simdgroup_.*thread_elements\\(\\)", "a thread's elements, two of the 64 that the headers have"},
};

// Of "class::name is missing".
constexpr DifferenceException kNameExceptions[] = {
    {"^array::elements_ is not", kHelper},
    {"^(float3x3|half2x4|float4x3)::[Cc]olumn is not", kHelper},
    {"^numeric_limits::bits is not", kHelper},
    {"^tensor::get_(extents|strides) is not", kTensors},
    {"^tensor::(load|store|strides_type) is not", kTensors},
    {"^tensor::has_(all_)?static_extent is not", kSpecified},
};

} // namespace

const char *limitOf(const Probe &probe, const std::string &message) {
  const std::string text = (probe.statements.empty() ? probe.call : probe.statements) + ": " + message;
  for (const DifferenceException &limit : kLimits)
    if (std::regex_search(text, std::regex(limit.pattern)))
      return limit.reason;
  return nullptr;
}

std::span<const DifferenceException> memberExceptions() {
  return kMemberExceptions;
}

std::span<const DifferenceException> memberNameExceptions() {
  return kNameExceptions;
}

std::span<const DifferenceException> expressionExceptions() {
  return {};
}

std::string unexplained(const std::vector<std::string> &differences,
                        std::span<const DifferenceException> exceptions) {
  std::vector<bool> isUsed(exceptions.size());
  std::string text;
  for (const std::string &difference : differences) {
    bool isExplained = false;
    for (size_t i = 0; i < exceptions.size(); ++i)
      if (std::regex_search(difference, std::regex(exceptions[i].pattern)))
        isExplained = isUsed[i] = true;
    if (!isExplained)
      text += difference + "\n";
  }
  for (size_t i = 0; i < exceptions.size(); ++i)
    if (!isUsed[i])
      text += std::string(exceptions[i].pattern) + ": does not differ, but is an exception\n";
  return text;
}

} // namespace assay::apple_headers
