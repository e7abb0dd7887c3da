// Judges results, and lists the twins.
#include "twin.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace assay::twins {

std::string mismatch(const Twin &twin, std::span<const std::byte> result) {
  if (result.size() != twin.expected.size() * 4)
    return twin.name + ": the result has another size than the reference";
  double largest = 0;
  for (const double x : twin.expected)
    largest = std::max(largest, std::abs(x));
  size_t wrong = 0, first = 0;
  double firstValue = 0;
  for (size_t i = 0; i < twin.expected.size(); ++i) {
    float number;
    uint32_t count;
    std::memcpy(&number, result.data() + 4 * i, 4);
    std::memcpy(&count, result.data() + 4 * i, 4);
    const double got = twin.element == Element::Float ? double(number) : double(count);
    if (std::abs(got - twin.expected[i]) <= twin.tolerance * largest)
      continue; // what is not a number does not come here
    if (wrong++ == 0)
      first = i, firstValue = got;
  }
  if (double(wrong) <= twin.mayDiffer * double(twin.expected.size()))
    return {};
  char text[200];
  std::snprintf(text, sizeof text, "%s: %zu of %zu elements are wrong; element %zu is %.9g, expected %.9g",
                twin.name.c_str(), wrong, twin.expected.size(), first, firstValue, twin.expected[first]);
  return text;
}

const std::vector<TwinMaker> &allTwins() {
  static const std::vector<TwinMaker> all{
      {"delta_net", [](Scale s) { return deltaNet(s, false); }},
      {"delta_net:original", [](Scale s) { return deltaNet(s, true); }, absentOriginal()},
      {"tiled_product", [](Scale s) { return tiledProduct(s, false); }},
      {"tiled_product:16x16", [](Scale s) { return tiledProduct(s, true); }},
      {"saxpy", saxpy},
      {"half_product", halfProduct},
      {"row_sums", rowSums},
      {"row_softmax", rowSoftmax},
      {"q4_matvec", q4MatrixVector},
      {"mandelbrot", mandelbrot},
  };
  return all;
}

} // namespace assay::twins
