// When a cached compilation still holds. No compiler runs here: what it would return is made up.
#include "host/compile_cache.h"
#include "support/files/hash.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace assay {
namespace {

using testing_support::TemporaryFolder;

class CompileCacheTest : public testing::Test {
protected:
  CompileCacheTest() {
    request.path = folder.write("k.metal", "#include \"k.h\"");
    header = folder.write("k.h", "one");
    missing = folder / "first/k.h"; // looked up before the other, and not there
  }

  frontend::CompiledModule compiled(std::string bitcode, std::string headerText) {
    frontend::CompiledModule module;
    module.bitcode = std::move(bitcode);
    module.info.kernels.emplace_back().name = module.bitcode;
    module.dependencies = {
        {request.path, hashBytes("#include \"k.h\"")}, {missing, ""}, {header, hashBytes(headerText)}};
    return module;
  }
  std::string found() {
    const std::optional<CompileCache::Found> hit = cache.findModule({request});
    if (!hit)
      return "nothing";
    if (hit->module.refused)
      return "refused: " + hit->module.diagnostics.at(0).message;
    EXPECT_EQ(cache.findBitcode(hit->moduleKey), hit->module.info.kernels.at(0).name);
    return hit->module.info.kernels[0].name;
  }

  // The same files, refused.
  void refuse(ErrorKind kind = ErrorKind::Kernel, bool lasts = true) {
    const Error error{kind, Error::kernel(Rule::own("r"), "no").diagnostics};
    cache.storeRefusal({request}, {compiled("", "one").dependencies, lasts}, error);
  }

  TemporaryFolder folder;
  CompileCache cache{Cache(folder.path() / "cache")};
  frontend::SourceRequest request;
  std::string header, missing;
};

} // namespace

TEST_F(CompileCacheTest, FindsWhatWasStored) {
  EXPECT_EQ(found(), "nothing");
  cache.storeModule({request}, compiled("one", "one"));
  EXPECT_EQ(found(), "one");
}

TEST_F(CompileCacheTest, NoticesAChangedHeaderAndRemembersBothVersions) {
  cache.storeModule({request}, compiled("one", "one"));
  folder.write("k.h", "two");
  EXPECT_EQ(found(), "nothing");
  cache.storeModule({request}, compiled("two", "two"));
  EXPECT_EQ(found(), "two");
  folder.write("k.h", "one");
  EXPECT_EQ(found(), "one");
}

TEST_F(CompileCacheTest, NoticesAHeaderThatWasRemoved) {
  cache.storeModule({request}, compiled("one", "one"));
  std::filesystem::remove(header);
  EXPECT_EQ(found(), "nothing");
}

TEST_F(CompileCacheTest, NoticesAHeaderThatNowHidesAnother) {
  cache.storeModule({request}, compiled("one", "one"));
  folder.write("first/k.h", "one");
  EXPECT_EQ(found(), "nothing");
}

// On a Mac a name in another case is the same name.
TEST_F(CompileCacheTest, NoticesAHeaderThatHidesAnotherInAnotherCase) {
  cache.storeModule({request}, compiled("one", "one"));
  folder.write("First/K.h", "one");
  EXPECT_EQ(found(), "nothing");
}

TEST_F(CompileCacheTest, AHeaderThatWasFoundInAnotherCaseIsKnownByBothNames) {
  frontend::CompiledModule module = compiled("one", "one");
  module.dependencies.push_back({folder / "K.h", hashBytes("one")});
  cache.storeModule({request}, module);
  EXPECT_EQ(found(), "one");
  folder.write("K.h", "another");
  EXPECT_EQ(found(), "nothing");
}

TEST_F(CompileCacheTest, RemembersARefusalWhileItsFilesStay) {
  refuse();
  EXPECT_EQ(found(), "refused: no");
  folder.write("k.h", "two");
  EXPECT_EQ(found(), "nothing");
  cache.storeModule({request}, compiled("two", "two"));
  EXPECT_EQ(found(), "two");
  folder.write("k.h", "one");
  EXPECT_EQ(found(), "refused: no");
  folder.write("first/k.h", "one");
  EXPECT_EQ(found(), "nothing");
}

TEST_F(CompileCacheTest, RemembersNoRefusalForReasonsOutsideOfTheFiles) {
  refuse(ErrorKind::Usage);
  EXPECT_EQ(found(), "nothing");
  refuse(ErrorKind::Kernel, false);
  EXPECT_EQ(found(), "nothing");
}

TEST_F(CompileCacheTest, TellsOptionsApart) {
  cache.storeModule({request}, compiled("one", "one"));
  const frontend::SourceRequest original = request;
  request.debug = true;
  EXPECT_EQ(found(), "nothing");
  request = original;
  request.defines = {{"N", "1"}};
  EXPECT_EQ(found(), "nothing");
  request = original;
  request.includePaths = {"include"};
  EXPECT_EQ(found(), "nothing");
  request = original;
  request.text = "";
  EXPECT_EQ(found(), "nothing");
  request = original;
  EXPECT_EQ(found(), "one");
}

TEST_F(CompileCacheTest, PipelineKeysTellEverythingApart) {
  const std::map<uint32_t, ConstantValue> none;
  const lowering::LoweringOptions options;
  const std::string key = CompileCache::pipelineKey("m", "k", none, options);
  EXPECT_EQ(CompileCache::pipelineKey("m", "k", none, options), key);
  EXPECT_NE(CompileCache::pipelineKey("n", "k", none, options), key);
  EXPECT_NE(CompileCache::pipelineKey("m", "l", none, options), key);
  const std::map<uint32_t, ConstantValue> one = {{1, {ScalarType::Int, {7}}}};
  const std::map<uint32_t, ConstantValue> other = {{1, {ScalarType::Int, {8}}}};
  const std::map<uint32_t, ConstantValue> elsewhere = {{2, {ScalarType::Int, {7}}}};
  const std::map<uint32_t, ConstantValue> unsignedOne = {{1, {ScalarType::UInt, {7}}}};
  const std::string keyOne = CompileCache::pipelineKey("m", "k", one, options);
  EXPECT_NE(keyOne, key);
  EXPECT_NE(CompileCache::pipelineKey("m", "k", other, options), keyOne);
  EXPECT_NE(CompileCache::pipelineKey("m", "k", elsewhere, options), keyOne);
  EXPECT_NE(CompileCache::pipelineKey("m", "k", unsignedOne, options), keyOne);
  const std::vector<std::function<void(lowering::LoweringOptions &)>> changes = {
      [](auto &o) { o.numerics = kIeeeNumerics; }, [](auto &o) { o.debug = true; },
      [](auto &o) { o.boundsChecks = false; },     [](auto &o) { o.observeMemory = true; },
      [](auto &o) { o.lockstep = true; },          [](auto &o) { o.zeroMissingConstants = true; },
      [](auto &o) { o.linkedFunctions = {2}; },    [](auto &o) { o.cpu = "x86-64"; }};
  std::set<std::string> keys{key};
  for (const auto &change : changes) {
    lowering::LoweringOptions changed;
    change(changed);
    keys.insert(CompileCache::pipelineKey("m", "k", none, changed));
  }
  EXPECT_EQ(keys.size(), 1 + changes.size()) << "an option is not in the key";
  lowering::LoweringOptions printing;
  printing.printIrAfter = "all";
  EXPECT_EQ(CompileCache::pipelineKey("m", "k", none, printing), key) << "what is printed changes no code";
  keys = {key};
  size_t choices = 1;
  for (const NumericsField &field : numericsFields())
    for (size_t value = 0; value < field.values.size(); ++value)
      if (value != field.apple.value) {
        lowering::LoweringOptions changed;
        field.set(changed.numerics, uint8_t(value));
        keys.insert(CompileCache::pipelineKey("m", "k", none, changed));
        ++choices;
      }
  EXPECT_EQ(keys.size(), choices) << "a choice of the profile is not in the key";
}

} // namespace assay
