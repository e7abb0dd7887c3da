// Breaks kernels on purpose, one mutation at a time, and demands that their tests notice.
//
//   mutation_check --kernels DIR --programs DIR [--only TEXT] LIST.toml...
//
// Problem.  A test that passes tells nothing until it has been seen to fail for the right reason.
// Choice.   The kernels are files that are compiled at run time, so a mutant is a copy of kernels_msl with
//           one text replaced, and ASSAY_KERNELS_DIR tells the unchanged test program to take it. A mutant
//           counts as noticed only if it still is Metal (no test meets an error of the compiler), the tests
//           pass on the unchanged kernels, and at least one of them fails on the mutant; the first that fails
//           is enough. So a typing error, a filter that matches nothing and a skipped test all count against
//           the list and never for it.
// Rejected  Mutating at random (Clang's AST, operators by table): most such mutants break nothing that
//           anybody feared, and the equivalent ones need a person each.
//           The lists name what the kernels' authors were afraid of.
// Exit      0 if every mutation is noticed, 1 if one is not, 2 if a list or the set-up is wrong.
#include "mutation.h"

#include <fmt/format.h>

#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace {

using namespace assay;
using mutations::Mutation;
namespace fs = std::filesystem;

struct Setup {
  fs::path kernels, programs, work;
  std::string only;
  std::vector<fs::path> lists;
};

std::string quoted(const std::string &text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string contents(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Exit code of a command line; -1 if a signal ended it. What it prints goes to `log`.
int run(const std::string &command, const fs::path &log) {
  const int status =
      std::system(fmt::format("{} >{} 2>&1 </dev/null", command, quoted(log.string())).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct TestRun {
  int exitCode = 0;
  int passed = 0, failed = 0, skipped = 0;
};

int countLines(const std::string &text, std::string_view prefix) {
  int count = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    count += line.starts_with(prefix) && line.ends_with(" ms)");
  return count;
}

class Check {
public:
  explicit Check(const Setup &setup)
      : setup_(setup), copy_(setup.work / "kernels"), log_(setup.work / "log") {
    fs::copy(setup.kernels, copy_, fs::copy_options::recursive);
  }

  /// Prints a line for each mutation. The exit code.
  int all(const std::vector<Mutation> &list) {
    for (const Mutation &m : list)
      if (m.name.find(setup_.only) != std::string::npos ||
          m.file.string().find(setup_.only) != std::string::npos)
        one(m);
    fmt::print("{} mutations, {} noticed{}\n", made_, noticed_,
               wrong_ ? fmt::format(", {} that say nothing", wrong_) : "");
    return wrong_ || made_ == 0 ? 2 : noticed_ == made_ ? 0 : 1;
  }

private:
  void one(const Mutation &m) {
    ++made_;
    const auto start = std::chrono::steady_clock::now();
    const std::string verdict = judge(m);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{:<10} {}: {} ({:.1f} s)\n", verdict.substr(0, verdict.find('\n')), m.file.string(), m.name,
               seconds);
    if (const size_t more = verdict.find('\n'); more != std::string::npos)
      fmt::print("{}\n", verdict.substr(more + 1));
    std::fflush(stdout);
  }

  std::string judge(const Mutation &m) {
    const TestRun &before = baseline(m);
    if (before.exitCode != 0 || before.passed == 0 || before.skipped > 0)
      return wrong(
          m,
          fmt::format("on the unchanged kernels, {} of its tests pass, {} fail, {} are skipped, exit code {}",
                      before.passed, before.failed, before.skipped, before.exitCode));
    const fs::path file = copy_ / m.file;
    if (!fs::is_regular_file(file))
      return wrong(m, fmt::format("there is no {} among the kernels", m.file.string()));
    const std::string original = contents(file);
    const Result<std::string> mutant = mutate(original, m);
    if (!mutant)
      return wrong(m, mutant.error().message());
    std::ofstream(file, std::ios::binary) << *mutant;
    const std::string verdict = judgeMutant(m, file);
    std::ofstream(file, std::ios::binary) << original;
    return verdict;
  }

  std::string judgeMutant(const Mutation &m, const fs::path &file) {
    const TestRun after = runTests(m, copy_, fmt::format("ASSAY_CACHE_DIR={}", quoted(setup_.work / "cache")),
                                   "--gtest_fail_fast");
    if (const std::string error = compileError(contents(log_)); !error.empty())
      return wrong(m, fmt::format("the mutant does not compile: {}", error));
    if (after.exitCode == 0)
      return fmt::format("SURVIVED\n  {}:{}:{}: none of {} tests of {}:{} notices", m.where.file,
                         m.where.line, m.where.column, after.passed, m.program, m.filter);
    ++noticed_;
    return "noticed";
  }

  /// The first error of a compiler in what tests print, if there is one. What a kernel does wrong while it
  /// runs has a place in its file, too, but also one of few rules.
  std::string compileError(const std::string &text) const {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const size_t at = line.find(": error: ");
      if (at == std::string::npos || line.find(copy_.string()) > at)
        continue;
      bool running = false;
      for (const char *rule : {"out-of-bounds", "no-progress", "stack-overflow", "assertion"})
        running |= line.ends_with(fmt::format("[{}]", rule));
      if (!running)
        return line;
    }
    return "";
  }

  const TestRun &baseline(const Mutation &m) {
    const std::string tests = m.program + ":" + m.filter;
    const auto [it, fresh] = baselines_.try_emplace(tests);
    if (fresh)
      it->second = runTests(m, setup_.kernels, "", "");
    return it->second;
  }

  /// Runs a mutation's tests on the kernels of a folder, on fibers: a mutant computes the same wrong results
  /// in every engine, and fibers compile in half the time. Mutants have a cache of their own, which goes with
  /// them.
  TestRun runTests(const Mutation &m, const fs::path &kernels, std::string_view environment,
                   std::string_view options) {
    TestRun result;
    result.exitCode =
        run(fmt::format(
                "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX ASSAY_ENGINE=fiber ASSAY_KERNELS_DIR={} "
                "{} timeout 100 {} --gtest_color=no {} --gtest_filter={}",
                quoted(kernels), environment, quoted(setup_.programs / m.program), options, quoted(m.filter)),
            log_);
    const std::string text = contents(log_);
    result.passed = countLines(text, "[       OK ]");
    result.failed = countLines(text, "[  FAILED  ]");
    result.skipped = countLines(text, "[  SKIPPED ]");
    return result;
  }

  std::string wrong(const Mutation &m, const std::string &why) {
    ++wrong_;
    return fmt::format("WRONG\n  {}:{}:{}: {}", m.where.file, m.where.line, m.where.column, why);
  }

  const Setup &setup_;
  fs::path copy_, log_;
  std::map<std::string, TestRun> baselines_;
  int made_ = 0, noticed_ = 0, wrong_ = 0;
};

int usage() {
  fmt::print(stderr, "usage: mutation_check --kernels DIR --programs DIR [--only TEXT] LIST.toml...\n");
  return 2;
}

} // namespace

int main(int count, char **arguments) {
  Setup setup;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const bool option = argument.starts_with("--");
    if (option && i + 1 == count)
      return usage();
    if (argument == "--kernels")
      setup.kernels = arguments[++i];
    else if (argument == "--programs")
      setup.programs = arguments[++i];
    else if (argument == "--only")
      setup.only = arguments[++i];
    else if (option)
      return usage();
    else
      setup.lists.push_back(argument);
  }
  if (setup.lists.empty() || !fs::is_directory(setup.kernels) || !fs::is_directory(setup.programs))
    return usage();

  std::vector<Mutation> list;
  for (const fs::path &file : setup.lists) {
    Result<std::vector<Mutation>> read = mutations::readMutations(file);
    if (!read) {
      fmt::print(stderr, "{}", renderDiagnostics(read.error().diagnostics));
      return 2;
    }
    list.insert(list.end(), read->begin(), read->end());
  }
  std::string pattern = (fs::temp_directory_path() / "mutations.XXXXXX").string();
  if (!mkdtemp(pattern.data())) {
    fmt::print(stderr, "mutation_check: error: no folder can be made in {}\n",
               fs::temp_directory_path().string());
    return 2;
  }
  setup.work = pattern;
  const int code = Check(setup).all(list);
  fs::remove_all(setup.work);
  return code;
}
