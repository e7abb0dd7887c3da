// Headers are found as on a Mac, whose file system ignores the case of names.
#include "frontend/compile.h"
#include "frontend/preprocess.h"
#include "support/files/hash.h"
#include "support/text/diagnostic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace assay;
using namespace assay::frontend;
namespace fs = std::filesystem;

namespace {

class CaselessFilesTest : public testing::Test {
protected:
  CaselessFilesTest() {
    fs::create_directories(folder / "Shared");
    std::ofstream(folder / "Shared/Types.h") << kHeader;
    request.path = (folder / "k.metal").string();
  }
  ~CaselessFilesTest() override { fs::remove_all(folder); }

  SourceRequest &with(const std::string &text) {
    std::ofstream(folder / "k.metal") << text;
    return request;
  }
  std::string digestOf(const CompiledModule &module, const char *name) const {
    for (const Dependency &dependency : module.dependencies)
      if (dependency.path == (folder / name).string())
        return dependency.digest;
    return "none";
  }

  static constexpr const char *kHeader = "#pragma once\nstruct Pair { int a, b; };\n";
  const fs::path folder = fs::temp_directory_path() / ("assay_caseless_" + std::to_string(getpid()));
  SourceRequest request;
};

} // namespace

TEST_F(CaselessFilesTest, AHeaderIsOneFileByAllItsNames) {
  const auto module =
      compile(with("#include <Metal_Stdlib>\n#include <simd/SIMD.h>\n"
                   "#include \"shared/TYPES.h\"\n#include \"Shared/Types.h\"\n"
                   "#if !__has_include(\"SHARED/types.H\") || __has_include(\"Shared/Type.h\")\n"
                   "#error\n#endif\n"
                   "kernel void k(device Pair *p) { p[0].a = metal::min(p[0].b, 1); }\n"));
  ASSERT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
  EXPECT_EQ(digestOf(*module, "shared/TYPES.h"), hashBytes(kHeader));
  // As Clang warns on a Mac. The shim stands for a toolchain's headers, for which it does not warn.
  ASSERT_EQ(module->warnings.size(), 1u);
  EXPECT_EQ(module->warnings[0].where.line, 3u);
  EXPECT_EQ(module->warnings[0].rule, "-Wnonportable-include-path");
}

// Also the rules that are for users' files alone.
TEST_F(CaselessFilesTest, MessagesNameTheFileAsItIsIncluded) {
  std::ofstream(folder / "Shared/Types.h") << "inline int first(int *p) { return *p; }\n";
  const auto module = compile(with("#include \"shared/types.h\"\n"));
  ASSERT_FALSE(module);
  const auto &diagnostics = module.error().diagnostics;
  const auto error = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
  ASSERT_NE(error, diagnostics.end());
  EXPECT_EQ(error->where.file, (folder / "shared/types.h").string());
  EXPECT_NE(error->message.find("address space"), std::string::npos) << error->message;
}

TEST_F(CaselessFilesTest, FoldersOfThePathAreFoundToo) {
  request.includePaths = {(folder / "SHARED").string()};
  const auto module = compile(with("#include <types.h>\nkernel void k(device Pair *p) { p[0].a = 1; }\n"));
  EXPECT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
}

TEST_F(CaselessFilesTest, ThePreprocessorFindsThem) {
  const Result<Preprocessed> done = preprocess(with("#include \"shared/types.h\"\nPair p;\n"), {});
  ASSERT_TRUE(done) << renderDiagnostics(done.error().diagnostics);
  EXPECT_NE(done->text.find("struct Pair { int a, b; };"), std::string::npos) << done->text;
}

TEST_F(CaselessFilesTest, OtherNamesAreMissing) {
  const auto module = compile(with("#include \"shared/type.h\"\n"));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message(), "'shared/type.h' file not found");
}
