// What the dispatchers of prefill attention refuse, by the whole message, and that nothing has run by then.
#include "prefill_case.h"

#include "tests/support/kernel_files.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

using namespace testing_support;
using kernels::KernelSet;
using kernels::TensorView;

class FlashPrefillChecks : public ::testing::Test {
protected:
  KernelSet kernels{"a folder that is not there, so that whatever is compiled fails"};
  const Device &device = kernels.device();
  kernels::PrefillArguments a = arguments();

  TensorView tensor(std::vector<int64_t> sizes, DataType type = DataType::BFloat) const {
    return TensorView::poisoned(device, type, std::move(sizes));
  }
  kernels::PrefillArguments arguments() const {
    kernels::PrefillArguments a;
    a.q = tensor({1, 4, 40, 64});
    a.o = tensor({1, 4, 40, 64});
    a.k = tensor({1, 2, 50, 64});
    a.v = tensor({1, 2, 50, 64});
    return a;
  }
  template <class T> static std::string say(const Result<T> &result) {
    return result ? "" : result.error().message() + " [" + result.error().rule() + "]";
  }
  std::string refused() { return say(dispatchPrefill(kernels, a)); }
  std::string refusedWithClasses() { return say(prefillAttention(kernels, a)); }
};

TEST_F(FlashPrefillChecks, HeadSizesWithoutAKernel) {
  a.q = tensor({1, 4, 40, 128});
  EXPECT_EQ(refused(), "D is 128, flash_attn_prefill has kernels for 64, 256 and 512 [head-dim]");
}

TEST_F(FlashPrefillChecks, NumbersOfSimdgroups) {
  a.simdgroups = 8;
  EXPECT_EQ(refused(), "8 simdgroups are asked for, the kernels for D = 64 have 4 [simdgroups]");
  a.q = tensor({1, 4, 40, 512});
  a.simdgroups = 2;
  EXPECT_EQ(refused(), "2 simdgroups are asked for, the kernels for D = 512 have 8, 4 or 1 [simdgroups]");
}

TEST_F(FlashPrefillChecks, ElementTypes) {
  a.q = tensor({1, 4, 40, 64}, DataType::Float);
  EXPECT_EQ(refused(), "Q has type float, the kernels take bfloat or half [element-type]");
  a = arguments();
  a.v = tensor({1, 2, 50, 64}, DataType::Half);
  EXPECT_EQ(refused(), "V has type half, the kernel takes bfloat [tensor-type]");
  a = arguments();
  a.mask = tensor({40, 50}, DataType::Half);
  EXPECT_EQ(refused(), "the mask has type half, the kernel takes bfloat or bool [mask-type]");
}

TEST_F(FlashPrefillChecks, ShapesThatDoNotFit) {
  a.k = tensor({1, 3, 50, 64});
  EXPECT_EQ(refused(), "Q has 4 heads, which 3 heads of K do not divide [gqa]");
  a = arguments();
  a.v = tensor({1, 2, 49, 64});
  EXPECT_EQ(refused(), "V is [1, 2, 49, 64], the other arguments ask for [1, 2, 50, 64] [shape-mismatch]");
  a = arguments();
  a.o = tensor({1, 4, 39, 64});
  EXPECT_EQ(refused(), "O is [1, 4, 39, 64], the other arguments ask for [1, 4, 40, 64] [shape-mismatch]");
  a = arguments();
  a.mask = tensor({40, 51});
  EXPECT_EQ(refused(), "mask is [1, 4, 40, 51], the other arguments ask for [1, 4, 40, 50] [shape-mismatch]");
  a = arguments();
  a.k = {};
  EXPECT_EQ(refused(), "K is missing: bfloat [1, any, any, 64] is needed [missing-tensor]");
}

TEST_F(FlashPrefillChecks, StridesAndRanges) {
  a.k.strides[3] = 2;
  EXPECT_EQ(refused(), "K has stride 2 on its innermost axis, the kernel reads stride 1 [stride]");
  a = arguments();
  a.o.strides[1] = 64;
  EXPECT_EQ(refused(),
            "O is written and has stride 64 on axis 2, where the axes inside it cover 256 elements: "
            "elements would share memory [stride]");
  a = arguments();
  a.v.offset = 1;
  EXPECT_EQ(refused(), "V [1, 2, 50, 64] ends at element 6400 of its buffer, which has 6400 [tensor-range]");
}

TEST_F(FlashPrefillChecks, Numbers) {
  a.scale = std::numeric_limits<float>::infinity();
  EXPECT_EQ(refused(), "scale is inf, which is not finite [scale]");
  a = arguments();
  a.queryOffset = -1;
  EXPECT_EQ(refused(), "queryOffset is -1, which is negative [query-offset]");
  a.queryOffset = 2147483600;
  EXPECT_EQ(refused(), "queryOffset + qL is 2147483640, the kernel counts to 2147483599 [too-long]");
  a.queryOffset = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(refused(), "queryOffset + qL is 9223372036854775807, the kernel counts to 2147483599 [too-long]");
  a = arguments();
  a.k.sizes[2] = a.v.sizes[2] = int64_t(1) << 31; // one key, again and again
  a.k.strides[2] = a.v.strides[2] = 0;
  EXPECT_EQ(refused(), "kL is 2147483648, the kernel counts to 2147483631 [too-long]");
}

TEST_F(FlashPrefillChecks, Classes) {
  a.classes = tensor({2, 4}, DataType::Char);
  EXPECT_EQ(refused(), "there are classes and no mask that they could be of [classes-without-mask]");
  EXPECT_EQ(refusedWithClasses(),
            "there are classes, and prefillAttention makes them itself [surplus-classes]");
  a.mask = tensor({40, 50});
  a.classes.buffer.fill(1);
  a.classes.buffer.as<int8_t>()[6] = 3;
  EXPECT_EQ(refused(), "classes has 3 for tile (1, 2), where 0, 1 and 2 have a meaning [tile-class]");
  a.classes = tensor({5, 7}, DataType::Char);
  EXPECT_EQ(refused(), "classes is [5, 7], the other arguments ask for [2, 4] [shape-mismatch]");
  a.classes = tensor({2, 8}, DataType::Char);
  a.classes.sizes[1] = 4;
  EXPECT_EQ(refused(), "classes has stride 8 on axis 0, the kernel expects rows of 4 [stride]");
}

TEST_F(FlashPrefillChecks, MasksOfTheirOwnForEachHeadHaveNoClasses) {
  a.mask = tensor({1, 4, 40, 50});
  EXPECT_EQ(refusedWithClasses(),
            "the mask has stride 2000 on axis 1 of 4, and the classes are for all heads [mask-plane]");
}

// prefillAttention refuses before the classifier is compiled, too.
TEST_F(FlashPrefillChecks, ComeBeforeTheClassifier) {
  a.mask = tensor({40, 50});
  a.scale = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusedWithClasses(), "scale is nan, which is not finite [scale]");
}

TEST_F(FlashPrefillChecks, OfTheClassifier) {
  kernels::PrefillClassifyArguments c;
  const auto refuse = [&] { return say(dispatchPrefillClassifier(kernels, c)); };
  const auto fresh = [&] {
    c.mask = tensor({40, 50});
    c.classes = tensor({2, 4}, DataType::Char);
    c.tiles = {32, 16};
  };
  fresh();
  c.mask = tensor({40, 50}, DataType::Float);
  EXPECT_EQ(refuse(), "the mask has type float, the classifiers take bfloat, half or bool [mask-type]");
  fresh();
  c.tiles = {32, 0};
  EXPECT_EQ(refuse(), "tiles are 32 by 0, each side must be 1 to 1024 [tile-size]");
  fresh();
  c.classes = tensor({2, 3}, DataType::Char);
  EXPECT_EQ(refuse(), "classes is [2, 3], the other arguments ask for [2, 4] [shape-mismatch]");
  fresh();
  c.mask.sizes[0] = 1;
  c.mask.strides[0] = int64_t(1) << 31;
  c.classes = tensor({1, 4}, DataType::Char);
  EXPECT_EQ(refuse(),
            "the mask's rows are 2147483648 elements apart, the kernel counts to 2147483647 [mask-stride]");
  fresh();
  c.mask = tensor({1, 40, 50});
  EXPECT_EQ(refuse(), "mask has 3 axes, [any, any] has 2 [tensor-rank]");
}

} // namespace
} // namespace assay
