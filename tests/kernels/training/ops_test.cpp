// Attention training under mlx-native's names: the same kernels, from texts that the program carries.
#include "train_problem.h"

#include "kernels_msl/training/flash_attn_train_ops.h"

namespace assay::train_test {
namespace {

namespace ops = kernels::flash_attn_train;

ops::FlashAttnTrainParams paramsOf(const AttentionShape &s) {
  return {uint32_t(s.batches),
          uint32_t(s.queryHeads),
          uint32_t(s.keyHeads()),
          uint32_t(s.size),
          uint32_t(s.queries),
          uint32_t(s.keys),
          s.scale,
          s.causal};
}

TensorView poisonOf(DataType type, std::vector<int64_t> sizes) {
  return TensorView::poisoned(Device::systemDefault(), type, std::move(sizes));
}

class TrainOps : public ::testing::TestWithParam<Problem> {
protected:
  Inputs inputs{GetParam()};
  const AttentionShape &s = inputs.s;
  FlashAttnTrainInputs in = inputs.arguments();
  // No such folder: what runs comes from the registered texts.
  KernelSet registry{"/nonexistent"}, folder{ownKernelFolder()};

  template <class... A> auto forward(A &&...arguments) {
    return s.size == 64 ? ops::dispatch_flash_attn_train_fwd_bf16_d64(arguments...)
                        : ops::dispatch_flash_attn_train_fwd_bf16_d256(arguments...);
  }
  template <class... A> auto backward(A &&...arguments) {
    return s.size == 64 ? ops::dispatch_flash_attn_train_bwd_bf16_d64(arguments...)
                        : ops::dispatch_flash_attn_train_bwd_bf16_d256(arguments...);
  }
};

// The general dispatcher is judged by oracles (forward_test.cpp, whole_test.cpp).
TEST_P(TrainOps, ForwardHasTheBitsOfTheGeneralDispatcher) {
  FlashAttnTrainForward general;
  static_cast<FlashAttnTrainInputs &>(general) = in;
  general.o = poisonOf(DataType::BFloat, inputs.querySizes());
  general.logSumExp = poisonOf(DataType::Float, inputs.rowSizes());
  ASSERT_TRUE(ran(dispatchFlashAttnTrainForward(folder, general)));
  const TensorView o = poisonOf(DataType::BFloat, inputs.querySizes()),
                   l = poisonOf(DataType::Float, inputs.rowSizes());
  EXPECT_FALSE(forward(registry, in.q, in.k, in.v, in.mask, o, l, paramsOf(s))) << "nothing is registered";
  ops::register_(registry);
  ASSERT_TRUE(ran(forward(registry, in.q, in.k, in.v, in.mask, o, l, paramsOf(s))));
  EXPECT_TRUE(bitsEqual(valuesOf<uint16_t>(general.o), valuesOf<uint16_t>(o)));
  EXPECT_TRUE(bitsEqual(valuesOf<float>(general.logSumExp), valuesOf<float>(l)));
}

TEST_P(TrainOps, BackwardHasTheBitsOfTheGeneralDispatcher) {
  FlashAttnTrainBackward general;
  static_cast<FlashAttnTrainInputs &>(general) = in;
  general.o = inputs.queryTensor(inputs.in.q), general.dO = inputs.queryTensor(inputs.in.dO);
  general.logSumExp = floats(inputs.rowSizes(), inputs.in.logSumExp);
  general.dQ = poisonOf(DataType::BFloat, inputs.querySizes());
  general.dK = poisonOf(DataType::BFloat, inputs.keySizes());
  general.dV = poisonOf(DataType::BFloat, inputs.keySizes());
  ASSERT_TRUE(ran(dispatchFlashAttnTrainBackward(folder, general)));
  const TensorView dq = poisonOf(DataType::BFloat, inputs.querySizes()),
                   dk = poisonOf(DataType::BFloat, inputs.keySizes()),
                   dv = poisonOf(DataType::BFloat, inputs.keySizes());
  ops::register_bwd(registry);
  ASSERT_TRUE(ran(backward(registry, in.q, in.k, in.v, general.o, general.logSumExp, general.dO, in.mask, dq,
                           dk, dv, paramsOf(s))));
  EXPECT_TRUE(bitsEqual(valuesOf<uint16_t>(general.dQ), valuesOf<uint16_t>(dq)));
  EXPECT_TRUE(bitsEqual(valuesOf<uint16_t>(general.dK), valuesOf<uint16_t>(dk)));
  EXPECT_TRUE(bitsEqual(valuesOf<uint16_t>(general.dV), valuesOf<uint16_t>(dv)));
}

TEST_P(TrainOps, ShapesAreThoseOfTheParameters) {
  ops::register_(registry);
  const TensorView o = poisonOf(DataType::BFloat, inputs.querySizes()),
                   l = poisonOf(DataType::Float, inputs.rowSizes());
  const auto said = [&](ops::FlashAttnTrainParams params) {
    const auto result = forward(registry, in.q, in.k, in.v, in.mask, o, l, params);
    return result ? "" : result.error().rule();
  };
  const ops::FlashAttnTrainParams good = paramsOf(s);
  EXPECT_EQ(said(good), "");
  ops::FlashAttnTrainParams wrong = good;
  wrong.head_dim = 128;
  EXPECT_EQ(said(wrong), "head-dim");
  wrong = good, wrong.n_kv_heads = 0;
  EXPECT_EQ(said(wrong), "gqa");
  wrong = good, wrong.n_kv_heads = good.n_q_heads + 1;
  EXPECT_EQ(said(wrong), "gqa");
  for (uint32_t ops::FlashAttnTrainParams::*size :
       {&ops::FlashAttnTrainParams::batch, &ops::FlashAttnTrainParams::q_seq_len,
        &ops::FlashAttnTrainParams::k_seq_len}) {
    wrong = good, wrong.*size += 1;
    EXPECT_EQ(said(wrong), "shape-mismatch");
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TrainOps,
                         ::testing::Values(Problem{"D64", shapeOf(64, 2, 4, 2, 37, 41)},
                                           Problem{"D64CausalMasked", shapeOf(64, 1, 2, 1, 33, 33, true),
                                                   MaskKind::Random},
                                           Problem{"D64Bools", shapeOf(64, 1, 2, 1, 20, 18), MaskKind::Random,
                                                   Layout::HeadsOutside, 1, true},
                                           Problem{"D256", shapeOf(256, 1, 2, 2, 17, 19)}),
                         problemName);

TEST(TrainOpsSources, NameEveryKernelAndIncludeNoFile) {
  const auto has = [](std::string_view text, std::string_view part) { return text.find(part) != text.npos; };
  for (const std::string_view source :
       {ops::FLASH_ATTN_TRAIN_FWD_SHADER_SOURCE, ops::FLASH_ATTN_TRAIN_BWD_SHADER_SOURCE,
        ops::FLASH_ATTN_TRAIN_BWD_COMPUTE_D_SHADER_SOURCE}) {
    EXPECT_FALSE(has(source, "#include \""));
    EXPECT_TRUE(has(source, "struct AttnParams"));
  }
  const Device device = Device::systemDefault();
  const auto kernels = [&](std::string_view source) {
    const Result<Library> library = device.newLibraryWithSource(source);
    EXPECT_TRUE(ran(library));
    std::vector<std::string> names;
    if (library)
      for (const KernelInfo &kernel : library->reflection().kernels)
        names.push_back(kernel.name);
    return names;
  };
  EXPECT_EQ(kernels(ops::FLASH_ATTN_TRAIN_FWD_SHADER_SOURCE),
            (std::vector<std::string>{
                "flash_attn_train_fwd_bf16_d64", "flash_attn_train_fwd_bf16_d64_boolmask",
                "flash_attn_train_fwd_bf16_d256", "flash_attn_train_fwd_bf16_d256_boolmask"}));
  EXPECT_EQ(kernels(ops::FLASH_ATTN_TRAIN_BWD_COMPUTE_D_SHADER_SOURCE),
            (std::vector<std::string>{"flash_attn_train_bwd_compute_d_bf16_d64",
                                      "flash_attn_train_bwd_compute_d_bf16_d256",
                                      "flash_attn_train_bwd_compute_d_bf16"}));
  EXPECT_EQ(kernels(ops::FLASH_ATTN_TRAIN_BWD_SHADER_SOURCE).size(), 5u);
}

} // namespace
} // namespace assay::train_test
