// A kernel that touches 1 MB of a buffer of 4 GB needs the memory of what it touches, with every engine, with
// checks, and in every command that runs kernels.
#include "program.h"
#include "support/process/sanitizers.h"

#include <sys/resource.h>
#include <unistd.h>

namespace assay::cli_test {
namespace {

// The program itself, its compiler and an engine have 80 to 160 MB; a single copy of the buffer has 4096.
constexpr long kMostKilobytes = 300 * 1024;

class SparseMemory : public Program {
protected:
  void SetUp() override {
#if defined(ASSAY_ASAN) || defined(ASSAY_TSAN)
    GTEST_SKIP() << "sanitizers have memory of their own for what a program has";
#endif
    const int pagemap = access("/proc/self/pagemap", R_OK);
    if (pagemap != 0)
      GTEST_SKIP() << "this system does not tell which pages are touched";
    write("touch.metal", R"(#include <metal_stdlib>
using namespace metal;

kernel void touch(device float *big [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  big[536870912 + i] += float(i);
}
)");
  }

  struct Measured {
    int exitCode = -1;
    long kilobytes = 0;
    std::string out, err;
  };
  // In a process of its own, of which the system says how much memory it had at most.
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
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, usage.ru_maxrss, read("out.txt"), read("err.txt")};
  }

  static std::string call(const std::string &spec) {
    return "touch.metal --kernel touch --grid 262144 --threads 256 --buffer 0=" + spec + ":f32[1073741824]";
  }
};

TEST_F(SparseMemory, CostsWhatIsTouchedOnEveryEngine) {
  std::string digest;
  for (const char *engine : {"fiber", "vector", "both"}) {
    const Measured run = measure("run " + call("zeros") + " --json --engine " + engine);
    ASSERT_EQ(run.exitCode, 0) << run.err;
    EXPECT_LT(run.kilobytes, kMostKilobytes) << engine;
    const auto json = nlohmann::json::parse(run.out);
    const std::string found = json["buffers"][0]["digest"];
    EXPECT_EQ(found, digest.empty() ? found : digest) << engine;
    digest = found;
  }
}

TEST_F(SparseMemory, CostsWhatIsTouchedUnderChecks) {
  const Measured zeros = measure("run " + call("zeros") + " --check");
  EXPECT_EQ(zeros.exitCode, 0) << zeros.err;
  EXPECT_LT(zeros.kilobytes, kMostKilobytes);
  // Poison is memory that nobody has written, and the checker knows for each byte.
  const Measured poison = measure("run " + call("poison") + " --check");
  EXPECT_EQ(poison.exitCode, 3) << poison.err;
  EXPECT_THAT(poison.out + poison.err, testing::HasSubstr("uninitialised-device"));
  EXPECT_LT(poison.kilobytes, kMostKilobytes);
}

TEST_F(SparseMemory, CostsWhatIsTouchedIfItIsPoison) {
  for (const char *engine : {"fiber", "both"}) {
    const Measured run = measure("run " + call("poison") + " --engine " + engine);
    EXPECT_EQ(run.exitCode, 0) << run.err;
    EXPECT_LT(run.kilobytes, kMostKilobytes) << engine;
  }
}

TEST_F(SparseMemory, CostsWhatIsTouchedInEveryWayOfVerify) {
  const Measured run = measure("verify " + call("zeros") + " --schedules 2");
  EXPECT_EQ(run.exitCode, 0) << run.out << run.err;
  EXPECT_LT(run.kilobytes, kMostKilobytes);
}

} // namespace
} // namespace assay::cli_test
