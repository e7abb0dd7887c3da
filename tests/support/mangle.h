// Mangled inputs for parsers: a seed text with a few bytes changed, removed or put in. The same everywhere
// for the same generator state, since std::mt19937 is specified to the bit.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace assay::testing_support {

inline std::string mangle(std::string text, std::string_view alphabet, std::mt19937 &random) {
  for (size_t n = 1 + random() % 8; n > 0; --n) {
    const size_t at = random() % text.size();
    const char letter = random() % 8 ? alphabet[random() % alphabet.size()] : char(random());
    switch (random() % 3) {
    case 0: text[at] = letter; break;
    case 1: text.erase(at, random() % 12); break;
    default: text.insert(at, 1, letter);
    }
    if (text.empty())
      text.assign(1, ';');
  }
  return text;
}

} // namespace assay::testing_support
