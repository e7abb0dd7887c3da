// Every hardware vector runs as a kernel, in the math modes and under the contraction of the builds that gave
// its bits, under the profile `apple`, and gives those bits.
#include "vector_kernels.h"
#include "vector_table.h"

#include "emulator/host/assay.h"
#include "tests/support/debug_mode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace assay::conformance {
namespace {

struct Setting {
  std::string mode, contract; ///< contract: "off", "on", "fast"
  friend void PrintTo(const Setting &s, std::ostream *out) { *out << s.mode << ", contract " << s.contract; }
};

// Apple's runtime compiler contracts across statements outside of safe mode.
bool holdsIn(const Vector &vector, const Setting &setting) {
  const std::string runtime = setting.mode == "safe" ? "on" : "fast";
  return vector.modes.count(setting.mode) &&
         (vector.contracts.count(setting.contract) ||
          (vector.contracts.count("runtime") && setting.contract == runtime));
}

PipelineOptions pipelineOptions(const NumericsProfile &numerics) {
  PipelineOptions options;
  options.cache = false;
  options.debug = testing_support::kernelsAreForTheDebugger();
  options.numerics = numerics;
  return options;
}

Result<Library> libraryOf(const std::vector<Batch> &batches, const std::string &mode,
                          const NumericsProfile &numerics) {
  std::string source = "#include <metal_stdlib>\n#include <metal_simdgroup_matrix>\nusing namespace metal;\n";
  for (const Batch &batch : batches)
    source += batch.source;
  CompileOptions options;
  options.cache = false;
  options.forPipelines(pipelineOptions(numerics));
  options.mathMode = mode == "safe" ? MathMode::Safe : mode == "relaxed" ? MathMode::Relaxed : MathMode::Fast;
  return Device::systemDefault().newLibraryWithSource(source, options);
}

NumericsProfile profileOf(const Setting &setting) {
  return *parseNumerics("apple,contract=" + setting.contract);
}

// The results of one batch for some of its vectors, in their order.
Result<std::vector<uint64_t>> evaluate(const Library &library, const Batch &batch,
                                       const std::vector<const Vector *> &vectors,
                                       const NumericsProfile &numerics) {
  const Device device = Device::systemDefault();
  const Result<Function> function = library.newFunction(batch.kernel);
  if (!function)
    return function.error();
  const Result<ComputePipeline> pipeline =
      device.newComputePipelineState(*function, pipelineOptions(numerics));
  if (!pipeline)
    return pipeline.error();
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  std::vector<Buffer> inputs;
  for (size_t o = 0; o < batch.operands.size(); ++o) {
    const BatchOperand &operand = batch.operands[o];
    std::vector<char> bytes;
    for (const Vector *vector : vectors)
      for (const std::string &word : vector->operands.at(batch.operandIndex[o])) {
        const uint64_t bits = bitsOf(word);
        bytes.insert(bytes.end(), reinterpret_cast<const char *>(&bits),
                     reinterpret_cast<const char *>(&bits) + operand.bytes);
      }
    EXPECT_EQ(bytes.size(), vectors.size() * operand.bytes * operand.count) << vectors[0]->id;
    inputs.push_back(device.newBuffer(bytes.data(), bytes.size()));
    encoder.setBuffer(inputs.back(), 0, uint32_t(o));
  }
  Buffer results = device.newBuffer(vectors.size() * batch.resultsPerVector * batch.resultBytes);
  results.poison();
  encoder.setBuffer(results, 0, uint32_t(batch.operands.size()));
  const Result<DispatchReport> done =
      encoder.dispatchThreads({vectors.size() * batch.threadsPerVector, 1, 1}, {32, 1, 1});
  if (!done)
    return done.error();
  std::vector<uint64_t> bits;
  const char *at = static_cast<const char *>(results.contents());
  for (size_t i = 0; i < vectors.size() * batch.resultsPerVector; ++i, at += batch.resultBytes) {
    uint64_t word = 0;
    std::memcpy(&word, at, batch.resultBytes);
    bits.push_back(word);
  }
  return bits;
}

struct Mismatch {
  std::string id, text;
};

std::vector<Mismatch> compare(const Batch &batch, const std::vector<const Vector *> &vectors,
                              const std::vector<uint64_t> &bits) {
  std::vector<Mismatch> mismatches;
  for (size_t i = 0; i < bits.size(); ++i) {
    const Vector &vector = *vectors[i / batch.resultsPerVector];
    if (isResult(vector.result, bits[i], batch.resultBytes))
      continue;
    mismatches.push_back(
        {vector.id,
         fmt::format("{} ({}, {} of {}): {:0{}x}, the GPU gave {} [{}]", vector.id, vector.type, vector.op,
                     vector.operandText, bits[i], 2 * batch.resultBytes, vector.result, vector.confidence)});
    i += batch.resultsPerVector - 1 - i % batch.resultsPerVector;
  }
  return mismatches;
}

class HardwareVectors : public testing::TestWithParam<Setting> {
protected:
  static const std::vector<Batch> &batches() {
    static std::vector<const Vector *> unknown;
    static const std::vector<Batch> all = makeBatches(vectorTable().vectors, unknown);
    return all;
  }
};

// contract(fast) does not reach over statements in a kernel for the debugger (docs/debugging.md).
bool isOtherForTheDebugger(const Vector &vector, const Setting &setting) {
  return testing_support::kernelsAreForTheDebugger() && setting.contract == "fast" &&
         vector.op.starts_with("t=");
}

TEST_P(HardwareVectors, GiveTheBitsOfTheGpu) {
  const Result<Library> library = libraryOf(batches(), GetParam().mode, profileOf(GetParam()));
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  size_t count = 0;
  for (const Batch &batch : batches()) {
    std::vector<const Vector *> vectors;
    for (const Vector *vector : batch.vectors)
      if (holdsIn(*vector, GetParam()) && !isOtherForTheDebugger(*vector, GetParam()))
        vectors.push_back(vector);
    if (vectors.empty())
      continue;
    const Result<std::vector<uint64_t>> bits = evaluate(*library, batch, vectors, profileOf(GetParam()));
    ASSERT_TRUE(bits) << renderDiagnostics(bits.error().diagnostics) << batch.source;
    for (const Mismatch &mismatch : compare(batch, vectors, *bits))
      ADD_FAILURE() << mismatch.text << "\n" << batch.source;
    count += vectors.size();
  }
  RecordProperty("vectors", int(count));
  EXPECT_GT(count, 0u);
}

std::vector<Setting> allSettings() {
  std::vector<Setting> settings;
  for (const char *mode : {"safe", "relaxed", "fast"})
    for (const char *contract : {"off", "on", "fast"})
      settings.push_back({mode, contract});
  return settings;
}
INSTANTIATE_TEST_SUITE_P(Builds, HardwareVectors, testing::ValuesIn(allSettings()), [](const auto &info) {
  return info.param.mode + "_contract_" + info.param.contract;
});

// --- the table itself --------------------------------------------------------------------------------------

bool isGenerated(const Vector &vector) { // workloads_test.cpp runs these
  return vector.operandText.starts_with("M=") || vector.op.ends_with("pairs of bytes");
}

TEST(VectorTable, EveryVectorIsSpelledInMetalAndRunsInSomeBuild) {
  std::vector<const Vector *> unknown;
  makeBatches(vectorTable().vectors, unknown);
  for (const Vector *vector : unknown)
    EXPECT_TRUE(isGenerated(*vector)) << vector->id << ": " << vector->op;
  for (const Vector &vector : vectorTable().vectors) {
    size_t runs = 0;
    for (const Setting &setting : allSettings())
      runs += holdsIn(vector, setting);
    EXPECT_GT(runs, 0u) << vector.id;
  }
}

TEST(VectorTable, NamesEachVectorOnceAndExcusesNoneThatRuns) {
  std::set<std::string> ids;
  for (const Vector &vector : vectorTable().vectors) {
    EXPECT_TRUE(ids.insert(vector.id).second) << vector.id;
    EXPECT_FALSE(vectorExceptions().reasonOf.count(vector.id)) << vector.id;
  }
}

TEST(VectorTable, HasEveryVectorOfTheSharedCollectionOrAReasonWhyNot) {
  const char *given = std::getenv("ASSAY_SHARED");
  const std::filesystem::path path =
      std::filesystem::path(given ? given : ASSAY_DEFAULT_SHARED) / "hardware-vectors.json";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "no " << path << "; ASSAY_SHARED names the folder";
  std::ifstream file(path);
  const nlohmann::json shared = nlohmann::json::parse(file);
  std::map<std::string, const Vector *> table;
  for (const Vector &vector : vectorTable().vectors)
    table[vector.id] = &vector;
  for (const auto &vector : shared["vectors"]) {
    const std::string id = vector["id"];
    const auto found = table.find(id);
    EXPECT_TRUE(found != table.end() || vectorExceptions().reasonOf.count(id)) << id;
    if (found != table.end()) {
      EXPECT_EQ(found->second->result, vector["result"].get<std::string>()) << id;
      EXPECT_EQ(found->second->op, vector["op"].get<std::string>()) << id;
    }
  }
}

// --- the tester --------------------------------------------------------------------------------------------

TEST(Comparison, FindsOneFlippedBitAndNamesTheVector) {
  std::vector<const Vector *> unknown;
  const std::vector<Batch> batches = makeBatches(vectorTable().vectors, unknown);
  const Result<Library> library = libraryOf(batches, "safe", kAppleNumerics);
  ASSERT_TRUE(library);
  const Setting setting{"safe", "on"};
  for (const Batch &batch : batches) {
    std::vector<const Vector *> vectors;
    for (const Vector *vector : batch.vectors)
      if (holdsIn(*vector, setting) && vector->result != "nan")
        vectors.push_back(vector);
    if (vectors.size() < 2)
      continue;
    Result<std::vector<uint64_t>> bits = evaluate(*library, batch, vectors, profileOf(setting));
    ASSERT_TRUE(bits);
    EXPECT_TRUE(compare(batch, vectors, *bits).empty());
    (*bits)[batch.resultsPerVector] ^= 1;
    const std::vector<Mismatch> mismatches = compare(batch, vectors, *bits);
    ASSERT_EQ(mismatches.size(), 1u) << batch.source;
    EXPECT_EQ(mismatches[0].id, vectors[1]->id);
    return;
  }
  FAIL() << "no batch to try it on";
}

TEST(Comparison, TakesAnyNanForNanAndNothingElse) {
  EXPECT_TRUE(isResult("nan", 0xffc00001, 4));
  EXPECT_FALSE(isResult("nan", 0x7f800000, 4));
  EXPECT_TRUE(isResult("nan", 0x7c01, 2));
  EXPECT_FALSE(isResult("nan", 0x7c00, 2));
  EXPECT_FALSE(isResult("3f800000", 0x3f800001, 4));
  EXPECT_TRUE(isResult("3f800000", 0x3f800000, 4));
}

// Each measured field, switched: some vector must notice.
TEST(Comparison, NoticesAnotherProfile) {
  std::vector<const Vector *> unknown;
  const std::vector<Batch> batches = makeBatches(vectorTable().vectors, unknown);
  const Result<Library> usual = libraryOf(batches, "safe", kAppleNumerics);
  const Result<Library> contracting = libraryOf(batches, "safe", *parseNumerics("apple,contract=fast"));
  ASSERT_TRUE(usual && contracting);
  constexpr std::pair<const char *, const char *> kSwitches[] = {
      {"on", "apple,flush_f32=off"},     {"on", "apple,flush_bf16=off"},
      {"on", "apple,flush_f16=on"},      {"on", "apple,contract=off"},
      {"on", "apple,contract=fast"},     {"off", "apple,contract=off,nan=propagate"},
      {"on", "apple,simd_sum=pairwise"}, {"on", "apple,simd_sum=sequential"}};
  for (const auto &[contract, profile] : kSwitches) {
    if (std::string_view(profile) == "apple,contract=fast" && testing_support::kernelsAreForTheDebugger())
      continue; // the vectors that notice it have several statements
    const NumericsProfile numerics = *parseNumerics(profile);
    const Library &library = numerics.contract == Contraction::Fast ? *contracting : *usual;
    size_t mismatches = 0;
    for (const Batch &batch : batches) {
      std::vector<const Vector *> vectors;
      for (const Vector *vector : batch.vectors)
        if (holdsIn(*vector, {"safe", contract}))
          vectors.push_back(vector);
      if (vectors.empty() || mismatches)
        continue;
      const Result<std::vector<uint64_t>> bits = evaluate(library, batch, vectors, numerics);
      ASSERT_TRUE(bits);
      mismatches += compare(batch, vectors, *bits).size();
    }
    EXPECT_GT(mismatches, 0u) << profile << ": no vector tells it from apple";
  }
}

} // namespace
} // namespace assay::conformance
