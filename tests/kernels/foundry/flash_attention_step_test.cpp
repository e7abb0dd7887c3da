// FlashAttentionStep: which path m picks, what it says, and what no path is taken for.
#include "kernels_msl/foundry/decode_compare.h"
#include "kernels_msl/foundry/flash_attention_step.h"
#include "kernels_msl/foundry/kv_prep.h"
#include "kernels_msl/foundry/kv_quantizer.h"

#include "decode_case.h"
#include "prefill_case.h"

#include <gmock/gmock.h>

#include <cstring>
#include <functional>

namespace assay::kernels::foundry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::bitsEqual;

constexpr int kCapacity = 32, kHeads = 4, kSize = 64, kModel = kHeads * kSize, kKeys = 45;

Knobs knobs(std::map<std::string, std::string> values) {
  const Result<Knobs> read = Knobs::read([&](std::string_view name) -> std::optional<std::string> {
    const auto it = values.find(std::string(name));
    return it == values.end() ? std::nullopt : std::optional(it->second);
  });
  EXPECT_TRUE(read);
  return read ? *read : Knobs{};
}

/// A prefill of one row in the words of decode's oracle.
std::vector<uint16_t> decodedExactly(const PrefillCase &problem, const DecodeVariant &variant) {
  const oracle::PrefillShape &p = problem.shape;
  const oracle::DecodeShape shape = decodeShape(p.batches, p.heads, p.keyHeads, p.size, p.keys, p.bfloat);
  oracle::DecodeInputs in;
  in.q = bitsOf(problem.in.q, p.bfloat);
  in.k.bits = bitsOf(problem.in.k, p.bfloat), in.v.bits = bitsOf(problem.in.v, p.bfloat);
  in.lengths.assign(p.batches, uint32_t(p.keys));
  in.padding = problem.in.padding.value_or(std::vector<uint8_t>());
  in.mask = problem.in.mask.value_or(std::vector<float>());
  return oracle::flashDecodeExact<oracle::Apple>(shape, in, orderOf(variant));
}

/// A model's buffers: Q and the output of 32 rows, of which m are new, and a cache. Of Q, the m rows are
/// packed head-major, as preparation leaves them.
struct Model {
  PrefillCase problem;
  FlashAttentionArguments a;
  int m;

  explicit Model(int rows, bool bfloat = false)
      : problem({.heads = kHeads,
                 .keyHeads = 2,
                 .queries = rows,
                 .keys = kKeys,
                 .size = kSize,
                 .bfloat = bfloat}),
        m(rows) {
    const TensorView packed = problem.arguments.q;
    a.q = TensorView::poisoned(Device::systemDefault(), problem.type(), {1, kCapacity, kModel});
    const auto from = packed.buffer.as<const uint16_t>();
    std::copy(from.begin(), from.end(), a.q.buffer.as<uint16_t>().begin());
    a.out = TensorView::poisoned(Device::systemDefault(), problem.type(), {1, kCapacity, kModel});
    a.k.rows = problem.arguments.k, a.v.rows = problem.arguments.v;
    a.m = rows;
  }

  /// [head][query][d], from the token-major output; the rows after m must be untouched.
  std::vector<uint16_t> output() const {
    const auto all = a.out.buffer.as<const uint16_t>();
    for (size_t i = size_t(m) * kModel; i < all.size(); ++i)
      EXPECT_EQ(all[i], 0xA5A5) << "row " << i / kModel << " is not of this step";
    std::vector<uint16_t> out(size_t(m) * kModel);
    for (int head = 0; head < kHeads; ++head)
      for (int row = 0; row < m; ++row)
        for (int d = 0; d < kSize; ++d)
          out[(size_t(head) * m + row) * kSize + d] = all[size_t(row) * kModel + head * kSize + d];
    return out;
  }

  std::vector<uint16_t> decoded(const DecodeVariant &variant) const {
    return decodedExactly(problem, variant);
  }
};

TEST(FlashAttentionSelector, GoesByTheNumberOfNewRows) {
  EXPECT_EQ(pathFor(1), AttentionPath::Decode);
  EXPECT_EQ(pathFor(2), AttentionPath::Prefill);
  EXPECT_EQ(pathFor(1 << 20), AttentionPath::Prefill);
  EXPECT_EQ(textOf(AttentionPath::Decode), "decode");
  EXPECT_EQ(textOf(AttentionPath::Prefill), "prefill");
}

TEST(FlashAttentionStep, DecodesOneRow) {
  for (const bool bfloat : {false, true}) {
    Model model(1, bfloat);
    FlashAttentionStep step(kernelSet(), {});
    const auto report = step.run(model.a);
    ASSERT_TRUE(succeeded(report));
    EXPECT_EQ(report->path, AttentionPath::Decode);
    EXPECT_EQ(report->m, 1);
    EXPECT_EQ(report->keys, kKeys);
    ASSERT_TRUE(report->decode);
    EXPECT_FALSE(report->prefill);
    EXPECT_EQ(report->decode->kernel, bfloat ? "flash_decode_bf16_d64" : "flash_decode_f16_d64");
    EXPECT_THAT(report->kernels, ElementsAre(report->decode->kernel));
    EXPECT_TRUE(bitsEqual(model.decoded(report->decode->variant), model.output()));
  }
}

TEST(FlashAttentionStep, PrefillsSeveralRows) {
  for (const int m : {2, 3, 26, kCapacity}) {
    SCOPED_TRACE(m);
    Model model(m);
    FlashAttentionStep step(kernelSet(), {});
    const auto report = step.run(model.a);
    ASSERT_TRUE(succeeded(report));
    EXPECT_EQ(report->path, AttentionPath::Prefill);
    EXPECT_EQ(report->m, m);
    EXPECT_THAT(report->kernels,
                ElementsAre(fmt::format("flash_prefill_tiled_d64_w{}", selectPrefill({}, m, kKeys).warps)));
    ASSERT_TRUE(report->prefill);
    EXPECT_FALSE(report->decode);
    EXPECT_TRUE(bitsEqual(model.problem.expected<oracle::Apple>(report->prefill->plan), model.output()));
  }
}

/// Foundry's first gotcha from end to end: token-major queries, 26 of a capacity of 32, are packed by the
/// preparation under metadata that says [1, 32, d_model], and the step reads them as they were packed.
TEST(FlashAttentionStep, ReadsWhatPreparationHasPackedUnderTokenMajorMetadata) {
  Model model(26);
  TensorView tokens = TensorView::poisoned(Device::systemDefault(), DataType::Half, {1, kCapacity, kModel});
  const std::vector<uint16_t> q = bitsOf(model.problem.in.q, false); // [head][query][d]
  for (int head = 0; head < kHeads; ++head)
    for (int row = 0; row < 26; ++row)
      for (int d = 0; d < kSize; ++d)
        tokens.buffer.as<uint16_t>()[size_t(row) * kModel + head * kSize + d] =
            q[(size_t(head) * 26 + row) * kSize + d];
  model.a.q.buffer.poison();
  PackQueriesArguments pack;
  pack.q = tokens, pack.packed = model.a.q, pack.headDim = kSize, pack.m = 26;
  ASSERT_TRUE(succeeded(dispatchPackQueries(kernelSet(), pack)));
  FlashAttentionStep step(kernelSet(), {});
  const auto report = step.run(model.a);
  ASSERT_TRUE(succeeded(report));
  const std::vector<uint16_t> expected = model.problem.expected<oracle::Apple>(report->prefill->plan);
  EXPECT_TRUE(bitsEqual(expected, model.output()));

  // Unpacked, with the same metadata, it is another Q: the mistake that the packing is there to prevent.
  model.a.q = tokens;
  model.a.out.buffer.poison();
  ASSERT_TRUE(succeeded(step.run(model.a)));
  EXPECT_FALSE(bitsEqual(expected, model.output()));
}

TEST(FlashAttentionStep, TakesAllRowsIfMIsNotSaid) {
  Model model(kCapacity);
  model.a.m.reset();
  FlashAttentionStep step(kernelSet(), {});
  const auto report = step.run(model.a);
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->m, kCapacity);
  EXPECT_TRUE(bitsEqual(model.problem.expected<oracle::Apple>(report->prefill->plan), model.output()));
}

TEST(FlashAttentionStep, TakesTensorsByHeads) {
  for (const int m : {1, 7}) {
    SCOPED_TRACE(m);
    Model model(m);
    model.a.q = model.problem.arguments.q, model.a.out = model.problem.arguments.out;
    model.a.m.reset();
    FlashAttentionStep step(kernelSet(), {});
    const auto report = step.run(model.a);
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(bitsEqual(m == 1 ? model.decoded(report->decode->variant)
                                 : model.problem.expected<oracle::Apple>(report->prefill->plan),
                          model.problem.out()));
  }
}

TEST(FlashAttentionStep, WritesOutputsWithoutABatchAxis) {
  for (const int m : {1, 5}) {
    Model model(m);
    model.a.out.sizes = {kCapacity, kModel}, model.a.out.strides = {kModel, 1};
    FlashAttentionStep step(kernelSet(), {});
    const auto report = step.run(model.a);
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(bitsEqual(m == 1 ? model.decoded(report->decode->variant)
                                 : model.problem.expected<oracle::Apple>(report->prefill->plan),
                          model.output()));
  }
}

TEST(FlashAttentionStep, HandsMasksPaddingAndCausalityOn) {
  for (const int m : {1, 6}) {
    SCOPED_TRACE(m);
    PrefillCase problem({.batches = 2,
                         .heads = 2,
                         .queries = m,
                         .keys = 40,
                         .size = 64,
                         .causal = false,
                         .mask = true,
                         .padding = true});
    FlashAttentionArguments a;
    a.q = problem.arguments.q, a.k.rows = problem.arguments.k, a.v.rows = problem.arguments.v;
    a.out = problem.arguments.out, a.mask = problem.arguments.mask, a.padding = problem.arguments.padding;
    a.causal = false;
    FlashAttentionStep step(kernelSet(), {});
    ASSERT_TRUE(succeeded(step.run(a)));
    EXPECT_TRUE(
        problem.withinBound()); // of prefill's order; decode's is within it, too: it has fewer roundings
  }
}

/// Masks as wide as the cache's capacity: what is past the keys is not read.
TEST(FlashAttentionStep, TakesMasksOfMoreKeysThanThereAre) {
  for (const int m : {1, 6}) {
    SCOPED_TRACE(m);
    PrefillCase problem(
        {.batches = 2, .heads = 2, .queries = m, .keys = 40, .size = 64, .mask = true, .padding = true});
    const Device device = Device::systemDefault();
    FlashAttentionArguments a;
    a.q = problem.arguments.q, a.out = problem.arguments.out, a.keys = 40;
    a.mask = TensorView::poisoned(device, DataType::Half, {2, 2, m, 48});
    a.padding = TensorView::poisoned(device, DataType::UChar, {2, 48});
    const auto widen = [&](const TensorView &from, int64_t width, TensorView &to, int64_t wide) {
      const auto bytes = size_t(from.type.bytes());
      for (int64_t row = 0; row < from.count() / width; ++row)
        std::memcpy(static_cast<char *>(to.buffer.contents()) + row * wide * bytes,
                    static_cast<const char *>(from.buffer.contents()) + row * width * bytes, width * bytes);
    };
    widen(problem.arguments.mask, 40, a.mask, 48);
    widen(problem.arguments.padding, 40, a.padding, 48);
    a.k.rows = TensorView::poisoned(device, DataType::Half, {2, 1, 48, 64});
    a.v.rows = TensorView::poisoned(device, DataType::Half, {2, 1, 48, 64});
    widen(problem.arguments.k, 40 * 64, a.k.rows, 48 * 64);
    widen(problem.arguments.v, 40 * 64, a.v.rows, 48 * 64);
    FlashAttentionStep step(kernelSet(), {});
    const auto report = step.run(a);
    ASSERT_TRUE(succeeded(report));
    EXPECT_TRUE(bitsEqual(m == 1 ? decodedExactly(problem, report->decode->variant)
                                 : problem.expected<oracle::Apple>(report->prefill->plan),
                          problem.out()));
  }
}

TEST(FlashAttentionStep, RotatesTheQueryOfADecode) {
  DecodeCase c;
  c.shape = decodeShape(2, 4, 2, 64, 45);
  c.lengths = {45, 30}, c.rope = RopePairs::Halves, c.qRows = 3;
  DecodeRun run(c);
  FlashAttentionArguments a;
  a.q = run.arguments().q, a.k = run.arguments().k, a.v = run.arguments().v, a.out = run.arguments().out;
  a.rope = run.arguments().rope, a.kvLengths = run.arguments().kvLengths, a.m = 1;
  a.scale = run.arguments().scale;
  a.out.buffer.poison();
  FlashAttentionStep step(kernelSet(), {});
  const auto report = step.run(a);
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->decode->kernel, "flash_decode_rope_f16_d64");
  EXPECT_TRUE(bitsEqual(run.exact<oracle::Apple>(report->decode->variant), run.output()));
  EXPECT_TRUE(run.restUntouched());
}

/// A cache of bytes, on either path: only if the step may, and then with the bits of the written kernels.
TEST(FlashAttentionStep, ReadsQuantisedCachesIfItIsAllowed) {
  for (const int m : {1, 5}) {
    SCOPED_TRACE(m);
    Model model(m);
    const Device device = Device::systemDefault();
    for (KvTensor *cache : {&model.a.k, &model.a.v}) {
      const Result<KvTensor> bytes = quantizeKv(device, cache->rows, kKeys);
      ASSERT_TRUE(succeeded(bytes));
      *cache = *bytes;
    }
    FlashAttentionStep step(kernelSet(), {});
    EXPECT_THAT(errorOf(step.run(model.a)), HasSubstr("[kv-capability]"));
    step.allow({true, true});
    const auto report = step.run(model.a);
    ASSERT_TRUE(succeeded(report));
    const std::vector<uint16_t> composed = model.output();
    model.a.out.buffer.poison();
    if (m == 1) {
      const auto arguments = decodeArguments(model.a);
      ASSERT_TRUE(succeeded(arguments));
      ASSERT_TRUE(succeeded(dispatchFlashDecode(kernelSet(), *arguments, report->decode->variant)));
    } else {
      const auto arguments = prefillArguments(model.a);
      ASSERT_TRUE(succeeded(arguments));
      ASSERT_TRUE(succeeded(dispatchFlashPrefill(kernelSet(), *arguments, report->prefill->plan)));
    }
    EXPECT_TRUE(bitsEqual(model.output(), composed));
  }
}

/// The step's refusal, and that the output is as it was.
std::string refusal(Model model, const std::function<void(FlashAttentionArguments &)> &spoil,
                    Knobs environment = {}, bool decode = false) {
  spoil(model.a);
  FlashAttentionStep step(kernelSet(), environment);
  const auto report = decode ? step.decode(model.a) : step.run(model.a);
  if (report)
    return "ran " + std::string(textOf(report->path));
  for (const uint8_t byte : model.a.out.buffer.as<const uint8_t>())
    if (byte != Buffer::kPoisonByte)
      return "ran before it refused";
  return report.error().message() + " [" + report.error().rule() + "]";
}
void nothing(FlashAttentionArguments &) {}

TEST(FlashAttentionUsage, DecodeTakesOneRowAndNotTheFirstOfSeveral) {
  EXPECT_EQ(refusal(Model(3), nothing, {}, true), "decode given 3 rows, it takes one [decode-rows]");
  EXPECT_EQ(refusal(
                Model(3), [](auto &a) { a.m.reset(); }, {}, true),
            "decode given 32 rows, it takes one [decode-rows]");
  EXPECT_EQ(refusal(Model(1), nothing, {}, true), "ran decode");
}

TEST(FlashAttentionUsage, TheDecodeDispatcherRefusesSeveralRowsAsWell) {
  DecodeCase c;
  c.shape = decodeShape(1, 2, 1, 64, 40);
  c.lengths = {40}, c.qRows = 3;
  DecodeRun run(c);
  run.arguments().queries.reset();
  run.arguments().out.buffer.poison();
  EXPECT_EQ(errorOf(dispatchFlashDecode(kernelSet(), run.arguments(), {})),
            "decode given 3 rows, it takes one [decode-rows]");
  EXPECT_EQ(errorOf(dispatchFlashDecodeSplitK(kernelSet(), run.arguments(), {}, 2)),
            "decode given 3 rows, it takes one [decode-rows]");
  EXPECT_EQ(errorOf(FlashDecodeStep(kernelSet(), {}).run(run.arguments())),
            "decode given 3 rows, it takes one [decode-rows]");
  run.arguments().queries = 2;
  EXPECT_EQ(errorOf(dispatchFlashDecode(kernelSet(), run.arguments(), {})),
            "decode given 2 rows, it takes one [decode-rows]");
  run.arguments().queries = 0;
  EXPECT_EQ(errorOf(dispatchFlashDecode(kernelSet(), run.arguments(), {})),
            "decode given 0 rows, it takes one [decode-rows]");
  EXPECT_EQ(run.output(), std::vector<uint16_t>(128, 0xA5A5));
}

TEST(FlashAttentionUsage, RefusesCountsThatTheTensorsDoNotHave) {
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.m = 0; }),
            "m is 0, attention takes at least one row [row-count]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.m = -1; }),
            "m is -1, attention takes at least one row [row-count]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.m.reset(), a.q.sizes[1] = 0; }),
            "m is 0, attention takes at least one row [row-count]");
  EXPECT_EQ(refusal(Model(3), [](auto &a) { a.m = 33; }), "m is 33, q has 32 rows [row-count]");
  EXPECT_EQ(refusal(Model(3), [](auto &a) { a.out.sizes[1] = 2; }), "m is 3, out has 2 rows [row-count]");
  EXPECT_EQ(refusal(Model(5), [](auto &a) { a.m.reset(), a.q.sizes[1] = 5; }),
            "q has 5 rows and out 32, and m is not said [row-count]");
  EXPECT_EQ(refusal(Model(3), [](auto &a) { a.keys = 46; }),
            "keys is 46, K has room for 1 to 45 [row-count]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.keys = 46; }),
            "kvLength is 46, the cache has 45 keys [kv-length]");
}

TEST(FlashAttentionUsage, RefusesTensorsOfOtherKinds) {
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.q = {}; }), "q is missing [missing-tensor]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.q.sizes = {32, 256}, a.q.strides = {256, 1}; }),
            "q has 2 axes, the step takes 3 to 4 [tensor-rank]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.q.strides.pop_back(); }),
            "q has 2 strides for 3 axes [stride]");
  for (const int m : {1, 3})
    EXPECT_THAT(
        refusal(Model(m), [](auto &a) { a.q.type = a.k.rows.type = a.v.rows.type = DataType::Float; }),
        HasSubstr("[tensor-type]"));
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.v.rows.type = DataType::BFloat; }),
            "v has type bfloat, the kernel takes half [tensor-type]");
  EXPECT_EQ(refusal(Model(3), [](auto &a) { a.v.rows.type = DataType::BFloat; }),
            "V has type bfloat, the kernel takes half [tensor-type]");
}

/// [1, heads, 32, head_dim]: its heads are 32 rows apart, and decode reads one row of all heads.
TEST(FlashAttentionUsage, RefusesHeadsThatAreNotOneRow) {
  EXPECT_EQ(
      refusal(Model(1),
              [](auto &a) {
                a.q.sizes = {1, kHeads, kCapacity, kSize};
                a.q.strides = {kCapacity * kModel, kCapacity * kSize, kSize, 1};
              }),
      "q is [batch, heads, rows, head_dim] with 2048 elements between heads; one row of all heads has 64 "
      "[stride]");
}

TEST(FlashAttentionUsage, RefusesWhatOnlyTheOtherPathTakes) {
  const RopeTables tables = ropeTables(Device::systemDefault(), 8, kSize);
  const uint32_t zero = 0;
  const TensorView number =
      TensorView::contiguous(Device::systemDefault().newBuffer(&zero, 4), DataType::UInt, {1});
  EXPECT_EQ(refusal(Model(3), [&](auto &a) { a.rope = RopeArguments{tables.cosines, tables.sines, number}; }),
            "m is 3 and rope is given: prefill takes rotated queries [prefill-rope]");
  EXPECT_EQ(refusal(Model(3), [&](auto &a) { a.kvLengths = number; }),
            "m is 3 and kvLengths is given: prefill takes one length for all batches [prefill-lengths]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.queryStart = 7; }),
            "queryStart is 7 of 45 keys, decode attends to all of them [query-start]");
  EXPECT_EQ(refusal(Model(1), [](auto &a) { a.queryStart = 44; }), "ran decode");
  EXPECT_EQ(refusal(Model(3), [](auto &a) { a.queryStart = 7; }), "ran prefill");
}

TEST(FlashAttentionUsage, RefusesMasksOfOtherRows) {
  for (const int m : {1, 3}) {
    EXPECT_EQ(refusal(Model(m),
                      [](auto &a) {
                        a.mask =
                            TensorView::poisoned(Device::systemDefault(), DataType::Half, {1, 1, 2, kKeys});
                      }),
              "mask has 2 rows, m is " + std::to_string(m) + " [row-count]");
    EXPECT_EQ(refusal(Model(m),
                      [](auto &a) {
                        a.mask = TensorView::poisoned(Device::systemDefault(), DataType::Half, {1, 2, kKeys});
                      }),
              "mask has 3 axes, the step takes 4 to 4 [tensor-rank]");
  }
}

/// Shapes without a kernel, on either path: no other path is tried.
TEST(FlashAttentionUsage, NeverTakesAnotherPath) {
  for (const int m : {1, 3})
    EXPECT_THAT(refusal(Model(m),
                        [](auto &a) {
                          a.k.rows = a.v.rows = TensorView::poisoned(Device::systemDefault(), DataType::Half,
                                                                     {1, 2, kKeys, 16});
                        }),
                HasSubstr("head_dim is 16, "));
}

TEST(FlashAttentionUsage, DoesNotRunWhereKnobsForbidIt) {
  for (const auto &[name, rule] : {std::pair("METALLIC_DISABLE_FA", "flash-attention-disabled"),
                                   {"METALLIC_SDPA_FORCE_MATERIALIZED", "flash-attention-materialized"}})
    for (const int m : {1, 3}) {
      EXPECT_EQ(refusal(Model(m), nothing, knobs({{name, "1"}})),
                std::string(name) + " is 1: FlashAttention does not run [" + rule + "]");
      EXPECT_EQ(refusal(Model(m), nothing, knobs({{name, "0"}})), m == 1 ? "ran decode" : "ran prefill");
    }
}

TEST(FlashAttentionStep, ObeysTheKnobsOfBothPaths) {
  const Knobs set = knobs({{"METALLIC_FA_DECODE_WARPS", "2"},
                           {"METALLIC_FA_DECODE_KEYS_PER_WARP", "4"},
                           {"METALLIC_FA_DECODE_SCALAR", "half4"},
                           {"METALLIC_FA_PREFILL_WARPS", "8"},
                           {"METALLIC_FA_PREFILL_SPLIT_K", "3"}});
  Model one(1), several(3);
  FlashAttentionStep step(kernelSet(), set);
  const auto decode = step.run(one.a), prefill = step.run(several.a);
  ASSERT_TRUE(succeeded(decode) && succeeded(prefill));
  EXPECT_EQ(decode->decode->variant, (DecodeVariant{2, 4, 4}));
  EXPECT_EQ(prefill->prefill->plan.warps, 8);
  EXPECT_EQ(prefill->prefill->plan.splitK, 3);
  EXPECT_THAT(prefill->kernels,
              ElementsAre("flash_prefill_splitk_part_d64_w8", "flash_prefill_splitk_reduce_d64_w8"));
  EXPECT_TRUE(bitsEqual(one.decoded({2, 4, 4}), one.output()));
  EXPECT_TRUE(bitsEqual(several.problem.expected<oracle::Apple>({8, 3}), several.output()));
}

TEST(FlashAttentionStep, SaysWhichPathItTakes) {
  std::vector<std::string> heard;
  FlashAttentionStep step(kernelSet(), knobs({{"METALLIC_DEBUG_SDPA", "1"}}),
                          [&](std::string_view line) { heard.emplace_back(line); });
  const auto decode = step.run(Model(1).a), prefill = step.run(Model(3).a);
  ASSERT_TRUE(succeeded(decode) && succeeded(prefill));
  const DecodeVariant variant = selectDecode({}, kSize, kKeys);
  EXPECT_THAT(
      heard,
      ElementsAre("attention: m 1 of 32 rows, 45 keys: decode",
                  "decode: head_dim 64, kv_len 45: " + variant.text(),
                  fmt::format("decode: ran flash_decode_f16_d64, 4 x 1 threadgroups of {} threads, {} "
                              "bytes of threadgroup memory",
                              variant.warps * 32, decode->decode->threadgroupBytes),
                  "attention: m 3 of 32 rows, 45 keys: prefill",
                  fmt::format("prefill m 3, kv_len 45, head_dim 64, f16: online, {} simdgroups, 1 splits",
                              selectPrefill({}, 3, kKeys).warps)));
  EXPECT_EQ(heard, step.log());
}

TEST(FlashAttentionStep, ComparesBothPathsWithTheMaterialisedOne) {
  FlashAttentionStep step(kernelSet(), knobs({{"METALLIC_SDPA_DEBUG_ONLINE_COMPARE", "1"}}));
  Model one(1), several(3);
  EXPECT_EQ(errorOf(step.run(one.a)),
            "METALLIC_SDPA_DEBUG_ONLINE_COMPARE is 1, and this step was given none to compare with "
            "[no-materialized-step]");
  step.compareWith(materializedDecode(kernelSet()));
  ASSERT_TRUE(succeeded(step.run(one.a)));
  ASSERT_TRUE(succeeded(step.run(several.a)));
  ASSERT_TRUE(step.decodeStep().comparison() && step.prefillStep().comparison());
  // Two halves below 1, and what floats differ by.
  EXPECT_LE(step.decodeStep().comparison()->maxAbsDiff, 0x1p-11 + 0x1p-14);
  EXPECT_LE(step.prefillStep().comparison()->maxAbsDiff, 0x1p-11 + 0x1p-14);
}

/// The step's kernels are composed: with headers that are not there it has none.
TEST(FlashAttentionStep, RunsCompoundKernels) {
  KernelSet nowhere("a folder that is not there");
  FlashAttentionStep step(nowhere, {});
  for (const int m : {1, 3}) {
    Model model(m);
    const auto report = step.run(model.a);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().rule(), "compound-header");
  }
}

/// Options are those that the set has when the step runs; here, who is told of a dispatch.
TEST(FlashAttentionStep, RunsWithTheOptionsOfItsKernelSet) {
  int dispatches = 0;
  KernelSet &kernels = appleKernels();
  FlashAttentionStep other(kernels, knobs({{"METALLIC_FA_PREFILL_SPLIT_K", "2"}}));
  kernels.options().finished = [&](const DispatchRecord &) { ++dispatches; };
  ASSERT_TRUE(succeeded(other.run(Model(3).a)));
  EXPECT_EQ(dispatches, 2); // part and reduce
  ASSERT_TRUE(succeeded(other.run(Model(1).a)));
  EXPECT_EQ(dispatches, 3);
  kernels.options() = {};
  ASSERT_TRUE(succeeded(other.run(Model(1).a)));
  EXPECT_EQ(dispatches, 3);
}

} // namespace
} // namespace assay::kernels::foundry
