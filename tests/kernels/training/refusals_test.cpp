// What the dispatchers of attention training refuse, by the whole message, and that nothing has run by then.
#include "train_problem.h"

#include <functional>
#include <limits>

namespace assay::train_test {
namespace {

/// A problem that is accepted, and which a test then spoils.
struct Good {
  Inputs inputs{Problem{"", shapeOf(64, 2, 4, 2, 5, 6)}};
  FlashAttnTrainForward forward;
  FlashAttnTrainBackward backward;

  Good() {
    static_cast<FlashAttnTrainInputs &>(forward) = inputs.arguments();
    static_cast<FlashAttnTrainInputs &>(backward) = forward;
    const Device device = Device::systemDefault();
    forward.o = TensorView::poisoned(device, DataType::BFloat, inputs.querySizes());
    forward.logSumExp = TensorView::poisoned(device, DataType::Float, inputs.rowSizes());
    backward.o = inputs.queryTensor(inputs.in.q), backward.dO = inputs.queryTensor(inputs.in.dO);
    backward.logSumExp = floats(inputs.rowSizes(), inputs.in.logSumExp);
    backward.dQ = TensorView::poisoned(device, DataType::BFloat, inputs.querySizes());
    backward.dK = TensorView::poisoned(device, DataType::BFloat, inputs.keySizes());
    backward.dV = TensorView::poisoned(device, DataType::BFloat, inputs.keySizes());
  }
};

KernelSet &ownKernels() {
  static KernelSet set(ownKernelFolder());
  return set;
}

template <class T> std::string say(const Result<T> &result) {
  if (result)
    return "";
  return result.error().message() + " [" + result.error().rule() + "]" +
         (result.error().kind == ErrorKind::Usage ? "" : " not a usage error");
}

bool untouched(const TensorView &t) {
  const auto bytes = t.buffer.as<uint8_t>();
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == Buffer::kPoisonByte; });
}

/// Spoils the inputs that both take, and asks both.
std::string both(const std::function<void(FlashAttnTrainInputs &)> &spoil) {
  Good good;
  spoil(good.forward);
  spoil(good.backward);
  const std::string forward = say(dispatchFlashAttnTrainForward(ownKernels(), good.forward));
  EXPECT_EQ(forward, say(dispatchFlashAttnTrainBackward(ownKernels(), good.backward)));
  EXPECT_TRUE(untouched(good.forward.o) && untouched(good.forward.logSumExp));
  EXPECT_TRUE(untouched(good.backward.dQ) && untouched(good.backward.dK) && untouched(good.backward.dV));
  return forward;
}
std::string forward(const std::function<void(FlashAttnTrainForward &)> &spoil) {
  Good good;
  spoil(good.forward);
  return say(dispatchFlashAttnTrainForward(ownKernels(), good.forward));
}
std::string backward(const std::function<void(FlashAttnTrainBackward &)> &spoil) {
  Good good;
  spoil(good.backward);
  const std::string said = say(dispatchFlashAttnTrainBackward(ownKernels(), good.backward));
  EXPECT_TRUE(untouched(good.backward.dQ));
  return said;
}

TEST(TrainRefusals, NothingOfWhatIsGood) {
  EXPECT_EQ(forward([](auto &) {}), "");
  Good good;
  EXPECT_EQ(say(dispatchFlashAttnTrainBackward(ownKernels(), good.backward)), "");
}

TEST(TrainRefusals, Shapes) {
  const Device device = Device::systemDefault();
  EXPECT_EQ(both([&](auto &a) {
              a.q = a.k = a.v = TensorView::poisoned(device, DataType::BFloat, {1, 1, 4, 128});
            }),
            "the head size is 128, kernels exist for 64 and 256 [head-dim]");
  EXPECT_EQ(both([&](auto &a) { a.k = a.v = TensorView::poisoned(device, DataType::BFloat, {2, 3, 6, 64}); }),
            "q has 4 heads, k and v have 3, which does not divide them [gqa]");
  EXPECT_EQ(both([](auto &a) { a.v.sizes[2] = 5; }),
            "v is [2, 2, 5, 64], the other arguments ask for [2, 2, 6, 64] [shape-mismatch]");
  EXPECT_EQ(both([](auto &a) { a.k.type = DataType::Half; }),
            "k has type half, the kernel takes bfloat [tensor-type]");
  EXPECT_EQ(both([](auto &a) { a.q.buffer = {}; }),
            "q is missing: bfloat [any, any, any, any] is needed [missing-tensor]");
  EXPECT_EQ(both([&](auto &a) { a.mask = TensorView::poisoned(device, DataType::Float, {2, 4, 5, 6}); }),
            "the mask has type float, the kernel takes bfloat or bool [mask-type]");
  EXPECT_EQ(both([&](auto &a) { a.mask = TensorView::poisoned(device, DataType::Bool, {2, 4, 5, 7}); }),
            "mask is [2, 4, 5, 7], the other arguments ask for [2, 4, 5, 6] [shape-mismatch]");
}

TEST(TrainRefusals, Strides) {
  EXPECT_EQ(both([](auto &a) { a.q.strides[3] = 2; }),
            "q has stride 2 on its innermost axis, the kernel reads stride 1 [stride]");
  EXPECT_EQ(both([](auto &a) { a.k.strides[2] = 65; }),
            "k [2, 2, 6, 64] ends at element 1540 of its buffer, which has 1536 [tensor-range]");
  EXPECT_EQ(
      forward([](auto &a) { a.o.strides[1] = 63; }),
      "o is written and has stride 63 on axis 1, where the axes inside it cover 64 elements: elements would "
      "share memory [stride]");
  EXPECT_EQ(forward([](auto &a) { a.logSumExp.strides = {5, 10, 1}; }),
            "logSumExp has stride 5 on axis 0, the kernel knows it packed, with stride 20 [packed]");
  EXPECT_EQ(backward([](auto &a) { a.logSumExp.strides = {5, 10, 1}; }),
            "logSumExp has stride 5 on axis 0, the kernel knows it packed, with stride 20 [packed]");
  EXPECT_EQ(backward([](auto &a) { a.dQ.strides = {1280, 64, 256, 1}; }),
            "dQ has stride 64 on axis 1, the kernel knows it packed, with stride 320 [packed]");
  EXPECT_EQ(backward([](auto &a) { a.dO.strides = {1280, 64, 256, 1}; }),
            "o has stride 320 on axis 1, dO has 64: the kernels take one for both [stride]");
}

TEST(TrainRefusals, Numbers) {
  EXPECT_EQ(both([](auto &a) { a.scale = std::numeric_limits<float>::infinity(); }),
            "scale is inf, which is not finite [scale]");
  EXPECT_EQ(both([](auto &a) { a.queryOffset = -1; }), "queryOffset is -1, which is negative [query-offset]");
  EXPECT_EQ(both([](auto &a) { a.queryOffset = 2147483580; }),
            "queryOffset + qL is 2147483585, the kernel counts to 2147483583 [too-long]");
  EXPECT_EQ(both([](auto &a) { a.queryOffset = INT64_MAX; }),
            "queryOffset is 9223372036854775807, the kernel counts to 2147483583 [too-long]");
}

// Broadcast keys are a way to have more of them than memory.
TEST(TrainRefusals, MoreThanAnIntCounts) {
  const auto endless = [](TensorView &t) { t.sizes[2] = int64_t(1) << 32, t.strides[2] = 0; };
  EXPECT_EQ(forward([&](auto &a) { endless(a.k), endless(a.v); }),
            "kL is 4294967296, the kernel counts to 2147483583 [too-long]");
  EXPECT_EQ(forward([&](auto &a) { endless(a.q); }),
            "qL is 4294967296, the kernel counts to 2147483583 [too-long]");
  EXPECT_EQ(forward([&](auto &a) {
              for (TensorView *t : {&a.q, &a.k, &a.v})
                t->sizes[0] = int64_t(1) << 31, t->strides[0] = 0;
            }),
            "B is 2147483648, the kernel counts to 2147483583 [too-long]");
}

TEST(TrainRefusals, OfTheSteps) {
  Good good;
  const Device device = Device::systemDefault();
  FlashAttnTrainComputeD dots{good.backward.o, good.backward.dO,
                              TensorView::poisoned(device, DataType::Float, {2, 4, 6})};
  EXPECT_EQ(say(dispatchFlashAttnTrainComputeD(ownKernels(), dots)),
            "rowDot is [2, 4, 6], the other arguments ask for [2, 4, 5] [shape-mismatch]");
  FlashAttnTrainGradients gradients;
  static_cast<FlashAttnTrainInputs &>(gradients) = good.backward;
  gradients.dO = good.backward.dO, gradients.logSumExp = good.backward.logSumExp;
  EXPECT_EQ(say(dispatchFlashAttnTrainGradients(ownKernels(), gradients)),
            "rowDot is missing: float [2, 4, 5] is needed [missing-tensor]");
  gradients.rowDot = good.backward.logSumExp, gradients.dQ = good.backward.dQ;
  EXPECT_EQ(say(dispatchFlashAttnTrainGradients(ownKernels(), gradients)),
            "dQ has type bfloat, the kernel takes float [tensor-type]");
  EXPECT_EQ(say(dispatchF32ToBf16Cast(ownKernels(), good.backward.dQ, good.backward.dQ)),
            "from has type bfloat, the kernel takes float [tensor-type]");
}

// A folder without the kernels: the second pipeline is missing, and the first step has not run either.
TEST(TrainRefusals, NothingRunsUnlessAllPipelinesExist) {
  Good good;
  KernelSet nothing("/nonexistent");
  const auto report = dispatchFlashAttnTrainBackward(nothing, good.backward);
  ASSERT_FALSE(report);
  EXPECT_TRUE(untouched(good.backward.dQ) && untouched(good.backward.dK) && untouched(good.backward.dV));
}

} // namespace
} // namespace assay::train_test
