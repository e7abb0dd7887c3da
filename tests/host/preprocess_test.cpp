// The options of a compilation reach the preprocessor.
#include "host/preprocess.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay::detail {

TEST(PreprocessSource, HasTheOptionsOfACompilation) {
  const testing_support::TemporaryFolder folder;
  folder.write("a.h", "int header = N;\n");
  CompileOptions options;
  options.name = "k.metal";
  options.includePaths = {folder.path()};
  options.preprocessorMacros = {{"N", "7"}};
  const auto done =
      preprocess(options, "#include <a.h>\nint fast = __FAST_MATH__;\n", {.lineMarkers = false});
  ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  EXPECT_EQ(done->text, "int header = 7;\nint fast = 1;\n");
  ASSERT_EQ(done->headers.size(), 1u);
  EXPECT_EQ(done->headers[0].depth, 1u);
  EXPECT_EQ(done->headers[0].path, folder / "a.h");
}

} // namespace assay::detail
