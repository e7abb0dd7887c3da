// f32_to_bf16_cast through its dispatcher.
#include "train_problem.h"

#include "tests/kernels/bfloat_neighbourhoods.h"

namespace assay::train_test {
namespace {

TEST(TrainCast, RoundsEveryNeighbourhoodToNearestEvenAndStopsAtTheCount) {
  KernelSet set(ownKernelFolder());
  std::vector<float> values = bfloatNeighbourhoods();
  values.resize(values.size() - 100);
  const int64_t count = int64_t(values.size());
  constexpr int64_t kSpare = 77;
  TensorView to = TensorView::poisoned(set.device(), DataType::BFloat, {1, 1, 1, count + kSpare});
  to.sizes[3] = count;
  ASSERT_NE(count % 256, 0) << "the last threadgroup must have threads past the count";
  const TensorView from = floats({1, 1, 1, count}, values);
  std::vector<uint16_t> expected = narrowed<Apple>(values);
  expected.insert(expected.end(), kSpare, Buffer::kPoisonByte << 8 | Buffer::kPoisonByte);
  inAllWays(
      false,
      [&](const DispatchOptions &options) {
        to.buffer.poison();
        set.options() = options;
        return ran(dispatchF32ToBf16Cast(set, from, to));
      },
      [&] { EXPECT_TRUE(bitsEqual(expected, to.buffer.as<uint16_t>())); });
}

TEST(TrainCast, KeepsSubnormalsUnderIeee) {
  KernelSet set(ownKernelFolder(), {{kIeeeNumerics}});
  const std::vector<float> values = bfloatNeighbourhoods();
  const TensorView from = floats({1, 1, 1, int64_t(values.size())}, values);
  const TensorView to = TensorView::poisoned(set.device(), DataType::BFloat, from.sizes);
  ASSERT_TRUE(ran(dispatchF32ToBf16Cast(set, from, to)));
  EXPECT_TRUE(bitsEqual(withOneNaN(narrowed<Ieee>(values)), withOneNaN(valuesOf<uint16_t>(to))));
}

} // namespace
} // namespace assay::train_test
