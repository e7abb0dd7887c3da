// os_log of <metal_logging>, from Metal text to a handler of the public API.
#include "host/assay.h"
#include "temporary_folder.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

constexpr const char *kLogStateSource = R"(#include <metal_stdlib>
#include <metal_logging>
using namespace metal;

constant os_log first(/*subsystem=*/"com.example", /*category=*/"first");
constexpr constant metal::os_log second("com.example", "second"), third("a", "b");

kernel void levels() {
  first.log_debug("debug");
  second.log_info("info");
  os_log_default.log("notice");
  os_log_disabled.log_fault("never");
  os_log_disabled.log_with_type(log_type_fault, "%d", 1);
  constant os_log &local = third;
  local.log_error("error");
  metal::os_log_default.log_fault("fault");
}

kernel void named(device int *d [[buffer(0)]]) {
  first.log_with_type(log_type_debug, "%d", 1);
  first.log_with_type(log_type_info, "%d", 2);
  first.log_with_type(log_type_default, "%d", 3);
  first.log_with_type(log_type_error, "%d", 4);
  first.log_with_type(log_type(d[0]), "%d", 5);
}

enum Color { red = 3 };
enum class Small : uchar { five = 5 };
struct S { half3 h; };

template <typename... Args> void forward(Args... args) { first.log("%d %d %d", args...); }

kernel void types(device int *d [[buffer(0)]], constant S &s [[buffer(1)]], constant char *text [[buffer(2)]],
                  threadgroup float *t [[threadgroup(0)]]) {
  t[0] = 0.5;
  os_log_default.log("%d %d %d %d %d", true, char(-1), uchar(255), short(-300), ushort(60000));
  os_log_default.log("%d %u %ld %lu %lu", -7, 7u, -1l << 40, 1ul << 63, sizeof(int));
  os_log_default.log("%f %f %f", 1.5h, 2.5bf, t[0]);
  os_log_default.log("%v3f %v2d %v4hhu %v2ld", s.h, int2(d[0], d[1]), uchar4(1, 2, 3, 255), long2(-1, 1));
  os_log_default.log("%v2f %.1f %v2f", s.h.xy, s.h.x * 2, float2(1, 2) * 2);
  os_log_default.log("%s|%s", text, "literal");
  os_log_default.log("%d %hhu", red, Small::five);
  forward(d[0], d[1], 3);
  os_log_default.log("%f", d[0]);
  char local[3] = {'o', 'k', 0};
  os_log_default.log("%s %d", local, d == nullptr);
}

kernel void loop(device int *d [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  for (int k = 0; k < d[i]; ++k)
    if (k % 2)
      os_log_default.log("%d", k);
    else
      os_log_default.log("even %d", k);
}
)";

class LogStateTest : public testing::Test {
protected:
  LogStateTest() {
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    auto result = device.newLibraryWithSource(kLogStateSource);
    EXPECT_TRUE(result) << (result ? "" : renderDiagnostics(result.error().diagnostics));
    library = *result;
  }

  DispatchReport run(const char *kernel, const LogState &log, const std::vector<Buffer> &buffers = {},
                     Size threads = Size(1), bool debug = false) {
    PipelineOptions pipelineOptions;
    pipelineOptions.debug = debug;
    const auto pipeline = device.newComputePipelineState(*library->newFunction(kernel), pipelineOptions);
    EXPECT_TRUE(pipeline) << (pipeline ? "" : renderDiagnostics(pipeline.error().diagnostics));
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    for (uint32_t i = 0; i < buffers.size(); ++i)
      encoder.setBuffer(buffers[i], 0, i);
    if (std::string_view(kernel) == "types")
      encoder.setThreadgroupMemoryLength(16, 0);
    DispatchOptions options;
    options.logState = log;
    encoder.setOptions(options);
    const auto report = encoder.dispatchThreads(threads, Size(2));
    EXPECT_TRUE(report) << (report ? "" : renderDiagnostics(report.error().diagnostics));
    return report ? *report : DispatchReport();
  }

  testing_support::TemporaryFolder folder;
  Device device = Device::systemDefault();
  std::optional<Library> library;
};

struct Heard {
  LogState state;
  std::vector<std::string> texts;
  explicit Heard(LogState s) : state(std::move(s)) {
    state.addLogHandler([this](const LogMessage &m) {
      texts.push_back(std::string(nameOf(m.level)) + " " + m.subsystem + "/" + m.category + " " + m.text);
    });
  }
  Heard(const Heard &) = delete;
};

} // namespace

TEST_F(LogStateTest, EachMethodLogsAtItsLevelWithItsSubsystemAndCategory) {
  Heard heard(device.newLogState());
  EXPECT_EQ(run("levels", heard.state).logCalls, 5u);
  EXPECT_THAT(heard.texts,
              testing::ElementsAre("debug com.example/first debug", "info com.example/second info",
                                   "notice / notice", "error a/b error", "fault / fault"));
}

// Apple's compiler predefines __METAL_OS_LOG_TYPE_FAULT__ as 0x11.
TEST_F(LogStateTest, ATypeIsALevel) {
  const int fault = 0x11;
  Heard heard(device.newLogState());
  run("named", heard.state, {device.newBuffer(&fault, sizeof fault)});
  EXPECT_THAT(heard.texts, testing::ElementsAre("debug com.example/first 1", "info com.example/first 2",
                                                "notice com.example/first 3", "error com.example/first 4",
                                                "fault com.example/first 5"));
}

TEST_F(LogStateTest, ALevelKeepsLowerMessagesOut) {
  Heard heard(device.newLogState({LogLevel::Error}));
  EXPECT_EQ(run("levels", heard.state).logCalls, 5u) << "made, but not delivered";
  EXPECT_THAT(heard.texts, testing::ElementsAre("error a/b error", "fault / fault"));
}

TEST_F(LogStateTest, WithoutAHandlerMessagesAreCounted) {
  EXPECT_EQ(run("levels", device.newLogState()).logCalls, 5u);
}

TEST_F(LogStateTest, EveryHandlerHearsEveryMessage) {
  Heard heard(device.newLogState());
  int others = 0;
  heard.state.addLogHandler([&](const LogMessage &) { ++others; });
  run("levels", heard.state);
  EXPECT_EQ(heard.texts.size(), 5u);
  EXPECT_EQ(others, 5);
}

TEST_F(LogStateTest, ArgumentsKeepTheirTypes) {
  const int numbers[2] = {11, -12};
  const _Float16 halves[4] = {1, 2.5, -3, 0};
  const std::vector<Buffer> buffers = {device.newBuffer(numbers, sizeof numbers),
                                       device.newBuffer(halves, sizeof halves), device.newBuffer("text", 4)};
  for (bool debug : {false, true}) {
    Heard heard(device.newLogState());
    run("types", heard.state, buffers, Size(1), debug);
    EXPECT_THAT(heard.texts,
                testing::ElementsAre("notice / 1 -1 255 -300 60000", //
                                     "notice / -7 7 -1099511627776 9223372036854775808 4",
                                     "notice / 1.500000 2.500000 0.500000",
                                     "notice / 1.000000,2.500000,-3.000000 11,-12 1,2,3,255 -1,1",
                                     "notice / 1.000000,2.500000 2.0 2.000000,4.000000",
                                     "notice / text|literal", //
                                     "notice / 3 5",          //
                                     "notice com.example/first 11 -12 3",
                                     "notice / <%f does not fit int: 11>", //
                                     "notice / ok 0"));
  }
}

TEST_F(LogStateTest, BranchesAndLoopsLogAsOftenAsTheyRun) {
  const int counts[4] = {0, 3, 1, 0};
  Heard heard(device.newLogState());
  run("loop", heard.state, {device.newBuffer(counts, sizeof counts)}, Size(4));
  EXPECT_THAT(heard.texts,
              testing::ElementsAre("notice / even 0", "notice / 1", "notice / even 2", "notice / even 0"));
}

} // namespace assay
