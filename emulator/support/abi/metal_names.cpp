#include "support/abi/metal_names.h"

#include <cctype>
#include <string_view>
#include <utility>

namespace assay {
namespace {

constexpr std::pair<std::string_view, std::string_view> kScalars[] = {
    {"bool", "bool"},
    {"char", "char"},
    {"unsigned char", "uchar"},
    {"uchar", "uchar"},
    {"short", "short"},
    {"unsigned short", "ushort"},
    {"ushort", "ushort"},
    {"int", "int"},
    {"unsigned int", "uint"},
    {"uint", "uint"},
    {"long", "long"},
    {"unsigned long", "ulong"},
    {"ulong", "ulong"},
    {"_Float16", "half"},
    {"half", "half"},
    {"__bf16", "bfloat"},
    {"std::bfloat16_t", "bfloat"},
    {"bfloat", "bfloat"},
    {"float", "float"},
};

void removeAll(std::string &text, std::string_view part) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;)
    text.erase(at, part.size());
}

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

} // namespace

std::string vectorNames(std::string text) {
  removeAll(text, "__assay_vectors::");
  for (size_t at = 0; (at = text.find("vec<", at)) != std::string::npos; ++at) {
    const size_t open = text.find('[', at), close = text.find(']', at);
    if (open == std::string::npos || close == std::string::npos || close < open ||
        text.find_first_of("<>,", at + 4) < open)
      continue;
    const bool packed = at >= 7 && text.compare(at - 7, 7, "packed_") == 0;
    const size_t begin = packed ? at - 7 : at;
    if (begin > 0 && isWord(text[begin - 1]))
      continue;
    std::string element = text.substr(at + 4, open - at - 4);
    element.erase(element.find_last_not_of(' ') + 1);
    const std::string length = text.substr(open + 1, close - open - 1);
    size_t end = close + 1; // a packed vector has a second argument, and its name ends after that one
    for (int depth = 1; end < text.size() && depth > 0; ++end)
      depth += (text[end] == '<') - (text[end] == '>');
    bool named = false;
    for (const auto &[known, metals] : kScalars)
      if (element == known) {
        element = metals;
        named = length == "2" || length == "3" || length == "4";
        break;
      }
    const std::string name =
        (packed ? "packed_" : "") + (named ? element + length : "vec<" + element + ", " + length + ">");
    text.replace(begin, end - begin, name);
    at = begin;
  }
  return text;
}

} // namespace assay
