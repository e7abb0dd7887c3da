// From a function to the state of a pipeline: cached code, active arguments, functions that cannot be linked.
#include "host/make_library.h"
#include "host/make_pipeline.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay::detail {
namespace {

using testing_support::TemporaryFolder;

constexpr const char *kMakePipelineSource = R"(#include <metal_stdlib>
using namespace metal;
constant bool masked [[function_constant(0)]];
constant int scale [[function_constant(1)]];
[[visible]] int twice(int x) { return x * 2 * scale; }
kernel void fill(device int *x [[buffer(0)]], device int *mask [[buffer(1), function_constant(masked)]]) {
  x[0] = scale;
  if (masked)
    x[0] = mask[0];
}
)";

class MakePipeline : public testing::Test {
protected:
  MakePipeline() {
    library = make();
    kernel = {library, &library->info.kernels.at(0), nullptr, constants(false, 3)};
    visible = {library, nullptr, &library->info.otherFunctions.at(0), constants(false, 3)};
  }
  std::shared_ptr<const LibraryState> make(const CompileOptions &options = {}) {
    frontend::SourceRequest request = sourceRequest(options);
    request.text = kMakePipelineSource;
    return *makeLibrary({std::move(request)}, CompileCache(Cache(folder.path() / "cache")));
  }
  static std::map<uint32_t, ConstantValue> constants(bool masked, uint64_t scale) {
    return {{0, {ScalarType::Bool, {masked}}}, {1, {ScalarType::Int, {scale}}}};
  }
  std::string rule(std::vector<const FunctionState *> linked) {
    const auto pipeline = makePipeline(kernel, linked, {});
    return pipeline ? "" : pipeline.error().rule();
  }

  TemporaryFolder folder;
  std::shared_ptr<const LibraryState> library;
  FunctionState kernel, visible;
};

} // namespace

TEST_F(MakePipeline, FindsInTheCacheWhatItLoweredBefore) {
  const auto cold = makePipeline(kernel, {}, {});
  ASSERT_TRUE(cold) << renderDiagnostics(cold.error().diagnostics);
  EXPECT_FALSE((*cold)->codes->fromCache());
  EXPECT_TRUE((*makePipeline(kernel, {}, {}))->codes->fromCache());
  PipelineOptions options;
  options.cache = false;
  EXPECT_FALSE((*makePipeline(kernel, {}, options))->codes->fromCache());
  options.cache = true;
  options.engine = Engine::Fiber;
  EXPECT_FALSE((*makePipeline(kernel, {}, options))->codes->fromCache());
  options.lockstep = true;
  EXPECT_FALSE((*makePipeline(kernel, {}, options))->codes->fromCache());
  options.engine = Engine::Vector;
  options.lockstep = false;
  EXPECT_FALSE((*makePipeline(kernel, {}, options))->codes->fromCache());
  options.lockstep = true; // lanes go together anyway
  EXPECT_TRUE((*makePipeline(kernel, {}, options))->codes->fromCache());
}

TEST_F(MakePipeline, ListsTheArgumentsThatExistUnderTheConstants) {
  const auto names = [&] {
    std::vector<std::string> found;
    const auto pipeline = makePipeline(kernel, {}, {});
    for (const ArgumentInfo &argument : (*pipeline)->activeArguments)
      found.push_back(argument.name);
    return found;
  };
  EXPECT_THAT(names(), testing::ElementsAre("x"));
  kernel.constants = constants(true, 3);
  EXPECT_THAT(names(), testing::ElementsAre("x", "mask"));
}

TEST_F(MakePipeline, AMissingConstantIsTheCallersMistake) {
  kernel.constants.erase(1);
  const auto pipeline = makePipeline(kernel, {}, {});
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().rule(), "missing-function-constant");
  EXPECT_EQ(pipeline.error().kind, ErrorKind::Usage);
}

TEST_F(MakePipeline, RefusesAnotherContractionThanItsLibraryHas) {
  PipelineOptions options;
  options.numerics.contract = Contraction::Off;
  EXPECT_TRUE(makePipeline(kernel, {}, options));
  options.numerics.contract = Contraction::Fast;
  const auto pipeline = makePipeline(kernel, {}, options);
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().kind, ErrorKind::Usage);
  EXPECT_EQ(
      renderDiagnostics(pipeline.error().diagnostics),
      "error: the pipeline of kernel 'fill' has numerics with contract=fast, its library was compiled "
      "without CompileOptions::contractStatements [contraction]\n"
      "  CompileOptions::forPipelines sets what the pipeline's options need: call it before the library "
      "is compiled\n");
  library = make(CompileOptions().forPipelines(options));
  kernel = {library, &library->info.kernels.at(0), nullptr, constants(false, 3)};
  EXPECT_TRUE(makePipeline(kernel, {}, options));
  options.numerics.contract = Contraction::On;
  const auto other = makePipeline(kernel, {}, options);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message(),
            "the pipeline of kernel 'fill' has numerics without contract=fast, its library was compiled with "
            "CompileOptions::contractStatements");
}

TEST_F(MakePipeline, LinksVisibleFunctionsOfItsLibraryOnce) {
  EXPECT_EQ(rule({&visible}), "");
  EXPECT_EQ(rule({&visible, &visible}), "linked-functions");
  EXPECT_EQ(rule({&kernel}), "linked-functions");
  const auto other = make();
  const FunctionState elsewhere{other, nullptr, &other->info.otherFunctions.at(0), {}};
  EXPECT_EQ(rule({&elsewhere}), "unsupported");
  visible.constants = constants(false, 4);
  EXPECT_EQ(rule({&visible}), "linked-functions") << "another value of a constant that both read";
  std::swap(kernel, visible);
  EXPECT_EQ(rule({}), "not-a-kernel");
}

} // namespace assay::detail
