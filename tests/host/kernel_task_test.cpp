// Codes that are made when they are needed: what is known before, who makes them, and that it happens once.
#include "host/kernel_task.h"

#include "host/assay.h"
#include "host/make_library.h"
#include "host/make_pipeline.h"
#include "host/state.h"
#include "support/process/sanitizers.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace assay::detail {
namespace {

using testing::HasSubstr;
using testing_support::TemporaryFolder;

constexpr const char *kKernelTaskSource = R"(
#include <metal_stdlib>
using namespace metal;
constant uint scale [[function_constant(0)]];
kernel void scaled(device uint *out [[buffer(0)]], uint at [[thread_position_in_grid]]) {
  threadgroup uint shared[64];
  shared[at % 64] = at;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[at] = shared[at % 64] * scale;
}
kernel void looping(device uint *out [[buffer(0)]], uint at [[thread_position_in_grid]]) {
  uint sum = 0;
  for (uint i = 0; i < out[at]; ++i)
    sum += i ^ at;
  out[at] = sum;
}
kernel void apart(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                  uint at [[thread_position_in_grid]]) {
  out[at] = in[at + 1] * scale;
}
kernel void own(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                uint at [[thread_position_in_grid]]) {
  out[at] = out[at] + in[at] * scale;
}
kernel void large(device uint *out [[buffer(0)]], uint at [[thread_position_in_grid]]) {
  volatile uint own[1100000];
  own[at] = at;
  out[at] = own[at / 2];
}
)";

class KernelTasks : public ::testing::Test {
protected:
  KernelTasks() {
    frontend::SourceRequest request = sourceRequest({});
    request.text = kKernelTaskSource;
    library = *makeLibrary({std::move(request)}, CompileCache(Cache(folder.path() / "cache")));
  }
  FunctionState function(const std::string &name, uint64_t scale = 3) const {
    for (const KernelInfo &kernel : library->info.kernels)
      if (kernel.name == name)
        return {library, &kernel, nullptr, {{0, {ScalarType::UInt, {scale}}}}};
    return {};
  }
  std::shared_ptr<const PipelineState> pipeline(const std::string &name, uint64_t scale = 3) const {
    return *makePipeline(function(name, scale), {}, {});
  }
  // Cached entries of a kind.
  size_t entries(const std::string &kind) const {
    size_t count = 0;
    for (const auto &file : std::filesystem::recursive_directory_iterator(folder.path()))
      count += file.is_regular_file() && file.path().filename().string().find(kind) != std::string::npos;
    return count;
  }
  static runtime::DispatchRequest request(uint32_t threads, uint32_t group) {
    runtime::DispatchRequest request;
    request.gridThreads = {threads, 1, 1};
    request.threadsPerThreadgroup = {group, 1, 1};
    return request;
  }
  // What the code of the pipeline writes.
  static std::vector<uint32_t> run(const PipelineState &pipeline, uint32_t threads, uint32_t group) {
    std::vector<uint32_t> out(threads);
    runtime::DispatchRequest asked = request(threads, group);
    asked.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), out.size() * 4, 0};
    EXPECT_TRUE(pipeline.codes->choose(asked));
    EXPECT_TRUE(runtime::run(asked));
    return out;
  }
  static std::vector<uint32_t> scaled(uint32_t threads, uint32_t by) {
    std::vector<uint32_t> out(threads);
    for (uint32_t i = 0; i < threads; ++i)
      out[i] = i * by;
    return out;
  }

  TemporaryFolder folder;
  std::shared_ptr<const LibraryState> library;
};

} // namespace

TEST_F(KernelTasks, APipelineHasNoCodeUntilADispatchNeedsIt) {
  const auto made = pipeline("scaled");
  EXPECT_EQ(entries("pipeline"), 0u);
  EXPECT_EQ(made->codes->facts().staticThreadgroupBytes, 256u);
  EXPECT_EQ(made->codes->facts().usedBuffers, 1u);
  EXPECT_TRUE(made->codes->vectorises());
  EXPECT_EQ(run(*made, 20, 20), scaled(20, 3)); // one simdgroup that is not full
  EXPECT_EQ(entries("pipeline"), 1u) << "the code for full simdgroups is not needed";
  EXPECT_EQ(run(*made, 8192, 32), scaled(8192, 3));
  EXPECT_EQ(entries("pipeline"), 2u);
}

TEST_F(KernelTasks, ADispatchOfFewThreadsTakesACodeThatIsThere) {
  const auto made = pipeline("scaled");
  EXPECT_EQ(run(*made, 70, 20), scaled(70, 3)); // neither full nor aligned
  EXPECT_EQ(entries("pipeline"), 1u);
  EXPECT_EQ(run(*made, 64, 32), scaled(64, 3));
  EXPECT_EQ(run(*made, 100, 64), scaled(100, 3));
  EXPECT_EQ(entries("pipeline"), 1u);
  EXPECT_EQ(run(*made, 8192 + 7, 32), scaled(8192 + 7, 3));
  EXPECT_EQ(entries("pipeline"), 3u) << "many threads get codes of their own";
}

TEST_F(KernelTasks, FewThreadsHaveAQuickCode) {
  const auto isQuick = [](const PipelineState &made, uint32_t threads) {
    runtime::DispatchRequest asked = request(threads, 32);
    EXPECT_TRUE(made.codes->choose(asked));
    return asked.code->info->isQuick;
  };
  const auto made = pipeline("scaled");
  EXPECT_TRUE(isQuick(*made, 64));
  EXPECT_EQ(run(*made, 64, 32), scaled(64, 3));
  EXPECT_TRUE(isQuick(*made, 65'536));
  EXPECT_FALSE(isQuick(*made, 65'568));
  EXPECT_EQ(run(*made, 65'568, 32), scaled(65'568, 3));
  EXPECT_FALSE(isQuick(*made, 64)) << "there is a better one";

  PipelineOptions payloads;
  payloads.numerics.nan = NanBits::Propagate;
  EXPECT_FALSE(isQuick(**makePipeline(function("scaled", 5), {}, payloads), 64));
  setenv("ASSAY_QUICK_THREADS", "63", 1);
  const auto limited = pipeline("scaled", 6);
  unsetenv("ASSAY_QUICK_THREADS");
  EXPECT_FALSE(isQuick(*limited, 64));
}

TEST_F(KernelTasks, AQuickCodeThatHasRunForLongIsReplaced) {
  const auto made = pipeline("looping");
  runtime::DispatchRequest asked = request(64, 32);
  ASSERT_TRUE(made->codes->choose(asked));
  ASSERT_TRUE(asked.code->info->isQuick);
  EXPECT_EQ(asked.code->info->threadsPerCall, 32u) << "quick codes are for simdgroups";
  constexpr auto kHalf = KernelCodes::kQuickPatience / 2;
  made->codes->ran(asked, kHalf - std::chrono::milliseconds(1));
  made->codes->ran(asked, kHalf - std::chrono::milliseconds(1));
  EXPECT_EQ(entries("pipeline"), 1u);
  ASSERT_TRUE(made->codes->choose(asked));
  EXPECT_EQ(entries("pipeline"), 1u);
  made->codes->ran(asked, std::chrono::milliseconds(2));
  bool isQuick = true;
  for (int i = 0; i < 1000 && isQuick; ++i) { // workers make it meanwhile
    ASSERT_TRUE(made->codes->choose(asked));
    isQuick = asked.code->info->isQuick;
    std::this_thread::sleep_for(std::chrono::milliseconds(isQuick ? 10 : 0));
  }
  EXPECT_FALSE(isQuick);
}

// What no thread can see of another may run on either engine: the code for fibers is made sooner.
TEST_F(KernelTasks, IndependentThreadsBeginOnFibers) {
  const auto made = pipeline("apart");
  std::vector<uint32_t> memory(3 * 256 + 1);
  for (uint32_t i = 0; i < memory.size(); ++i)
    memory[i] = i * i;
  const auto bound = [&](size_t out, size_t in, uint32_t threads = 256, size_t before = 0) {
    runtime::DispatchRequest asked = request(threads, 32);
    const auto buffer = [&](size_t first, size_t before) -> BufferAbi {
      return {reinterpret_cast<uint8_t *>(&memory[first]), 256 * 4, before * 4};
    };
    asked.buffers[0] = buffer(out, 0);
    asked.buffers[1] = buffer(in, before);
    return asked;
  };
  const auto inRows = [](runtime::DispatchRequest asked) {
    asked.gridThreads = {32, 2, 1};
    return asked;
  };
  const auto lanes = [](const PipelineState &made, runtime::DispatchRequest asked) {
    EXPECT_TRUE(made.codes->choose(asked));
    return asked.code->info->threadsPerCall;
  };
  runtime::DispatchRequest asked = bound(257, 0);
  asked.buffers[1].bytes += 4;
  ASSERT_TRUE(made->codes->choose(asked));
  EXPECT_TRUE(asked.code->info->isQuick);
  EXPECT_EQ(asked.code->info->threadsPerCall, 1u);
  ASSERT_TRUE(runtime::run(asked));
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(memory[257 + i], (i + 1) * (i + 1) * 3);
  EXPECT_EQ(lanes(*made, bound(0, 256, 250)), 1u);
  EXPECT_EQ(entries("pipeline"), 1u) << "one code for threadgroups of any shape";
  EXPECT_EQ(lanes(*made, bound(256, 512, 256, 256)), 32u) << "`in` begins where `out` does";
  EXPECT_EQ(lanes(*made, bound(255, 0)), 32u) << "they share a word";
  EXPECT_EQ(lanes(*made, bound(1, 0)), 32u);
  EXPECT_EQ(lanes(*made, bound(0, 255)), 32u);
  EXPECT_EQ(lanes(*made, bound(0, 0)), 32u);
  EXPECT_EQ(lanes(*made, bound(0, 256, 65'568)), 32u) << "it has no quick code";
  EXPECT_TRUE(made->codes->vectorises());

  const auto own = pipeline("own"); // `out` itself, and another buffer from the same place on
  EXPECT_EQ(lanes(*own, bound(0, 256)), 1u);
  EXPECT_EQ(lanes(*own, bound(0, 0)), 1u);
  EXPECT_EQ(lanes(*own, bound(0, 1)), 32u);
  EXPECT_EQ(lanes(*own, inRows(bound(0, 256))), 32u) << "threads of two rows have one element";
  EXPECT_EQ(lanes(*made, inRows(bound(0, 256))), 1u);

  PipelineOptions options;
  options.engine = Engine::Vector;
  EXPECT_EQ(lanes(**makePipeline(function("apart"), {}, options), bound(0, 256)), 32u) << "asked for";
  EXPECT_EQ(lanes(*pipeline("looping"), bound(0, 256)), 32u) << "it reads what it writes";
}

TEST_F(KernelTasks, IndependentThreadsGoOnWithVectors) {
  const auto made = pipeline("apart");
  std::vector<uint32_t> out(64), in(65, 5);
  runtime::DispatchRequest asked = request(64, 32);
  asked.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), 256, 0};
  asked.buffers[1] = {reinterpret_cast<uint8_t *>(in.data()), 260, 0};
  ASSERT_TRUE(made->codes->choose(asked));
  EXPECT_EQ(asked.code->info->threadsPerCall, 1u);
  made->codes->ran(asked, KernelCodes::kQuickPatience);
  for (int i = 0; i < 1000 && asked.code->info->isQuick; ++i) { // workers make the other one meanwhile
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(made->codes->choose(asked));
    EXPECT_EQ(asked.code->info->threadsPerCall, asked.code->info->isQuick ? 1u : 32u);
  }
  EXPECT_FALSE(asked.code->info->isQuick);
  ASSERT_TRUE(runtime::run(asked));
  EXPECT_EQ(out, std::vector<uint32_t>(64, 15));
}

TEST_F(KernelTasks, AThreadgroupHasMoreTimeOnAQuickCode) {
#ifdef ASSAY_TSAN
  GTEST_SKIP() << "ThreadSanitizer holds signals back";
#endif
  const auto failure = [&](const PipelineOptions &options) {
    const auto made = *makePipeline(function("looping"), {}, options);
    std::vector<uint32_t> out(64, ~0u); // loops that take many seconds
    runtime::DispatchRequest asked = request(64, 32);
    asked.buffers[0] = {reinterpret_cast<uint8_t *>(out.data()), out.size() * 4, 0};
    asked.groupTimeout = std::chrono::milliseconds(20);
    EXPECT_TRUE(made->codes->choose(asked));
    const auto report = runtime::run(asked);
    return report ? "" : renderDiagnostics(report.error().diagnostics);
  };
  EXPECT_THAT(failure({}),
              HasSubstr("has not ended after 80 ms, 4 times the limit, because its code was made "
                        "with little effort [no-progress]"));
  PipelineOptions payloads;
  payloads.numerics.nan = NanBits::Propagate;
  EXPECT_THAT(failure(payloads), HasSubstr("has not ended after 20 ms [no-progress]"));
}

TEST_F(KernelTasks, AQuickCodeComesFromTheCacheAndSoDoesTheOtherOneInItsPlace) {
  const auto makesCode = [&](uint32_t threads) {
    const auto made = pipeline("scaled", 9);
    EXPECT_EQ(run(*made, threads, 32), scaled(threads, 9));
    return made->codes->madeCode();
  };
  // As long as a worker holds the task that made it, a pipeline shares that task.
  const auto takesItFromTheCache = [&](uint32_t threads) {
    for (int i = 0; i < 1000; ++i) {
      if (!makesCode(threads))
        return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  };
  EXPECT_TRUE(makesCode(64));
  EXPECT_EQ(entries("pipeline"), 1u);
  EXPECT_TRUE(takesItFromTheCache(64));
  EXPECT_TRUE(makesCode(131'072));
  EXPECT_EQ(entries("pipeline"), 2u);
  EXPECT_TRUE(takesItFromTheCache(64));
  EXPECT_TRUE(takesItFromTheCache(131'072));
  EXPECT_EQ(entries("pipeline"), 2u);
}

TEST_F(KernelTasks, TheEdgeOfAFewThreadsHasACodeForAllOfThem) {
  const auto made = pipeline("scaled");
  EXPECT_EQ(run(*made, 70, 32), scaled(70, 3));
  EXPECT_EQ(entries("pipeline"), 1u);
}

TEST_F(KernelTasks, WorkersMakeWhatADispatchWillNeed) {
  const auto made = pipeline("scaled");
  made->codes->prepare(request(64, 32));
  for (int i = 0; i < 6000 && entries("pipeline") == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(entries("pipeline"), 1u);
  EXPECT_EQ(run(*made, 64, 32), scaled(64, 3));
  EXPECT_EQ(entries("pipeline"), 1u);
}

TEST_F(KernelTasks, AKernelWithTooMuchMemoryIsRefusedWhenThePipelineIsMade) {
  const auto refused = makePipeline(function("large"), {}, {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is("thread-memory"));
}

TEST_F(KernelTasks, AConstantWithoutAValueIsTheCallersMistake) {
  FunctionState without = function("scaled");
  without.constants.clear();
  const auto refused = makePipeline(without, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is("missing-function-constant"));
  EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
}

TEST_F(KernelTasks, EqualRequestsAtTheSameTimeShareOneCode) {
  constexpr size_t kThreads = 8;
  std::barrier start{std::ptrdiff_t(kThreads)};
  std::vector<std::shared_ptr<const PipelineState>> made(kThreads);
  std::vector<const KernelCode *> codes(kThreads);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      made[i] = pipeline("scaled");
      runtime::DispatchRequest asked = request(64, 32);
      made[i]->codes->prepare(asked);
      ASSERT_TRUE(made[i]->codes->choose(asked));
      codes[i] = asked.code;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::set(codes.begin(), codes.end()).size(), 1u);
  EXPECT_EQ(run(*made.back(), 64, 32), scaled(64, 3));
  EXPECT_NE(*codes.data(), nullptr);
  runtime::DispatchRequest other = request(64, 32);
  ASSERT_TRUE(pipeline("scaled", 5)->codes->choose(other));
  EXPECT_NE(other.code, codes[0]) << "of another constant";
}

TEST_F(KernelTasks, ManyPipelinesAtOnceKeepWhatTheyAre) {
  std::vector<std::shared_ptr<const PipelineState>> made;
  for (uint64_t scale = 1; scale <= KernelTask::kMostBegun + 6u; ++scale) {
    made.push_back(pipeline("scaled", scale));
    if (scale % 2)
      made.back()->codes->prepare(request(64, 32));
  }
  for (size_t i = 0; i < made.size(); ++i)
    ASSERT_EQ(run(*made[i], 64, 32), scaled(64, uint32_t(i + 1)));
}

#if !defined(ASSAY_TSAN) // which takes no threads after fork()
TEST_F(KernelTasks, AChildOfForkMakesCodeToo) {
  std::vector<std::shared_ptr<const PipelineState>> made;
  for (uint64_t scale = 1; scale <= 6; ++scale) {
    made.push_back(pipeline("scaled", scale));
    made.back()->codes->prepare(request(64, 32));
  }
  const pid_t child = fork();
  if (child == 0) {
    bool right = true;
    for (size_t i = 0; i < made.size(); ++i) {
      runtime::DispatchRequest asked = request(64, 32);
      right = right && made[i]->codes->choose(asked);
    }
    const auto own = pipeline("scaled", 7);
    own->codes->prepare(request(64, 32));
    right = right && run(*own, 64, 32) == scaled(64, 7);
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (size_t i = 0; i < made.size(); ++i)
    EXPECT_EQ(run(*made[i], 64, 32), scaled(64, uint32_t(i + 1)));
}
#endif

// exit() while workers compile ends with its code.
TEST_F(KernelTasks, ExitWaitsForTheWorkers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::vector<std::shared_ptr<const PipelineState>> made;
        for (uint64_t scale = 11; scale <= 30; ++scale) {
          made.push_back(pipeline("scaled", scale));
          made.back()->codes->prepare(request(64, 32));
        }
        std::fputs("all are prepared", stderr);
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "all are prepared");
}

} // namespace assay::detail
