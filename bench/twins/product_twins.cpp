// Twins that multiply matrices: by tiles in threadgroup memory, by matrices of simdgroups, and a matrix of
// four-bit weights by a vector.
#include "by_hand.h"
#include "twin.h"

#include "tests/support/kernel_data.h"

namespace assay::twins {

using testing_support::Random;
using testing_support::uniformFloats;

namespace {

template <class T> std::vector<double> product(uint32_t n, const std::vector<T> &a, const std::vector<T> &b) {
  std::vector<double> c(size_t(n) * n);
  for (uint32_t row = 0; row < n; ++row)
    for (uint32_t k = 0; k < n; ++k) {
      const double left = a[size_t(row) * n + k];
      for (uint32_t column = 0; column < n; ++column)
        c[size_t(row) * n + column] += left * double(b[size_t(k) * n + column]);
    }
  return c;
}

} // namespace

Twin tiledProduct(Scale scale, bool square) {
  const uint32_t n = scale == Scale::Full ? 256 : 32;
  const auto a = uniformFloats(size_t(n) * n, 4), b = uniformFloats(size_t(n) * n, 5);
  Twin twin{.name = square ? "tiled_product:16x16" : "tiled_product",
            .metalFile = "bench/twins/tiled_product.metal",
            .kernel = "tiled_product"};
  twin.arguments = {buffer(a), buffer(b), room(a.size() * 4), value(n)};
  twin.result = 2;
  twin.opencl = {{n / 16, n / 16}, {16, 16}};
  twin.metal = square ? twin.opencl : Shape{{n / 16, n / 16}, {256}};
  twin.byHand = [n](Arguments &args) {
    productByHand(n, args[0].as<float>().data(), args[1].as<float>().data(), args[2].as<float>().data());
  };
  twin.expected = product(n, a, b);
  twin.tolerance = 1e-5;
  return twin;
}

Twin halfProduct(Scale scale) {
  const uint32_t n = scale == Scale::Full ? 512 : 64;
  std::vector<half> a, b;
  for (const float x : uniformFloats(size_t(n) * n, 6))
    a.push_back(half(x));
  for (const float x : uniformFloats(size_t(n) * n, 7))
    b.push_back(half(x));
  Twin twin{.name = "half_product", .metalFile = "bench/twins/half_product.metal", .kernel = "half_product"};
  twin.arguments = {buffer(a), buffer(b), room(a.size() * 4), value(n)};
  twin.result = 2;
  twin.metal = {{n / 64, n / 64}, {128}};
  twin.opencl = {{n / 16, n / 16}, {16, 16}};
  twin.byHand = [n](Arguments &args) {
    halfProductByHand(n, args[0].as<half>().data(), args[1].as<half>().data(), args[2].as<float>().data());
  };
  twin.expected = product(n, a, b);
  twin.tolerance = 1e-5;
  return twin;
}

Twin q4MatrixVector(Scale scale) {
  const uint32_t rows = scale == Scale::Full ? 4096 : 16, columns = scale == Scale::Full ? 4096 : 1024;
  const auto x = uniformFloats(columns, 8);
  std::vector<Q4Block> weights(size_t(rows) * columns / 32);
  Random random(9);
  for (Q4Block &block : weights) {
    block.scale = half(random.uniform(0.01f, 0.1f));
    for (uint8_t &pair : block.nibbles)
      pair = uint8_t(random.below(256));
  }
  Twin twin{.name = "q4_matvec", .metalFile = "bench/twins/q4_matvec.metal", .kernel = "q4_matvec"};
  twin.arguments = {buffer(weights), buffer(x), room(4 * rows), value(columns)};
  twin.result = 2;
  twin.metal = {{rows / 8}, {64}}; // two simdgroups of four rows each
  twin.opencl = {{rows / 4}, {32}};
  twin.byHand = [rows](Arguments &args) {
    q4MatrixVectorByHand(rows, args[3].as<uint32_t>()[0], args[0].as<Q4Block>().data(),
                         args[1].as<float>().data(), args[2].as<float>().data());
  };
  for (uint32_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (uint32_t i = 0; i < columns; ++i) {
      const Q4Block &block = weights[(size_t(row) * columns + i) / 32];
      const uint8_t pair = block.nibbles[i % 16];
      sum += double(block.scale) * ((i % 32 < 16 ? pair & 15 : pair >> 4) - 8) * x[i];
    }
    twin.expected.push_back(sum);
  }
  twin.tolerance = 1e-5;
  return twin;
}

} // namespace assay::twins
