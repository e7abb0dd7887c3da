// Sums, maxima and minima of the rows and columns of cooperative tensors of a simdgroup, and the iterators
// that lead from an element to its row.
// source: Metal Performance Primitives (reduce_rows, reduce_columns, map_iterator).
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace assay {
namespace {

// Row r, column c of a matrix of 48 x 24 is element c + 24 * r. Its product with the unit matrix is itself.
constexpr const char *kSource = R"(#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;
typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;

// out: sums of rows, maxima of rows, minima of columns, the matrix less the maxima of its rows, maxima of
// rows without an identity, and the sums times two, which go through memory.
kernel void reduce(device float *in [[buffer(0)]], device float *out [[buffer(1)]],
                   device float *unit [[buffer(2)]]) {
  matmul2d<matmul2d_descriptor(48, 24), execution_simdgroup> op;
  Matrix a(in, dextents<int, 2>(24, 48)), b(unit, dextents<int, 2>(24, 24));
  auto c = op.get_destination_cooperative_tensor<Matrix, Matrix, float>();
  op.run(a, b, c);
  auto sums = op.get_row_reduction_destination_cooperative_tensor<Matrix, Matrix, float>();
  auto maxima = op.get_row_reduction_destination_cooperative_tensor<Matrix, Matrix, float>();
  auto minima = op.get_column_reduction_destination_cooperative_tensor<Matrix, Matrix, float>();
  reduce_rows(c, sums);
  reduce_rows(c, maxima, reduction_operation::max, -INFINITY);
  reduce_columns(c, minima, reduction_operation::min, INFINITY);
  for (ushort i = 0; i < sums.get_capacity(); ++i)
    if (sums.is_valid_element(i)) {
      out[sums.get_multidimensional_index(i)[0]] = sums[i];
      out[48 + maxima.get_multidimensional_index(i)[0]] =
          maxima.get(maxima.end() - (maxima.get_capacity() - i));
    }
  for (auto it = minima.begin(); it != minima.end(); ++it)
    if (it.is_valid_element())
      out[96 + it.get_multidimensional_index()[0]] = *it;
  if (!is_iterator_compatible(c, maxima))
    return;
  for (auto it = c.begin(); it != c.end(); ++it)
    c.set(it, c.get(&*it) - maxima.get(maxima.map_iterator(it)));
  // The same by the other members.
  auto copy = c;
  for (auto it = copy.begin(); it < copy.end(); it += 1)
    copy.set(it, copy.get(it) + *c.get_iterator(it - copy.begin()));
  for (auto it = copy.end(); it > copy.begin();) {
    const auto last = it-- - 1;
    if (it != last || (it.is_valid_element() && (*it != 2 * c.begin()[it - copy.begin()] || &it[0] != &*it)))
      return;
  }
  c.store(Matrix(out + 120, dextents<int, 2>(24, 48)));

  typedef tensor<device float, dextents<int, 1>, tensor_inline> Row;
  op.run(a, b, c);
  reduce_rows(c, maxima, reduction_operation::max);
  maxima.store(Row(out + 1272, dextents<int, 1>(48)));
  reduce_rows(c, sums);
  const Row doubled(out + 1320, dextents<int, 1>(48));
  sums.store(doubled);
  simdgroup_barrier(mem_flags::mem_device);
  maxima.load(doubled);
  simdgroup_barrier(mem_flags::mem_device);
  for (auto it = sums.begin(); it != sums.end(); ++it)
    if (it.is_valid_element())
      *it += maxima.get(maxima.begin() + (it - sums.begin()));
  sums.store(doubled);
}
)";

TEST(CooperativeReductions, AreThoseOfRowsAndColumns) {
  testing_support::TemporaryFolder folder;
  setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
  std::vector<float> in(48 * 24), unit(24 * 24), expected;
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = float(int(i * 37 % 101) -
                  (i < 100 ? 160 : 60)); // integers: every order of addition gives the same bits
  for (size_t i = 0; i < 24; ++i)
    unit[i * 25] = 1;
  std::vector<float> maxima;
  for (size_t r = 0; r < 48; ++r) {
    float sum = 0;
    for (size_t c = 0; c < 24; ++c)
      sum += in[r * 24 + c];
    expected.push_back(sum);
    maxima.push_back(*std::max_element(&in[r * 24], &in[r * 24] + 24));
  }
  expected.insert(expected.end(), maxima.begin(), maxima.end());
  for (size_t c = 0; c < 24; ++c) {
    float least = in[c];
    for (size_t r = 0; r < 48; ++r)
      least = std::min(least, in[r * 24 + c]);
    expected.push_back(least);
  }
  for (size_t i = 0; i < in.size(); ++i)
    expected.push_back(in[i] - maxima[i / 24]);
  for (const float most : maxima)
    expected.push_back(std::max(most, 0.0f));
  for (size_t r = 0; r < 48; ++r)
    expected.push_back(2 * expected[r]);

  Device device = Device::systemDefault();
  const auto library = device.newLibraryWithSource(kSource);
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  for (Engine engine : {Engine::Fiber, Engine::Vector}) {
    PipelineOptions options;
    options.engine = engine;
    const auto pipeline = device.newComputePipelineState(*library->newFunction("reduce"), options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    Buffer out = device.newBuffer(expected.size() * sizeof(float));
    out.poison();
    encoder.setBuffer(device.newBuffer(in.data(), in.size() * sizeof(float)), 0, 0);
    encoder.setBuffer(out, 0, 1);
    encoder.setBytes(unit.data(), unit.size() * sizeof(float), 2);
    const auto done = encoder.dispatchThreads({32}, {32});
    ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
    const float *result = static_cast<const float *>(out.contents());
    EXPECT_EQ(std::vector<float>(result, result + expected.size()), expected);
  }
}

// "gemmBias" of the specification, 7.2.1, loads its bias so. It compiles; what it repeats is not published.
TEST(CooperativeLoad, OfOneDimensionIntoAMatrixIsRefusedWhereItIsReached) {
  const Device device = Device::systemDefault();
  const auto library = device.newLibraryWithSource(R"(#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using namespace mpp::tensor_ops;
typedef tensor<device float, dextents<int, 2>, tensor_inline> Matrix;
kernel void biased(device float *p [[buffer(0)]]) {
  matmul2d<matmul2d_descriptor(64, 32), execution_simdgroup> op;
  Matrix a(p, dextents<int, 2>(16, 64)), c(p, dextents<int, 2>(32, 64));
  tensor<device float, dextents<int, 1>, tensor_inline> bias(p, dextents<int, 1>(32));
  auto t = op.get_destination_cooperative_tensor<Matrix, Matrix, float>();
  t.load(bias);
  t.store(c);
})");
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const auto pipeline = device.newComputePipelineState(*library->newFunction("biased"));
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().rule(), "unsupported");
  EXPECT_THAT(pipeline.error().message(),
              testing::HasSubstr("load of a tensor of one dimension into a matrix"));
}

} // namespace
} // namespace assay
