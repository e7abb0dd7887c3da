// From a lane's call of os_log to the host's handler: what arrives, and in which order.
#include "tests/runtime/test_kernel.h"

#include "msl_shim/detail/log_record.h"

namespace assay::runtime::test {
namespace {

// One line of each thread, with its position and a text that is gone when it is formatted.
ASSAY_TEST_KERNEL logPosition(LaneAbi *lane) {
  char format[] = "%u %s", subsystem[] = "sub", category[] = "cat", text[] = "x";
  __assay_log_argument arguments[2] = {{uint32_t(ScalarType::UInt), 1, {}}, {__assay_log_string, 1, {}}};
  const uint32_t position = gridX(lane);
  const char *address = text;
  std::memcpy(arguments[0].bits, &position, sizeof position);
  std::memcpy(arguments[1].bits, &address, sizeof address);
  const __assay_log_record record = {uint32_t(LogLevel::Info), 2, subsystem, category, format, arguments};
  assay_rt_log(lane, 0, &record);
  std::memset(text, '!', sizeof text);
  std::memset(arguments, 0xff, sizeof arguments);
  asm volatile("" : : "r"(text), "r"(arguments) : "memory");
}

// With a barrier: threads are fibers. Logs before and after it.
ASSAY_TEST_KERNEL logAroundBarrier(LaneAbi *lane) {
  for (int i = 0; i < 2; ++i) {
    char format[] = "before";
    if (i)
      std::memcpy(format, "after", 6);
    char none[] = "";
    const __assay_log_record record = {uint32_t(LogLevel::Error), 0, none, none, format, nullptr};
    if (i == 1)
      barrier(lane, 1);
    assay_rt_log(lane, 0, &record);
  }
}

ASSAY_TEST_KERNEL logThenFail(LaneAbi *lane) {
  logPosition(lane);
  if (gridX(lane) >= 500 && gridX(lane) < 504)
    assay_rt_out_of_bounds(lane, 1, 0, 4);
}

ASSAY_TEST_KERNEL logForgedText(LaneAbi *lane) {
  char format[] = "%s";
  __assay_log_argument argument = {__assay_log_string, 1, {}};
  const uint64_t address = buffer<uint64_t>(lane, 0)[0];
  std::memcpy(argument.bits, &address, sizeof address);
  const __assay_log_record record = {uint32_t(LogLevel::Info), 1, format + 2, format + 2, format, &argument};
  assay_rt_log(lane, 0, &record);
}

ASSAY_TEST_KERNEL logMuch(LaneAbi *lane) {
  for (uint32_t i = 0; i < LogBuffer::kMostEntries; ++i)
    logPosition(lane);
}

TestKernel withLog(KernelEntry entry) {
  TestKernel kernel(entry);
  SiteInfo &site = kernel.info().sites.emplace_back();
  site.kind = SiteKind::Log;
  site.where = {"test.metal", 8, 3};
  return kernel;
}

std::vector<LogMessage> heard(DispatchRequest &request) {
  std::vector<LogMessage> messages;
  request.logHandler = [&](const LogMessage &message) { messages.push_back(message); };
  (void)run(request);
  return messages;
}
std::vector<std::string> texts(DispatchRequest &request) {
  std::vector<std::string> texts;
  for (const LogMessage &message : heard(request))
    texts.push_back(message.text);
  return texts;
}

} // namespace

TEST(Log, AMessageCarriesItsThreadItsPlaceAndCopiesOfItsTexts) {
  TestKernel kernel = withLog(logPosition);
  DispatchRequest request = kernel.request(6, 2);
  const std::vector<LogMessage> messages = heard(request);
  ASSERT_EQ(messages.size(), 6u);
  const LogMessage &message = messages[5];
  EXPECT_EQ(message.text, "5 x");
  EXPECT_EQ(message.subsystem, "sub");
  EXPECT_EQ(message.category, "cat");
  EXPECT_EQ(message.level, LogLevel::Info);
  EXPECT_THAT(message.threadPosition, testing::ElementsAre(5, 0, 0));
  EXPECT_THAT(message.threadgroupPosition, testing::ElementsAre(2, 0, 0));
  EXPECT_EQ(message.where, (SourcePlace{"test.metal", 8, 3}));
}

TEST(Log, ComesInGridOrderWhateverTheNumberOfWorkers) {
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i)
    expected.push_back(std::to_string(i) + " x");
  for (uint32_t workers : {1u, 2u, 5u}) {
    TestKernel kernel = withLog(logPosition);
    DispatchRequest request = kernel.request(1000, 8);
    request.workers = workers;
    request.schedule.kind = ScheduleKind::Parallel;
    EXPECT_EQ(texts(request), expected) << workers << " workers";
  }
}

TEST(Log, WithinAThreadgroupComesInTheOrderInWhichItRan) {
  TestKernel kernel = withLog(logAroundBarrier);
  kernel.barrier(1);
  DispatchRequest request = kernel.request(4, 2);
  EXPECT_THAT(texts(request), testing::ElementsAre("before", "before", "after", "after", "before", "before",
                                                   "after", "after"));
}

TEST(Log, ComesUpToTheThreadgroupThatFailed) {
  std::vector<std::string> expected;
  for (int i = 0; i <= 500; ++i)
    expected.push_back(std::to_string(i) + " x");
  for (uint32_t workers : {1u, 3u}) {
    TestKernel kernel = withLog(logThenFail);
    kernel.access(AccessKind::Read, MemoryKind::Unknown, 0, "");
    DispatchRequest request = kernel.request(1000, 4);
    request.workers = workers;
    request.schedule.kind = ScheduleKind::Parallel;
    EXPECT_EQ(texts(request), expected) << workers << " workers";
  }
}

TEST(Log, BelowTheLevelIsNotDelivered) {
  TestKernel kernel = withLog(logPosition);
  DispatchRequest request = kernel.request(2, 2);
  request.logLevel = LogLevel::Notice;
  EXPECT_THAT(texts(request), testing::IsEmpty());
  request.logLevel = LogLevel::Info;
  EXPECT_EQ(texts(request).size(), 2u);
}

TEST(Log, IsCountedWhenNobodyListens) {
  TestKernel kernel = withLog(logPosition);
  EXPECT_EQ(runWell(kernel.request(100, 7)).logCalls, 100u);
}

TEST(Log, ATextOutsideTheKernelsMemoryIsNotRead) {
  TestKernel kernel = withLog(logForgedText);
  std::vector<uint64_t> data = {16};
  DispatchRequest request = kernel.request(1, 1);
  request.buffers[0] = bind(data);
  EXPECT_THAT(texts(request), testing::ElementsAre("<no text at 0x10>"));
  data[0] = 0;
  EXPECT_THAT(texts(request), testing::ElementsAre("(null)"));
  data = {0, 0x4242424242424242};
  data[0] = reinterpret_cast<uint64_t>(&data[1]);
  request.buffers[0] = bind(data);
  EXPECT_THAT(texts(request), testing::ElementsAre("BBBBBBBB")) << "it ends with the buffer";
}

TEST(Log, OfOneThreadgroupHasALimitAndSaysHowMuchIsMissing) {
  TestKernel kernel = withLog(logMuch);
  DispatchRequest request = kernel.request(2, 2);
  const std::vector<std::string> all = texts(request);
  ASSERT_EQ(all.size(), LogBuffer::kMostEntries + 1);
  EXPECT_EQ(all[LogBuffer::kMostEntries - 1], "0 x");
  EXPECT_EQ(all.back(), "65536 more messages of threadgroup (0,0,0) were dropped: it logged more than 65536");
}

} // namespace assay::runtime::test
