// Twins in which the threads of a threadgroup share a row: its sum, and its softmax.
#include "by_hand.h"
#include "twin.h"

#include "tests/support/kernel_data.h"

#include <algorithm>
#include <cmath>

namespace assay::twins {

using testing_support::uniformFloats;

namespace {

struct Rows {
  uint32_t rows, columns;
  std::vector<float> numbers;
  explicit Rows(Scale scale)
      : rows(scale == Scale::Full ? 256 : 4), columns(scale == Scale::Full ? 4096 : 600),
        numbers(uniformFloats(size_t(rows) * columns, 3, -4, 4)) {}
  Shape shape() const { return {{rows}, {256}}; }
};

} // namespace

Twin rowSums(Scale scale) {
  const Rows in(scale);
  Twin twin{.name = "row_sums", .metalFile = "bench/twins/row_sums.metal", .kernel = "row_sums"};
  twin.arguments = {buffer(in.numbers), room(4 * in.rows), value(in.columns)};
  twin.result = 1;
  twin.metal = twin.opencl = in.shape();
  twin.byHand = [rows = in.rows](Arguments &args) {
    rowSumsByHand(rows, args[2].as<uint32_t>()[0], args[0].as<float>().data(), args[1].as<float>().data());
  };
  for (uint32_t row = 0; row < in.rows; ++row) {
    double sum = 0;
    for (uint32_t i = 0; i < in.columns; ++i)
      sum += in.numbers[size_t(row) * in.columns + i];
    twin.expected.push_back(sum);
  }
  twin.tolerance = 1e-5;
  return twin;
}

Twin rowSoftmax(Scale scale) {
  const Rows in(scale);
  Twin twin{.name = "row_softmax", .metalFile = "bench/twins/row_softmax.metal", .kernel = "row_softmax"};
  twin.arguments = {buffer(in.numbers), room(in.numbers.size() * 4), value(in.columns)};
  twin.result = 1;
  twin.metal = twin.opencl = in.shape();
  twin.byHand = [rows = in.rows](Arguments &args) {
    rowSoftmaxByHand(rows, args[2].as<uint32_t>()[0], args[0].as<float>().data(), args[1].as<float>().data());
  };
  for (uint32_t row = 0; row < in.rows; ++row) {
    const float *from = in.numbers.data() + size_t(row) * in.columns;
    const double largest = *std::max_element(from, from + in.columns);
    double sum = 0;
    for (uint32_t i = 0; i < in.columns; ++i)
      sum += std::exp(from[i] - largest);
    for (uint32_t i = 0; i < in.columns; ++i)
      twin.expected.push_back(std::exp(from[i] - largest) / sum);
  }
  twin.tolerance = 1e-5;
  return twin;
}

} // namespace assay::twins
