// The steps of the chunk pipeline, each by itself: all bits, and within a bound of float64 that follows from the
// step's own operations.
#include "tensors.h"

#include "kernels_msl/recurrence/chunk_steps.h"
#include "tests/kernels/oracles/f32.h"
#include "tests/kernels/oracles/within.h"

namespace assay::kernels::delta_net {
namespace {

/// Random inputs for a step: magnitudes as the pipeline has them, nothing else in common with it.
struct StepInputs {
  Bfloats q, k, v, w, d, h;
  Floats logGates, sums, beta, a, x, h0;

  explicit StepInputs(const DeltaChunkShape &s, uint64_t seed) {
    const DeltaChunkInputs in = makeDeltaChunkCase(s, seed);
    q = in.q, k = in.k, v = in.v, logGates = in.logGates, beta = in.beta, h0 = in.h0;
    w = toBfloats(uniformFloats(s.gateCount() * s.keySize, seed + 20, -0.2f, 0.2f));
    d = toBfloats(uniformFloats(s.valueCount(), seed + 21));
    h = toBfloats(uniformFloats(s.stateCount() * s.chunks(), seed + 22, -0.5f, 0.5f));
    sums = DeltaChunkExact<Apple>{s}.gateSums(logGates);
    a = uniformFloats(s.gateCount() * kDeltaChunk, seed + 23, -0.2f,
                      0.2f); // above the diagonal too: not to be read
    x = uniformFloats(a.size(), seed + 24, -0.3f, 0.3f);
  }
};

struct StepSizes {
  std::vector<int64_t> keys, values, gates, matrices, states, kept, w;
  explicit StepSizes(const DeltaChunkShape &s)
      : keys{s.batches, s.tokens, s.keyHeads, s.keySize}, values{s.batches, s.tokens, s.heads, s.valueSize},
        gates{s.batches, s.tokens, s.heads}, matrices{s.batches, s.tokens, s.heads, kDeltaChunk},
        states{s.batches, s.heads, s.valueSize, s.keySize},
        kept{s.batches, s.chunks(), s.heads, s.valueSize, s.keySize},
        w{s.batches, s.tokens, s.heads, s.keySize} {}
};

/// within(), and the error in the test's record.
template <class T> void expectWithin(const char *what, const std::vector<T> &actual, const Reals &reference) {
  EXPECT_TRUE(within(actual, reference)) << what;
  double bound = 0;
  for (const Real &x : reference)
    bound = std::max(bound, x.error);
  ::testing::Test::RecordProperty(
      what, fmt::format("{:.1e} of at most {:.1e}", worstError(actual, reference), bound));
}

template <class Profile> NumericsProfile numericsOf() {
  return std::is_same_v<Profile, Apple> ? kAppleNumerics : kIeeeNumerics;
}

template <class Profile> void expectGateSums(const DeltaChunkShape &s) {
  const StepInputs in(s, 71);
  const StepSizes sizes(s);
  KernelSet set = ownKernels(numericsOf<Profile>());
  const TensorView sums = poisoned<float>(sizes.gates);
  ASSERT_TRUE(ran(dispatchChunkGateSums(set, tensor(in.logGates, sizes.gates), sums)));
  EXPECT_TRUE(bitsEqual(DeltaChunkExact<Profile>{s}.gateSums(in.logGates), values<float>(sums)));
  expectWithin("sums", values<float>(sums), DeltaChunkReference{s}.gateSums(toReals(in.logGates)));
}

TEST(ChunkGateSums, EqualTheOracle) {
  expectGateSums<Apple>({2, 192, 1, 3, 64, 64});
  expectGateSums<Ieee>({1, 128, 1, 2, 64, 64});
}

template <class Profile> void expectKkt(const DeltaChunkShape &s, bool everyWay = false) {
  const StepInputs in(s, 72);
  const StepSizes sizes(s);
  KernelSet set = ownKernels(numericsOf<Profile>());
  TensorView a = poisoned<float>(sizes.matrices);
  const TensorView k = tensor(in.k, sizes.keys), beta = tensor(in.beta, sizes.gates),
                   sums = tensor(in.sums, sizes.gates);
  const Floats expected = DeltaChunkExact<Profile>{s}.kkt(in.k, in.beta, in.sums);
  const auto dispatch = [&](const DispatchOptions &options) {
    set.options() = options;
    a.buffer.poison();
    return ran(dispatchChunkKkt(set, k, beta, sums, a));
  };
  const auto check = [&] { EXPECT_TRUE(bitsEqual(expected, values<float>(a))); };
  if (everyWay) {
    inAllWays(false, dispatch, check);
  } else {
    ASSERT_TRUE(dispatch({}));
    check();
  }
  expectWithin("kkt", values<float>(a),
               DeltaChunkReference{s}.kkt(toReals(in.k), toReals(in.beta), toReals(in.sums)));
}

TEST(ChunkKkt, EqualsTheOracle) {
  expectKkt<Apple>({2, 128, 2, 4, 64, 64});
  expectKkt<Ieee>({1, 64, 1, 2, 64, 64});
}
TEST(ChunkKkt, EqualsTheOracleWithSeveralTilesInEveryWay) {
  expectKkt<Apple>({1, 64, 1, 1, 128, 64}, true);
}
TEST(ChunkKkt, EqualsTheOracleWithThreeTiles) {
  expectKkt<Apple>({1, 64, 1, 1, 192, 64});
}

TEST(ChunkKkt, KeepsZerosAboveTheDiagonalWhateverTheGates) {
  const DeltaChunkShape s{1, 64, 1, 1, 64, 64};
  StepInputs in(s, 73);
  for (uint32_t t = 0; t < 64; ++t)
    in.sums[t] = -3.0f * float(t); // exp(g_i - g_j) overflows where j is far above i
  const StepSizes sizes(s);
  KernelSet set = ownKernels();
  const TensorView a = poisoned<float>(sizes.matrices);
  ASSERT_TRUE(ran(dispatchChunkKkt(set, tensor(in.k, sizes.keys), tensor(in.beta, sizes.gates),
                                   tensor(in.sums, sizes.gates), a)));
  EXPECT_TRUE(bitsEqual(DeltaChunkExact<Apple>{s}.kkt(in.k, in.beta, in.sums), values<float>(a)));
  EXPECT_EQ(values<float>(a)[0], 0.0f);
}

template <class Profile> void expectInverse(const DeltaChunkShape &s, bool everyWay = false) {
  const StepInputs in(s, 74);
  const StepSizes sizes(s);
  KernelSet set = ownKernels(numericsOf<Profile>());
  const TensorView a = tensor(in.a, sizes.matrices);
  TensorView x = poisoned<float>(sizes.matrices);
  const Floats expected = DeltaChunkExact<Profile>{s}.inverse(in.a);
  const auto dispatch = [&](const DispatchOptions &options) {
    set.options() = options;
    x.buffer.poison();
    return ran(dispatchChunkInverse(set, a, x));
  };
  const auto check = [&] { EXPECT_TRUE(bitsEqual(expected, values<float>(x))); };
  if (everyWay) {
    inAllWays(false, dispatch, check);
  } else {
    ASSERT_TRUE(dispatch({}));
    check();
  }
  expectWithin("inverse", values<float>(x), DeltaChunkReference{s}.inverse(toReals(in.a)));
}

TEST(ChunkInverse, EqualsTheOracle) {
  expectInverse<Ieee>({2, 128, 1, 3, 64, 64});
}
TEST(ChunkInverse, EqualsTheOracleInEveryWay) {
  expectInverse<Apple>({1, 64, 1, 2, 64, 64}, true);
}

// The definition itself: (I + A) X = I, to what the bound of X allows.
TEST(ChunkInverse, GivesTheIdentityTimesItsMatrix) {
  const DeltaChunkShape s{1, 64, 1, 1, 64, 64};
  const StepInputs in(s, 75);
  const StepSizes sizes(s);
  KernelSet set = ownKernels();
  const TensorView x = poisoned<float>(sizes.matrices);
  ASSERT_TRUE(ran(dispatchChunkInverse(set, tensor(in.a, sizes.matrices), x)));
  const Floats inverse = values<float>(x);
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      double product = inverse[i * 64 + j], magnitudes = std::fabs(product);
      for (int n = 0; n < i; ++n) {
        product += double(in.a[i * 64 + n]) * inverse[n * 64 + j];
        magnitudes += std::fabs(double(in.a[i * 64 + n]) * inverse[n * 64 + j]);
      }
      ASSERT_NEAR(product, i == j, 64 * 0x1p-24 * magnitudes) << i << ", " << j;
    }
}

template <class Profile> void expectWu(const DeltaChunkShape &s, bool everyWay = false) {
  const StepInputs in(s, 76);
  const StepSizes sizes(s);
  KernelSet set = ownKernels(numericsOf<Profile>());
  ChunkWuArguments a{tensor(in.k, sizes.keys),        tensor(in.v, sizes.values),
                     tensor(in.beta, sizes.gates),    tensor(in.sums, sizes.gates),
                     tensor(in.x, sizes.matrices),    poisoned<uint16_t>(sizes.w),
                     poisoned<uint16_t>(sizes.values)};
  const auto expected = DeltaChunkExact<Profile>{s}.wu(in.k, in.v, in.beta, in.sums, in.x);
  const auto dispatch = [&](const DispatchOptions &options) {
    set.options() = options;
    a.w.buffer.poison();
    a.u.buffer.poison();
    return ran(dispatchChunkWu(set, a));
  };
  const auto check = [&] {
    EXPECT_TRUE(bitsEqual(expected.w, values<uint16_t>(a.w))) << "w";
    EXPECT_TRUE(bitsEqual(expected.u, values<uint16_t>(a.u))) << "u";
  };
  if (everyWay) {
    inAllWays(false, dispatch, check);
  } else {
    ASSERT_TRUE(dispatch({}));
    check();
  }
  const auto reference = DeltaChunkReference{s}.wu(toReals(in.k), toReals(in.v), toReals(in.beta),
                                                   toReals(in.sums), toReals(in.x));
  expectWithin("w", values<uint16_t>(a.w), reference.w);
  expectWithin("u", values<uint16_t>(a.u), reference.u);
}

TEST(ChunkWu, EqualsTheOracle) {
  expectWu<Apple>({2, 128, 1, 2, 64, 64});
  expectWu<Ieee>({1, 64, 1, 2, 64, 64});
}
TEST(ChunkWu, EqualsTheOracleWithSeveralTilesInEveryWay) {
  expectWu<Apple>({1, 64, 2, 2, 128, 128}, true);
}

template <class Profile> void expectStates(const DeltaChunkShape &s, bool everyWay = false) {
  const StepInputs in(s, 77);
  const StepSizes sizes(s);
  KernelSet set = ownKernels(numericsOf<Profile>());
  ChunkStatesArguments a{tensor(in.k, sizes.keys),         tensor(in.w, sizes.w),
                         tensor(in.v, sizes.values),       tensor(in.sums, sizes.gates),
                         tensor(in.h0, sizes.states),      poisoned<uint16_t>(sizes.kept),
                         poisoned<uint16_t>(sizes.values), poisoned<float>(sizes.states)};
  const auto expected = DeltaChunkExact<Profile>{s}.states(in.k, in.w, in.v, in.sums, in.h0);
  const auto dispatch = [&](const DispatchOptions &options) {
    set.options() = options;
    for (TensorView *out : {&a.h, &a.writes, &a.finalState})
      out->buffer.poison();
    return ran(dispatchChunkStates(set, a));
  };
  const auto check = [&] {
    EXPECT_TRUE(bitsEqual(expected.h, values<uint16_t>(a.h))) << "h";
    EXPECT_TRUE(bitsEqual(expected.d, values<uint16_t>(a.writes))) << "writes";
    EXPECT_TRUE(bitsEqual(expected.last, values<float>(a.finalState))) << "final state";
  };
  if (everyWay) {
    inAllWays(false, dispatch, check);
  } else {
    ASSERT_TRUE(dispatch({}));
    check();
  }
  const auto reference = DeltaChunkReference{s}.states(toReals(in.k), toReals(in.w), toReals(in.v),
                                                       toReals(in.sums), toReals(in.h0));
  expectWithin("h", values<uint16_t>(a.h), reference.h);
  expectWithin("writes", values<uint16_t>(a.writes), reference.d);
  expectWithin("state", values<float>(a.finalState), reference.last);
}

TEST(ChunkStates, EqualTheOracle) {
  expectStates<Apple>({2, 128, 2, 4, 64, 32});
  expectStates<Ieee>({1, 128, 1, 2, 64, 32});
}
TEST(ChunkStates, EqualTheOracleInEveryWay) {
  expectStates<Apple>({1, 128, 1, 1, 64, 64}, true);
}
TEST(ChunkStates, EqualTheOracleForLargeAndOddHeads) {
  expectStates<Apple>({1, 64, 1, 1, 128, 32});
  expectStates<Apple>({1, 128, 1, 2, 24, 96});
}

template <class Profile> void expectOutputs(const DeltaChunkShape &s, bool everyWay = false) {
  const StepInputs in(s, 78);
  const StepSizes sizes(s);
  KernelSet set = ownKernels(numericsOf<Profile>());
  ChunkOutputsArguments a{tensor(in.q, sizes.keys),
                          tensor(in.k, sizes.keys),
                          tensor(in.d, sizes.values),
                          tensor(in.h, sizes.kept),
                          tensor(in.sums, sizes.gates),
                          poisoned<uint16_t>(sizes.values),
                          0.35f};
  const Bfloats expected = DeltaChunkExact<Profile>{s}.outputs(in.q, in.k, in.d, in.h, in.sums, 0.35f);
  const auto dispatch = [&](const DispatchOptions &options) {
    set.options() = options;
    a.o.buffer.poison();
    return ran(dispatchChunkOutputs(set, a));
  };
  const auto check = [&] { EXPECT_TRUE(bitsEqual(expected, values<uint16_t>(a.o))); };
  if (everyWay) {
    inAllWays(false, dispatch, check);
  } else {
    ASSERT_TRUE(dispatch({}));
    check();
  }
  expectWithin("outputs", values<uint16_t>(a.o),
               DeltaChunkReference{s}.outputs(toReals(in.q), toReals(in.k), toReals(in.d), toReals(in.h),
                                              toReals(in.sums), 0.35f));
}

TEST(ChunkOutputs, EqualTheOracle) {
  expectOutputs<Apple>({2, 128, 2, 4, 64, 32});
  expectOutputs<Ieee>({1, 128, 1, 2, 64, 32});
}
TEST(ChunkOutputs, EqualTheOracleInEveryWay) {
  expectOutputs<Apple>({1, 64, 1, 1, 64, 64}, true);
}
TEST(ChunkOutputs, EqualTheOracleForLargeAndOddHeads) {
  expectOutputs<Apple>({1, 64, 1, 1, 128, 32});
  expectOutputs<Apple>({1, 64, 1, 2, 24, 96});
}

TEST(L2Norm, EqualsTheOracle) {
  for (const uint32_t size : {3u, 64u, 128u, 300u}) {
    const Bfloats in = toBfloats(uniformFloats(5 * size, 79, -3, 3));
    const TensorView from = tensor(in, {5, size}), to = poisoned<uint16_t>({5, size});
    const uint32_t threads = std::min(256u, std::bit_ceil(size));
    KernelSet apple = ownKernels(), ieee = ownKernels(kIeeeNumerics);
    ASSERT_TRUE(ran(dispatchL2Norm(ieee, from, to, 1e-6f)));
    EXPECT_TRUE(bitsEqual(l2NormExact<Ieee>(in, size, threads, 1e-6f), values<uint16_t>(to)));
    inAllWays(
        false,
        [&](const DispatchOptions &options) {
          apple.options() = options;
          return ran(dispatchL2Norm(apple, from, to, 1e-6f));
        },
        [&] { EXPECT_TRUE(bitsEqual(l2NormExact<Apple>(in, size, threads, 1e-6f), values<uint16_t>(to))); });
    expectWithin("norm", values<uint16_t>(to), l2NormReference(toReals(in), size, 1e-6f));
  }
}

TEST(L2Norm, KeepsARowOfZeros) { // 0 * rsqrt(0) would be NaN
  const TensorView in = tensor(Bfloats(8), {1, 8}), out = poisoned<uint16_t>({1, 8});
  KernelSet set = ownKernels();
  ASSERT_TRUE(ran(dispatchL2Norm(set, in, out, 1e-6f)));
  EXPECT_TRUE(bitsEqual(Bfloats(8), values<uint16_t>(out)));
}

TEST(RepeatTiled, CopiesEveryBit) {
  std::vector<uint16_t> in(3 * 2 * 40);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = uint16_t(0x7f00 + i); // NaNs and infinity among them
  in[7] = 1;                      // and a subnormal
  KernelSet set = ownKernels();
  const TensorView out = poisoned<uint16_t>({3, 6, 40});
  ASSERT_TRUE(ran(dispatchRepeatTiled(set, tensor(in, {3, 2, 40}), out)));
  EXPECT_TRUE(bitsEqual(repeatTiled(in, 2, 6, 40), values<uint16_t>(out)));

  const std::vector<float> floats = uniformFloats(3 * 2 * 300, 80);
  const TensorView wide = poisoned<float>({3, 4, 300});
  ASSERT_TRUE(ran(dispatchRepeatTiled(set, tensor(floats, {3, 2, 300}), wide)));
  EXPECT_TRUE(bitsEqual(repeatTiled(floats, 2, 4, 300), values<float>(wide)));
}

} // namespace
} // namespace assay::kernels::delta_net
