// Which device this machine says it is, and the settings that reach a host's dispatches. Both are read once
// in a process, so each case here runs in a process of its own.
#import "api_support.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace metal_test;

namespace {

/// Ends a child process: with 0 if all holds, with 1 and the first that does not.
struct Verdict {
  bool good = true;
  void operator()(bool holds, const char *what) {
    if (good && !holds)
      fprintf(stderr, "does not hold: %s\n", what);
    good &= holds;
  }
  [[noreturn]] void end() { _exit(good ? 0 : 1); }
};
#define HOLDS(...) verdict(__VA_ARGS__, #__VA_ARGS__)

class Child : public testing::Test {
protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a process that has never asked for the device
    for (const char *name :
         {"ASSAY_DEVICE", "ASSAY_NUMERICS", "ASSAY_SCHEDULE", "ASSAY_WORKERS", "ASSAY_TIMEOUT",
          "ASSAY_LOCKSTEP", "ASSAY_THREADGROUP_SLACK", "ASSAY_THREAD_SLACK", "ASSAY_BUFFER_SLACK",
          "ASSAY_TRACE", "ASSAY_CHECK", "ASSAY_CHECK_FAILS"})
      unsetenv(name);
  }
};
using MetalDevice = Child;
using MetalSettings = Child;

NSError *runGroups(NSString *kernel, NSUInteger groups,
                   const std::function<void(id<MTLComputeCommandEncoder>)> &bind) {
  id<MTLCommandBuffer> commands = [[device() newCommandQueue] commandBuffer];
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  [encoder setComputePipelineState:pipeline(kernel)];
  bind(encoder);
  [encoder dispatchThreadgroups:MTLSizeMake(groups, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
  [encoder endEncoding];
  return finish(commands);
}

std::vector<uint32_t> ticketOrder(NSUInteger groups) {
  id<MTLBuffer> next = bufferOf<uint32_t>({0}), order = bufferOf(std::vector<uint32_t>(groups, ~0u));
  runGroups(@"tickets", groups, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:next offset:0 atIndex:0];
    [encoder setBuffer:order offset:0 atIndex:1];
  });
  return valuesOf<uint32_t>(order);
}

/// The smallest subnormal times one.
uint32_t tinyTimesOne() {
  id<MTLBuffer> data = bufferOf<uint32_t>({1});
  const float one = 1;
  run(@"times_one", 1, [&](id<MTLComputeCommandEncoder> encoder) {
    [encoder setBuffer:data offset:0 atIndex:0];
    [encoder setBytes:&one length:sizeof one atIndex:1];
  });
  return valuesOf<uint32_t>(data)[0];
}

} // namespace

// source: Apple's Metal feature set tables (an M1 is of families Apple7, Mac2, Common3, Metal3).
TEST_F(MetalDevice, IsAnM1UnlessToldOtherwise) {
  EXPECT_EXIT(
      {
        Verdict verdict;
        id<MTLDevice> m1 = device();
        HOLDS([m1.name isEqualToString:@"Apple M1"]);
        for (NSInteger family = 1001; family <= 1020; ++family)
          HOLDS([m1 supportsFamily:MTLGPUFamily(family)] == (family <= 1007));
        HOLDS([m1 supportsFamily:MTLGPUFamilyMac2]);
        HOLDS([m1 supportsFamily:MTLGPUFamilyCommon1] && [m1 supportsFamily:MTLGPUFamilyCommon3]);
        HOLDS(![m1 supportsFamily:MTLGPUFamily(3004)]);
        HOLDS([m1 supportsFamily:MTLGPUFamilyMetal3] && ![m1 supportsFamily:MTLGPUFamilyMetal4]);
        HOLDS(![m1 supportsFamily:MTLGPUFamily(0)] && ![m1 supportsFamily:MTLGPUFamily(-1)]);
        HOLDS(m1.hasUnifiedMemory && !m1.isRemovable && !m1.isHeadless && !m1.isLowPower);
        HOLDS(m1.maxThreadgroupMemoryLength == 32768);
        HOLDS(m1.maxThreadsPerThreadgroup.width == 1024 && m1.maxThreadsPerThreadgroup.depth == 1024);
        HOLDS(m1.recommendedMaxWorkingSetSize > (uint64_t(8) << 30));
        HOLDS(m1.maxBufferLength == NSUInteger(8) << 30);
        HOLDS(m1.currentAllocatedSize == 0);
        HOLDS(m1.location == MTLDeviceLocationBuiltIn);
        HOLDS(MTLCreateSystemDefaultDevice() == m1);
        NSArray<id<MTLDevice>> *all = MTLCopyAllDevices();
        HOLDS(all.count == 1 && all[0] == m1);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MetalDevice, IsANewerOneByName) {
  EXPECT_EXIT(
      {
        setenv("ASSAY_DEVICE", "m5", 1);
        Verdict verdict;
        HOLDS([device().name isEqualToString:@"Apple M5"]);
        HOLDS([device() supportsFamily:MTLGPUFamilyApple10] && [device() supportsFamily:MTLGPUFamilyMetal4]);
        HOLDS([device().architecture.name isEqualToString:@"applegpu_g17g"]);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MetalDevice, IsWhatItsSettingsSay) {
  EXPECT_EXIT(
      {
        setenv("ASSAY_DEVICE", "m2,name=Apple M2 Ultra,memory=192G,unified=no,metal=4", 1);
        Verdict verdict;
        HOLDS([device().name isEqualToString:@"Apple M2 Ultra"]);
        HOLDS([device() supportsFamily:MTLGPUFamilyApple8] && ![device() supportsFamily:MTLGPUFamilyApple9]);
        HOLDS([device() supportsFamily:MTLGPUFamilyMetal4] && !device().hasUnifiedMemory);
        HOLDS(device().maxBufferLength == NSUInteger(96) << 30);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MetalDevice, AMistakeInItsDescriptionEndsTheProcess) {
  for (const char *text :
       {"m0", "family=11", "family=", "memory=12X", "memory=1K", "unified=maybe", "name=", "m1,,", "m1;m2"})
    EXPECT_EXIT(
        {
          setenv("ASSAY_DEVICE", text, 1);
          device();
        },
        testing::ExitedWithCode(2),
        "ASSAY_DEVICE: error: '.*' does not describe a device \\[bad-device\\]\n.*m1 to m5")
        << text;
}

TEST_F(MetalSettings, MistakesEndTheProcess) {
  const struct {
    const char *name, *value, *message;
  } mistakes[] = {
      {"ASSAY_NUMERICS", "appel", "ASSAY_NUMERICS: .*no profile 'appel'.*\n.*did you mean 'apple'"},
      {"ASSAY_SCHEDULE", "random", "ASSAY_SCHEDULE: .*random: no such schedule"},
      {"ASSAY_LOCKSTEP", "yes", "ASSAY_LOCKSTEP: .*'yes' is neither 0 nor 1"},
      {"ASSAY_WORKERS", "-1", "ASSAY_WORKERS: .*'-1' is not a number from 0 to 1000000"},
      {"ASSAY_TIMEOUT", "1s", "ASSAY_TIMEOUT: .*'1s' is not a number"},
      {"ASSAY_CHECK", "races", "ASSAY_CHECK: .*there is no check 'races'"},
      {"ASSAY_TRACE", "/nowhere/at/all", "ASSAY_TRACE: .*cannot write '/nowhere/at/all': No such file"}};
  for (const auto &mistake : mistakes)
    EXPECT_EXIT(
        {
          setenv(mistake.name, mistake.value, 1);
          device();
        },
        testing::ExitedWithCode(2), mistake.message)
        << mistake.name;
}

TEST_F(MetalSettings, NumericsReachPipelines) {
  EXPECT_EXIT( // Apple's GPUs flush float subnormals
      {
        Verdict verdict;
        HOLDS(tinyTimesOne() == 0);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT( // IEEE 754: 2^-149 times 1 is 2^-149
      {
        setenv("ASSAY_NUMERICS", "ieee", 1);
        Verdict verdict;
        HOLDS(tinyTimesOne() == 1);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT( // the library must be compiled for it, too, or there is no pipeline
      {
        setenv("ASSAY_NUMERICS", "ieee,contract=fast", 1);
        Verdict verdict;
        HOLDS(tinyTimesOne() == 1);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MetalSettings, ScheduleReachesDispatches) {
  constexpr const char *kSchedules[] = {"canonical", "shuffle:1", "shuffle:2"};
  for (const char *schedule : kSchedules)
    EXPECT_EXIT(
        {
          setenv("ASSAY_SCHEDULE", schedule, 1);
          Verdict verdict;
          const std::vector<uint32_t> order = ticketOrder(64);
          std::vector<uint32_t> sorted = order;
          std::sort(sorted.begin(), sorted.end());
          for (uint32_t i = 0; i < 64; ++i)
            HOLDS(sorted[i] == i);
          HOLDS((order == sorted) == (schedule == kSchedules[0])); // 1 in 64! that a shuffle is in order
          verdict.end();
        },
        testing::ExitedWithCode(0), "")
        << schedule;
}

TEST_F(MetalSettings, LockstepReachesPipelines) {
  for (const char *lockstep : {"0", "1"})
    EXPECT_EXIT(
        {
          setenv("ASSAY_LOCKSTEP", lockstep, 1);
          setenv("ASSAY_ENGINE", "fiber", 1);
          Verdict verdict;
          id<MTLBuffer> data = bufferOf<uint32_t>({10, 11, 12, 13});
          run(@"from_neighbour", 4, [&](id<MTLComputeCommandEncoder> encoder) {
            [encoder setBuffer:data offset:0 atIndex:0];
            [encoder setThreadgroupMemoryLength:16 atIndex:0];
          });
          HOLDS((valuesOf<uint32_t>(data)[0] == 11) ==
                (*lockstep == '1')); // alone, lane 0 comes before lane 1 has stored
          verdict.end();
        },
        testing::ExitedWithCode(0), "")
        << lockstep;
}

TEST_F(MetalSettings, ThreadgroupSlackIsThereToRunInto) {
  for (const char *slack : {"0", "16"})
    EXPECT_EXIT(
        {
          setenv("ASSAY_THREADGROUP_SLACK", slack, 1);
          Verdict verdict;
          id<MTLBuffer> data = bufferOf<uint32_t>({1, 2, 3, 4, 5, 6, 7, 8});
          NSError *error = run(@"reverse", 8, [&](id<MTLComputeCommandEncoder> encoder) {
            [encoder setBuffer:data offset:0 atIndex:0];
            [encoder setThreadgroupMemoryLength:16 atIndex:0]; // and eight values take 32
          });
          HOLDS((error == nil) == (*slack == '1'));
          HOLDS((valuesOf<uint32_t>(data)[0] == 8) == (*slack == '1'));
          verdict.end();
        },
        testing::ExitedWithCode(0), "")
        << slack;
}

TEST_F(MetalSettings, ThreadSlackIsThereToRunInto) {
  for (const char *slack : {"0", "16"})
    EXPECT_EXIT(
        {
          setenv("ASSAY_THREAD_SLACK", slack, 1);
          Verdict verdict;
          for (const int place : {-4, 4}) {
            id<MTLBuffer> data = bufferOf<uint32_t>({3});
            NSError *error = run(@"store_at", 1, [&](id<MTLComputeCommandEncoder> encoder) {
              [encoder setBuffer:data offset:0 atIndex:0];
              [encoder setBytes:&place length:sizeof place atIndex:1];
            });
            HOLDS((error == nil) == (*slack == '1'));
            HOLDS(valuesOf<uint32_t>(data)[0] == (*slack == '1' ? 4 : 3));
          }
          verdict.end();
        },
        testing::ExitedWithCode(0), "")
        << slack;
}

// A slack of 100 is one of 256, so that addresses stay aligned. Values in it are bytes 0xA5.
TEST_F(MetalSettings, BufferSlackIsThereToRunInto) {
  for (const char *slack : {"0", "100"})
    EXPECT_EXIT(
        {
          setenv("ASSAY_BUFFER_SLACK", slack, 1);
          Verdict verdict;
          const bool loose = *slack == '1';
          const auto at = [&](id<MTLBuffer> data, int place) {
            return run(@"add_one_at", 1, [&](id<MTLComputeCommandEncoder> encoder) {
              [encoder setBuffer:data offset:0 atIndex:0];
              [encoder setBytes:&place length:sizeof place atIndex:1];
            });
          };
          id<MTLBuffer> data = bufferOf<uint32_t>({1, 2, 3});
          for (const int place : {-64, -1, 3, 66})
            HOLDS((at(data, place) == nil) == loose);
          for (const int place : {-65, 67})
            HOLDS(at(data, place) != nil);
          HOLDS(data.length == 12 && data.allocatedSize == 12);
          HOLDS((valuesOf<uint32_t>(data) == std::vector<uint32_t>{1, 2, 3}));
          verdict.end();
        },
        testing::ExitedWithCode(0), "")
        << slack;
}

// The host sees the same heap: its size, offsets, and how many buffers it has room for.
TEST_F(MetalSettings, BufferSlackIsBetweenThePartsOfAHeap) {
  for (const char *slack : {"0", "512"})
    EXPECT_EXIT(
        {
          setenv("ASSAY_BUFFER_SLACK", slack, 1);
          Verdict verdict;
          MTLHeapDescriptor *descriptor = [MTLHeapDescriptor new];
          descriptor.size = 1024;
          descriptor.storageMode = MTLStorageModeShared;
          id<MTLHeap> heap = [device() newHeapWithDescriptor:descriptor];
          std::vector<id<MTLBuffer>> parts;
          for (int i = 0; i < 4; ++i)
            parts.push_back([heap newBufferWithLength:256 options:heap.resourceOptions]);
          HOLDS([heap newBufferWithLength:256 options:heap.resourceOptions] == nil);
          HOLDS(heap.size == 1024 && heap.usedSize == 1024 && parts[3].heapOffset == 768);
          for (int i = 0; i < 4; ++i)
            for (const int place : {-128, -1, 64, 191})
              HOLDS((run(@"add_one_at", 1, [&](id<MTLComputeCommandEncoder> encoder) {
                       [encoder setBuffer:parts[i] offset:0 atIndex:0];
                       [encoder setBytes:&place length:sizeof place atIndex:1];
                     }) == nil) == (*slack == '5'));
          for (id<MTLBuffer> part : parts)
            HOLDS(valuesOf<uint32_t>(part) == std::vector<uint32_t>(64, 0));
          verdict.end();
        },
        testing::ExitedWithCode(0), "")
        << slack;
}

TEST_F(MetalSettings, BufferSlackIsNotForCheckers) {
  EXPECT_EXIT(
      {
        setenv("ASSAY_BUFFER_SLACK", "256", 1);
        setenv("ASSAY_CHECK", "default", 1);
        device();
      },
      testing::ExitedWithCode(2),
      "ASSAY_BUFFER_SLACK: .*the checkers judge by the buffers that the host asked for");
}

TEST_F(MetalSettings, WorkersAndTimeoutReachDispatches) {
  const auto meet = [] {
    id<MTLBuffer> flag = bufferOf<uint32_t>({0});
    return runGroups(@"meet", 2, [&](id<MTLComputeCommandEncoder> encoder) {
      [encoder setBuffer:flag offset:0 atIndex:0];
    });
  };
  EXPECT_EXIT( // one worker has no second threadgroup that could come, however long the first waits
      {
        setenv("ASSAY_WORKERS", "1", 1);
        setenv("ASSAY_SCHEDULE", "canonical", 1);
        setenv("ASSAY_TIMEOUT", "1", 1);
        Verdict verdict;
        const auto begin = std::chrono::steady_clock::now();
        NSError *error = meet();
        HOLDS(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15)); // 20 without the setting
        HOLDS([error.domain isEqualToString:MTLCommandBufferErrorDomain]);
        HOLDS(error.code == MTLCommandBufferErrorTimeout);
        HOLDS(textOf(error).find("meet") != std::string::npos);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("ASSAY_WORKERS", "2", 1);
        setenv("ASSAY_SCHEDULE", "parallel", 1);
        Verdict verdict;
        HOLDS(meet() == nil);
        verdict.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MetalSettings, CheckReportsAFindingOnceAndChangesNothing) {
  EXPECT_EXIT(
      {
        setenv("ASSAY_CHECK", "default", 1);
        Verdict verdict;
        for (int i = 0; i < 2; ++i) {
          id<MTLBuffer> out = bufferOf<uint32_t>({0});
          verdict(runGroups(@"all_to_one", 3,
                            [&](id<MTLComputeCommandEncoder> encoder) {
                              [encoder setBuffer:out offset:0 atIndex:0];
                            }) == nil,
                  "it runs");
          HOLDS(valuesOf<uint32_t>(out)[0] == 3);
        }
        fprintf(stderr, "end of the run\n");
        verdict.end();
      },
      testing::ExitedWithCode(0),
      "^kernel all_to_one: .*race-grid.*\n.*note: .*\n.*two dispatches\nend of the run\n$");
}

TEST_F(MetalSettings, CheckFailsACommandBufferIfAsked) {
  EXPECT_EXIT(
      {
        setenv("ASSAY_CHECK", "default", 1);
        setenv("ASSAY_CHECK_FAILS", "1", 1);
        Verdict verdict;
        for (int i = 0; i < 2; ++i) {
          id<MTLBuffer> out = bufferOf<uint32_t>({0});
          NSError *error = runGroups(@"all_to_one", 3, [&](id<MTLComputeCommandEncoder> encoder) {
            [encoder setBuffer:out offset:0 atIndex:0];
          });
          HOLDS([error.domain isEqualToString:MTLCommandBufferErrorDomain]);
          HOLDS(textOf(error).find("race-grid") != std::string::npos);
          HOLDS(valuesOf<uint32_t>(out)[0] == 3); // the kernel has run
        }
        HOLDS((ticketOrder(3) == std::vector<uint32_t>{0, 1, 2})); // a kernel without findings
        fprintf(stderr, "end of the run\n");
        verdict.end();
      },
      testing::ExitedWithCode(0),
      "^kernel all_to_one: .*race-grid.*\n.*note: .*\n.*two dispatches\nend of the run\n$");
}

TEST_F(MetalSettings, TraceHasALineForEachDispatch) {
  const std::string path = testing::TempDir() + "assay-trace-" + std::to_string(getpid());
  setenv("TRACE_PATH_OF_TEST", path.c_str(), 0); // the child has another process id
  const std::string file = getenv("TRACE_PATH_OF_TEST");
  EXPECT_EXIT(
      {
        setenv("ASSAY_TRACE", file.c_str(), 1);
        ticketOrder(3);
        id<MTLBuffer> data = bufferOf<uint32_t>({0});
        run(@"past_the_end", 1,
            [&](id<MTLComputeCommandEncoder> encoder) { [encoder setBuffer:data offset:0 atIndex:0]; });
        _exit(0);
      },
      testing::ExitedWithCode(0), "");
  std::ifstream in(file);
  std::string first, second, third;
  std::getline(in, first);
  std::getline(in, second);
  EXPECT_FALSE(std::getline(in, third)) << third;
  EXPECT_EQ(first.find(R"({"kernel":"tickets","grid":[3,1,1],"threadgroup":[1,1,1],"ms":)"), 0u) << first;
  EXPECT_EQ(first.find("error"), first.npos) << first;
  EXPECT_EQ(second.find(R"({"kernel":"past_the_end","grid":[1,1,1],)"), 0u) << second;
  EXPECT_NE(second.find(R"("error":"write of 4 bytes at byte 4000000)"), second.npos) << second;
  std::remove(file.c_str());
}
