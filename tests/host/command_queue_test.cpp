// Command buffers: what runs when, who hears of it, and what a mistake does.
#include "emulator/host/assay.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <latch>
#include <thread>

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Status = CommandBufferStatus;

constexpr const char *kKernels = R"(#include <metal_stdlib>
using namespace metal;
kernel void append(device uint *count [[buffer(0)]], device uint *list [[buffer(1)]],
                   constant uint &value [[buffer(2)]]) {
  list[count[0]] = value; count[0] += 1;
}
kernel void twice(device float4 *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2.0f; }
kernel void await(device atomic_uint *flag [[buffer(0)]], device uint *seen [[buffer(1)]]) {
  while (atomic_load_explicit(flag, memory_order_relaxed) == 0) {}
  seen[0] = 7;
}
)";

class Queue : public ::testing::Test {
protected:
  static ComputePipeline pipeline(const char *name) {
    static const Result<Library> library = Device::systemDefault().newLibraryWithSource(kKernels);
    EXPECT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    return *Device::systemDefault().newComputePipelineState(*library->newFunction(name));
  }
  Device device = Device::systemDefault();
  CommandQueue queue = device.newCommandQueue();
  Buffer count = device.newBuffer(4), list = device.newBuffer(4 * 4096);

  /// A command buffer that appends a value to the list.
  CommandBuffer appending(uint32_t value) { return appending(queue, value); }
  CommandBuffer appending(const CommandQueue &on, uint32_t value) {
    static const ComputePipeline append = pipeline("append");
    CommandBuffer buffer = on.commandBuffer();
    ComputeCommandEncoder encoder = buffer.computeCommandEncoder();
    encoder.setComputePipelineState(append);
    encoder.setBuffer(count, 0, 0);
    encoder.setBuffer(list, 0, 1);
    encoder.setBytes(&value, sizeof value, 2);
    EXPECT_TRUE(encoder.dispatchThreads({1}, {1}));
    encoder.endEncoding();
    return buffer;
  }
  std::vector<uint32_t> appended() {
    const auto all = list.as<uint32_t>();
    return {all.begin(), all.begin() + count.as<uint32_t>()[0]};
  }
};

TEST_F(Queue, RunsNothingBeforeCommit) {
  CommandBuffer buffer = appending(5);
  EXPECT_EQ(buffer.status(), Status::NotEnqueued);
  EXPECT_EQ(count.as<uint32_t>()[0], 0u);
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilCompleted();
  EXPECT_EQ(buffer.status(), Status::Completed);
  EXPECT_FALSE(buffer.error());
  EXPECT_THAT(appended(), ::testing::ElementsAre(5));
  EXPECT_GT(buffer.gpuStartTime(), 0);
  EXPECT_GE(buffer.gpuEndTime(), buffer.gpuStartTime());
  EXPECT_GE(buffer.gpuStartTime(), buffer.kernelStartTime());
}

TEST_F(Queue, RunsInTheOrderOfEnqueueThoughCommitsComeFromManyThreads) {
  constexpr uint32_t kBuffers = 64;
  std::vector<CommandBuffer> buffers;
  for (uint32_t i = 0; i < kBuffers; ++i)
    buffers.push_back(appending(i));
  for (CommandBuffer &buffer : buffers)
    buffer.enqueue();
  std::vector<std::jthread> threads;
  for (uint32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (uint32_t i = kBuffers; i-- > 0;)
        if (i % 8 == t) {
          EXPECT_TRUE(buffers[i].commit());
        }
    });
  threads.clear();
  buffers.back().waitUntilCompleted();
  std::vector<uint32_t> expected(kBuffers);
  for (uint32_t i = 0; i < kBuffers; ++i)
    expected[i] = i;
  EXPECT_EQ(appended(), expected);
}

TEST_F(Queue, HoldsBackWhatComesAfterAnEnqueuedBufferUntilThatIsCommittedOrForgotten) {
  CommandBuffer first = appending(1), second = appending(2);
  first.enqueue();
  ASSERT_TRUE(second.commit());
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(second.status(), Status::Committed);
  ASSERT_TRUE(first.commit());
  second.waitUntilCompleted();
  EXPECT_THAT(appended(), ::testing::ElementsAre(1, 2));

  {
    CommandBuffer(appending(3)).enqueue();
  } // nobody can commit it any more
  CommandBuffer last = appending(4);
  ASSERT_TRUE(last.commit());
  last.waitUntilCompleted();
  EXPECT_THAT(appended(), ::testing::ElementsAre(1, 2, 4));

  CommandBuffer later = appending(6);
  {
    CommandBuffer forgotten = appending(5); // only when the one after it has been committed
    forgotten.enqueue();
    ASSERT_TRUE(later.commit());
  }
  later.waitUntilCompleted();
  EXPECT_THAT(appended(), ::testing::ElementsAre(1, 2, 4, 6));
}

TEST_F(Queue, CallsEachHandlerOnceAndInOrder) {
  CommandBuffer buffer = appending(1);
  std::vector<std::string> heard;
  const std::thread::id caller = std::this_thread::get_id();
  ASSERT_TRUE(buffer.addScheduledHandler([&](const CommandBuffer &) { heard.push_back("scheduled"); }));
  for (const char *name : {"a", "b"})
    ASSERT_TRUE(buffer.addCompletedHandler([&, name](const CommandBuffer &b) {
      EXPECT_NE(std::this_thread::get_id(), caller);
      EXPECT_EQ(b.status(), Status::Completed);
      heard.push_back(name);
    }));
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilCompleted();
  EXPECT_THAT(heard, ::testing::ElementsAre("scheduled", "a", "b"));
  const Result<void> late = buffer.addCompletedHandler([](const CommandBuffer &) {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().rule(), "already-committed");
}

TEST_F(Queue, WhatAHandlerHoldsGoesBeforeAWaiterGoesOn) {
  struct Slow {
    std::atomic<bool> &gone;
    ~Slow() {
      std::this_thread::sleep_for(20ms);
      gone = true;
    }
  };
  std::atomic<bool> gone{false};
  CommandBuffer buffer = appending(1);
  ASSERT_TRUE(buffer.addCompletedHandler([held = std::make_shared<Slow>(gone)](const CommandBuffer &) {}));
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilCompleted();
  EXPECT_TRUE(gone);
}

TEST_F(Queue, LetsAHandlerCommitAndWait) {
  CommandBuffer buffer = appending(1);
  std::latch done(1);
  ASSERT_TRUE(buffer.addCompletedHandler([&](const CommandBuffer &self) {
    CommandBuffer next = appending(2);
    EXPECT_TRUE(next.commit());
    next.waitUntilCompleted();
    self.waitUntilCompleted(); // of the buffer itself: must not wait for this handler
    done.count_down();
  }));
  ASSERT_TRUE(buffer.commit());
  done.wait();
  EXPECT_THAT(appended(), ::testing::ElementsAre(1, 2));
}

TEST_F(Queue, KeepsWhatACommittedBufferNeeds) {
  std::atomic<int> released = 0;
  std::vector<float> memory(8, 1.5f);
  SharedEvent gate = device.newSharedEvent(), done = device.newSharedEvent();
  {
    CommandQueue own = device.newCommandQueue();
    CommandBuffer buffer = own.commandBuffer();
    Buffer x = device.newBufferWithBytesNoCopy(memory.data(), 32, [&](void *, size_t length) {
      EXPECT_EQ(length, 32u);
      ++released;
    });
    buffer.encodeWaitForEvent(gate, 1);
    ComputeCommandEncoder encoder = buffer.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline("twice"));
    encoder.setBuffer(x, 0, 0);
    ASSERT_TRUE(encoder.dispatchThreads({2}, {2}));
    encoder.endEncoding();
    buffer.encodeSignalEvent(done, 1);
    ASSERT_TRUE(buffer.commit());
  }
  EXPECT_EQ(released, 0);
  gate.setSignaledValue(1);
  ASSERT_TRUE(done.waitUntilSignaledValue(1, 10s));
  EXPECT_EQ(memory, std::vector<float>(8, 3.0f));
  for (int i = 0; i < 1000 && !released; ++i)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(released, 1);
}

TEST_F(Queue, OrdersQueuesByEvents) {
  CommandQueue other = device.newCommandQueue();
  SharedEvent event = device.newSharedEvent();
  CommandBuffer late = other.commandBuffer();
  late.encodeWaitForEvent(event, 3);
  ASSERT_TRUE(late.commit());
  CommandBuffer lateWork = appending(other, 2);
  ASSERT_TRUE(lateWork.commit());
  CommandBuffer early = appending(1); // runs though the other queue stands still
  early.encodeSignalEvent(event, 3);
  ASSERT_TRUE(early.commit());
  lateWork.waitUntilCompleted();
  EXPECT_THAT(appended(), ::testing::ElementsAre(1, 2));
  EXPECT_EQ(event.signaledValue(), 3u);
  event.setSignaledValue(2);
  EXPECT_EQ(event.signaledValue(), 3u) << "a counter never falls";
  EXPECT_FALSE(event.waitUntilSignaledValue(4, 1ms));
}

TEST_F(Queue, TellsWhoWaitsForAnEvent) {
  SharedEvent event = device.newSharedEvent();
  int calls = 0;
  event.notify(2, [&](const SharedEvent &e, uint64_t value) {
    EXPECT_EQ(value, 2u);
    EXPECT_EQ(e.signaledValue(), 5u);
    ++calls;
  });
  event.setSignaledValue(1);
  EXPECT_EQ(calls, 0);
  event.setSignaledValue(5);
  EXPECT_EQ(calls, 1);
  event.notify(4, [&](const SharedEvent &, uint64_t) { ++calls; });
  EXPECT_EQ(calls, 2) << "reached already";
}

TEST_F(Queue, SeesWhatTheHostWritesWhileAKernelRuns) {
  Buffer flag = device.newBuffer(4), seen = device.newBuffer(4);
  CommandBuffer buffer = queue.commandBuffer();
  ComputeCommandEncoder encoder = buffer.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline("await"));
  encoder.setBuffer(flag, 0, 0);
  encoder.setBuffer(seen, 0, 1);
  ASSERT_TRUE(encoder.dispatchThreads({1}, {1}));
  encoder.endEncoding();
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilScheduled();
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(seen.as<uint32_t>()[0], 0u);
  std::atomic_ref(flag.as<uint32_t>()[0]).store(1);
  buffer.waitUntilCompleted();
  EXPECT_EQ(seen.as<uint32_t>()[0], 7u);
}

TEST_F(Queue, WorksOnMemoryAtAnyAddress) {
  std::vector<uint8_t> memory(4 + 64 + 4, 0xee);
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  std::memcpy(memory.data() + 4, values.data(), 32);
  Buffer x = device.newBufferWithBytesNoCopy(memory.data() + 4, 64);
  CommandBuffer buffer = queue.commandBuffer();
  ComputeCommandEncoder encoder = buffer.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline("twice"));
  encoder.setBuffer(x, 16, 0); // the second float4
  ASSERT_TRUE(encoder.dispatchThreads({1}, {1}));
  encoder.endEncoding();
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilCompleted();
  float after[8];
  std::memcpy(after, memory.data() + 4, 32);
  EXPECT_THAT(after, ::testing::ElementsAre(1, 2, 3, 4, 10, 12, 14, 16));
  EXPECT_EQ(memory.front(), 0xee);
  EXPECT_EQ(memory.back(), 0xee);
}

TEST_F(Queue, CopiesAndFillsBetweenDispatches) {
  Buffer a = device.newBuffer(16), b = device.newBuffer(16);
  CommandBuffer buffer = queue.commandBuffer();
  BlitCommandEncoder blit = buffer.blitCommandEncoder();
  EXPECT_TRUE(blit.fillBuffer(a, {4, 4}, 0x11));
  EXPECT_TRUE(blit.fillBuffer(a, {12, 400}, 0x22)); // cut off at the end
  EXPECT_TRUE(blit.copyFromBuffer(a, 4, b, 0, 12));
  EXPECT_TRUE(blit.copyFromBuffer(b, 0, b, 2, 8)); // overlaps
  blit.endEncoding();
  EXPECT_EQ(a.as<uint32_t>()[1], 0u) << "nothing before commit";
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilCompleted();
  EXPECT_THAT(a.as<uint32_t>(), ::testing::ElementsAre(0, 0x11111111, 0, 0x22222222));
  EXPECT_THAT(b.as<uint16_t>(), ::testing::ElementsAre(0x1111, 0x1111, 0x1111, 0, 0, 0x2222, 0, 0));
}

TEST_F(Queue, EndsABufferAtItsMistakeAndRunsTheNext) {
  Buffer small = device.newBuffer(8);
  CommandBuffer buffer = queue.commandBuffer();
  BlitCommandEncoder blit = buffer.blitCommandEncoder();
  EXPECT_TRUE(blit.fillBuffer(small, {0, 4}, 1));
  const Result<void> past = blit.copyFromBuffer(small, 4, small, 0, 8);
  ASSERT_FALSE(past);
  EXPECT_EQ(past.error().message(), "a blit reads 8 bytes at byte 4 of a buffer that has 8 bytes");
  EXPECT_TRUE(blit.fillBuffer(small, {4, 4}, 1));
  blit.endEncoding();
  int told = 0;
  ASSERT_TRUE(buffer.addCompletedHandler([&](const CommandBuffer &b) {
    EXPECT_EQ(b.status(), Status::Error);
    ++told;
  }));
  ASSERT_TRUE(buffer.commit());
  CommandBuffer next = appending(9);
  ASSERT_TRUE(next.commit());
  next.waitUntilCompleted();
  buffer.waitUntilCompleted(); // and its handlers, which may still be at it
  EXPECT_EQ(told, 1);
  ASSERT_TRUE(buffer.error());
  EXPECT_EQ(buffer.error()->rule(), "blit-range");
  EXPECT_THAT(small.as<uint32_t>(), ::testing::ElementsAre(0x01010101, 0))
      << "what came before the mistake has run";
  EXPECT_EQ(next.status(), Status::Completed);
}

TEST_F(Queue, ReportsAKernelsFaultAsRunningItWould) {
  CommandBuffer buffer = queue.commandBuffer();
  ComputeCommandEncoder encoder = buffer.computeCommandEncoder();
  encoder.setComputePipelineState(pipeline("twice"));
  encoder.setBuffer(device.newBuffer(16), 0, 0);
  EXPECT_TRUE(encoder.dispatchThreads({2}, {2})) << "recorded; only running it shows";
  encoder.endEncoding();
  ASSERT_TRUE(buffer.commit());
  buffer.waitUntilCompleted();
  ASSERT_EQ(buffer.status(), Status::Error);
  EXPECT_EQ(buffer.error()->rule(), "out-of-bounds");
  EXPECT_THAT(renderDiagnostics(buffer.error()->diagnostics), HasSubstr("source.metal:7:"));
}

TEST_F(Queue, RefusesEncodersAndCommitsThatMetalForbids) {
  CommandBuffer open = queue.commandBuffer();
  ComputeCommandEncoder first = open.computeCommandEncoder();
  BlitCommandEncoder second = open.blitCommandEncoder();
  const Result<void> filled = second.fillBuffer(count, {0, 4}, 1);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().rule(), "closed-encoder");
  const Result<void> committed = open.commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().rule(), "open-encoder");
  open.waitUntilCompleted();
  EXPECT_EQ(open.status(), Status::Error);

  CommandBuffer twice = appending(1);
  ASSERT_TRUE(twice.commit());
  const Result<void> again = twice.commit();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message(), "the command buffer has been committed, it cannot be committed again");
  twice.waitUntilCompleted();
  BlitCommandEncoder late = twice.blitCommandEncoder();
  EXPECT_FALSE(late.fillBuffer(count, {0, 4}, 1));
  EXPECT_EQ(twice.status(), Status::Completed) << "it is over: a later mistake is not its error";
}

TEST_F(Queue, LetsIndependentQueuesRunAtTheSameTime) {
  constexpr uint32_t kQueues = 6, kBuffers = 40;
  std::vector<Buffer> counts;
  std::vector<CommandBuffer> last;
  std::vector<std::jthread> threads;
  for (uint32_t q = 0; q < kQueues; ++q)
    counts.push_back(device.newBuffer(64));
  std::mutex mutex;
  const ComputePipeline twice = pipeline("twice");
  for (uint32_t q = 0; q < kQueues; ++q)
    threads.emplace_back([&, q] {
      CommandQueue own = device.newCommandQueue();
      counts[q].fillElements(1.0f);
      for (uint32_t i = 0; i < kBuffers; ++i) {
        CommandBuffer buffer = own.commandBuffer();
        ComputeCommandEncoder encoder = buffer.computeCommandEncoder();
        encoder.setComputePipelineState(twice);
        encoder.setBuffer(counts[q], 0, 0);
        EXPECT_TRUE(encoder.dispatchThreads({4}, {2}));
        encoder.endEncoding();
        EXPECT_TRUE(buffer.commit());
        if (i + 1 == kBuffers) {
          std::lock_guard lock(mutex);
          last.push_back(buffer);
        }
      }
    });
  threads.clear();
  for (const CommandBuffer &buffer : last)
    buffer.waitUntilCompleted();
  for (Buffer &buffer : counts)
    EXPECT_THAT(buffer.as<float>(), ::testing::Each(0x1p40f));
}

} // namespace
} // namespace assay
