// MLX: gathers and scatters. MLX instantiates these templates at run time, so a row says how.
// source: mlx/backend/metal/indexing.cpp
#include "entry_point.h"
#include "reference.h"

namespace assay::projects {
namespace {

// Rows of the source; a negative index counts from the end.
template <class T, uint32_t kPerThread> void gatherFront(KernelRun &run) {
  const int32_t rows = 9, width = 13;
  const auto source = anyBits<T>(rows * width, 1);
  std::vector<int32_t> indices{0, 8, -1, -9, 3, 3};
  std::vector<T> expected;
  for (const int32_t i : indices)
    for (int32_t c = 0; c < width; ++c)
      expected.push_back(source[(i < 0 ? i + rows : i) * width + c]);
  run.output<T>(2, expected.size())
      .input(0, source)
      .input(1, indices)
      .bytes(3, int64_t(width))
      .bytes(4, rows);
  ASSERT_TRUE(run.dispatchThreads({(width + kPerThread - 1) / kPerThread, indices.size()}, {4, 4}));
  EXPECT_TRUE(same(expected, run.read<T>(2)));
}

// [pre, axis, post]: out[i, j, k] = source[i, indices[i, j, k], k], all contiguous or none.
constexpr int32_t kPre = 3, kAxis = 7, kPost = 5, kTaken = 4;

template <bool kContiguous> void gatherAxis(KernelRun &run) {
  // Not contiguous: the axes of the source lie in memory in reverse.
  const std::vector<int64_t> strides = kContiguous ? std::vector<int64_t>{kAxis * kPost, kPost, 1}
                                                   : std::vector<int64_t>{1, kPre, kPre * kAxis};
  const auto source = anyBits<float>(kPre * kAxis * kPost, 2);
  const auto indices = below(kAxis, kPre * kTaken * kPost, 3);
  std::vector<float> expected;
  for (int32_t i = 0; i < kPre; ++i)
    for (int32_t j = 0; j < kTaken; ++j)
      for (int32_t k = 0; k < kPost; ++k)
        expected.push_back(
            source[i * strides[0] + indices[(i * kTaken + j) * kPost + k] * strides[1] + k * strides[2]]);
  run.input(0, source).input(1, indices).output<float>(2, expected.size());
  run.input(3, std::vector<int32_t>{kPre, kPost}).input(4, std::vector<int64_t>{strides[0], strides[2]});
  run.input(5, std::vector<int64_t>{kTaken * kPost, 1}).bytes(6, uint64_t(2)).bytes(7, int32_t(1));
  run.bytes(8, kAxis).bytes(9, uint64_t(strides[1])).bytes(10, uint64_t(kPost));
  ASSERT_TRUE(run.dispatchThreads({kPost, kTaken, kPre}, {4, 4, 2}));
  EXPECT_TRUE(same(expected, run.read<float>(2)));
}

// Added where the indices point, several times where they agree: in 32-bit atomics.
template <class T> void scatterAxisSum(KernelRun &run) {
  const auto updates =
      kIsFloat<T> ? uniform<T>(kPre * kTaken * kPost, 4) : anyBits<T>(kPre * kTaken * kPost, 4);
  const auto indices = below(3, updates.size(), 5);
  const auto before = kIsFloat<T> ? uniform<T>(kPre * kAxis * kPost, 6) : anyBits<T>(kPre * kAxis * kPost, 6);
  std::vector<Reals> terms(before.size());
  std::vector<T> exact = before;
  for (size_t i = 0; i < before.size(); ++i)
    terms[i].push_back(Real(value(before[i])));
  for (int32_t i = 0; i < kPre; ++i)
    for (int32_t j = 0; j < kTaken; ++j)
      for (int32_t k = 0; k < kPost; ++k) {
        const size_t from = (i * kTaken + j) * kPost + k, to = (i * kAxis + indices[from]) * kPost + k;
        terms[to].push_back(Real(value(updates[from])));
        if constexpr (std::is_integral_v<T>)
          exact[to] = T(uint64_t(exact[to]) + uint64_t(updates[from]));
      }
  run.input(0, updates).input(1, indices).inout(2, before);
  run.input(3, std::vector<int32_t>{kPre, kPost}).input(4, std::vector<int64_t>{kTaken * kPost, 1});
  run.input(5, std::vector<int64_t>{kTaken * kPost, 1}).bytes(6, uint64_t(2)).bytes(7, int32_t(1));
  run.bytes(8, kAxis).bytes(9, uint64_t(kPost)).bytes(10, uint64_t(kPost));
  ASSERT_TRUE(run.dispatchThreads({kPost, kTaken, kPre}, {4, 4, 2}));
  if constexpr (std::is_integral_v<T>) {
    EXPECT_TRUE(same(exact, run.read<T>(2)));
  } else {
    Reals expected;
    for (const Reals &t : terms)
      expected.push_back(sum(t));
    EXPECT_TRUE(near(expected, run.read<T>(2)));
  }
}

ASSAY_ENTRY_POINTS(Indexing, Mlx,
                   ({{"indexing/gather_front.h", "gather_front_float", gatherFront<float, 1>,
                      "gather_front<float, int, int, 1>"},
                     {"indexing/gather_front.h", "gather_front_half", gatherFront<Half, 2>,
                      "gather_front<half, int, int, 2>"},
                     {"indexing/gather_axis.h", "gather_axis_float", gatherAxis<true>,
                      "gather_axis<float, uint, int, true, true>"},
                     {"indexing/gather_axis.h", "gather_axis_float_strided", gatherAxis<false>,
                      "gather_axis<float, uint, int, false, false>"},
                     {"indexing/scatter_axis.h", "scatter_axis_sum_float", scatterAxisSum<float>,
                      "scatter_axis<float, uint, int, Sum<float>, true, true>"},
                     {"indexing/scatter_axis.h", "scatter_axis_sum_int", scatterAxisSum<int32_t>,
                      "scatter_axis<int, uint, int, Sum<int>, true, true>"}}));

} // namespace
} // namespace assay::projects
