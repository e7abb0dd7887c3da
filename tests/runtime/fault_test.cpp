// Accesses out of bounds and other faults of kernels: whole messages, which threadgroup they name, and that
// the engine goes on afterwards.
#include "support/process/sparse_pages.h"
#include "tests/runtime/test_kernel.h"

#include <atomic>

#include <fmt/format.h>

namespace assay::runtime::test {
namespace {

// Asks the engine about an access as the inline check does when it refuses one. The test sets what and where.
uint64_t refusedAddress, refusedBytes;
uint32_t refusedThread;

ASSAY_TEST_KERNEL refused(LaneAbi *lane) {
  if (gridX(lane) == refusedThread)
    assay_rt_out_of_bounds(lane, 0, refusedAddress, refusedBytes);
}

std::string refuse(TestKernel &kernel, DispatchRequest request, uint64_t address, uint64_t bytes) {
  refusedAddress = address;
  refusedBytes = bytes;
  refusedThread = 70;
  request.schedule.kind = ScheduleKind::Canonical;
  return failure(request);
}

const char *const kWho =
    "note: kernel test, threadgroup (1,0,0), thread (6,0,0) in threadgroup, simdgroup 0, lane 6\n";

TEST(OutOfBounds, PastTheEndOfABufferNamesBothNumbersThePlaceAndTheThread) {
  TestKernel kernel(refused);
  kernel.access(AccessKind::Write, MemoryKind::Buffer, 3, "dst");
  std::vector<uint32_t> data(1024);
  DispatchRequest request = kernel.request(128, 64);
  request.buffers[3] = bind(data);
  EXPECT_EQ(
      refuse(kernel, request, reinterpret_cast<uint64_t>(data.data()) + 4096, 4),
      std::string("test.metal:41:9: error: write of 4 bytes at byte 4096 of buffer(3) 'dst', which has 4096 "
                  "bytes [out-of-bounds]\n"
                  "  check the index against the length, or bind a buffer of at least 4100 bytes\n") +
          kWho);
}

TEST(OutOfBounds, BeforeTheBeginOfABufferThatIsBoundAtAnOffset) {
  TestKernel kernel(refused);
  kernel.access(AccessKind::Read, MemoryKind::Buffer, 0, "src");
  std::vector<uint8_t> data(12);
  DispatchRequest request = kernel.request(128, 64);
  request.buffers[0] = {data.data() + 8, 4, 8};
  EXPECT_EQ(
      refuse(kernel, request, reinterpret_cast<uint64_t>(data.data()) - 4, 1),
      std::string(
          "test.metal:41:9: error: read of 1 byte at byte -12 of buffer(0) 'src', which has 4 bytes from its "
          "offset on and 8 before it [out-of-bounds]\n"
          "  the index is negative: check it before the access, and unsigned differences for wrapping\n") +
          kWho);
}

TEST(OutOfBounds, BeforeTheBeginOfABufferHasANegativeOffset) {
  TestKernel kernel(refused);
  kernel.access(AccessKind::Read, MemoryKind::Buffer, 0, "src");
  std::vector<uint8_t> data(1);
  DispatchRequest request = kernel.request(128, 64);
  request.buffers[0] = bind(data);
  EXPECT_EQ(
      refuse(kernel, request, reinterpret_cast<uint64_t>(data.data()) - 4, 1),
      std::string(
          "test.metal:41:9: error: read of 1 byte at byte -4 of buffer(0) 'src', which has 1 byte "
          "[out-of-bounds]\n"
          "  the index is negative: check it before the access, and unsigned differences for wrapping\n") +
          kWho);
}

TEST(OutOfBounds, OfABufferThatIsNullSaysSo) {
  TestKernel kernel(refused);
  kernel.access(AccessKind::Atomic, MemoryKind::Buffer, 7, "count");
  EXPECT_EQ(
      refuse(kernel, kernel.request(128, 64), 0, 4),
      std::string("test.metal:41:9: error: atomic access of 4 bytes in buffer(7) 'count', which is null "
                  "[out-of-bounds]\n"
                  "  compare the pointer with nullptr before the access, or bind a buffer to slot 7\n") +
          kWho);
}

// Arena addresses are known only inside.
ASSAY_TEST_KERNEL refusedInArena(LaneAbi *lane) {
  if (gridX(lane) == 70)
    assay_rt_out_of_bounds(lane, 0, reinterpret_cast<uint64_t>(lane->group->arena) + refusedAddress, 8);
}

TEST(OutOfBounds, OfThreadgroupMemoryCountsFromTheSlotOrTheVariable) {
  TestKernel slot(refusedInArena);
  slot.access(AccessKind::Read, MemoryKind::ThreadgroupSlot, 1, "shared").threadgroupBytes(48);
  DispatchRequest request = slot.request(128, 64);
  request.threadgroupBytes[1] = 256;
  EXPECT_EQ(
      refuse(slot, request, 48 + 256, 8),
      std::string(
          "test.metal:41:9: error: read of 8 bytes at byte 256 of threadgroup(1) 'shared', which has 256 "
          "bytes [out-of-bounds]\n"
          "  check the index, or set a threadgroup memory length of at least 264 bytes\n") +
          kWho);

  TestKernel variable(refusedInArena);
  variable.access(AccessKind::Write, MemoryKind::ThreadgroupVariable, 0, "tile", 32, 16).threadgroupBytes(48);
  EXPECT_EQ(
      refuse(variable, variable.request(128, 64), 48, 8),
      std::string(
          "test.metal:41:9: error: write of 8 bytes at byte 32 of threadgroup variable 'tile', which has "
          "32 bytes [out-of-bounds]\n"
          "  check the index against the length\n") +
          kWho);
}

TEST(OutOfBounds, OfThreadVariablesAndConstantsNamesThem) {
  TestKernel thread(refused);
  thread.access(AccessKind::Write, MemoryKind::ThreadVariable, 0, "acc", 64);
  EXPECT_EQ(refuse(thread, thread.request(128, 64), 12345, 4),
            std::string(
                "test.metal:41:9: error: write of 4 bytes outside thread variable 'acc', which has 64 bytes "
                "[out-of-bounds]\n"
                "  check the index against the length\n") +
                kWho);
  TestKernel constant(refused);
  constant.access(AccessKind::Read, MemoryKind::Constant, 0, "table", 12);
  EXPECT_THAT(refuse(constant, constant.request(128, 64), 12345, 4),
              testing::HasSubstr("read of 4 bytes outside constant variable 'table', which has 12 bytes"));
}

TEST(OutOfBounds, OfUnknownMemoryNamesTheNearestBuffer) {
  TestKernel kernel(refused);
  kernel.access(AccessKind::Read, MemoryKind::Unknown, 0, "");
  kernel.access(AccessKind::Read, MemoryKind::Buffer, 5, "near");
  std::vector<uint8_t> data(4096);
  DispatchRequest request = kernel.request(128, 64);
  request.buffers[2] = {data.data(), 1024};
  request.buffers[5] = {data.data() + 2048, 1024};
  EXPECT_EQ(
      refuse(kernel, request, reinterpret_cast<uint64_t>(data.data()) + 2044, 4),
      std::string("test.metal:41:9: error: read of 4 bytes outside all memory of the kernel, at byte -4 of "
                  "buffer(5) 'near', which is the nearest and has 1024 bytes [out-of-bounds]\n"
                  "  check the index or the pointer before the access\n") +
          kWho);
}

// ---- check_access ----

uint32_t constants[4];

ASSAY_TEST_KERNEL checked(LaneAbi *lane) {
  uint32_t local[4];
  auto check = [&](const void *p, uint64_t bytes) {
    assay_rt_check_access(lane, 0, reinterpret_cast<uint64_t>(p), bytes);
  };
  check(buffer<uint8_t>(lane, 0), 64);
  check(buffer<uint8_t>(lane, 0) + 60, 4);
  check(lane->group->arena, 32);
  check(local, sizeof local);
  check(constants, sizeof constants);
  ++buffer<uint32_t>(lane, 0)[0];
  if (buffer<uint32_t>(lane, 0)[1])
    check(buffer<uint8_t>(lane, 0) + 61, 4); // over the end
}

TEST(CheckAccess, AcceptsBuffersThreadgroupMemoryTheStackAndConstantsAndNothingElse) {
  TestKernel kernel(checked);
  kernel.access(AccessKind::Read, MemoryKind::Unknown, 0, "").threadgroupBytes(32);
  kernel.code().dataRanges = {
      {reinterpret_cast<uintptr_t>(constants), reinterpret_cast<uintptr_t>(constants + 4)}};
  std::vector<uint32_t> data(16, 0);
  DispatchRequest request = kernel.request(8, 8);
  request.buffers[0] = bind(data);
  runWell(request);
  EXPECT_EQ(data[0], 8u);
  data[1] = 1;
  EXPECT_THAT(failure(request),
              testing::HasSubstr("at byte 61 of buffer(0), which is the nearest and has 64 bytes"));
  kernel.code().dataRanges.clear();
  EXPECT_THAT(
      failure(request),
      testing::AllOf(testing::HasSubstr(fmt::format("read of 16 bytes at address {:#x}, which lies in no "
                                                    "buffer that is bound or used [out-of-bounds]",
                                                    reinterpret_cast<uintptr_t>(constants))),
                     testing::HasSubstr("useResource")));
}

// A kernel that follows the address in buffer 0 and counts there; all threads do so at the same time.
ASSAY_TEST_KERNEL follow(LaneAbi *lane) {
  uint64_t address = buffer<uint64_t>(lane, 0)[0];
  assay_rt_check_access(lane, 0, address, 4);
  std::atomic_ref(*reinterpret_cast<uint32_t *>(address)).fetch_add(1, std::memory_order_relaxed);
}

TEST(CheckAccess, AcceptsBuffersThatAreUsedAndNamesThemWhenTheirEndIsPassed) {
  TestKernel kernel(follow);
  kernel.access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  // Not of the heap, where `address` could be near.
  const std::shared_ptr<std::byte> pages = allocatePages(1 << 20);
  auto *const far = reinterpret_cast<uint32_t *>(pages.get());
  std::vector<uint32_t> other(1 << 20);
  std::vector<uint64_t> address = {reinterpret_cast<uint64_t>(&far[9])};
  DispatchRequest request = kernel.request(3, 1);
  request.buffers[0] = bind(address);
  request.resources = {{reinterpret_cast<uint8_t *>(&far[5]), 20}, bind(other)};
  runWell(request);
  EXPECT_EQ(far[9], 3u);
  address[0] += 4;
  EXPECT_THAT(failure(request),
              testing::HasSubstr("write of 4 bytes outside all memory of the kernel, at byte 20 of "
                                 "a buffer that is used but not bound, which is the nearest and "
                                 "has 20 bytes"));
  EXPECT_EQ(far[10], 0u);
  request.resources.clear();
  EXPECT_THAT(failure(request), testing::HasSubstr("which lies in no buffer that is bound or used"));
  address[0] = 16;
  EXPECT_THAT(failure(request), testing::HasSubstr("write of 4 bytes at address 0x10: a null pointer"));
}

TEST(CheckAccess, ABufferBoundAtTwoOffsetsIsOnePiece) {
  TestKernel kernel(follow);
  kernel.access(AccessKind::Write, MemoryKind::Unknown, 0, "");
  std::vector<uint32_t> data(16);
  std::vector<uint64_t> address = {reinterpret_cast<uint64_t>(&data[3])};
  DispatchRequest request = kernel.request(1, 1);
  request.buffers[0] = bind(address);
  request.buffers[1] = {reinterpret_cast<uint8_t *>(&data[8]), 32};
  request.buffers[2] = bind(data);
  request.buffers[3] = {reinterpret_cast<uint8_t *>(&data[4]), 48};
  for (size_t i : {0, 4, 9, 15}) {
    address[0] = reinterpret_cast<uint64_t>(&data[i]);
    runWell(request);
    EXPECT_EQ(data[i], 1u);
  }
}

ASSAY_TEST_KERNEL askKnown(LaneAbi *lane) {
  const uint64_t first = reinterpret_cast<uint64_t>(buffer<uint8_t>(lane, 0));
  const uint64_t arena = reinterpret_cast<uint64_t>(lane->group->arena);
  uint32_t *const out = buffer<uint32_t>(lane, 1);
  out[0] = assay_rt_known_memory(lane, 0, first, 64);
  out[1] = assay_rt_known_memory(lane, 0, first + 60, 4);
  out[2] = assay_rt_known_memory(lane, 0, first + 60, 5);
  out[3] = assay_rt_known_memory(lane, 0, first - 1, 2);
  out[4] = assay_rt_known_memory(lane, 0, first + 4, ~uint64_t(0));
  out[5] = assay_rt_known_memory(lane, 0, arena, 32);
  out[6] = assay_rt_known_memory(lane, 0, 0, 4);
}

TEST(KnownMemory, IsOneWholePieceAndNothingFailsElsewhere) {
  TestKernel kernel(askKnown);
  kernel.access(AccessKind::Read, MemoryKind::Unknown, 0, "").threadgroupBytes(32);
  std::vector<uint32_t> data(16), answers(7, 9);
  DispatchRequest request = kernel.request(1, 1);
  request.buffers[0] = bind(data);
  request.buffers[1] = bind(answers);
  runWell(request);
  EXPECT_THAT(answers, testing::ElementsAre(1, 1, 0, 0, 0, 1, 0));
}

// ---- which fault is reported ----

ASSAY_TEST_KERNEL failLate(LaneAbi *lane) {
  const uint32_t group = groupX(lane);
  for (uint32_t i = 0; group == 37 && i < 2'000'000; ++i)
    asm volatile("");
  if (group >= 37 && group % 2 && threadIndex(lane) == 3)
    assay_rt_out_of_bounds(lane, 0, group, 4);
  buffer<uint32_t>(lane, 0)[gridX(lane)] = 1;
}

ASSAY_TEST_KERNEL failLateInFibers(LaneAbi *lane) {
  barrier(lane, 1);
  failLate(lane);
}

TEST(Fault, IsThatOfTheFirstThreadgroupInGridOrderForAnyScheduleAndNumberOfWorkers) {
  for (bool fibers : {false, true}) {
    TestKernel kernel(fibers ? failLateInFibers : failLate);
    kernel.access(AccessKind::Read, MemoryKind::Buffer, 1, "a");
    if (fibers)
      kernel.barrier(1);
    std::vector<uint32_t> out(64 * 8);
    DispatchRequest request = kernel.request(64 * 8, 8);
    request.buffers[0] = bind(out);
    auto check = [&](Schedule schedule, uint32_t workers) {
      request.schedule = schedule;
      request.workers = workers;
      std::fill(out.begin(), out.end(), 0);
      EXPECT_THAT(failure(request), testing::HasSubstr("threadgroup (37,0,0), thread (3,0,0)"));
      EXPECT_EQ(std::count(out.begin(), out.begin() + 37 * 8, 1), 37 * 8)
          << "those before it ran to their end";
    };
    check({ScheduleKind::Canonical, 0}, 1);
    for (uint32_t workers : {2u, 7u})
      check({ScheduleKind::Parallel, 0}, workers);
    check({ScheduleKind::Shuffle, 5}, 1);
  }
}

TEST(Fault, LeavesTheEngineAbleToRunAgain) {
  TestKernel kernel(failLateInFibers);
  kernel.access(AccessKind::Read, MemoryKind::Buffer, 1, "a").barrier(1);
  std::vector<uint32_t> out(64 * 8);
  DispatchRequest request = kernel.request(64 * 8, 8);
  request.buffers[0] = bind(out);
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(failure(request), testing::HasSubstr("threadgroup (37,0,0)"));
  request.gridThreads.x = 36 * 8;
  runWell(request);
}

// ---- signals ----

ASSAY_TEST_KERNEL overflowStack(LaneAbi *lane) {
  volatile uint8_t filler[1024];
  filler[0] = uint8_t(gridX(lane));
  if (threadIndex(lane) == 5)
    overflowStack(lane);
  filler[1] = filler[0]; // not a tail call
}

ASSAY_TEST_KERNEL overflowStackInFibers(LaneAbi *lane) {
  barrier(lane, 0);
  overflowStack(lane);
}

TEST(StackOverflow, IsReported) {
  for (bool fibers : {false, true}) {
    TestKernel kernel(fibers ? overflowStackInFibers : overflowStack);
    if (fibers)
      kernel.barrier(1);
    const std::string text = failure(kernel.request(64, 64));
#if defined(ASSAY_TSAN) // the stack may end within a function of ThreadSanitizer's, which has no place
    EXPECT_THAT(text, testing::HasSubstr("error: a thread used more stack than the "));
#else
    EXPECT_THAT(text, testing::StartsWith("test.metal:99:9: error: a thread used more stack than the "));
#endif
    EXPECT_THAT(text, testing::HasSubstr(" [stack-overflow]\n"));
    EXPECT_THAT(text, testing::HasSubstr("thread (5,0,0) in threadgroup, simdgroup 0, lane 5\n"));
  }
}

#if defined(ASSAY_TSAN)
#define ASSAY_NEEDS_PLAIN_ACCESSES() GTEST_SKIP() << "ThreadSanitizer's own look at the address faults first"
#else
#define ASSAY_NEEDS_PLAIN_ACCESSES() (void)0
#endif

ASSAY_TEST_KERNEL wildWrite(LaneAbi *lane) {
  if (threadIndex(lane) == 9)
    *reinterpret_cast<volatile uint32_t *>(buffer<uint8_t>(lane, 0) + (uint64_t(1) << 46)) = 1;
}

TEST(Signal, AnAccessToUnmappedMemoryIsAnErrorOfTheKernelAndNotOfTheProcess) {
  ASSAY_NEEDS_PLAIN_ACCESSES();
  TestKernel kernel(wildWrite);
  std::vector<uint32_t> data(4);
  DispatchRequest request = kernel.request(64, 64);
  request.buffers[0] = bind(data);
  const std::string text = failure(request);
  EXPECT_THAT(text, testing::StartsWith("test.metal:99:9: error: access outside all memory of the kernel"));
  EXPECT_THAT(text, testing::HasSubstr("lane 9\n"));
}

ASSAY_TEST_KERNEL divide(LaneAbi *lane) {
  volatile int32_t zero = 0, one = 1;
  int32_t quotient;
  asm volatile("cltd; idivl %2" : "=a"(quotient) : "0"(one), "m"(zero) : "edx");
  buffer<int32_t>(lane, 0)[0] = quotient;
}

TEST(Signal, ADivisionByZeroIsAnErrorOfTheKernel) {
  TestKernel kernel(divide);
  std::vector<uint32_t> data(4);
  DispatchRequest request = kernel.request(1, 1);
  request.buffers[0] = bind(data);
  EXPECT_THAT(failure(request), testing::StartsWith("test.metal:99:9: error: integer division by zero"));
}

using SignalDeathTest = testing::Test;

TEST(SignalDeathTest, AFaultOfTheHostIsStillTheHosts) {
  TestKernel kernel(divide);
  EXPECT_DEATH(
      {
        (void)run(kernel.request(1, 1)); // installs the handlers
        raise(SIGSEGV);
      },
      "");
}

// Lanes 0-7 have left, 24-31 wait for others; what is left is too few for a product of matrices.
ASSAY_TEST_KERNEL productInPart(LaneAbi *lane) {
  if (gridX(lane) < 8)
    return;
  if (gridX(lane) >= 24) {
    simd(lane, 1, 1.0f);
    return;
  }
  float in[6] = {}, out[2];
  assay_rt_simd_op(lane, 0, in, out, 0);
}

TEST(PartialSimdgroup, OfAMatrixProductNamesTheLanesThatAreMissingAndWhereTheyAre) {
  TestKernel kernel(productInPart);
  kernel.simd(SimdOp::MatrixMultiplyAccumulate, ScalarType::Float, 3, {}, 2);
  kernel.simd(SimdOp::Sum, ScalarType::Float, 7);
  EXPECT_EQ(
      failure(kernel.request(32, 32)),
      "test.metal:30:5: error: simdgroup_multiply_accumulate reached by 16 of 32 lanes [partial-simdgroup]\n"
      "  let all lanes of the simdgroup take the same path to it\n"
      "note: threads 0-7 have ended\n"
      "test.metal:70:5: note: threads 24-31 wait at simd_sum\n"
      "note: kernel test, threadgroup (0,0,0), thread (8,0,0) in threadgroup, simdgroup 0, lane 8\n");
}

// 40 threads: the second simdgroup has eight.
ASSAY_TEST_KERNEL product(LaneAbi *lane) {
  float in[6] = {}, out[2];
  assay_rt_simd_op(lane, 0, in, out, 0);
}

TEST(PartialSimdgroup, AtTheEndOfAThreadgroupSaysHowManyThreadsItHas) {
  TestKernel kernel(product);
  kernel.simd(SimdOp::MatrixMultiply, ScalarType::Float, 3, {}, 2);
  EXPECT_EQ(failure(kernel.request(40, 40)),
            "test.metal:30:5: error: simdgroup_multiply reached by 8 of 32 lanes [partial-simdgroup]\n"
            "  let all lanes of the simdgroup take the same path to it\n"
            "note: the simdgroup has 8 threads: make the threads of a threadgroup a multiple of 32\n"
            "note: kernel test, threadgroup (0,0,0), thread (32,0,0) in threadgroup, simdgroup 1, lane 0\n");
}

// ---- calls through pointers ----

uint64_t calledValue, calledSize;

ASSAY_TEST_KERNEL noFunction(LaneAbi *lane) {
  assay_rt_no_function(lane, 0, calledValue, calledSize);
}

TEST(NoFunction, SaysWhatThePointerHeldAndWhichEntryIsMissing) {
  const auto said = [](SiteKind kind, uint64_t value, uint64_t size) {
    TestKernel kernel(noFunction);
    kernel.probe("");
    kernel.info().sites[0].kind = kind;
    kernel.info().sites[0].where = {"test.metal", 41, 9};
    kernel.info().pointedFunctions = {{"twice", "float (float)"}, {"helper", ""}, {"", ""}};
    calledValue = value;
    calledSize = size;
    const std::string text = failure(kernel.request(1, 1));
    return text.substr(0, text.find("note: "));
  };
  const std::string place = "test.metal:41:9: error: ";
  EXPECT_EQ(said(SiteKind::PointerCall, 0, 0), place +
                                                   "a call of a null function [function-table]\n"
                                                   "  set every entry of the table that the kernel calls\n");
  EXPECT_EQ(said(SiteKind::PointerCall, 1, 0),
            place + "a call of 'twice', which is of type float (float), as a function of another type "
                    "[function-table]\n"
                    "  the functions in a table must have the table's type\n");
  EXPECT_EQ(said(SiteKind::PointerCall, 2, 0),
            place + "a call of 'helper' as a function of another type [function-table]\n"
                    "  the functions in a table must have the table's type\n");
  for (const uint64_t none : {uint64_t(3), uint64_t(4), ~uint64_t(0)})
    EXPECT_EQ(said(SiteKind::PointerCall, none, 0),
              place + "a call through a pointer that is not a function's [function-table]\n"
                      "  a function pointer comes from a function table or from a function's name\n");
  EXPECT_EQ(said(SiteKind::TableEntry, 4, 4),
            place + "index 4 of a function table, which has 4 entries [function-table]\n"
                    "  check the index against size()\n");
  EXPECT_EQ(said(SiteKind::TableEntry, 2, 0),
            place + "index 2 of a function table that is null or has no entries [function-table]\n"
                    "  bind a table, or ask is_null_visible_function_table first\n");
  EXPECT_EQ(said(SiteKind::CallDepth, 1024, 0),
            place + "a function that calls itself is more than 1024 calls deep [stack-overflow]\n"
                    "  end the recursion earlier, or make the function's variables smaller\n");
}

} // namespace
} // namespace assay::runtime::test
