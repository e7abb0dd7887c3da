// Lanes meet where Metal's statements end: random kernels against a rule of one page. ASSAY_ENGINE_SEEDS and
// ASSAY_ENGINE_FIRST_SEED as in engines_test.cpp.
#include "meeting_program.h"

#include "host/assay.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

namespace assay::meetings {
namespace {

constexpr const char *kHead = R"(#include <metal_stdlib>
using namespace metal;
static void note(device uint *out, thread uint &n, uint number, uint lanes) {
  if (n < 256u) {
    out[1 + n] = number;
    out[2 + n] = lanes;
    n += 2;
    out[0] = n; // at once: a program may end with anything, also with a loop
  }
}
)";
static_assert(kMostNotes == 128);

struct Way {
  const char *name;
  Engine engine;
  bool debug;
};

// What lanes wrote, or an error.
Result<Notes> run(const Library &library, const std::string &name, const Way &way, uint32_t lanes) {
  const Device device = Device::systemDefault();
  PipelineOptions options;
  options.debug = way.debug;
  options.engine = way.engine;
  const auto pipeline = device.newComputePipelineState(*library.newFunction(name), options);
  if (!pipeline)
    return pipeline.error();
  constexpr size_t kWords = 2 * kMostNotes + 2;
  const Buffer out = device.newBuffer(4 * kWords * kMeetingLanes);
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(*pipeline);
  encoder.setBuffer(out, 0, 0);
  std::vector<uint32_t> input(kInputWords);
  for (uint32_t i = 0; i < kInputWords; ++i)
    input[i] = inputWord(i);
  encoder.setBytes(input.data(), 4 * input.size(), 1);
  if (const auto done = encoder.dispatchThreads({lanes, 1, 1}, {lanes, 1, 1}); !done)
    return done.error();
  Notes notes;
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    const uint32_t *words = out.as<uint32_t>().data() + lane * kWords;
    notes[lane].assign(words + 1, words + 1 + std::min(words[0], 2 * kMostNotes));
  }
  return notes;
}

// The first note that is not what it must be.
std::string difference(const Notes &got, const Notes &wanted) {
  for (uint32_t lane = 0; lane < kMeetingLanes; ++lane)
    for (size_t i = 0; i < std::max(got[lane].size(), wanted[lane].size()); i += 2) {
      const auto text = [&](const Notes &notes) {
        return i < notes[lane].size() ? fmt::format("note {} with {:08x}", notes[lane][i], notes[lane][i + 1])
                                      : std::string("none");
      };
      if (text(got) != text(wanted))
        return fmt::format("lane {}, its note {}: {} instead of {}", lane, i / 2, text(got), text(wanted));
    }
  return "";
}

uint64_t number(const char *variable, uint64_t otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

constexpr Way kWays[] = {{"fibers", Engine::Fiber, false},
                         {"simdgroups", Engine::Vector, false},
                         {"fibers without optimisation", Engine::Fiber, true}};

// How the program differs in this way; empty if it does not.
std::string differenceOf(const MeetingProgram &program, const Way &way, uint32_t lanes) {
  CompileOptions compile;
  compile.debug = way.debug;
  const auto library = Device::systemDefault().newLibraryWithSource(kHead + metalOf(program, "k"), compile);
  if (!library)
    return "";
  const auto got = run(*library, "k", way, lanes);
  return got ? difference(*got, notesOf(program, lanes)) : "";
}

// The smallest one found that still differs.
MeetingProgram shrunk(MeetingProgram program, const Way &way, uint32_t lanes) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const MeetingProgram &candidate : smallerThan(program))
      if (!differenceOf(candidate, way, lanes).empty()) {
        program = candidate;
        smaller = true;
        break;
      }
  }
  return program;
}

// Several kernels to a source: the headers are read once for all of them.
constexpr uint64_t kKernels = 8;

void compare(uint64_t first) {
  std::string source = kHead;
  std::vector<MeetingProgram> programs;
  for (uint64_t i = 0; i < kKernels; ++i) {
    programs.push_back(generateMeetings(first + i));
    source += metalOf(programs.back(), fmt::format("k{}", i));
  }
  for (const bool debug : {false, true}) {
    CompileOptions compile;
    compile.debug = debug;
    const auto library = Device::systemDefault().newLibraryWithSource(source, compile);
    ASSERT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics)) << source;
    for (const Way &way : kWays) {
      if (way.debug != debug)
        continue;
      for (uint64_t i = 0; i < kKernels; ++i) {
        const uint32_t lanes = (first + i) % 3 == 0 ? 27 : 32;
        const std::string name = fmt::format("k{}", i);
        const auto got = run(*library, name, way, lanes);
        ASSERT_TRUE(got) << renderDiagnostics(got.error().diagnostics) << metalOf(programs[i], name);
        if (difference(*got, notesOf(programs[i], lanes)).empty())
          continue;
        const MeetingProgram small = shrunk(programs[i], way, lanes);
        ADD_FAILURE() << "seed " << first + i << ", " << way.name << ", " << lanes
                      << " lanes: " << differenceOf(small, way, lanes) << "\n"
                      << kHead << metalOf(small, "k");
      }
    }
  }
}

constexpr uint64_t kShares = 4;
struct RandomMeetings : testing::TestWithParam<uint64_t> {};

TEST_P(RandomMeetings, AreWhereStatementsEnd) {
  const uint64_t first = number("ASSAY_ENGINE_FIRST_SEED", 1), count = number("ASSAY_ENGINE_SEEDS", 64);
  for (uint64_t seed = first + GetParam() * kKernels; seed < first + count; seed += kShares * kKernels)
    compare(seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMeetings, testing::Range<uint64_t>(0, kShares));

// The judge itself: `if (lane % 2) { note 1; } note 2;` for four lanes.
TEST(MeetingProgram, TheRuleByHand) {
  MeetingProgram program;
  Statement choice{.kind = StatementKind::If, .value = {1, 0, 0, 2}};
  choice.body.push_back({.kind = StatementKind::Note, .number = 1});
  program.body = {choice, {.kind = StatementKind::Note, .number = 2}};
  const Notes notes = notesOf(program, 4);
  EXPECT_THAT(notes[0], testing::ElementsAre(2, 15));
  EXPECT_THAT(notes[1], testing::ElementsAre(1, 10, 2, 15));
  EXPECT_THAT(notes[4], testing::IsEmpty());
}

TEST(MeetingProgram, LoadsByHand) {
  MeetingProgram program;
  program.body = {{.kind = StatementKind::Note, .number = 7, .loads = true}};
  EXPECT_THAT(notesOf(program, 2)[1], testing::ElementsAre(7 + inputWord(5), 3));
}

// A lane that breaks waits after the loop: for (i < 1 + lane % 2) { if (lane == 3) break; note 1; } note 2;
TEST(MeetingProgram, LoopsByHand) {
  MeetingProgram program;
  Statement loop{.kind = StatementKind::For, .value = {1, 0, 0, 2}};
  Statement leave{.kind = StatementKind::If, .value = {1, 0, 1, 4}}; // not 0: all but lane 3
  leave.otherwise.push_back({.kind = StatementKind::Break});
  loop.body = {leave, {.kind = StatementKind::Note, .number = 1}};
  program.body = {loop, {.kind = StatementKind::Note, .number = 2}};
  const Notes notes = notesOf(program, 4);
  EXPECT_THAT(notes[0], testing::ElementsAre(1, 7, 2, 15));
  EXPECT_THAT(notes[1], testing::ElementsAre(1, 7, 1, 2, 2, 15));
  EXPECT_THAT(notes[3], testing::ElementsAre(2, 15));
}

// A lane that returns from a function waits after the call. The function: if (lane == 3) return; note 1;
// The kernel calls it, then note 2.
TEST(MeetingProgram, CallsByHand) {
  MeetingProgram program;
  Statement call{.kind = StatementKind::Call};
  Statement leave{.kind = StatementKind::If, .value = {1, 0, 1, 4}}; // not 0: all but lane 3
  leave.otherwise.push_back({.kind = StatementKind::Return});
  call.body = {leave, {.kind = StatementKind::Note, .number = 1}};
  program.body = {call, {.kind = StatementKind::Note, .number = 2}};
  const Notes notes = notesOf(program, 4);
  EXPECT_THAT(notes[0], testing::ElementsAre(1, 7, 2, 15));
  EXPECT_THAT(notes[3], testing::ElementsAre(2, 15));
}

// Each part alone: both notes of `if (..) { note 1; } note 2;`, the whole `if`, and its body in its place.
TEST(MeetingProgram, IsMadeSmallerInEveryPlace) {
  MeetingProgram program;
  Statement choice{.kind = StatementKind::If, .value = {1, 0, 0, 2}};
  choice.body.push_back({.kind = StatementKind::Note, .number = 1});
  program.body = {choice, {.kind = StatementKind::Note, .number = 2}};
  std::vector<size_t> sizes;
  for (const MeetingProgram &smaller : smallerThan(program))
    sizes.push_back(smaller.body.size());
  EXPECT_THAT(sizes, testing::ElementsAre(1, 2, 1, 2, 1)); // without: if, if but body, if and body, 1, 2
}

} // namespace
} // namespace assay::meetings
