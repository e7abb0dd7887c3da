// docs/kernels.md says what the tables beside the kernels say, and they name every entry point there is.
#include "kernels_page.h"

#include "emulator/host/assay.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace assay::docs {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = ASSAY_SOURCE_DIR;

TEST(KernelsPage, IsWhatTheTablesSay) {
  std::ifstream file(kSource / "docs/kernels.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::vector<KernelRow> rows = readKernelRows(kSource / "kernels_msl");
  EXPECT_EQ(page, kernelsPage(rows, readExamples(kSource / "kernels_msl", rows),
                              readPromises(kSource / "kernels_msl")))
      << "run: build/bin/kernels_page > docs/kernels.md";
}

/// Entry points of a file; no body is compiled for it.
std::set<std::string> entryPointsOf(const fs::path &file) {
  CompileOptions options;
  options.kernels = {""};
  const Result<Library> library = Device::systemDefault().newLibraryWithFile(file.string(), options);
  if (!library) {
    ADD_FAILURE() << renderDiagnostics(library.error().diagnostics);
    return {};
  }
  const std::vector<std::string> names = library->functionNames();
  return {names.begin(), names.end()};
}

TEST(KernelsPage, NamesEveryEntryPointOfItsFamiliesOnce) {
  std::map<std::string, std::set<std::string>> listed;
  std::set<std::string> families;
  for (const KernelRow &row : readKernelRows(kSource / "kernels_msl")) {
    families.insert(row.file.substr(0, row.file.find('/')));
    for (const std::string &name : row.entryPoints())
      EXPECT_TRUE(listed[row.file].insert(name).second) << name << " is listed twice";
  }
  EXPECT_THAT(families, ::testing::IsSupersetOf({"attention", "foundry", "recurrence", "training"}));
  for (const std::string &family : families)
    for (const fs::directory_entry &file : fs::directory_iterator(kSource / "kernels_msl" / family))
      if (file.path().extension() == ".metal") {
        EXPECT_EQ(listed[family + "/" + file.path().filename().string()], entryPointsOf(file.path()))
            << file.path();
      }
}

TEST(KernelsPage, ExpandsBraces) {
  EXPECT_THAT(expandBraces("a"), ::testing::ElementsAre("a"));
  EXPECT_THAT(expandBraces("a{b,c}d{,e}"), ::testing::ElementsAre("abd", "abde", "acd", "acde"));
}

} // namespace
} // namespace assay::docs
