// Pairs of kernels: one with a defect, and its repaired twin. The checkers find the defect of the first, at
// its lines and by its rule alone, and nothing in the second.
//
// A file of pairs/ has kernels of one kind. Before each stands
//   // case NAME: RULE THREADS[xGROUPS | /GRID] [poison BUFFER]
// and lines of the kernel end with `// [later]` and `// [earlier]` where the finding has its places. With
// REPAIRED defined the same file holds the twins. All buffers are zero at first, but for one that is
// poisoned. RULE is one of the checkers', which is added to the default ones, or that of the fault that ends
// the kernel. There are two textures of 64 x 4 texels, of floats and of integers.
#include "emulator/testing/testing.h"
#include "emulator/validation/checks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

namespace assay::testing {
namespace {

struct Pair {
  std::string file, kernel, rule;
  uint32_t threads = 0, groups = 1, grid = 0; ///< grid: threads of all threadgroups, or 0
  uint32_t later = 0, earlier = 0;
  std::optional<uint32_t> poisoned = {};
};

void PrintTo(const Pair &pair, std::ostream *os) {
  *os << pair.file << ": " << pair.kernel;
}

std::vector<Pair> pairsOf(const std::filesystem::path &file) {
  std::vector<Pair> pairs;
  std::ifstream in(file);
  std::string line;
  static const std::regex head(R"(// case (\w+): ([\w-]+) (\d+)(?:x(\d+)|/(\d+))?(?: poison (\d))?)");
  for (uint32_t number = 1; std::getline(in, line); ++number) {
    std::smatch match;
    if (std::regex_match(line, match, head)) {
      pairs.push_back({file.string(), match[1], match[2], uint32_t(std::stoul(match[3])),
                       match[4].matched ? uint32_t(std::stoul(match[4])) : 1,
                       match[5].matched ? uint32_t(std::stoul(match[5])) : 0});
      if (match[6].matched)
        pairs.back().poisoned = uint32_t(std::stoul(match[6]));
    }
    if (line.find("[later]") != line.npos)
      pairs.back().later = number;
    if (line.find("[earlier]") != line.npos)
      pairs.back().earlier = number;
  }
  return pairs;
}

std::vector<Pair> allPairs() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(ASSAY_PAIRS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Pair> all;
  for (const auto &file : files)
    for (Pair &pair : pairsOf(file))
      all.push_back(std::move(pair));
  return all;
}

Texture textureOf(PixelFormat format) {
  TextureDescriptor descriptor = TextureDescriptor::texture2DDescriptor(format, 64, 4, false);
  descriptor.usage = TextureUsage::ShaderReadWrite;
  return *Device::systemDefault().newTexture(descriptor);
}

// A warning or an error as a finding.
Finding findingOf(const Diagnostic &diagnostic) {
  Finding finding{diagnostic, {}, 1};
  finding.warning.severity = Severity::Warning;
  return finding;
}

class Pairs : public ::testing::TestWithParam<Pair> {
protected:
  /// What is found before the kernel ends, and what ends it.
  static std::vector<Finding> check(const Pair &pair, bool repaired, Schedule schedule = {},
                                    Engine engine = Engine::Auto) {
    Kernel kernel = Kernel::fromFile(pair.file, pair.kernel);
    kernel.pipeline().engine = engine;
    if (repaired)
      kernel.compile().preprocessorMacros.emplace_back("REPAIRED", "1");
    for (uint32_t index = 0; index < 3; ++index)
      if (index == pair.poisoned)
        kernel.output<float>(index, 1024);
      else
        kernel.accumulator<float>(index, 1024);
    kernel.texture(0, textureOf(PixelFormat::R32Float)).texture(1, textureOf(PixelFormat::R32Uint));
    kernel.threadgroupMemory(0, 1024);
    kernel.options().surplusBindings = true;
    kernel.options().schedule = schedule;
    kernel.options().checks = rulesFor(pair);
    if (!repaired) // some never end
      kernel.options().groupTimeout = std::chrono::milliseconds(500);
    Result<std::vector<Finding>> found = kernel.tryCheck(sizeOf(pair));
    if (found)
      return std::move(*found);
    std::vector<Finding> all;
    for (const Diagnostic &diagnostic : found.error().diagnostics)
      if (diagnostic.severity != Severity::Note)
        all.push_back(findingOf(diagnostic));
      else if (!all.empty())
        all.back().notes.push_back(diagnostic);
    return all;
  }

  static DispatchSize sizeOf(const Pair &pair) {
    return pair.grid ? DispatchSize::threads(pair.grid, pair.threads)
                     : DispatchSize::threadgroups(pair.groups, pair.threads);
  }

  static CheckRules rulesFor(const Pair &pair) {
    CheckRules rules = CheckRules::byDefault();
    for (const CheckRuleInfo &info : kCheckRules)
      if (info.name == pair.rule)
        rules.set(info.rule, true);
    return rules;
  }
};

TEST_P(Pairs, TheDefectIsFoundAtItsLinesAndTheTwinIsSilent) {
  const Pair &pair = GetParam();
  const std::vector<Finding> found = check(pair, false);
  // Which of two racing accesses comes last is the schedule's choice.
  const bool either = pair.rule.starts_with("race-");
  EXPECT_THAT(found, ::testing::AnyOf(HasFinding(pair.rule, pair.later, pair.earlier),
                                      HasFinding(pair.rule, either ? pair.earlier : pair.later,
                                                 either ? pair.later : pair.earlier)));
  for (const Finding &finding : found)
    EXPECT_TRUE(finding.warning.rule == pair.rule ||
                (pair.rule == "threadgroup-wait" && finding.warning.rule == "no-progress"))
        << ::testing::PrintToString(finding);
  EXPECT_THAT(check(pair, true), NoFindings());
}

// Findings without the time of the checkers' shortcuts: as an observer that looks at each access by itself.
// Values that nobody has written have no such way; a kernel that ends in a fault has no findings here.
TEST_P(Pairs, ShortcutsChangeNoFinding) {
  const Pair &pair = GetParam();
  CheckRules rules = rulesFor(pair);
  for (const CheckRuleInfo &info : kCheckRules)
    if (info.cost == CheckCost::Values)
      rules.set(info.rule, false);
  for (const bool repaired : {false, true}) {
    KernelSetup setup(pair.file, {}, pair.kernel);
    if (repaired)
      setup.compileOptions().preprocessorMacros.emplace_back("REPAIRED", "1");
    for (uint32_t index = 0; index < 3; ++index)
      setup.bind(index, Role::Accumulator, nullptr, 1024 * sizeof(float));
    setup.setTexture(0, textureOf(PixelFormat::R32Float));
    setup.setTexture(1, textureOf(PixelFormat::R32Uint));
    setup.setThreadgroupMemory(0, 1024);
    const Result<ComputePipeline> pipeline = setup.pipeline();
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    DispatchOptions options;
    options.surplusBindings = true;
    options.groupTimeout = std::chrono::milliseconds(500);
    validation::Checks each(rules, pipeline->activeArguments(), nullptr, {}, false);
    options.observer = &each;
    const Result<DispatchReport> slow = setup.dispatch(sizeOf(pair), options);
    options.observer = nullptr;
    options.checks = rules;
    const Result<DispatchReport> fast = setup.dispatch(sizeOf(pair), options);
    ASSERT_EQ(bool(slow), bool(fast));
    if (fast)
      EXPECT_EQ(::testing::PrintToString(fast->findings), ::testing::PrintToString(each.takeFindings()));
  }
}

TEST_P(Pairs, TheTwinIsSilentInAnotherOrder) {
  for (const uint64_t seed : {1, 2})
    EXPECT_THAT(check(GetParam(), true, {ScheduleKind::Shuffle, seed}), NoFindings()) << seed;
}

// A run on vectors comes first, where the kernel has one (host/quick_check.h). Where a thread stands that
// never ends is a matter of time.
TEST_P(Pairs, FindingsHaveTheSameWordsOnEveryEngine) {
  const auto textOf = [](std::vector<Finding> found) {
    for (Finding &finding : found)
      if (finding.warning.rule == "no-progress") {
        finding.warning.where = {};
        finding.notes.clear();
      }
    return ::testing::PrintToString(found);
  };
  for (const bool repaired : {false, true})
    EXPECT_EQ(textOf(check(GetParam(), repaired, {}, Engine::Vector)),
              textOf(check(GetParam(), repaired, {}, Engine::Fiber)));
}

INSTANTIATE_TEST_SUITE_P(All, Pairs, ::testing::ValuesIn(allPairs()),
                         [](const auto &info) { return info.param.kernel; });

} // namespace
} // namespace assay::testing
