// The statements of a side's files, and the probes that go to them.
#include "cli/diff/trace_sources.h"

#include "tests/host/temporary_folder.h"

#include <gmock/gmock.h>

namespace assay::cli::diff {
namespace {

using testing::ElementsAre;
using testing_support::TemporaryFolder;

class Sources : public testing::Test {
protected:
  TraceSources read() {
    Call call;
    call.file = folder / "k.metal";
    call.compile.includePaths = {folder / "include"};
    Result<TraceSources> sources = TraceSources::read(call);
    EXPECT_TRUE(sources);
    return sources ? *sources : TraceSources();
  }
  TemporaryFolder folder;
};

TEST_F(Sources, AreAFileAndWhatItIncludesInQuotes) {
  std::filesystem::create_directory(folder.path() / "include");
  std::filesystem::create_directory(folder.path() / "parts");
  folder.write("k.metal",
               "#include <metal_stdlib>\n#include \"parts/a.h\"\n#  include \"b.h\"\n#include \"none.h\"\n"
               "kernel void k() {\n  x = 1;\n}\n");
  folder.write("parts/a.h", "#include \"../include/b.h\"\nvoid a() { y = 2; }\n");
  folder.write("include/b.h", "#include \"../k.metal\"\nvoid b() { float z = 3; }\n"); // in a circle
  std::vector<std::string> texts, files;
  const TraceSources sources = read();
  for (const TracedStatement &one : sources.statements()) {
    texts.push_back(one.text);
    files.push_back(one.probeFile);
  }
  EXPECT_THAT(texts, ElementsAre("float z = 3;", "y = 2;", "x = 1;"));
  const std::string own = folder / "k.metal";
  EXPECT_THAT(files, ElementsAre("include/b.h", "parts/a.h", own));
}

TEST_F(Sources, GiveAProbeToEachValue) {
  folder.write("k.metal", "kernel void k() {\n  x = 1 ;\n  float y = 2 ;\n  g();\n  if ( x < y ) ;\n}\n");
  const TraceSources sources = read();
  const std::vector<SourceProbe> probes = sources.probes();
  ASSERT_EQ(probes.size(), 3u);
  EXPECT_EQ(probes[0].form, ProbeForm::TracedComma);
  EXPECT_EQ(probes[0].anchor, "x = 1");
  EXPECT_EQ(probes[0].offset, 20u);
  EXPECT_EQ(probes[1].form, ProbeForm::Traced);
  EXPECT_EQ(probes[1].anchor, "float y = 2 ;");
  EXPECT_EQ(probes[2].form, ProbeForm::TracedThrough);
  EXPECT_EQ(probes[2].anchor, "x < y");
  EXPECT_EQ(probes[2].offset, 58u);
  for (const SourceProbe &probe : probes)
    EXPECT_EQ(sources.statements()[TraceSources::numberOf(probe.name)].statement.value, probe.expression);
  EXPECT_GT(TraceSources::numberOf("mine"), sources.statements().size());
  EXPECT_EQ(sources.statements()[1].where.line, 3u);
  EXPECT_EQ(sources.statements()[1].where.column, 3u);
}

TEST_F(Sources, DropProbesOnLinesWithErrors) {
  folder.write("k.metal", "kernel void k() {\n  x = 1;\n  y =\n    2;\n}\n");
  TraceSources sources = read();
  Diagnostic error;
  error.where = {folder / "k.metal", 4, 1};
  EXPECT_EQ(sources.drop({error}), 1u);
  EXPECT_EQ(sources.drop({error}), 0u);
  error.where.line = 1;
  EXPECT_EQ(sources.drop({error}), 0u);
  error.where = {"elsewhere.metal", 2, 1};
  EXPECT_EQ(sources.drop({error}), 0u);
  EXPECT_EQ(sources.dropped(), 1u);
  ASSERT_EQ(sources.probes().size(), 1u);
  EXPECT_EQ(sources.probes()[0].expression, "x");
}

// Kernels with templates, headers, macros, simdgroup matrices, tensors and textures: every probe compiles.
struct Compiled {
  const char *file, *kernel;
};
class OwnKernels : public testing::TestWithParam<Compiled> {};

TEST_P(OwnKernels, CompileWithAllProbes) {
  Call call;
  call.file = std::string(ASSAY_SOURCE_DIR) + "/kernels_msl/" + GetParam().file;
  const Result<TraceSources> sources = TraceSources::read(call);
  ASSERT_TRUE(sources);
  KernelRequest request{.file = call.file, .kernel = GetParam().kernel};
  request.compile.kernels = {GetParam().kernel};
  request.compile.cache = false;
  for (SourceProbe probe : sources->probes()) {
    if (probe.file == call.file)
      probe.file.clear();
    request.compile.probes.push_back(std::move(probe));
  }
  EXPECT_GT(request.compile.probes.size(), 0u);
  const Result<Library> library = compileLibrary(Device::systemDefault(), request);
  EXPECT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
}

INSTANTIATE_TEST_SUITE_P(
    Files, OwnKernels,
    testing::Values(Compiled{"attention/flash_attn_prefill.metal", "flash_attn_prefill_bf16_d64"},
                    Compiled{"foundry/decode_kernels.metal", "flash_decode_rope_f16_d32"},
                    Compiled{"foundry/prefill_pipelined.metal", "flash_prefill_buffered_d32_w4"},
                    Compiled{"training/flash_attn_train_bwd.metal", "flash_attn_train_bwd_bf16_d64"},
                    Compiled{"recurrence/gated_delta_net_chunk.metal",
                             "gated_delta_net_chunk_inter_state_bf16"},
                    Compiled{"image/resize.metal", "resize"},
                    Compiled{"matrix/tiles.metal", "tile_multiply_accumulate_f32"},
                    Compiled{"tensor/products.metal", "thread_nn"}),
    [](const auto &info) { return std::string(info.param.kernel); });

} // namespace
} // namespace assay::cli::diff
