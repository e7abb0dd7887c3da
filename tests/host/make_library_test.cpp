// From a source to the state of a library: from the front end, from the cache, and with its bitcode.
#include "host/make_library.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay::detail {
namespace {

using testing_support::TemporaryFolder;

constexpr const char *kMakeLibrarySource = "kernel void fill(device int *x [[buffer(0)]]) { x[0] = N; }\n";

class MakeLibrary : public testing::Test {
protected:
  MakeLibrary() {
    options.name = "fill.metal";
    options.preprocessorMacros = {{"N", "7"}};
  }
  std::shared_ptr<const LibraryState> make() {
    frontend::SourceRequest request = sourceRequest(options);
    request.text = kMakeLibrarySource;
    auto state = makeLibrary({std::move(request)}, cache);
    EXPECT_TRUE(state) << (state ? "" : renderDiagnostics(state.error().diagnostics));
    return state ? *state : nullptr;
  }

  TemporaryFolder folder;
  CompileCache cache{Cache(folder.path() / "cache")};
  CompileOptions options;
};

} // namespace

TEST_F(MakeLibrary, HandsEveryOptionToTheFrontEnd) {
  options.includePaths = {"include"};
  options.headers = {"metal_stdlib"};
  options.mathMode = MathMode::Safe;
  options.languageVersion = LanguageVersion::Metal4_1;
  options.kernels = {"fill"};
  options.probes = {{"p", "x", "", 3, ProbeSide::After, ""}};
  options.debug = true;
  options.contractStatements = true;
  const frontend::SourceRequest request = sourceRequest(options);
  EXPECT_EQ(request.path, "fill.metal");
  EXPECT_EQ(request.text, std::nullopt);
  EXPECT_EQ(request.includePaths, options.includePaths);
  EXPECT_EQ(request.headers, options.headers);
  EXPECT_EQ(request.defines, options.preprocessorMacros);
  EXPECT_TRUE(request.safeMath);
  EXPECT_EQ(request.language, LanguageVersion::Metal4_1);
  EXPECT_EQ(request.kernels, options.kernels);
  ASSERT_EQ(request.probes.size(), 1u);
  EXPECT_EQ(request.probes[0].line, 3u);
  EXPECT_TRUE(request.debug);
  EXPECT_TRUE(request.contractStatements);
  EXPECT_FALSE(sourceRequest({}).safeMath);
  EXPECT_FALSE(sourceRequest({}).debug);
  EXPECT_FALSE(sourceRequest({}).contractStatements);
}

TEST_F(MakeLibrary, FastMathHasItsMacro) {
  using Macros = std::vector<std::pair<std::string, std::string>>;
  options.preprocessorMacros.clear();
  EXPECT_EQ(sourceRequest(options).defines, (Macros{{"__FAST_MATH__", "1"}}));
  options.mathMode = MathMode::Relaxed;
  EXPECT_EQ(sourceRequest(options).defines, Macros());
  options.mathMode = MathMode::Safe;
  EXPECT_EQ(sourceRequest(options).defines, Macros());
  options.mathMode = MathMode::Fast;
  options.preprocessorMacros = {{"__FAST_MATH__", "2"}};
  EXPECT_EQ(sourceRequest(options).defines, options.preprocessorMacros) << "the program's own comes first";
}

TEST_F(MakeLibrary, ServesThePipelinesThatItIsMadeFor) {
  PipelineOptions pipelines;
  EXPECT_EQ(CompileOptions().forPipelines(pipelines), CompileOptions());
  pipelines.numerics.contract = Contraction::Fast;
  EXPECT_TRUE(options.forPipelines(pipelines).contractStatements);
  EXPECT_FALSE(options.debug);
  pipelines.numerics.contract = Contraction::Off;
  pipelines.debug = true;
  EXPECT_FALSE(options.forPipelines(pipelines).contractStatements);
  EXPECT_TRUE(options.debug);
  pipelines.debug = false;
  EXPECT_TRUE(options.forPipelines(pipelines).debug) << "what was asked for stays";
}

TEST_F(MakeLibrary, FindsInTheCacheWhatItCompiledBefore) {
  const auto cold = make();
  ASSERT_TRUE(cold);
  EXPECT_FALSE(cold->fromCache);
  const auto cached = make();
  ASSERT_TRUE(cached);
  EXPECT_TRUE(cached->fromCache);
  EXPECT_EQ(cached->moduleKey, cold->moduleKey);
  ASSERT_EQ(cached->info.kernels.size(), 1u);
  EXPECT_EQ(cached->info.kernels[0].name, "fill");
  ASSERT_TRUE(cold->bitcode());
  ASSERT_TRUE(cached->bitcode());
  EXPECT_EQ(*cached->bitcode(), *cold->bitcode());
}

// One that a corrected header makes acceptable is compiled again.
TEST_F(MakeLibrary, FindsInTheCacheThatASourceIsRefused) {
  folder.write("n.h", "#define N none\n");
  frontend::SourceRequest request;
  request.path = folder.write("k.metal", "#include \"n.h\"\n" + std::string(kMakeLibrarySource));
  const auto isRefused = [&] {
    const auto found = cache.findModule({request});
    return found && found->module.refused;
  };
  EXPECT_FALSE(isRefused());
  const auto first = makeLibrary({request}, cache);
  ASSERT_FALSE(first);
  EXPECT_TRUE(isRefused());
  const auto again = makeLibrary({request}, cache);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::Kernel);
  EXPECT_EQ(renderDiagnostics(again.error().diagnostics), renderDiagnostics(first.error().diagnostics));
  EXPECT_THAT(again.error().message(), testing::HasSubstr("'none'"));
  folder.write("n.h", "#define N 1\n");
  EXPECT_TRUE(makeLibrary({request}, cache));
  folder.write("n.h", "#define N none\n");
  EXPECT_TRUE(isRefused());
}

// A header may appear anywhere on the search path.
TEST_F(MakeLibrary, DoesNotRememberThatAHeaderIsMissing) {
  frontend::SourceRequest request;
  request.path = folder.write("k.metal", "#include \"n.h\"\n" + std::string(kMakeLibrarySource));
  EXPECT_FALSE(makeLibrary({request}, cache));
  EXPECT_FALSE(cache.findModule({request}));
  folder.write("n.h", "#define N 1\n");
  EXPECT_TRUE(makeLibrary({request}, cache));
}

TEST_F(MakeLibrary, CompilesAgainIfTheCacheLostItsBitcode) {
  const auto cold = make();
  const auto cached = make();
  ASSERT_TRUE(cold && cached);
  std::filesystem::remove_all(folder.path() / "cache");
  ASSERT_TRUE(cached->bitcode());
  EXPECT_EQ(*cached->bitcode(), *cold->bitcode());
}

TEST_F(MakeLibrary, SaysWhichFileIsMissing) {
  const auto state = libraryOf({{.file = folder / "none.metal"}});
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().rule(), "no-such-file");
  EXPECT_THAT(state.error().message(), testing::HasSubstr("none.metal"));
}

} // namespace assay::detail
