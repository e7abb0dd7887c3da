// Composed text: what it is, which stages do not fit together, and that it needs no other file.
#include "kernels_msl/foundry/compound_set.h"

#include "tests/support/kernel_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace assay::kernels::foundry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

std::string textOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
fs::path headerFolder() {
  return fs::path(testing_support::ownKernelFolder()) / "foundry";
}

Result<std::string> textOf(const CompoundKernel &kernel) {
  return composeKernel(kernel.name, kernel.stages);
}
Result<std::string> wholeText(const CompoundKernel &kernel) {
  const Result<std::string> text = textOf(kernel);
  return text ? pasteHeaders(*text, headerFolder()) : text;
}

/// "message [rule]"
std::string refusal(std::string_view name, const std::vector<Stage> &stages) {
  const Result<std::string> text = composeKernel(name, stages);
  return text ? "composed" : text.error().message() + " [" + text.error().rule() + "]";
}
std::string refusal(const std::vector<Stage> &stages) {
  return refusal("k", stages);
}

const StageTypes kHalf64{false, 64, 4};
Stage rope() {
  return ropeStage(kHalf64, "FlashDecodeParams", "64");
}

/// One kept text of each composition, for readers.
class KeptText : public ::testing::TestWithParam<std::pair<const char *, const char *>> {};
TEST_P(KeptText, IsWhatIsComposed) {
  const auto [file, name] = GetParam();
  const CompoundKernel *kernel = findCompound(file, name);
  ASSERT_TRUE(kernel);
  const Result<std::string> text = textOf(*kernel);
  ASSERT_TRUE(text) << text.error().message();
  const fs::path kept = fs::path(ASSAY_COMPOUND_TEXTS) / (std::string(name) + ".metal");
  if (*text == textOf(kept)) { // which whoever has the headers can compile
    CompileOptions options;
    options.includePaths = {headerFolder().string()};
    options.kernels = {""};
    const Result<Library> library = Device::systemDefault().newLibraryWithFile(kept.string(), options);
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    EXPECT_EQ(library->functionNames(), std::vector<std::string>{name});
    return;
  }
  const fs::path made = fs::path(::testing::TempDir()) / kept.filename();
  std::ofstream(made) << *text;
  ADD_FAILURE() << "if the new text is right: cp " << made << " " << kept << "\n" << *text;
}
INSTANTIATE_TEST_SUITE_P(
    Of, KeptText,
    ::testing::Values(std::pair("foundry/decode_kernels.metal", "flash_decode_f16_d64"),
                      std::pair("foundry/decode_kernels.metal", "flash_decode_rope_f16_d64"),
                      std::pair("foundry/prefill_online.metal", "flash_prefill_tiled_d64_w4"),
                      std::pair("foundry/prefill_splitk.metal", "flash_prefill_splitk_part_d128_w8_bf16"),
                      std::pair("foundry/prefill_splitk.metal", "flash_prefill_splitk_reduce_d128_w8_bf16"),
                      std::pair("foundry/kv_prep.metal", "flash_pack_q_f16"),
                      std::pair("foundry/kv_prep.metal", "flash_pack_q_rope_bf16"),
                      std::pair("foundry/kv_prep.metal", "flash_write_kv_bf16"),
                      std::pair("foundry/kv_prep.metal", "flash_write_kv_rope_f16")),
    [](const auto &info) { return std::string(info.param.second); });

TEST(CompoundKernels, AreThereForEveryVariant) {
  // Decode with and without RoPE, tiles and both phases with 4 and 8 simdgroups, for six sizes and two types;
  // four preparations for two types.
  EXPECT_EQ(compoundKernels().size(), 2u * 6 * (2 + 2 * 3) + 2 * 4);
  EXPECT_TRUE(findCompound("foundry/decode_kernels.metal", "flash_decode_rope_bf16_d256"));
  EXPECT_FALSE(findCompound("foundry/decode_kernels.metal", "flash_decode_f16_d65"));
  EXPECT_FALSE(findCompound("foundry/prefill_online.metal", "flash_decode_f16_d64"));
}

/// The kernel's arguments, a line each.
std::vector<std::string> argumentsOf(const Result<Library> &library, const std::string &name) {
  std::vector<std::string> lines;
  if (!library) {
    ADD_FAILURE() << renderDiagnostics(library.error().diagnostics);
    return lines;
  }
  const Result<Function> function = library->newFunction(name);
  if (!function) {
    ADD_FAILURE() << function.error().message();
    return lines;
  }
  for (const ArgumentInfo &a : function->info().arguments)
    lines.push_back(fmt::format("kind {} index {} {} {} builtin {}", int(a.kind), a.builtin ? 0 : a.index,
                                a.type, a.condition, a.builtin ? int(*a.builtin) : -1));
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// A host that knows no include path, and text in which every header stands once.
TEST(CompoundKernels, NeedNoOtherFile) {
  for (const CompoundKernel &kernel : compoundKernels()) {
    if (kernel.name.find("d64") == std::string::npos && kernel.file != "foundry/kv_prep.metal")
      continue; // sizes differ in numbers
    SCOPED_TRACE(kernel.name);
    const Result<std::string> text = wholeText(kernel);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, Not(HasSubstr("#include \"")));
    CompileOptions options;
    options.kernels = {""};
    const Result<Library> library = Device::systemDefault().newLibraryWithSource(*text, options);
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    EXPECT_EQ(library->functionNames(), std::vector{kernel.name});
  }
}

TEST(CompoundKernels, PasteEachHeaderOnce) {
  const CompoundKernel *kernel = findCompound("foundry/decode_kernels.metal", "flash_decode_rope_f16_d64");
  const Result<std::string> text = wholeText(*kernel);
  ASSERT_TRUE(text);
  for (const char *file : {"head_layout_stage.h", "decode_layout.h", "rope_stage.h", "flash_decode_stage.h",
                           "decode_query.h", "decode_common.h"}) {
    const std::string mark = std::string("// ---- ") + file + " ----\n";
    const size_t first = text->find(mark);
    EXPECT_NE(first, std::string::npos) << file;
    EXPECT_EQ(text->find(mark, first + 1), std::string::npos) << file;
  }
  EXPECT_LT(text->find("struct FlashDecodeParams"), text->find("struct DecodeHead"));
}

TEST(CompoundKernels, SayWhichHeaderIsMissing) {
  const Result<std::string> text = pasteHeaders("#include \"no_stage.h\"\n", "/no/folder");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().rule(), "compound-header");
  EXPECT_EQ(text.error().message(), "cannot read /no/folder/no_stage.h");
}

TEST(Composition, NeedsAStageAndAName) {
  EXPECT_EQ(refusal({}), "kernel k has no stage [compound-empty]");
  EXPECT_EQ(refusal("2k", {headLayoutStage(kHalf64)}), "'2k' cannot be a kernel's name [compound-name]");
  EXPECT_EQ(refusal("k-2", {headLayoutStage(kHalf64)}), "'k-2' cannot be a kernel's name [compound-name]");
}

TEST(Composition, RefusesAFusedDecodeWithoutARotation) {
  EXPECT_EQ(refusal({headLayoutStage(kHalf64), flashDecodeFusedStage(kHalf64)}),
            "stage 2, FlashDecodeFusedStage, takes 'rotated', which no stage leaves [stage-missing]");
}

TEST(Composition, RefusesARotationAfterTheDecodeThatTakesIt) {
  EXPECT_EQ(refusal({headLayoutStage(kHalf64), flashDecodeFusedStage(kHalf64), rope()}),
            "stage 2, FlashDecodeFusedStage, takes 'rotated', which stage 3, RopeStage, leaves only after it "
            "[stage-order]");
}

TEST(Composition, RefusesADecodeThatIgnoresTheRotation) {
  EXPECT_EQ(refusal({headLayoutStage(kHalf64), rope(), flashDecodeStage(kHalf64)}),
            "stage 2, RopeStage, leaves 'rotated', which no stage after it takes [stage-untaken]");
}

TEST(Composition, RefusesStagesWithoutALayout) {
  EXPECT_EQ(refusal({flashDecodeStage(kHalf64)}),
            "stage 1, FlashDecodeStage, takes 'here', which no stage leaves [stage-missing]");
  EXPECT_EQ(refusal({rope(), headLayoutStage(kHalf64), flashDecodeFusedStage(kHalf64)}),
            "stage 1, RopeStage, takes 'row', which stage 2, HeadLayoutStage, leaves only after it "
            "[stage-order]");
}

TEST(Composition, RefusesAStageTwice) {
  EXPECT_EQ(refusal({headLayoutStage(kHalf64), headLayoutStage(kHalf64), flashDecodeStage(kHalf64)}),
            "stage 2, HeadLayoutStage, is there already, as stage 1 [stage-twice]");
  EXPECT_EQ(refusal({queryLayoutStage(kHalf64), kvLayoutStage(kHalf64), kvWriteStage(kHalf64)}),
            "stage 2, KvLayoutStage, leaves 'here', as stage 1, QueryLayoutStage, does [stage-twice]");
}

TEST(Composition, RefusesTwoTypesOfOneThing) {
  EXPECT_EQ(
      refusal({headLayoutStage(kHalf64), ropeStage(kHalf64, "KvPrepParams", "64"),
               flashDecodeFusedStage(kHalf64)}),
      "'p' is 'constant FlashDecodeParams &' in stage 1, HeadLayoutStage, and 'constant KvPrepParams &' "
      "in stage 2, RopeStage [stage-type]");
  EXPECT_EQ(refusal({headLayoutStage({true, 64}), flashDecodeStage(kHalf64)}),
            "stage 2, FlashDecodeStage, takes 'here' as 'const DecodeHead<half>', stage 1, HeadLayoutStage, "
            "leaves 'const DecodeHead<bfloat>' [stage-type]");
  EXPECT_EQ(refusal({queryLayoutStage(kHalf64), kvWriteStage(kHalf64)}),
            "stage 2, KvWriteStage, takes 'here' as 'const KvRow<half>', stage 1, QueryLayoutStage, leaves "
            "'const QueryRow<half>' [stage-type]");
}

Stage argumentStage(std::string name, StageArgument argument) {
  Stage s;
  s.name = std::move(name), s.arguments = {std::move(argument)};
  return s;
}

TEST(Composition, RefusesArgumentsThatDoNotFitTogether) {
  using Slot = StageArgument::Slot;
  const Stage q = argumentStage("A", {"device const half *", "q", Slot::Buffer, 3});
  EXPECT_EQ(refusal({q, argumentStage("B", {"device half *", "q", Slot::Buffer, 3})}),
            "'q' is 'device const half *' in stage 1, A, and 'device half *' in stage 2, B [stage-type]");
  EXPECT_EQ(refusal({q, argumentStage("B", {"device const half *", "q", Slot::Buffer, 4})}),
            "'q' is buffer(3) in stage 1, A, and buffer(4) in stage 2, B [stage-slot]");
  EXPECT_EQ(refusal({q, argumentStage("B", {"device const half *", "k", Slot::Buffer, 3})}),
            "buffer(3) is 'q' in stage 1, A, and 'k' in stage 2, B [stage-slot]");
  EXPECT_EQ(refusal({q, argumentStage("B", {"device const half *", "q", Slot::Buffer, 3, "", "has_q"})}),
            "'q' is there always in stage 1, A, and with has_q in stage 2, B [stage-condition]");
  EXPECT_EQ(refusal({q, argumentStage("B", {"threadgroup half *", "t", Slot::Threadgroup, 3})}), "composed");
  Stage four = argumentStage("A", {"uint3", "gid", Slot::Builtin, 0, "threadgroup_position_in_grid"}),
        eight = argumentStage("B", {"uint3", "gid", Slot::Builtin, 0, "threadgroup_position_in_grid"});
  four.mostThreads = 128, eight.mostThreads = 256;
  EXPECT_EQ(refusal({four, eight}), "stage 2, B, is for 256 threads, stage 1, A, for 128 [stage-threads]");
  eight.mostThreads = 128;
  EXPECT_EQ(refusal({four, eight}), "composed");
}

TEST(Composition, WritesSharedArgumentsOnceAndByIndex) {
  using Slot = StageArgument::Slot;
  const StageArgument gid{"uint3", "gid", Slot::Builtin, 0, "threadgroup_position_in_grid"};
  Stage a = argumentStage("A", {"device half *", "y", Slot::Buffer, 7}), b = argumentStage("B", gid);
  a.arguments.push_back(gid);
  a.arguments.push_back({"threadgroup half *", "t", Slot::Threadgroup, 1});
  a.purpose = "copies", a.statements = {"y[gid.x] =\n    t[0];"};
  b.arguments.push_back({"constant P &", "p", Slot::Buffer, 4, "", "has_p"});
  b.purpose = "does nothing";
  const Result<std::string> text = composeKernel("both", std::vector{a, b});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, R"(// both: A, B.
// Composed by kernels_msl/foundry/compound_kernel.h; `gid` is the threadgroup's position in the grid.

kernel void both(
    constant P &p [[buffer(4), function_constant(has_p)]],
    device half *y [[buffer(7)]],
    threadgroup half *t [[threadgroup(1)]],
    uint3 gid [[threadgroup_position_in_grid]]) {
  // A: copies
  y[gid.x] =
      t[0];

  // B: does nothing
}
)");
}

/// A compound kernel has the arguments of the one that is written out, in the same places.
TEST(CompoundKernels, HaveTheArgumentsOfThoseThatAreWrittenOut) {
  const Device device = Device::systemDefault();
  for (const CompoundKernel &kernel : compoundKernels()) {
    const bool size = kernel.name.find("d80") != std::string::npos || kernel.file == "foundry/kv_prep.metal";
    if (!size || kernel.name.find("bf16") != std::string::npos)
      continue; // the others differ in a number and in the element
    SCOPED_TRACE(kernel.name);
    CompileOptions options;
    options.kernels = {kernel.name};
    const Result<std::string> text = wholeText(kernel);
    ASSERT_TRUE(text);
    const auto composed = argumentsOf(device.newLibraryWithSource(*text, options), kernel.name);
    auto written =
        argumentsOf(device.newLibraryWithFile(testing_support::ownKernel(kernel.file), options), kernel.name);
    EXPECT_GT(written.size(), 4u);
    // RopeStage asks for the size of the threadgroup, which a written decode knows.
    if (kernel.name.starts_with("flash_decode_rope"))
      for (const std::string &line : composed)
        if (line.ends_with(fmt::format("builtin {}", int(Builtin::ThreadsPerThreadgroup))))
          written.push_back(line);
    std::sort(written.begin(), written.end());
    EXPECT_EQ(composed, written);
  }
}

} // namespace
} // namespace assay::kernels::foundry
