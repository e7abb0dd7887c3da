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
  for (const TracedStatement &one : read().statements()) {
    texts.push_back(one.text);
    files.push_back(one.probeFile);
  }
  EXPECT_THAT(texts, ElementsAre("float z = 3;", "y = 2;", "x = 1;"));
  EXPECT_THAT(files, ElementsAre("include/b.h", "parts/a.h", (folder / "k.metal")));
}

TEST_F(Sources, GiveAProbeToEachValue) {
  folder.write("k.metal", "kernel void k() {\n  x = 1 ;\n  float y = 2 ;\n  g();\n}\n");
  const TraceSources sources = read();
  const std::vector<SourceProbe> probes = sources.probes();
  ASSERT_EQ(probes.size(), 2u);
  EXPECT_EQ(probes[0].form, ProbeForm::TracedComma);
  EXPECT_EQ(probes[0].anchor, "x = 1");
  EXPECT_EQ(probes[0].offset, 20u);
  EXPECT_EQ(probes[1].form, ProbeForm::Traced);
  EXPECT_EQ(probes[1].anchor, "float y = 2 ;");
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

} // namespace
} // namespace assay::cli::diff
