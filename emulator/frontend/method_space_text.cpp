// What the source view writes for a member function's address space. Apart from method_spaces.cpp, so that
// the source view needs nothing of Clang but its lexer.
#include "frontend/method_spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace assay::frontend {
namespace {

constexpr std::array<std::string_view, 7> kWords = {
    "threadgroup_imageblock", "ray_data", "object_data", "device", "constant", "threadgroup", "thread"};

std::array<std::string, kWords.size()> makeTexts() {
  std::array<std::string, kWords.size()> texts;
  for (size_t row = 0; row < kWords.size(); ++row) {
    texts[row] = fmt::format("__attribute__((annotate(\"assay.method.{}\")))", kWords[row]);
    for (size_t n = 0; n < enableIfsOf(kWords[row]); ++n)
      texts[row] += "__attribute__((enable_if(true, \"\")))";
    texts[row] += fmt::format("__attribute__(({}))", kMethodSpaceAttribute);
  }
  return texts;
}

} // namespace

// The word's number plus one: `thread` has the most, and `threadgroup` more than `threadgroup_imageblock`,
// whose objects are in the same memory here.
size_t enableIfsOf(std::string_view word) {
  return size_t(std::ranges::find(kWords, word) - kWords.begin()) + 1;
}

std::string_view methodSpaceText(std::string_view word) {
  static const std::array<std::string, kWords.size()> texts = makeTexts();
  for (size_t row = 0; row < kWords.size(); ++row)
    if (word == kWords[row])
      return texts[row];
  return {};
}

} // namespace assay::frontend
