// See unwritten_text.h.
#include "support/abi/unwritten_text.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {
namespace {

// Takes the text up to a mark, and the mark.
std::string_view take(std::string_view &text, char mark) {
  const size_t end = text.find(mark);
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return first;
}

uint32_t takeNumber(std::string_view &text) {
  const std::string_view digits = take(text, ' ');
  uint32_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

} // namespace

std::string textOf(const UnwrittenVariable &variable) {
  std::string text = fmt::format("{}\n{} {} {}\n{}\n", kUnwritten, variable.where.line, variable.where.column,
                                 variable.name, variable.where.file);
  for (const UnwrittenPart &part : variable.parts)
    text += fmt::format("{} {} {} {}\n", part.offset, part.bytes, part.stride, part.name);
  return text;
}

std::optional<UnwrittenVariable> unwrittenVariableOf(std::string_view text) {
  if (take(text, '\n') != kUnwritten)
    return std::nullopt;
  UnwrittenVariable variable;
  std::string_view line = take(text, '\n');
  variable.where.line = takeNumber(line);
  variable.where.column = takeNumber(line);
  variable.name = line;
  variable.where.file = take(text, '\n');
  while (!text.empty()) {
    line = take(text, '\n');
    UnwrittenPart &part = variable.parts.emplace_back();
    part.offset = takeNumber(line);
    part.bytes = takeNumber(line);
    part.stride = takeNumber(line);
    part.name = line;
  }
  return variable;
}

} // namespace assay
