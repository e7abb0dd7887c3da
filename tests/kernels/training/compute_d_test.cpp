// The row dots through their dispatcher.
#include "train_problem.h"

#include "tests/kernels/oracles/simd.h"

namespace assay::train_test {
namespace {

/// Lane l sums l, l + 32, ...; simd_sum the lanes.
template <class Profile>
std::vector<float> rowDotsExact(const AttentionShape &s, const std::vector<uint16_t> &o,
                                const std::vector<uint16_t> &dO) {
  std::vector<float> dots;
  for (size_t row = 0; row < s.queryRows(); ++row) {
    Lanes lanes{};
    for (int d = 0; d < s.size; ++d) {
      const size_t i = row * s.size + d;
      lanes[d % 32] = F32<Profile>::mulAdd(fromBfloat(o[i]), fromBfloat(dO[i]), lanes[d % 32]);
    }
    dots.push_back(simdSum<Profile>(lanes));
  }
  return dots;
}

class ComputeD : public ::testing::TestWithParam<Problem> {
protected:
  Inputs inputs{GetParam()};
  const AttentionShape &s = inputs.s;
  // q is as good as any output: what counts is that it is not dO.
  const std::vector<uint16_t> &o = inputs.in.q, &dO = inputs.in.dO;
  FlashAttnTrainComputeD a{inputs.queryTensor(o), inputs.queryTensor(dO),
                           TensorView::poisoned(Device::systemDefault(), DataType::Float, inputs.rowSizes())};
};

TEST_P(ComputeD, ExactInEveryWay) {
  KernelSet set(ownKernelFolder());
  const std::vector<float> expected = rowDotsExact<Apple>(s, o, dO);
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        a.rowDot.buffer.poison();
        set.options() = options;
        return ran(dispatchFlashAttnTrainComputeD(set, a));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, valuesOf<float>(a.rowDot))); });
}

TEST_P(ComputeD, ExactUnderIeee) {
  KernelSet set(ownKernelFolder(), {{kIeeeNumerics}});
  ASSERT_TRUE(ran(dispatchFlashAttnTrainComputeD(set, a)));
  EXPECT_TRUE(bitsEqual(rowDotsExact<Ieee>(s, o, dO), valuesOf<float>(a.rowDot)));
}

// Products of bfloats are exact in float, so an element meets at most size / 32 fused steps and five sums of
// lanes.
TEST_P(ComputeD, NearFloat64) {
  KernelSet set(ownKernelFolder());
  ASSERT_TRUE(ran(dispatchFlashAttnTrainComputeD(set, a)));
  std::vector<double> reference(s.queryRows()), bound(s.queryRows());
  const double roundings = s.size / 32 + 5;
  for (size_t i = 0; i < o.size(); ++i) {
    const double product = double(fromBfloat(o[i])) * fromBfloat(dO[i]);
    reference[i / s.size] += product;
    bound[i / s.size] += 1.0001 * roundings * 0x1p-24 * std::fabs(product) + 0x1p-126;
  }
  Within within;
  EXPECT_TRUE(withinBound(reference, bound, valuesOf<float>(a.rowDot), &within));
  RecordProperty("largest", fmt::format("{:.2g}, {:.2g} of the bound", within.largest, within.worst));
}

/// Thread t of n sums t, t + n, ...; simd_sum a simdgroup's threads, then the simdgroups.
template <class Profile>
std::vector<float> packedDotsExact(const AttentionShape &s, const std::vector<uint16_t> &o,
                                   const std::vector<uint16_t> &dO) {
  const int threads = s.size > 128 ? 256 : s.size > 64 ? 128 : 64;
  std::vector<float> dots;
  for (size_t row = 0; row < s.queryRows(); ++row) {
    std::vector<Lanes> simdgroups(threads / 32, Lanes{});
    for (int d = 0; d < s.size; ++d) {
      const size_t i = row * s.size + d;
      const int thread = d % threads;
      float &sum = simdgroups[thread / 32][thread % 32];
      sum = F32<Profile>::mulAdd(fromBfloat(o[i]), fromBfloat(dO[i]), sum);
    }
    Lanes last{};
    for (size_t g = 0; g < simdgroups.size(); ++g)
      last[g] = simdSum<Profile>(simdgroups[g]);
    dots.push_back(simdSum<Profile>(last));
  }
  return dots;
}

/// With mlx-native's arguments.
class ComputeDPacked : public ComputeD {};

TEST_P(ComputeDPacked, ExactInEveryWay) {
  KernelSet set(ownKernelFolder());
  const std::vector<float> expected = packedDotsExact<Apple>(s, o, dO);
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        a.rowDot.buffer.poison();
        set.options() = options;
        return ran(dispatchFlashAttnTrainComputeDPacked(set, a));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, valuesOf<float>(a.rowDot))); });
}

TEST_P(ComputeDPacked, ExactUnderIeee) {
  KernelSet set(ownKernelFolder(), {{kIeeeNumerics}});
  ASSERT_TRUE(ran(dispatchFlashAttnTrainComputeDPacked(set, a)));
  EXPECT_TRUE(bitsEqual(packedDotsExact<Ieee>(s, o, dO), valuesOf<float>(a.rowDot)));
}

// An element meets a fused step for each time round the threads, five sums of lanes and five of simdgroups.
TEST_P(ComputeDPacked, NearFloat64) {
  KernelSet set(ownKernelFolder());
  ASSERT_TRUE(ran(dispatchFlashAttnTrainComputeDPacked(set, a)));
  std::vector<double> reference(s.queryRows()), bound(s.queryRows());
  const double roundings = (s.size + 255) / 256 + 10;
  for (size_t i = 0; i < o.size(); ++i) {
    const double product = double(fromBfloat(o[i])) * fromBfloat(dO[i]);
    reference[i / s.size] += product;
    bound[i / s.size] += 1.0001 * roundings * 0x1p-24 * std::fabs(product) + 0x1p-126;
  }
  Within within;
  EXPECT_TRUE(withinBound(reference, bound, valuesOf<float>(a.rowDot), &within));
  RecordProperty("largest", fmt::format("{:.2g}, {:.2g} of the bound", within.largest, within.worst));
}

TEST(ComputeDPackedArguments, MustBePacked) {
  Inputs inputs{Problem{"", shapeOf(64, 2, 3, 1, 6, 1), MaskKind::None, Layout::HeadsInside}};
  KernelSet set(ownKernelFolder());
  const auto result = dispatchFlashAttnTrainComputeDPacked(
      set, {inputs.queryTensor(inputs.in.q), inputs.queryTensor(inputs.in.dO),
            TensorView::poisoned(Device::systemDefault(), DataType::Float, inputs.rowSizes())});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "o has stride 64 on axis 1, the kernel knows it packed, with stride 384");
}

// Sizes that are a power of two and others, fewer and more elements than threads.
INSTANTIATE_TEST_SUITE_P(Shapes, ComputeDPacked,
                         ::testing::Values(Problem{"D64", shapeOf(64, 2, 3, 1, 8, 1)},
                                           Problem{"D256", shapeOf(256, 1, 2, 1, 5, 1)},
                                           Problem{"D96", shapeOf(96, 2, 1, 1, 3, 1)},
                                           Problem{"D40", shapeOf(40, 1, 2, 1, 3, 1)},
                                           Problem{"D384", shapeOf(384, 1, 1, 1, 4, 1)},
                                           Problem{"D256Subnormal", shapeOf(256, 1, 1, 1, 3, 1),
                                                   MaskKind::None, Layout::HeadsOutside, 0x1p-62f},
                                           Problem{"OneRow", shapeOf(64, 1, 1, 1, 1, 1)}),
                         problemName);

INSTANTIATE_TEST_SUITE_P(
    Shapes, ComputeD,
    ::testing::Values(
        Problem{"D64", shapeOf(64, 2, 3, 1, 8, 1)}, Problem{"D64Ragged", shapeOf(64, 2, 2, 1, 5, 1)},
        Problem{"D64HeadsInside", shapeOf(64, 2, 3, 1, 6, 1), MaskKind::None, Layout::HeadsInside},
        Problem{"D64Gaps", shapeOf(64, 2, 3, 1, 6, 1), MaskKind::None, Layout::Gaps},
        Problem{"D256", shapeOf(256, 1, 2, 1, 4, 1)},
        Problem{"D256HeadsInside", shapeOf(256, 2, 3, 1, 7, 1), MaskKind::None, Layout::HeadsInside},
        Problem{"D256Subnormal", shapeOf(256, 1, 1, 1, 3, 1), MaskKind::None, Layout::HeadsOutside, 0x1p-62f},
        Problem{"OneRow", shapeOf(64, 1, 1, 1, 1, 1)}),
    problemName);

} // namespace
} // namespace assay::train_test
