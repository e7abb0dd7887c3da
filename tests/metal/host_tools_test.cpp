// The commands by which a Mac's build files ask about the machine.
#include "tools/host_tools.h"

#include "../host/temporary_folder.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/wait.h>

using assay::metal::findHostTool;
using assay::testing_support::TemporaryFolder;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

class HostTools : public testing::Test {
protected:
  /// Exit code, standard output and standard error of a command, with the tools first in PATH.
  std::string said(const std::string &command) const {
    const std::string line = "cd '" + folder.path().string() +
                             "' && export PATH='" ASSAY_METAL_BIN "':$PATH && { " + command +
                             "; } >out 2>err";
    const int status = std::system(line.c_str());
    return std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + " " + read("out") + read("err");
  }
  std::string read(const std::string &name) const {
    std::ifstream file(folder.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string sdk = std::string(ASSAY_METAL_BIN).substr(0, std::string(ASSAY_METAL_BIN).rfind('/'));
  TemporaryFolder folder;
};

} // namespace

TEST_F(HostTools, EachIsFoundByItsName) {
  for (const char *name :
       {"clang", "clang++", "cc", "c++", "metal", "metallib", "metal-ar", "uname", "sw_vers", "sysctl"}) {
    EXPECT_NE(findHostTool(name), nullptr) << name;
    EXPECT_EQ(said(std::string("xcrun --find ") + name), "0 " ASSAY_METAL_BIN "/" + std::string(name) + "\n");
  }
  EXPECT_EQ(findHostTool("swiftc"), nullptr);
  EXPECT_THAT(said("xcrun swiftc x.swift"), HasSubstr("no tool 'swiftc'"));
}

TEST_F(HostTools, TheSystemIsAMac) {
  EXPECT_EQ(said("uname"), "0 Darwin\n");
  EXPECT_THAT(said("uname -sm"), MatchesRegex("0 Darwin (x86_64|arm64)\n"));
  EXPECT_THAT(said("uname -o"), HasSubstr("'-o' is not understood"));
  EXPECT_EQ(said("ASSAY_SDK_PORTABLE=1 uname -s"), "0 Linux\n");
  EXPECT_EQ(said("sw_vers -productVersion"), "0 26.2\n");
  EXPECT_EQ(said("xcrun --sdk macosx --show-sdk-version"), "0 26.2\n");
  EXPECT_EQ(said("xcrun --sdk macosx --show-sdk-path"), "0 " + sdk + "\n");
  EXPECT_EQ(said("xcode-select -p"), "0 " + sdk + "\n");
  EXPECT_EQ(said("codesign -s - program"), "0 ");
}

TEST_F(HostTools, TheMachineIsAskedAbout) {
  EXPECT_THAT(said("sysctl -n hw.ncpu"), MatchesRegex("0 [1-9][0-9]*\n"));
  EXPECT_THAT(said("sysctl hw.memsize hw.perflevel0.physicalcpu"),
              MatchesRegex("0 hw.memsize: [0-9]+\nhw.perflevel0.physicalcpu: [1-9][0-9]*\n"));
  EXPECT_THAT(said("sysctl -n machdep.cpu.brand_string"), MatchesRegex("0 .+\n"));
  EXPECT_EQ(said("sysctl -n hw.model kern.osproductversion"), "0 Assay\n26.2\n");
  EXPECT_EQ(said("sysctl -n hw.unheard"), "1 sysctl: unknown oid 'hw.unheard'\n");
  EXPECT_THAT(said("sysctl -n"), HasSubstr("sysctl [-n] NAME..."));
}

TEST_F(HostTools, ProgramsAskByNameAndByNumber) {
  folder.write(
      "a.c", "#include <stdio.h>\n#include <sys/sysctl.h>\n#include <sys/types.h>\n"
             "int main(void) {\n"
             "  char name[256], model[6];\n"
             "  size_t size = sizeof name, four = 4, five = 5, six = 6;\n"
             "  int ncpu = 0, cores = 0, ask[2] = {CTL_HW, HW_NCPU};\n"
             "  if (sysctlbyname(\"machdep.cpu.brand_string\", name, &size, NULL, 0) || size < 2) return 1;\n"
             "  if (sysctlbyname(\"hw.perflevel0.physicalcpu\", &cores, &four, NULL, 0)) return 2;\n"
             "  if (!sysctlbyname(\"hw.model\", model, &five, NULL, 0)) return 3;\n"
             "  if (sysctlbyname(\"hw.model\", model, &six, NULL, 0)) return 4;\n"
             "  if (sysctl(ask, 2, &ncpu, &four, NULL, 0) || ncpu != cores) return 5;\n"
             "  puts(model);\n  return 0;\n}\n");
  EXPECT_EQ(said("clang -std=c99 -Wall -Werror a.c -o a && ./a"), "0 Assay\n");
}

TEST_F(HostTools, AnArchiveOfAirIsALibrary) {
  folder.write("a.metal", "kernel void a(device int *x [[buffer(0)]]) { x[0] = 1; }\n");
  folder.write("b.metal", "kernel void b(device int *x [[buffer(0)]]) { x[0] = 2; }\n");
  EXPECT_EQ(
      said("metal -std=osx-metal2.0 -c a.metal && metal -c b.metal && metal-ar r x.metal-ar a.air b.air && "
           "metallib x.metal-ar -o all.metallib"),
      "0 ");
  EXPECT_THAT(read("all.metallib"),
              testing::AllOf(HasSubstr("a.metal"), HasSubstr("b.metal"), HasSubstr("macos-metal2.0")));
  EXPECT_THAT(said("metal-ar t x.metal-ar a.air"), HasSubstr("'t' is not understood"));
  EXPECT_THAT(said("metal-ar r x.metal-ar"), HasSubstr("metal-ar r ARCHIVE FILE.air..."));
}

TEST_F(HostTools, CompilersRunClang) {
  folder.write("a.c",
               "#include <TargetConditionals.h>\n#if !defined(__APPLE__) || !TARGET_OS_OSX\n#error no Mac\n"
               "#endif\nint main(void) { return 3; }\n");
  EXPECT_EQ(said("cc -arch arm64 a.c -o a && ./a"), "3 ");
  EXPECT_EQ(said("xcrun -sdk macosx clang a.c -o a && ./a"), "3 ");
  EXPECT_THAT(said("ASSAY_SDK_PORTABLE=1 clang -c a.c"), HasSubstr("no Mac"));
  EXPECT_THAT(said("clang++ -c a.cpp -framework"), HasSubstr("-framework needs a value after it"));
  // What the compiler says is about the user's own line.
  folder.write("b.cpp", "int main() { return undeclared; }\n");
  EXPECT_THAT(said("clang++ -c b.cpp"), HasSubstr("b.cpp:1:21: error: use of undeclared identifier"));
}
