// A layer from end to end: a prompt, then token after token, each of which writes its key and its value into
// the cache and attends. Every output is compared with float64 attention over the whole sequence.
#include "kernels_msl/foundry/flash_attention_step.h"
#include "kernels_msl/foundry/kv_prep.h"

#include "decode_case.h"
#include "prefill_case.h"
#include "tests/kernels/oracles/foundry_sequence.h"

#include <fmt/format.h>

#include <cmath>

namespace assay::kernels::foundry {
namespace {

using namespace testing_support;

struct SequenceCase {
  const char *name;
  oracle::SequenceShape shape;
  int batches = 1, rows = 32, capacity = 64;
  std::vector<int> steps; ///< new tokens of each step
  std::map<std::string, std::string> knobs = {};
};
void PrintTo(const SequenceCase &c, std::ostream *out) {
  *out << c.name;
}

oracle::SequenceShape shapeOf(int heads, int kvHeads, int headDim, int ropeSize, bool bfloat = false,
                              bool neighbours = false) {
  return {heads, kvHeads, headDim, bfloat, ropeSize / 2, neighbours, float(1 / std::sqrt(double(headDim)))};
}

/// A model's layer: buffers of fixed capacity, a cache, and the tokens that come.
class Layer {
public:
  explicit Layer(const SequenceCase &c) : c_(c), s_(c.shape) {
    for (const int m : c.steps)
      tokens_ += m;
    const RopeTables tables = ropeTables(device_, c.capacity, std::max(2, 2 * s_.pairs));
    cosines_ = tables.cosines, sines_ = tables.sines;
    for (int b = 0; b < c.batches; ++b) {
      oracle::SequenceInputs in;
      const auto values = [&](int heads, uint64_t seed) {
        return valuesOf(
            bitsOf(uniformFloats(size_t(tokens_) * heads * s_.headDim, seed + 10 * b, -1.5f, 1.5f),
                   s_.bfloat),
            s_.bfloat);
      };
      in.q = values(s_.heads, 1), in.k = values(s_.kvHeads, 2), in.v = values(s_.kvHeads, 3);
      const auto floats = [](const TensorView &t) {
        const auto all = t.buffer.as<const float>();
        return std::vector<float>(all.begin(), all.end());
      };
      in.cosines = floats(cosines_), in.sines = floats(sines_);
      for (int t = 0; t < tokens_; ++t)
        in.positions.push_back(uint32_t(t));
      inputs_.push_back(std::move(in));
    }
    const int model = s_.heads * s_.headDim, kvModel = s_.kvHeads * s_.headDim;
    q_ = fresh({c.batches, c.rows, model}), packed_ = fresh({c.batches, c.rows, model});
    out_ = fresh({c.batches, c.rows, model});
    newK_ = fresh({c.batches, c.rows, kvModel}), newV_ = fresh({c.batches, c.rows, kvModel});
    k_ = fresh({c.batches, s_.kvHeads, c.capacity, s_.headDim}), v_ = fresh(k_.sizes);
  }

  /// Takes the next m tokens through the layer.
  Result<FlashAttentionReport> take(FlashAttentionStep &step, KernelSet &kernels, int m) {
    for (TensorView *t : {&q_, &packed_, &out_, &newK_, &newV_})
      t->buffer.poison(); // what an earlier step left in rows that are not new
    project(q_, m, &oracle::SequenceInputs::q, s_.heads);
    project(newK_, m, &oracle::SequenceInputs::k, s_.kvHeads);
    project(newV_, m, &oracle::SequenceInputs::v, s_.kvHeads);
    std::vector<uint32_t> starts, positions;
    for (int b = 0; b < c_.batches; ++b) {
      starts.push_back(uint32_t(done_));
      for (int i = 0; i < m; ++i)
        positions.push_back(uint32_t(done_ + i));
    }
    std::optional<RopeArguments> rope;
    if (s_.pairs)
      rope = RopeArguments{cosines_, sines_, numbers(positions, {c_.batches, m}),
                           s_.neighbours ? RopePairs::Neighbours : RopePairs::Halves};

    WriteKvArguments write;
    write.newK = newK_, write.newV = newV_, write.k = k_, write.v = v_;
    write.starts = numbers(starts, {c_.batches}), write.m = m, write.rope = rope;
    if (const auto wrote = dispatchWriteKv(kernels, write); !wrote)
      return wrote.error();

    FlashAttentionArguments a;
    a.k.rows = k_, a.v.rows = v_, a.out = out_, a.m = m, a.keys = done_ + m + keysTooMany, a.scale = s_.scale;
    if (m == 1) { // rotated on the way
      a.q = q_, a.rope = rope;
      if (rope)
        a.rope->positions = numbers(positions, {c_.batches});
    } else {
      PackQueriesArguments pack;
      pack.q = q_, pack.packed = packed_, pack.headDim = s_.headDim, pack.m = m, pack.rope = rope;
      if (const auto packed = dispatchPackQueries(kernels, pack); !packed)
        return packed.error();
      a.q = packed_;
    }
    first_ = done_, done_ += m;
    return step.run(a);
  }

  /// The tokens of the last step against the oracle; the rows after them are poison.
  ::testing::AssertionResult isNear(double &worst, const std::vector<oracle::SequenceInputs> &inputs) const {
    const auto out = out_.buffer.as<const uint16_t>();
    const int model = s_.heads * s_.headDim;
    for (int b = 0; b < c_.batches; ++b) {
      for (int token = first_; token < done_; ++token) {
        const oracle::SequenceReference want = oracle::sequenceReference(s_, inputs[b], token);
        for (int i = 0; i < model; ++i) {
          const uint16_t bits = out[b * out_.stride(0) + (token - first_) * out_.stride(1) + i];
          const double got = s_.bfloat ? oracle::fromBfloat(bits) : oracle::fromHalf(bits);
          const double error = std::fabs(got - want.out[i]);
          if (!(error <= want.bound[i]))
            return ::testing::AssertionFailure()
                   << fmt::format("batch {}, token {}, element {}: {} is not {} within {}", b, token, i, got,
                                  want.out[i], want.bound[i]);
          worst = std::max(worst, error / want.bound[i]);
          largestError_ = std::max(largestError_, error);
          largestBound_ = std::max(largestBound_, want.bound[i]);
        }
      }
      for (int64_t i = (done_ - first_) * out_.stride(1); i < out_.stride(0); ++i)
        if (out[b * out_.stride(0) + i] != 0xA5A5)
          return ::testing::AssertionFailure() << "row " << i / model << " is not new and was written";
    }
    return ::testing::AssertionSuccess();
  }
  ::testing::AssertionResult isNear(double &worst) const { return isNear(worst, inputs_); }

  const std::vector<oracle::SequenceInputs> &inputs() const { return inputs_; }
  double largestBound() const { return largestBound_; }
  double largestError() const { return largestError_; }
  TensorView &keys() { return k_; }
  int keysTooMany = 0; ///< that the attention is told of: rows of the cache that nobody has written

private:
  TensorView fresh(std::vector<int64_t> sizes) const {
    return TensorView::poisoned(device_, s_.bfloat ? DataType::BFloat : DataType::Half, std::move(sizes));
  }
  TensorView numbers(const std::vector<uint32_t> &values, std::vector<int64_t> sizes) const {
    return TensorView::contiguous(device_.newBuffer(values.data(), values.size() * 4), DataType::UInt,
                                  std::move(sizes));
  }
  /// What a projection leaves: rows of the next m tokens, token-major, in a buffer of more rows.
  void project(TensorView &to, int m, std::vector<float> oracle::SequenceInputs::*from, int heads) {
    const size_t model = size_t(heads) * s_.headDim;
    for (int b = 0; b < c_.batches; ++b)
      for (size_t i = 0; i < size_t(m) * model; ++i)
        to.buffer.as<uint16_t>()[b * to.stride(0) + i] =
            bitsOf({(inputs_[b].*from)[size_t(done_) * model + i]}, s_.bfloat)[0];
  }

  SequenceCase c_;
  oracle::SequenceShape s_;
  Device device_ = Device::systemDefault();
  int tokens_ = 0, done_ = 0, first_ = 0;
  mutable double largestBound_ = 0, largestError_ = 0;
  std::vector<oracle::SequenceInputs> inputs_; ///< of each batch
  TensorView cosines_, sines_, q_, packed_, out_, newK_, newV_, k_, v_;
};

const std::vector<SequenceCase> kCases = {
    {.name = "PromptThenTokens", .shape = shapeOf(4, 2, 64, 64), .steps = {26, 1, 1, 1, 1}},
    {.name = "TwoPromptsAndTokensBetween",
     .shape = shapeOf(4, 2, 64, 64, false, true),
     .batches = 2,
     .steps = {7, 1, 1, 19, 1, 2, 1}},
    {.name = "TokensFromTheFirst", .shape = shapeOf(2, 2, 128, 128), .steps = {1, 1, 1, 1, 1}},
    {.name = "BfloatAndAPartOfAHead",
     .shape = shapeOf(6, 2, 96, 32, true),
     .batches = 2,
     .steps = {32, 1, 1}},
    {.name = "SplitK",
     .shape = shapeOf(2, 1, 64, 64),
     .capacity = 160,
     .steps = {32, 32, 32, 32, 5, 1},
     .knobs = {{"METALLIC_FA_PREFILL_SPLIT_K", "3"}, {"METALLIC_FA_DECODE_WARPS", "2"}}},
    {.name = "WithoutARotation", .shape = shapeOf(2, 1, 32, 0), .steps = {5, 1, 3, 1}},
};

class Sequence : public ::testing::TestWithParam<SequenceCase> {};

TEST_P(Sequence, IsNearFloat64AtEveryStep) {
  const SequenceCase &c = GetParam();
  const Result<Knobs> knobs = Knobs::read([&](std::string_view name) -> std::optional<std::string> {
    const auto it = c.knobs.find(std::string(name));
    return it == c.knobs.end() ? std::nullopt : std::optional(it->second);
  });
  ASSERT_TRUE(knobs);
  FlashAttentionStep step(kernelSet(), *knobs);
  Layer layer(c);
  double worst = 0;
  for (const int m : c.steps) {
    const auto report = layer.take(step, kernelSet(), m);
    ASSERT_TRUE(succeeded(report));
    EXPECT_EQ(report->path, m == 1 ? AttentionPath::Decode : AttentionPath::Prefill);
    ASSERT_TRUE(layer.isNear(worst)) << "step of " << m << " to " << report->keys << " keys";
  }
  EXPECT_LT(layer.largestBound(), 1.5 / 16); // values reach 1.5: a bound near that would say nothing
  RecordProperty("share_of_bound", fmt::format("{:.2g}", worst));
  RecordProperty("largest_bound", fmt::format("{:.2g}", layer.largestBound()));
  RecordProperty("largest_error", fmt::format("{:.2g}", layer.largestError()));
}
INSTANTIATE_TEST_SUITE_P(Of, Sequence, ::testing::ValuesIn(kCases),
                         [](const auto &info) { return info.param.name; });

/// No race, no barrier that is passed apart, and nothing depends on a row that nobody has written: buffers
/// are poisoned before each step.
TEST(SequenceUnderTheCheckers, HasNoFindings) {
  KernelSet &kernels = kernelSet();
  FlashAttentionStep step(kernels, {});
  Layer layer(kCases[1]);
  int dispatches = 0;
  kernels.options().checks = CheckRules::byDefault();
  kernels.options().finished = [&](const DispatchRecord &record) {
    ++dispatches;
    for (const Finding &finding : record.findings)
      ADD_FAILURE() << record.kernel << ": " << renderDiagnostics(diagnosticsOf(finding));
  };
  for (const int m : kCases[1].steps)
    ASSERT_TRUE(succeeded(layer.take(step, kernels, m)));
  kernels.options() = {};
  // Three prompts write, pack and attend; four tokens write and attend.
  EXPECT_EQ(dispatches, 3 * 3 + 4 * 2);
}

TEST(SequenceUnderTheCheckers, NoticesAttentionToAKeyThatNobodyHasWritten) {
  for (const int m : {1, 7}) {
    KernelSet &kernels = kernelSet();
    FlashAttentionStep step(kernels, {});
    Layer layer(kCases[1]);
    layer.keysTooMany = 1;
    size_t findings = 0;
    kernels.options().checks = CheckRules::byDefault();
    kernels.options().finished = [&](const DispatchRecord &record) { findings += record.findings.size(); };
    const auto report = layer.take(step, kernels, m);
    kernels.options() = {};
    ASSERT_TRUE(succeeded(report));
    EXPECT_GT(findings, 0u) << m << " rows";
  }
}

/// The comparison notices what it is there for: a prompt that is rotated by one position too many against its
/// tokens, an element of a key that is another, a value of another token.
TEST(SequenceComparison, NoticesWhatIsWrong) {
  const SequenceCase &c = kCases[0];
  FlashAttentionStep step(kernelSet(), {});
  Layer layer(c);
  double worst = 0;
  ASSERT_TRUE(succeeded(layer.take(step, kernelSet(), 26)));
  ASSERT_TRUE(succeeded(layer.take(step, kernelSet(), 1)));
  ASSERT_TRUE(layer.isNear(worst));
  auto shifted = layer.inputs();
  for (int t = 0; t < 26; ++t)
    ++shifted[0].positions[t];
  EXPECT_FALSE(layer.isNear(worst, shifted));
  auto exchanged = layer.inputs();
  for (int d = 0; d < 128; ++d)
    std::swap(exchanged[0].v[3 * 128 + d], exchanged[0].v[4 * 128 + d]);
  EXPECT_FALSE(layer.isNear(worst, exchanged));
  auto mixed = layer.inputs();
  std::swap(mixed[0].k[5], mixed[0].k[6]);
  mixed[0].k[5] += 1;
  EXPECT_FALSE(layer.isNear(worst, mixed));
}

/// A key in the cache that nobody has written is poison, and attention to it shows.
TEST(SequenceComparison, NoticesAKeyThatWasNotWritten) {
  const SequenceCase &c = kCases[0];
  FlashAttentionStep step(kernelSet(), {});
  Layer layer(c);
  double worst = 0;
  ASSERT_TRUE(succeeded(layer.take(step, kernelSet(), 26)));
  for (int d = 0; d < 64; ++d)
    layer.keys().buffer.as<uint16_t>()[9 * 64 + d] = 0xA5A5;
  ASSERT_TRUE(succeeded(layer.take(step, kernelSet(), 1)));
  EXPECT_FALSE(layer.isNear(worst));
}

} // namespace
} // namespace assay::kernels::foundry
