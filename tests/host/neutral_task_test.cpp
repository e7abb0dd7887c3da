// The first half of lowering, which the codes of a kernel share.
#include "host/neutral_task.h"

#include "host/assay.h"
#include "host/kernel_task.h"
#include "host/make_library.h"
#include "host/state.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace assay::detail {
namespace {

using testing_support::TemporaryFolder;

// Threadgroup memory, sites and an operand that inactive lanes publish: all of what codes have in common.
constexpr const char *kNeutralTaskSource = R"(
#include <metal_stdlib>
using namespace metal;
constant uint scale [[function_constant(0)]];
kernel void k(device uint *out [[buffer(0)]], uint at [[thread_position_in_grid]],
              uint inside [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup uint shared[64];
  uint own = at * scale;
  if (lane >= 1)
    own += simd_shuffle_up(own, 1);
  shared[inside] = own;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[at] = shared[inside ^ 1];
}
)";

constexpr GroupShape kFewShape{kSimdWidth, 1, true, false}, kSquareShape{4, 8, false, false};

class NeutralTasks : public ::testing::Test {
protected:
  explicit NeutralTasks(bool cached = true) {
    frontend::SourceRequest request = sourceRequest({});
    request.text = kNeutralTaskSource;
    cache = CompileCache(cached ? Cache(folder.path() / "cache") : Cache::off());
    library = *makeLibrary({std::move(request)}, cache);
  }

  KernelRecipe recipe(Engine engine, GroupShape shape) const {
    lowering::LoweringOptions options;
    options.engine = engine;
    options.group = shape;
    return {library, library->info.kernels.at(0), {{0, {ScalarType::UInt, {3}}}}, options, cache};
  }
  // How often the first half of lowering runs in `call`.
  template <class Call> static size_t firstHalves(const Call &call) {
    ::testing::internal::CaptureStderr();
    call();
    const std::string printed = ::testing::internal::GetCapturedStderr();
    size_t count = 0;
    for (size_t at = printed.find("; after optimize-structure"); at != printed.npos;
         at = printed.find("; after optimize-structure", at + 1))
      ++count;
    return count;
  }

  TemporaryFolder folder;
  CompileCache cache{Cache::off()};
  std::shared_ptr<const LibraryState> library;
};

} // namespace

TEST_F(NeutralTasks, EnginesAndShapesShareOne) {
  const auto one = NeutralTask::of(recipe(Engine::Vector, kRowsShape));
  EXPECT_EQ(NeutralTask::of(recipe(Engine::Vector, kFewShape)), one);
  EXPECT_EQ(NeutralTask::of(recipe(Engine::Fiber, kRowsShape)), one);
}

TEST_F(NeutralTasks, WhatTheFirstHalfDependsOnIsNotShared) {
  const auto one = NeutralTask::of(recipe(Engine::Vector, kRowsShape));
  KernelRecipe observed = recipe(Engine::Vector, kRowsShape), other = observed, unchecked = observed;
  observed.options.observeMemory = true;
  other.constants.at(0).components = {4};
  unchecked.options.boundsChecks = false;
  EXPECT_NE(NeutralTask::of(observed), one);
  EXPECT_NE(NeutralTask::of(other), one);
  EXPECT_NE(NeutralTask::of(unchecked), one);
}

TEST_F(NeutralTasks, CodesOfThreeShapesAndOfFibersNeedOneFirstHalf) {
  EXPECT_EQ(firstHalves([&] {
              std::vector<std::shared_ptr<KernelTask>> tasks; // what is shared lives as long as one of them
              const auto add = [&](Engine engine, GroupShape shape) {
                KernelRecipe one = recipe(engine, shape);
                one.options.printIrAfter = "optimize-structure";
                tasks.push_back(KernelTask::of(std::move(one)));
              };
              for (const GroupShape &shape : {kRowsShape, kFewShape, kSquareShape})
                add(Engine::Vector, shape);
              add(Engine::Fiber, kRowsShape);
              for (const auto &task : tasks)
                EXPECT_TRUE(task->code());
            }),
            1u);
}

// What a code is must not depend on the codes before it: caches are shared, and racing kernels show it.
TEST_F(NeutralTasks, TheBytesOfACodeAreThoseOfOneMadeAlone) {
  const auto shared = NeutralTask::of(recipe(Engine::Vector, kRowsShape));
  for (const Engine engine : {Engine::Vector, Engine::Fiber})
    for (const GroupShape &shape : {kRowsShape, kFewShape, kSquareShape}) {
      const KernelRecipe one = recipe(engine, shape);
      const Result<lowering::NeutralKernel> neutral = shared->get(one);
      ASSERT_TRUE(neutral);
      auto begun =
          lowering::BegunKernel::begin(*neutral, library->info, one.kernel, one.constants, one.options);
      ASSERT_TRUE(begun);
      const Result<lowering::LoweredKernel> code = begun->finish();
      const Result<lowering::LoweredKernel> alone =
          lowering::lowerKernel(*library->bitcode(), library->info, one.kernel, one.constants, one.options);
      ASSERT_TRUE(code && alone);
      EXPECT_EQ(code->object, alone->object);
      EXPECT_EQ(toBytes(CachedPipeline{code->info, ""}), toBytes(CachedPipeline{alone->info, ""}));
    }
}

TEST_F(NeutralTasks, AnErrorIsThatOfEachCode) {
  KernelRecipe one = recipe(Engine::Vector, kRowsShape);
  one.constants.clear();
  for (int i = 0; i < 2; ++i) {
    const Result<lowering::NeutralKernel> made = NeutralTask::of(one)->get(one);
    ASSERT_FALSE(made);
    EXPECT_TRUE(made.error().is("missing-function-constant"));
  }
}

class NeutralTasksUncached : public NeutralTasks {
protected:
  NeutralTasksUncached() : NeutralTasks(false) {}
};

TEST_F(NeutralTasksUncached, ShareNothing) {
  EXPECT_NE(NeutralTask::of(recipe(Engine::Vector, kRowsShape)),
            NeutralTask::of(recipe(Engine::Vector, kRowsShape)));
}

} // namespace assay::detail
