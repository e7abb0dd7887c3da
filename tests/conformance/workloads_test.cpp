// Vectors whose inputs are generated: whole matrix products by their digests where that takes no time, by the
// published samples where it would, and the byte decode over all pairs of bytes.
#include "tests/support/sha256.h"
#include "vector_table.h"

#include "emulator/host/assay.h"
#include "tests/support/debug_mode.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

namespace assay::conformance {
namespace {

// The order of the sums is the subject: nothing is contracted. The simdgroup chain is fused whatever the
// flag; it is asked for single elements, so every row of its left and every column of its right matrix is the
// same.
constexpr const char *kSource = R"(#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
#pragma METAL fp contract(off)

struct Element { uint m, n; };

kernel void left_fold(const device float *A [[buffer(0)]], const device float *B [[buffer(1)]],
                      const device Element *where [[buffer(2)]], constant uint &K [[buffer(3)]],
                      constant uint &splits [[buffer(4)]], device float *C [[buffer(5)]],
                      uint i [[thread_position_in_grid]]) {
  const device float *a = A + where[i].m * K, *b = B + where[i].n * K;
  float sum = a[0] * b[0];
  for (uint k = 1; k < K; ++k)
    sum = sum + a[k] * b[k];
  C[i] = sum;
}

kernel void tiled_fold(const device float *A [[buffer(0)]], const device float *B [[buffer(1)]],
                       const device Element *where [[buffer(2)]], constant uint &K [[buffer(3)]],
                       constant uint &splits [[buffer(4)]], device float *C [[buffer(5)]],
                       uint i [[thread_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  threadgroup float tile[32][16];
  const device float *a = A + where[i].m * K, *b = B + where[i].n * K;
  float sum = 0;
  for (uint k0 = 0; k0 < K; k0 += 16) {
    for (uint k = 0; k < 16; ++k)
      tile[lane][k] = a[k0 + k];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < 16; ++k)
      sum = sum + tile[lane][k] * b[k0 + k];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  C[i] = sum;
}

kernel void contiguous_split(const device float *A [[buffer(0)]], const device float *B [[buffer(1)]],
                             const device Element *where [[buffer(2)]], constant uint &K [[buffer(3)]],
                             constant uint &splits [[buffer(4)]], device float *C [[buffer(5)]],
                             uint i [[thread_position_in_grid]]) {
  const device float *a = A + where[i].m * K, *b = B + where[i].n * K;
  const uint length = K / splits;
  float sum = 0;
  for (uint s = 0; s < splits; ++s) {
    float part = a[s * length] * b[s * length];
    for (uint k = s * length + 1; k < (s + 1) * length; ++k)
      part = part + a[k] * b[k];
    sum = s == 0 ? part : sum + part;
  }
  C[i] = sum;
}

kernel void strided_split(const device float *A [[buffer(0)]], const device float *B [[buffer(1)]],
                          const device Element *where [[buffer(2)]], constant uint &K [[buffer(3)]],
                          constant uint &splits [[buffer(4)]], device float *C [[buffer(5)]],
                          uint i [[thread_position_in_grid]]) {
  const device float *a = A + where[i].m * K, *b = B + where[i].n * K;
  float sum = 0;
  for (uint s = 0; s < splits; ++s) {
    float part = a[s] * b[s];
    for (uint k = s + splits; k < K; k += splits)
      part = part + a[k] * b[k];
    sum = s == 0 ? part : sum + part;
  }
  C[i] = sum;
}

kernel void matrix_chain(const device float *A [[buffer(0)]], const device float *B [[buffer(1)]],
                         const device Element *where [[buffer(2)]], constant uint &K [[buffer(3)]],
                         constant uint &splits [[buffer(4)]], device float *C [[buffer(5)]],
                         uint i [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup float left[64], right[64], product[64];
  simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0);
  for (uint first = 0; first < K; first += 8) {
    for (uint e = lane; e < 64; e += 32) {
      left[e] = A[where[i].m * K + first + e % 8];
      right[e] = B[where[i].n * K + first + e / 8];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 a, b;
    simdgroup_load(a, left, 8);
    simdgroup_load(b, right, 8);
    simdgroup_multiply_accumulate(sum, a, b, sum);
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  simdgroup_store(sum, product, 8);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  C[i] = product[lane];
}

kernel void decode(constant float &scale [[buffer(0)]], device float *result [[buffer(1)]],
                   uint cell [[thread_position_in_grid]]) {
  result[cell] = float(int(cell & 255) - int(cell >> 8)) * scale;
}
)";

const Library &library() {
  static const Result<Library> made = [] {
    CompileOptions options;
    options.cache = false;
    options.debug = testing_support::kernelsAreForTheDebugger();
    options.mathMode = MathMode::Safe;
    return Device::systemDefault().newLibraryWithSource(kSource, options);
  }();
  if (!made)
    throw std::runtime_error(renderDiagnostics(made.error().diagnostics));
  return *made;
}

ComputePipeline pipelineOf(const char *kernel) {
  PipelineOptions options;
  options.cache = false;
  options.debug = testing_support::kernelsAreForTheDebugger();
  options.numerics = *parseNumerics("apple,contract=off");
  const Result<ComputePipeline> made =
      Device::systemDefault().newComputePipelineState(*library().newFunction(kernel), options);
  if (!made)
    throw std::runtime_error(renderDiagnostics(made.error().diagnostics));
  return *made;
}

uint64_t splitMix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// source: the generator that the vectors give
Buffer generated(uint64_t seed, size_t count) {
  Buffer buffer = Device::systemDefault().newBuffer(count * sizeof(float));
  float *values = static_cast<float *>(buffer.contents());
  for (size_t i = 0; i < count; ++i) {
    const auto bits = int32_t(splitMix64(seed + i * 0x2545f4914f6cdd1d) >> 40 & 0xffffff);
    values[i] = float(bits - 8388608) * 0x1p-24f;
  }
  return buffer;
}

struct Element {
  uint32_t m, n;
};
struct Workload {
  uint32_t M = 0, N = 0, K = 0, splits = 1;
  std::vector<Element> samples;
  std::vector<uint32_t> sampleBits;
};

Workload workloadOf(const Vector &vector) {
  Workload w;
  std::istringstream words(vector.operandText);
  for (std::string word; words >> word;) {
    const auto value = uint32_t(std::stoul(word.substr(word.find('=') + 1)));
    (word[0] == 'M' ? w.M : word[0] == 'N' ? w.N : word[0] == 'K' ? w.K : w.splits) = value;
  }
  std::istringstream samples(vector.samples);
  for (std::string sample; samples >> sample;) {
    unsigned m = 0, n = 0, bits = 0;
    EXPECT_EQ(std::sscanf(sample.c_str(), "%u,%u=%x", &m, &n, &bits), 3) << sample;
    w.samples.push_back({m, n});
    w.sampleBits.push_back(bits);
  }
  return w;
}

Buffer product(const char *kernel, const Workload &w, const std::vector<Element> &where,
               uint32_t threadsPerElement) {
  const Device device = Device::systemDefault();
  constexpr uint64_t kSeed = 0x5445524d;
  const Buffer a = generated(kSeed, size_t(w.M) * w.K),
               b = generated(kSeed ^ 0xa5a5a5a5a5a5a5a5, size_t(w.N) * w.K);
  Buffer c = device.newBuffer(where.size() * sizeof(float));
  c.poison();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(pipelineOf(kernel));
  encoder.setBuffer(a, 0, 0);
  encoder.setBuffer(b, 0, 1);
  encoder.setBuffer(device.newBuffer(where.data(), where.size() * sizeof(Element)), 0, 2);
  encoder.setBytes(&w.K, sizeof w.K, 3);
  encoder.setBytes(&w.splits, sizeof w.splits, 4);
  encoder.setBuffer(c, 0, 5);
  const Result<DispatchReport> done =
      encoder.dispatchThreads({where.size() * threadsPerElement, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  return c;
}

void expectProduct(const Vector &vector, const char *kernel, uint32_t threadsPerElement) {
  SCOPED_TRACE(vector.id);
  const Workload w = workloadOf(vector);
  if (!w.samples.empty()) { // hundreds of millions of products: only some of the elements
    const Buffer c = product(kernel, w, w.samples, threadsPerElement);
    for (size_t i = 0; i < w.samples.size(); ++i)
      EXPECT_EQ(c.as<uint32_t>()[i], w.sampleBits[i]) << w.samples[i].m << "," << w.samples[i].n;
    return;
  }
  std::vector<Element> all;
  for (uint32_t m = 0; m < w.M; ++m)
    for (uint32_t n = 0; n < w.N; ++n)
      all.push_back({m, n});
  const Buffer c = product(kernel, w, all, threadsPerElement);
  EXPECT_EQ("sha256:" + testing_support::sha256({static_cast<const char *>(c.contents()), c.length()}),
            vector.result);
}

size_t forVectorsOf(const std::string &op, const char *kernel, uint32_t threadsPerElement = 1) {
  size_t count = 0;
  for (const Vector &vector : vectorTable().vectors)
    if (vector.op == op) {
      expectProduct(vector, kernel, threadsPerElement);
      ++count;
    }
  return count;
}

TEST(Workloads, AnUnfusedLeftFoldGivesTheGpusBits) {
  EXPECT_EQ(forVectorsOf("unfused left fold of products, ascending k", "left_fold"), 5u);
}
TEST(Workloads, ATiledLeftFoldGivesTheGpusBits) {
  EXPECT_EQ(forVectorsOf("tiled unfused left fold", "tiled_fold"), 5u);
}
TEST(Workloads, AContiguousSplitGivesTheGpusBits) {
  EXPECT_EQ(forVectorsOf("contiguous split fold", "contiguous_split"), 5u);
}
TEST(Workloads, AStridedSplitGivesTheGpusBits) {
  EXPECT_EQ(forVectorsOf("strided split fold", "strided_split"), 5u);
}

TEST(Workloads, AChainOfSimdgroupMatricesGivesTheGpusBits) {
  EXPECT_EQ(forVectorsOf("simdgroup_multiply_accumulate f32 8x8, K-long chain from a zero accumulator",
                         "matrix_chain", 32),
            3u);
}

TEST(Workloads, ByteDecodeGivesTheGpusBitsForAllPairsOfBytes) {
  const Device device = Device::systemDefault();
  const ComputePipeline pipeline = pipelineOf("decode");
  size_t count = 0;
  for (const Vector &vector : vectorTable().vectors) {
    if (!vector.op.ends_with("pairs of bytes"))
      continue;
    const auto scale = uint32_t(bitsOf(vector.operands[0][0]));
    Buffer result = device.newBuffer(65536 * sizeof(float));
    result.poison();
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline);
    encoder.setBytes(&scale, sizeof scale, 0);
    encoder.setBuffer(result, 0, 1);
    ASSERT_TRUE(encoder.dispatchThreads({65536, 1, 1}, {256, 1, 1}));
    EXPECT_EQ("sha256:" +
                  testing_support::sha256({static_cast<const char *>(result.contents()), result.length()}),
              vector.result)
        << vector.id;
    ++count;
  }
  EXPECT_EQ(count, 6u);
}

// source: FIPS 180-4, examples
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(testing_support::sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(testing_support::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

} // namespace
} // namespace assay::conformance
