// What a dispatcher refuses of a tensor, by its whole message.
#include "kernels_msl/dispatch/tensor_view.h"

#include <gtest/gtest.h>

namespace assay::kernels {
namespace {

class CheckTensor : public ::testing::Test {
protected:
  Device device = Device::systemDefault();
  TensorView t = TensorView::poisoned(device, DataType::Float, {2, 3, 4});

  static std::string say(const Result<void> &result) {
    return result ? "" : result.error().message() + " [" + result.error().rule() + "]";
  }
  std::string check(TensorUse use = TensorUse::Input) {
    return say(checkTensor("K", t, DataType::Float, {2, -1, 4}, use));
  }
};

TEST_F(CheckTensor, AcceptsWhatFits) {
  EXPECT_EQ(t.strides, (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(t.buffer.as<uint8_t>()[95], Buffer::kPoisonByte);
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(TensorUse::Output), "");
}

TEST_F(CheckTensor, AcceptsHeadsInsideAndBroadcastInputs) {
  t.strides = {4, 8, 1}; // [3, 2, 4] in memory
  EXPECT_EQ(check(TensorUse::Output), "");
  t.strides = {0, 4, 1};
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(TensorUse::Output),
            "K is written and has stride 0 on axis 0, where the axes inside it cover 1 "
            "elements: elements would share memory [stride]");
}

TEST_F(CheckTensor, NamesWhatDoesNotFit) {
  const TensorView good = t;
  t.sizes[2] = 5;
  EXPECT_EQ(check(), "K is [2, 3, 5], the other arguments ask for [2, any, 4] [shape-mismatch]");
  t = good;
  t.sizes.pop_back();
  EXPECT_EQ(check(), "K has 2 axes, [2, any, 4] has 3 [tensor-rank]");
  t = good;
  t.type = DataType::Half;
  EXPECT_EQ(check(), "K has type half, the kernel takes float [tensor-type]");
  t = good;
  t.buffer = {};
  EXPECT_EQ(check(), "K is missing: float [2, any, 4] is needed [missing-tensor]");
  t = good;
  t.strides = {12, 1, 3};
  EXPECT_EQ(check(), "K has stride 3 on its innermost axis, the kernel reads stride 1 [stride]");
  t.strides = {-12, 4, 1};
  EXPECT_EQ(check(), "K has stride -12 on axis 0, which is negative [stride]");
  t.strides = {12, 4};
  EXPECT_EQ(check(), "K has 2 strides for 3 axes [stride]");
  t.strides = {11, 4, 1};
  EXPECT_EQ(check(), "");
  EXPECT_EQ(check(TensorUse::Output),
            "K is written and has stride 11 on axis 0, where the axes inside it cover 12 "
            "elements: elements would share memory [stride]");
}

TEST_F(CheckTensor, KnowsWhereTheLastElementLies) {
  t.offset = 1;
  EXPECT_EQ(check(), "K [2, 3, 4] ends at element 24 of its buffer, which has 24 [tensor-range]");
  t.offset = -1;
  EXPECT_EQ(check(), "K begins at element -1 of its buffer [tensor-range]");
  t.offset = 0;
  t.strides[0] = INT64_MAX;
  EXPECT_EQ(check(), "K [2, 3, 4] ends at element more than 9223372036854775807 of its buffer, which has 24 "
                     "[tensor-range]");
}

} // namespace
} // namespace assay::kernels
