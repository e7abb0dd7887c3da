// Offsets past 2^32 elements. Two sequences (or batches) lie so far apart that 32 bits would fold the second
// onto the first; of the gigabytes between them no page is ever touched, because the sizes that set the
// distance are larger than the grid: the kernels are dispatched by hand, on two threadgroups.
#include "tensors.h"

#include "tests/kernels/oracles/f32.h"

#include <cstring>
#include <map>
#include <new>

namespace assay::kernels::delta_net {
namespace {

constexpr uint32_t kFar = 1u << 26; ///< times 64 elements is 2^32

/// Bindings whose two halves are `stride` elements apart.
class FarApart {
public:
  FarApart(const char *file, const char *kernel) : file_(file), kernel_(kernel) {}

  template <class T> FarApart &input(uint32_t index, const std::vector<T> &values, uint64_t stride) {
    Buffer &buffer = make(index, sizeof(T) * (stride + values.size() / 2));
    for (size_t half = 0; half < 2; ++half)
      std::memcpy(buffer.as<T>().data() + half * stride, values.data() + half * (values.size() / 2),
                  values.size() / 2 * sizeof(T));
    return *this;
  }
  template <class T> FarApart &output(uint32_t index, size_t count, uint64_t stride) {
    return input(index, std::vector<T>(count, T(77)), stride);
  }
  template <class T> FarApart &bytes(uint32_t index, const T &value) {
    Buffer &buffer = make(index, sizeof value);
    std::memcpy(buffer.contents(), &value, sizeof value);
    return *this;
  }
  FarApart &memory(uint32_t index, size_t length) {
    memory_[index] = length;
    return *this;
  }
  template <class T> std::vector<T> read(uint32_t index, size_t count, uint64_t stride) {
    const auto all = buffers_.at(index).template as<T>();
    std::vector<T> out(all.begin(), all.begin() + ptrdiff_t(count / 2));
    out.insert(out.end(), all.begin() + ptrdiff_t(stride), all.begin() + ptrdiff_t(stride + count / 2));
    return out;
  }
  ::testing::AssertionResult dispatch(Size groups, Size threads) {
    KernelSet set = ownKernels();
    const auto pipeline = set.pipeline(file_, kernel_);
    if (!pipeline)
      return ran(pipeline);
    ComputeCommandEncoder encoder = set.encoder(*pipeline);
    for (const auto &[index, buffer] : buffers_)
      encoder.setBuffer(buffer, 0, index);
    for (const auto &[index, length] : memory_)
      encoder.setThreadgroupMemoryLength(length, index);
    return ran(encoder.dispatchThreadgroups(groups, threads));
  }

private:
  Buffer &make(uint32_t index, uint64_t bytes) {
    return buffers_.insert_or_assign(index, Device::systemDefault().newBuffer(bytes)).first->second;
  }
  std::string file_, kernel_;
  std::map<uint32_t, Buffer> buffers_;
  std::map<uint32_t, size_t> memory_;
};

/// Runs a test, or skips it where so much address space cannot be had.
template <class Test> void withFarBuffers(Test test) {
  try {
    test();
  } catch (const std::bad_alloc &) {
    GTEST_SKIP() << "no address space for buffers of 16 GiB";
  }
}

void expectFarSequences(const char *file, const char *kernel, const DeltaNetShape &s, Size groups,
                        Size threads, const DeltaNetOutputs<float> &expected, const DeltaNetInputs &in,
                        size_t memory) {
  // One key head and one value head of the kFar that the shape claims.
  const uint64_t value = uint64_t(kFar) * s.valueSize, state = uint64_t(kFar) * s.valueSize * s.keySize;
  FarApart run(file, kernel);
  run.input(0, in.q, s.keySize).input(1, in.k, s.keySize).input(2, in.v, value);
  run.input(3, in.g, kFar).input(4, in.beta, kFar).input(5, in.state, state);
  run.output<float>(6, s.valueCount(), value).output<float>(7, s.stateCount(), state);
  run.bytes(8, std::array<uint32_t, 8>{s.keySize, s.valueSize, 1, kFar, 1, 2, 0, 0});
  if (memory)
    run.memory(0, memory);
  ASSERT_TRUE(run.dispatch(groups, threads));
  EXPECT_TRUE(bitsEqual(expected.output, run.read<float>(6, s.valueCount(), value)));
  EXPECT_TRUE(bitsEqual(expected.state, run.read<float>(7, s.stateCount(), state)));
}

TEST(FarApart, RecurrenceKeepsStatesApart) {
  withFarBuffers([] {
    const DeltaNetShape s{8, 8, 1, 1, 1, 2};
    const DeltaNetInputs in = makeDeltaNetCase(s, 121);
    expectFarSequences("recurrence/gated_delta_net.metal", "gated_delta_net_f32", s, {1, 2}, {8},
                       deltaNetExact<Apple>(s, in), in, 128);
  });
}

TEST(FarApart, DecodingKeepsStatesApart) {
  withFarBuffers([] {
    const DeltaNetShape s{32, 2, 1, 1, 1, 2};
    const DeltaNetInputs in = makeDeltaNetCase(s, 122);
    expectFarSequences("recurrence/gated_delta_net_decode.metal", "gated_delta_net_decode_f32_1", s,
                       {2, 1, 2}, {32}, deltaNetDecodeExact<Apple>(s, in), in, 0);
  });
}

// The chunk steps: two batches of one chunk, in tensors that claim kFar tokens.
constexpr DeltaChunkShape kTwo{2, 64, 1, 1, 64, 64};
constexpr uint64_t kRows = uint64_t(kFar) * 64;

struct FarInputs : DeltaChunkInputs {
  Floats sums, matrix;
  Bfloats h;
  FarInputs() : DeltaChunkInputs(makeDeltaChunkCase(kTwo, 123)) {
    sums = DeltaChunkExact<Apple>{kTwo}.gateSums(logGates);
    matrix = uniformFloats(kTwo.gateCount() * 64, 124, -0.2f, 0.2f);
    h = toBfloats(uniformFloats(kTwo.stateCount(), 125));
  }
};

TEST(FarApart, GateSumsKeepBatchesApart) {
  withFarBuffers([] {
    const FarInputs in;
    // 64 heads of which one runs: head 0 of each token, 64 floats apart.
    Floats spread(2 * 64 * 64), expected(spread.size(), 77.0f);
    const Floats sums = in.sums;
    for (size_t i = 0; i < 128; ++i)
      spread[i * 64] = in.logGates[i], expected[i * 64] = sums[i];
    FarApart run("recurrence/chunk_local_cumsum_g.metal", "chunk_local_cumsum_g_f32");
    run.input(0, spread, kRows).output<float>(1, spread.size(), kRows);
    run.bytes(2, std::array<uint32_t, 5>{2, kFar, 64, 64, 1});
    ASSERT_TRUE(run.dispatch({1, 1, 2}, {64}));
    EXPECT_TRUE(bitsEqual(expected, run.read<float>(1, spread.size(), kRows)));
  });
}

TEST(FarApart, KktKeepsBatchesApart) {
  withFarBuffers([] {
    const FarInputs in;
    FarApart run("recurrence/gated_delta_net_kkt.metal", "gated_delta_net_kkt_bf16");
    run.input(0, in.k, kRows)
        .input(1, in.beta, kFar)
        .input(2, in.sums, kFar)
        .output<float>(3, 2 * 64 * 64, kRows);
    run.bytes(4, std::array<uint32_t, 8>{2, kFar, 1, 1, 64, 64, 1, 64}).memory(0, 8192).memory(1, 16384);
    ASSERT_TRUE(run.dispatch({1, 1, 2}, {256}));
    EXPECT_TRUE(bitsEqual(DeltaChunkExact<Apple>{kTwo}.kkt(in.k, in.beta, in.sums),
                          run.read<float>(3, 2 * 64 * 64, kRows)));
  });
}

TEST(FarApart, InverseKeepsBatchesApart) {
  withFarBuffers([] {
    const FarInputs in;
    FarApart run("recurrence/chunk_gated_delta_rule_tri_solve_invert.metal", "chunk_tri_solve_invert_f32");
    run.input(0, in.matrix, kRows).output<float>(1, 2 * 64 * 64, kRows);
    run.bytes(2, std::array<uint32_t, 4>{2, kFar, 1, 64}).memory(0, 32768);
    ASSERT_TRUE(run.dispatch({1, 1, 2}, {64}));
    EXPECT_TRUE(
        bitsEqual(DeltaChunkExact<Apple>{kTwo}.inverse(in.matrix), run.read<float>(1, 2 * 64 * 64, kRows)));
  });
}

TEST(FarApart, WuKeepsBatchesApart) {
  withFarBuffers([] {
    const FarInputs in;
    FarApart run("recurrence/gated_delta_net_recompute_wu.metal", "gated_delta_net_recompute_wu_bf16");
    run.input(0, in.k, kRows).input(1, in.v, kRows).input(2, in.beta, kFar).input(3, in.sums, kFar);
    run.input(4, in.matrix, kRows)
        .output<uint16_t>(5, in.k.size(), kRows)
        .output<uint16_t>(6, in.v.size(), kRows);
    run.bytes(7, std::array<uint32_t, 8>{2, kFar, 1, 1, 64, 64, 64, 1}).memory(0, 16384).memory(1, 8192);
    ASSERT_TRUE(run.dispatch({1, 1, 2}, {256}));
    const auto expected = DeltaChunkExact<Apple>{kTwo}.wu(in.k, in.v, in.beta, in.sums, in.matrix);
    EXPECT_TRUE(bitsEqual(expected.w, run.read<uint16_t>(5, in.k.size(), kRows)));
    EXPECT_TRUE(bitsEqual(expected.u, run.read<uint16_t>(6, in.v.size(), kRows)));
  });
}

TEST(FarApart, StatesKeepBatchesApart) {
  withFarBuffers([] {
    const FarInputs in;
    const size_t states = kTwo.stateCount();
    FarApart run("recurrence/gated_delta_net_chunk.metal", "gated_delta_net_chunk_inter_state_bf16");
    run.input(0, in.k, kRows).input(1, in.q, kRows).input(2, in.v, kRows).input(3, in.sums, kFar);
    run.input(4, in.h0, states / 2)
        .output<uint16_t>(5, states, states / 2)
        .output<uint16_t>(6, in.v.size(), kRows);
    run.output<float>(7, states, states / 2);
    run.bytes(8, std::array<uint32_t, 8>{2, kFar, 1, 1, 64, 64, 64, 1}).memory(0, 32 * 64 * 4 + 32 * 64 * 2);
    ASSERT_TRUE(run.dispatch({2, 1, 2}, {128}));
    const auto expected = DeltaChunkExact<Apple>{kTwo}.states(in.k, in.q, in.v, in.sums, in.h0);
    EXPECT_TRUE(bitsEqual(expected.h, run.read<uint16_t>(5, states, states / 2)));
    EXPECT_TRUE(bitsEqual(expected.d, run.read<uint16_t>(6, in.v.size(), kRows)));
    EXPECT_TRUE(bitsEqual(expected.last, run.read<float>(7, states, states / 2)));
  });
}

TEST(FarApart, OutputsKeepBatchesApart) {
  withFarBuffers([] {
    const FarInputs in;
    FarApart run("recurrence/gated_delta_net_chunk_o.metal", "gated_delta_net_chunk_o_bf16");
    run.input(0, in.q, kRows).input(1, in.k, kRows).input(2, in.v, kRows).input(3, in.h, in.h.size() / 2);
    run.input(4, in.sums, kFar).output<uint16_t>(5, in.v.size(), kRows);
    run.bytes(6, std::array<uint32_t, 11>{2, kFar, 1, 1, 64, 64, 64, 1, 64, 32, 0x3f800000}).memory(0, 8192);
    ASSERT_TRUE(run.dispatch({2, 1, 2}, {256}));
    EXPECT_TRUE(bitsEqual(DeltaChunkExact<Apple>{kTwo}.outputs(in.q, in.k, in.v, in.h, in.sums, 1),
                          run.read<uint16_t>(5, in.v.size(), kRows)));
  });
}

TEST(FarApart, RepeatKeepsTokensApart) {
  withFarBuffers([] {
    const Floats in = uniformFloats(128, 126);
    FarApart run("recurrence/repeat_tiled.metal", "repeat_tiled_f32");
    run.input(0, in, kRows).output<float>(1, 128, kRows).bytes(2, std::array<uint32_t, 4>{2, kFar, kFar, 64});
    ASSERT_TRUE(run.dispatch({1, 1, 2}, {64}));
    EXPECT_TRUE(bitsEqual(in, run.read<float>(1, 128, kRows)));
  });
}

} // namespace
} // namespace assay::kernels::delta_net
