// What is compiled for the debugger computes the same bits: each operation of simd_ops.def, and every kernel
// of kernels_msl/ becomes native code.
#include "host/assay.h"
#include "support/abi/scalar_type.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

namespace assay {
namespace {

FunctionConstantValues zeros(const ModuleInfo &module) {
  FunctionConstantValues values;
  const uint64_t zero[4] = {};
  for (const FunctionConstantInfo &constant : module.functionConstants)
    if (constant.index != kComputedConstant)
      values.setConstantValue(zero, DataType(constant.type, constant.components), constant.index);
  return values;
}

// --- operations

struct Operation {
  SimdOp op;
  const char *statement;          ///< out[i] = .. of T x, uint i, bool odd
  std::vector<std::string> types; ///< for T
};

const std::vector<std::string> kAll = {"float", "half", "int", "uchar", "float3", "half4", "short3"},
                               kIntegers = {"int", "uint", "char", "ushort3"}, kWords = {"uint"},
                               kFloats = {"float", "half", "bfloat"};

#define ASSAY_BOTH(Name, call, types)                                                                        \
  {SimdOp::Name, "out[i] = simd_" call ";", types}, {                                                        \
    SimdOp::Quad##Name, "out[i] = quad_" call ";", types                                                     \
  }
const Operation kOperations[] = {
    {SimdOp::Barrier,
     "out[i] = x; simdgroup_barrier(mem_flags::mem_device); x = out[i ^ 1];"
     " simdgroup_barrier(mem_flags::mem_device); out[i] += x;",
     kWords},
    ASSAY_BOTH(Broadcast, "broadcast(x, 2)", kAll),
    ASSAY_BOTH(BroadcastFirst, "broadcast_first(x)", kAll),
    ASSAY_BOTH(Shuffle, "shuffle(x, ushort((i * 3) & 3))", kAll),
    ASSAY_BOTH(ShuffleXor, "shuffle_xor(x, 1)", kAll),
    ASSAY_BOTH(ShuffleUp, "shuffle_up(x, 1)", kAll),
    ASSAY_BOTH(ShuffleDown, "shuffle_down(x, 1)", kAll),
    ASSAY_BOTH(ShuffleRotateUp, "shuffle_rotate_up(x, 3)", kAll),
    ASSAY_BOTH(ShuffleRotateDown, "shuffle_rotate_down(x, 3)", kAll),
    ASSAY_BOTH(ShuffleAndFillUp, "shuffle_and_fill_up(x, T(x + x), 2)", kAll),
    ASSAY_BOTH(ShuffleAndFillDown, "shuffle_and_fill_down(x, T(x + x), 1, 2)", kAll),
    ASSAY_BOTH(Sum, "sum(x)", kAll),
    ASSAY_BOTH(Product, "product(x)", kAll),
    ASSAY_BOTH(Min, "min(x)", kAll),
    ASSAY_BOTH(Max, "max(x)", kAll),
    ASSAY_BOTH(And, "and(x)", kIntegers),
    ASSAY_BOTH(Or, "or(x)", kIntegers),
    ASSAY_BOTH(Xor, "xor(x)", kIntegers),
    ASSAY_BOTH(PrefixInclusiveSum, "prefix_inclusive_sum(x)", kAll),
    ASSAY_BOTH(PrefixExclusiveSum, "prefix_exclusive_sum(x)", kAll),
    ASSAY_BOTH(PrefixInclusiveProduct, "prefix_inclusive_product(x)", kAll),
    ASSAY_BOTH(PrefixExclusiveProduct, "prefix_exclusive_product(x)", kAll),
    {SimdOp::Ballot, "out[i] = uint(ulong(simd_ballot(odd))) + simd_all(odd) * 2 + simd_any(odd);", kWords},
    {SimdOp::ActiveMask, "if (i % 3) out[i] = uint(ulong(simd_active_threads_mask())) + simd_is_first();",
     kWords},
    {SimdOp::QuadBallot, "out[i] = ushort(quad_ballot(odd)) * 4 + quad_all(odd) * 2 + quad_any(odd);",
     kWords},
    {SimdOp::QuadActiveMask, "if (i % 3) out[i] = ushort(quad_active_threads_mask()) * 2 + quad_is_first();",
     kWords},
    {SimdOp::MatrixMultiply,
     "simdgroup_matrix<T, 8, 8> a, b, c; simdgroup_load(a, in, 8); simdgroup_load(b, in + 3, 8, 0, true);"
     "simdgroup_multiply(c, a, b); simdgroup_store(c, out, 8);",
     kFloats},
    {SimdOp::MatrixMultiplyAccumulate,
     "simdgroup_matrix<T, 8, 8> a, b, c(T(2)); simdgroup_load(a, in, 8); simdgroup_load(b, in + 3, 8, 0, "
     "true);"
     "simdgroup_multiply_accumulate(c, a, b, c); simdgroup_store(c, out, 8);",
     kFloats},
};
#undef ASSAY_BOTH

// What is no function of Metal, and what kernels_msl/tensor has.
bool elsewhere(SimdOp op) {
  return op == SimdOp::Lockstep || op == SimdOp::MultiplyFragments;
}

std::vector<std::string> types() {
  std::set<std::string> names;
  for (const Operation &operation : kOperations)
    names.insert(operation.types.begin(), operation.types.end());
  return {names.begin(), names.end()};
}

// The operations that take a type, each as a kernel k<number of the operation>.
std::vector<SimdOp> operationsOf(const std::string &type, std::string &source) {
  std::vector<SimdOp> operations;
  source = "#include <metal_stdlib>\nusing namespace metal;\ntypedef " + type + " T;\n";
  for (const Operation &operation : kOperations)
    if (std::count(operation.types.begin(), operation.types.end(), type)) {
      operations.push_back(operation.op);
      source +=
          "kernel void k" + std::to_string(size_t(operation.op)) +
          "(device T *out [[buffer(0)]], device T *in [[buffer(1)]], uint i [[thread_position_in_grid]]) {\n"
          "  T x = T(i % 5 + 1); bool odd = i % 2; (void)odd;\n  " +
          operation.statement + "\n}\n";
    }
  return operations;
}

constexpr size_t kBytes = 128 * 8; // 128 of the largest type

struct WithoutOptimisation : testing::TestWithParam<std::string> {
  static Result<Library> library(const std::string &source, bool debug) {
    CompileOptions options;
    options.debug = debug;
    return Device::systemDefault().newLibraryWithSource(source, options);
  }

  static Result<ComputePipeline> pipeline(const Library &library, SimdOp op, bool debug) {
    PipelineOptions how;
    how.cache = false;
    how.debug = debug;
    return Device::systemDefault().newComputePipelineState(
        *library.newFunction("k" + std::to_string(size_t(op))), how);
  }

  static std::vector<uint8_t> run(const ComputePipeline &pipeline) {
    Device device = Device::systemDefault();
    std::vector<uint8_t> in(kBytes, 0), out(kBytes, 0xA5);
    for (size_t i = 0; i < in.size() / 2; ++i) { // numbers from 1 to 2 as halves
      const uint16_t half = uint16_t(0x3c00 + i * 0x40 % 0x400);
      std::memcpy(&in[2 * i], &half, 2);
    }
    const Buffer source = device.newBuffer(in.data(), in.size()),
                 target = device.newBuffer(out.data(), out.size());
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline);
    encoder.setBuffer(target, 0, 0);
    encoder.setBuffer(source, 0, 1);
    const auto done = encoder.dispatchThreads(Size(32), Size(32));
    EXPECT_TRUE(done) << (done ? "" : renderDiagnostics(done.error().diagnostics));
    std::memcpy(out.data(), target.contents(), out.size());
    return out;
  }
};

TEST_P(WithoutOptimisation, EachOperationComputesTheSameBits) {
  std::string source;
  const std::vector<SimdOp> operations = operationsOf(GetParam(), source);
  const Result<Library> fastLibrary = library(source, false), debugLibrary = library(source, true);
  ASSERT_TRUE(fastLibrary) << renderDiagnostics(fastLibrary.error().diagnostics);
  ASSERT_TRUE(debugLibrary) << renderDiagnostics(debugLibrary.error().diagnostics);
  for (const SimdOp op : operations) {
    const Result<ComputePipeline> fast = pipeline(*fastLibrary, op, false),
                                  debug = pipeline(*debugLibrary, op, true);
    ASSERT_TRUE(fast) << simdOpInfo(op).text << ": " << renderDiagnostics(fast.error().diagnostics);
    ASSERT_TRUE(debug) << simdOpInfo(op).text << ": " << renderDiagnostics(debug.error().diagnostics);
    EXPECT_THAT(debug->code().sites, testing::Contains(testing::Field(&SiteInfo::op, op)))
        << simdOpInfo(op).text;
    const std::vector<uint8_t> expected = run(*fast);
    EXPECT_EQ(run(*debug), expected) << simdOpInfo(op).text;
    EXPECT_THAT(expected, testing::Contains(testing::Ne(0xA5))) << simdOpInfo(op).text;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, WithoutOptimisation, testing::ValuesIn(types()),
                         [](const auto &info) { return info.param; });

TEST(WithoutOptimisationTable, HasEachOperation) {
  for (size_t op = 0; op < kSimdOps.size(); ++op)
    EXPECT_TRUE(elsewhere(SimdOp(op)) ||
                testing::Value(kOperations, testing::Contains(testing::Field(&Operation::op, SimdOp(op)))))
        << kSimdOps[op].text;
}

// --- kernels

std::vector<std::string> sources() {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(ASSAY_OWN_KERNELS))
    if (entry.path().extension() == ".metal")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

struct WithoutOptimisationFile : testing::TestWithParam<std::string> {};

TEST_P(WithoutOptimisationFile, EachKernelBecomesNativeCode) {
  const Device device = Device::systemDefault();
  CompileOptions options;
  options.debug = true;
  const Result<Library> library = device.newLibraryWithFile(GetParam(), options);
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  PipelineOptions how;
  how.debug = true;
  for (const KernelInfo &kernel : library->reflection().kernels) {
    const auto made =
        device.newComputePipelineState(*library->newFunction(kernel.name, zeros(library->reflection())), how);
    EXPECT_TRUE(made) << kernel.name << ": " << renderDiagnostics(made.error().diagnostics);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, WithoutOptimisationFile, testing::ValuesIn(sources()),
                         [](const auto &info) {
                           std::string name = std::filesystem::path(info.param).stem();
                           return name;
                         });

} // namespace
} // namespace assay
