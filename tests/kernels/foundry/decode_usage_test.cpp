// What the decode dispatcher refuses, with its words: before anything runs.
#include "decode_case.h"

#include <functional>

namespace assay::kernels::foundry {
namespace {

DecodeCase sound() {
  DecodeCase c;
  c.shape = decodeShape(2, 4, 2, 64, 24);
  c.lengths = {20};
  c.variant = {4, 4, 2};
  return c;
}

/// The message of the refusal, with its rule; and that the output is as it was.
std::string refusal(DecodeCase c, const std::function<void(FlashDecodeArguments &, DecodeVariant &)> &spoil) {
  DecodeRun run(c);
  DecodeVariant variant = c.variant;
  spoil(run.arguments(), variant);
  const Result<FlashDecodeReport> report = dispatchFlashDecode(kernelSet(), run.arguments(), variant);
  if (report)
    return "accepted";
  EXPECT_EQ(report.error().kind, ErrorKind::Usage);
  for (const uint8_t byte : run.arguments().out.buffer.as<uint8_t>())
    if (byte != Buffer::kPoisonByte)
      return "ran before it refused";
  return report.error().message() + " [" + report.error().rule() + "]";
}
std::string refusal(const std::function<void(FlashDecodeArguments &)> &spoil) {
  return refusal(sound(), [&](FlashDecodeArguments &a, DecodeVariant &) { spoil(a); });
}
std::string refusal(const std::function<void(FlashDecodeArguments &, DecodeVariant &)> &spoil) {
  return refusal(sound(), spoil);
}

TensorView fresh(DataType type, std::vector<int64_t> sizes) {
  return TensorView::poisoned(Device::systemDefault(), type, std::move(sizes));
}

TensorView numbers(std::vector<uint32_t> values) {
  TensorView t = fresh(DataType::UInt, {int64_t(values.size())});
  std::copy(values.begin(), values.end(), t.buffer.as<uint32_t>().begin());
  return t;
}

RopeArguments rope(int64_t positions, int64_t pairs, std::vector<uint32_t> at) {
  const RopeTables tables = ropeTables(Device::systemDefault(), positions, 2 * pairs);
  return {tables.cosines, tables.sines, numbers(std::move(at)), RopePairs::Halves};
}

TEST(DecodeUsage, TakesWhatTheOthersSpoil) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &) {}), "accepted");
}

TEST(DecodeUsage, RefusesHeadsThatItHasNoKernelFor) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.k.rows = fresh(DataType::Half, {2, 2, 24, 72}); }),
            "head_dim is 72, decode has kernels for 32, 64, 80, 96, 128 and 256 [head-dim]");
}

TEST(DecodeUsage, RefusesTypes) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.q = fresh(DataType::Float, {2, 1, 256}); }),
            "q has type float, decode takes half and bfloat [tensor-type]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.v.rows = fresh(DataType::BFloat, {2, 2, 24, 64}); }),
            "v has type bfloat, the kernel takes half [tensor-type]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.out = fresh(DataType::BFloat, {2, 1, 256}); }),
            "out has type bfloat, the kernel takes half [tensor-type]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.mask = fresh(DataType::BFloat, {1, 1, 24}); }),
            "mask has type bfloat, the kernel takes half [tensor-type]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.k.rows = fresh(DataType::Char, {2, 2, 24, 64}); }),
            "k has type char, the kernel takes half [tensor-type]");
}

TEST(DecodeUsage, RefusesShapesThatDoNotFit) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.q = {}; }),
            "q is missing: half [any, any, any] is needed [missing-tensor]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.q = fresh(DataType::Half, {2, 256}); }),
            "q has 2 axes, [any, any, any] has 3 [tensor-rank]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.q = fresh(DataType::Half, {2, 1, 250}); }),
            "a row of q has 250 elements, heads have 64 [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.q = fresh(DataType::Half, {2, 1, 192}); }),
            "3 heads of q cannot share 2 heads of k [gqa]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.k.rows = fresh(DataType::Half, {1, 2, 24, 64}); }),
            "k is [1, 2, 24, 64], the other arguments ask for [2, 2, 24, 64] [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.v.rows = fresh(DataType::Half, {2, 2, 23, 64}); }),
            "v is [2, 2, 23, 64], the other arguments ask for [2, 2, 24, 64] [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.out = fresh(DataType::Half, {1, 1, 256}); }),
            "out is [1, 1, 256], the other arguments ask for [2, any, 256] [shape-mismatch]");
}

TEST(DecodeUsage, RefusesLengthsPastTheCache) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.kvLength = 25; }),
            "kvLength is 25, the cache has 24 keys [kv-length]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.kvLength = 0; }),
            "kvLength is 0, the cache has 24 keys [kv-length]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.kvLengths = numbers({3, 21}); }),
            "batch 1 has 21 keys, kvLength is 20 [kv-length]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.kvLengths = numbers({3, 20, 1}); }),
            "kvLengths is [3], the other arguments ask for [2] [shape-mismatch]");
}

TEST(DecodeUsage, RefusesStrides) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.k.rows.strides[3] = 2; }),
            "k has stride 2 on its innermost axis, the kernel reads stride 1 [stride]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.out.strides[0] = 100; }),
            "out is written and has stride 100 on axis 0, where the axes inside it cover 256 elements: "
            "elements would "
            "share memory [stride]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.v.rows.offset = 64; }),
            "v [2, 2, 24, 64] ends at element 6207 of its buffer, which has 6144 [tensor-range]");
}

TEST(DecodeUsage, RefusesRowsThatItsReadsWouldStraddle) {
  DecodeCase c = sound();
  c.variant.scalar = 4;
  const auto oddRows = [](FlashDecodeArguments &a, DecodeVariant &) {
    a.k.rows = fresh(DataType::Half, {2, 2, 24, 66});
    a.k.rows.sizes[3] = 64;
  };
  EXPECT_EQ(refusal(c, oddRows), "k has stride 66 on axis 2, which half4 does not divide [alignment]");
  EXPECT_EQ(refusal(sound(), oddRows), "accepted");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) {
              a.v.rows.offset = 1, a.v.rows.sizes[2] = 24;
              a.v.rows.buffer = Device::systemDefault().newBuffer(6145 * 2);
            }),
            "v has offset 1, which half2 does not divide [alignment]");
}

TEST(DecodeUsage, RefusesMasksThatDoNotCoverTheKeys) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.padding = fresh(DataType::UChar, {2, 19}); }),
            "padding covers 19 keys, 20 are attended to [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.padding = fresh(DataType::UChar, {3, 20}); }),
            "padding is [3, 20], the other arguments ask for [2, any] [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.mask = fresh(DataType::Float, {2, 4, 7}); }),
            "mask covers 7 keys, 20 are attended to [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.mask = fresh(DataType::Half, {2, 2, 20}); }),
            "mask is [2, 2, 20], the other arguments ask for [2, 4, any] [shape-mismatch]");
}

TEST(DecodeUsage, RefusesRotationsThatTheTablesDoNotHave) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.rope = rope(8, 32, {7, 8}); }),
            "batch 1 is at position 8, the tables have 8 rows [rope-position]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.rope = rope(8, 33, {7, 7}); }),
            "tables turn 66 elements, a head has 64 [rope-size]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.rope = rope(8, 32, {7}); }),
            "positions is [1], the other arguments ask for [2] [shape-mismatch]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) {
              a.rope = rope(8, 32, {7, 7});
              a.rope->sines = fresh(DataType::Float, {8, 31});
            }),
            "sines is [8, 31], the other arguments ask for [8, 32] [shape-mismatch]");
}

TEST(DecodeUsage, RefusesVariantsThatDoNotExist) {
  EXPECT_EQ(refusal([](FlashDecodeArguments &, DecodeVariant &v) { v.warps = 3; }),
            "warps is 3, it can be 1, 2, 4, 8, 16, 32 [decode-variant]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &, DecodeVariant &v) { v.keysPerWarp = 33; }),
            "keysPerWarp is 33, it can be 1, 2, 4, 8, 16, 32 [decode-variant]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &, DecodeVariant &v) { v.scalar = 8; }),
            "scalar is 8, it can be 2, 4 [decode-variant]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.scale = INFINITY; }),
            "scale is inf, scores need a finite one [scale]");
}

TEST(DecodeUsage, RefusesPartialsThatDoNotFit) {
  DecodeCase c = sound();
  c.shape = decodeShape(1, 1, 1, 256, 24);
  c.variant = {32, 4, 4, false};
  EXPECT_EQ(refusal(c, [](FlashDecodeArguments &, DecodeVariant &) {}),
            "32 warps, 4 keys per warp, half4, partials in float with head_dim 256 needs 33536 bytes of "
            "threadgroup "
            "memory, there are 32768 [threadgroup-memory]");
  c = sound();
  c.shape.bfloat = true;
  EXPECT_EQ(refusal(c, [](FlashDecodeArguments &, DecodeVariant &v) { v.halfPartials = true; }),
            "partials in half reach 65504, bfloat values reach 3.4e38 [partials]");
}

TEST(DecodeUsage, RefusesFormatsThatItDoesNotRead) {
  DecodeCase c = sound();
  c.kFormat = c.vFormat = KvFormat{};
  const auto of = [&](const std::function<void(KvFormat &)> &change) {
    return refusal(c, [&](FlashDecodeArguments &a, DecodeVariant &) { change(*a.v.format); });
  };
  EXPECT_EQ(of([](KvFormat &) {}), "accepted");
  EXPECT_EQ(of([](KvFormat &f) { f.formatId = "somebody.kv"; }),
            "v is in format 'somebody.kv', known are 'foundry.kv.int8', 'foundry.kv.int4', "
            "'foundry.kv.int8.tiles' [kv-format-unknown]");
  EXPECT_EQ(of([](KvFormat &f) { f.version = 2; }),
            "v is in version 2 of 'foundry.kv.int8', known is 1 [kv-format-version]");
  EXPECT_EQ(of([](KvFormat &f) { f.elementsPerChunk = 3; }),
            "v has chunks of 3 elements, decode reads multiples of 2 up to 256 [kv-group]");
  EXPECT_EQ(of([](KvFormat &f) { f.elementsPerChunk = 16; }),
            "scales of v is [2, 2, 1, 2], the other arguments ask for [2, 2, 1, 4] [shape-mismatch]");
  EXPECT_EQ(refusal(c, [](FlashDecodeArguments &a, DecodeVariant &) { a.k.scales = {}; }),
            "scales of k is missing: half [2, 2, 1, 2] is needed [missing-tensor]");
  EXPECT_EQ(refusal([](FlashDecodeArguments &a) { a.k.scales = fresh(DataType::Half, {2, 2, 1, 2}); }),
            "k has scales and no format that says what they are [kv-format]");
}

} // namespace
} // namespace assay::kernels::foundry
