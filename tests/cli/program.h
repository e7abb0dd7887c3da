// Runs the assay program as a user does, in a folder of its own, and holds what it said.
#pragma once

#include "../host/shared_shims.h"
#include "../host/temporary_folder.h"

#include "support/process/sanitizers.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay::cli_test {

struct Outcome {
  int exitCode = -1;
  std::string out, err;
};

class Program : public testing::Test {
protected:
  Program() {
    // Every test compiles for itself, but never into the user's cache.
    setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1);
    write("add.metal", kAdd);
  }

  /// arguments   as typed into a shell, in the test's folder
  Outcome assay(const std::string &arguments) const {
    const std::string command = "cd '" + folder.path().string() + "' && '" ASSAY_PROGRAM "' " + arguments +
                                " >'" + (folder / "out.txt") + "' 2>'" + (folder / "err.txt") + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")};
  }

  struct Measured : Outcome {
    long kilobytes = 0; ///< of memory, at most
  };
  /// As assay, in a process of its own.
  Measured measure(const std::string &arguments) const {
    const std::string command = "cd '" + folder.path().string() + "' && exec '" ASSAY_PROGRAM "' " +
                                arguments + " >out.txt 2>err.txt";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char *>(nullptr));
      _exit(127);
    }
    int status = 0;
    rusage usage = {};
    EXPECT_EQ(wait4(child, &status, 0, &usage), child);
    return {{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out.txt"), read("err.txt")},
            usage.ru_maxrss};
  }
  /// What the program has without anybody's data is 80 to 160 MB.
  static constexpr long kMostKilobytes = 300 * 1024;
  /// Why memory cannot be measured here; empty if it can.
  static std::string whyNotMeasured() {
#if defined(ASSAY_ASAN) || defined(ASSAY_TSAN)
    return "sanitizers have memory of their own for what a program has";
#else
    return access("/proc/self/pagemap", R_OK) == 0 ? "" : "this system does not tell which pages are touched";
#endif
  }

  /// What assay says about a mistake, after its exit code: "2 error: ...".
  std::string complaint(const std::string &arguments) const {
    const Outcome outcome = assay(arguments);
    EXPECT_EQ(outcome.out, "") << arguments;
    return std::to_string(outcome.exitCode) + " " + outcome.err;
  }

  void write(const std::string &name, const std::string &bytes) const { folder.write(name, bytes); }
  std::string read(const std::string &name) const {
    std::ifstream file(folder.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool exists(const std::string &name) const { return std::filesystem::exists(folder.path() / name); }

  static constexpr const char *kAdd = R"(#include <metal_stdlib>
using namespace metal;

kernel void add(const device float *a [[buffer(0)]], const device float *b [[buffer(1)]],
                device float *sum [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  sum[i] = a[i] + b[i];
}
)";
  static constexpr const char *kAddRun =
      "run add.metal --kernel add --grid 4 --threads 4 --buffer 0=f32:1,2,3,4 "
      "--buffer 1=f32:10,20,30,40 --buffer 2=poison:f32[4] ";

  testing_support::TemporaryFolder folder;

private:
  const std::filesystem::path build = std::filesystem::path(ASSAY_PROGRAM).parent_path().parent_path();
  testing_support::SharedShims shims{build / "test-shims", folder.path() / "cache", ASSAY_PROGRAM};
};

/// Times and digests of times differ from run to run: "0.123 s" becomes "T s".
inline std::string withoutTimes(std::string text) {
  return std::regex_replace(text, std::regex("[0-9]+\\.[0-9]{3} s"), "T s");
}

} // namespace assay::cli_test
