// A Mac's compiler command lines become this machine's. What each option means is from the manual pages of
// clang and of Apple's ld; what replaces it, from those of Clang and GNU ld.
#include "tools/mac_arguments.h"

#include "../host/temporary_folder.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

using namespace assay;
using namespace assay::metal;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

HostCompiler compilerOf(bool cxx) {
  HostCompiler compiler;
  compiler.program = "/bin/clang-19";
  compiler.sdk = "/sdk";
  compiler.cxx = cxx;
  return compiler;
}

HostCommand translated(const std::vector<std::string> &arguments,
                       const HostCompiler &compiler = compilerOf(true)) {
  Result<HostCommand> command = hostCommand(compiler, arguments);
  EXPECT_TRUE(command) << (command ? "" : command.error().message());
  return command ? *command : HostCommand();
}

/// The words that a compilation has after those that every command gets, without the source.
std::string compiling(std::vector<std::string> arguments, HostCompiler compiler = compilerOf(true)) {
  const size_t always = translated({"-c"}, compiler).words.size() - 1;
  arguments.push_back("-c");
  const HostCommand command = translated(arguments, compiler);
  return fmt::format("{}",
                     fmt::join(command.words.begin() + ptrdiff_t(always), command.words.end() - 1, " "));
}

/// Likewise of a link, up to the unwinder, which comes first of what is added.
std::string linking(std::vector<std::string> arguments, HostCompiler compiler = compilerOf(true)) {
  const std::string text = fmt::format("{}", fmt::join(translated(arguments, compiler).words, " "));
  const std::string begin = "host_prefix.h ";
  const size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(" -Wl,--push-state") - at);
}

} // namespace

TEST(MacArguments, AllGetWhatAMacsCompilerGivesUnasked) {
  EXPECT_THAT(translated({"-c", "a.c"}, compilerOf(false)).words,
              ElementsAre("/bin/clang-19", "-fblocks", "-fobjc-runtime=gnustep-2.2", "-isystem",
                          "/sdk/include", "-Wno-unused-command-line-argument", "-DASSAY_SDK_APPLE=1",
                          "-include", "/sdk/include/assay/host_prefix.h", "-c", "a.c"));
  HostCompiler portable = compilerOf(false);
  portable.portable = true;
  EXPECT_THAT(fmt::format("{}", fmt::join(translated({"-c", "a.c"}, portable).words, " ")),
              testing::AllOf(HasSubstr("-DASSAY_SDK_PORTABLE=1"), testing::Not(HasSubstr("SDK_APPLE"))));
}

TEST(MacArguments, TheMachineAndTheSystemAreThisOnes) {
  EXPECT_EQ(compiling({"-arch", "arm64", "-arch", "x86_64", "-mmacosx-version-min=12.0", "-isysroot",
                       "/Xcode/MacOSX14.2.sdk", "-target", "arm64-apple-macos13", "--target=arm64-apple-ios",
                       "--sysroot=/x", "-isysroot/y"}),
            "");
  HostCompiler arm = compilerOf(true);
  arm.arm = true;
  const std::vector<std::string> processors = {
      "-mcpu=apple-m1", "-march=armv8.4-a+dotprod", "-mtune=native", "-Xarch_arm64", "-DARM", "-Xarch_x86_64",
      "-mavx2"};
  EXPECT_EQ(compiling(processors), "-mtune=native -mavx2");
  EXPECT_EQ(compiling(processors, arm), "-mcpu=apple-m1 -march=armv8.4-a+dotprod -mtune=native -DARM");
  EXPECT_EQ(compiling({"-mcpu=native", "-march=haswell", "-mcpu=cortex-a76"}),
            "-march=native -march=haswell");
  EXPECT_EQ(compiling({"-mcpu=native"}, arm), "-mcpu=native");
  EXPECT_THAT(translated({"a.c", "-mcpu=native", "-mcpu=apple-m1"}).notes,
              ElementsAre("-mcpu=apple-m1: this machine is not an ARM, so the code is for every x86-64"));
}

TEST(MacArguments, CMakesToolchainFileSaysItselfWhatOthersGetUnasked) {
  HostCompiler cmake = compilerOf(true);
  cmake.cmake = true;
  EXPECT_THAT(translated({"-mmacosx-version-min=12", "-O2", "-c", "a.cpp"}, cmake).words,
              ElementsAre("/bin/clang-19", "-O2", "-c", "a.cpp"));
  const std::string link =
      fmt::format("{}", fmt::join(translated({"a.o", "-framework", "Metal"}, cmake).words, " "));
  EXPECT_THAT(link, HasSubstr("clang-19 a.o -Wl,--push-state,--no-as-needed -L/sdk/lib -Wl,-rpath,/sdk/lib "
                              "-lMetal -Wl,--pop-state"));
}

TEST(MacArguments, OtherOptionsAndValuesStayInOrder) {
  EXPECT_EQ(compiling({"-O2", "-DX=\"a b\"", "-o", "-arch", "-I", "/F", "-Fframeworks", "-iframework", "g",
                       "-MF", "-framework", "-x", "objective-c++", "-fobjc-arc", "-fmodules"}),
            "-O2 -DX=\"a b\" -o -arch -I /F -MF -framework -x objective-c++ -fobjc-arc");
}

TEST(MacArguments, TheStandardLibraryIsWhatIsInstalled) {
  HostCompiler with = compilerOf(true);
  with.libcxx = true;
  EXPECT_THAT(translated({"-stdlib=libc++", "-c", "a.cpp"}, with).words, testing::Contains("-stdlib=libc++"));
  const HostCommand without = translated({"-stdlib=libc++", "a.cpp"});
  EXPECT_THAT(without.words, testing::Not(testing::Contains("-stdlib=libc++")));
  EXPECT_THAT(without.notes, ElementsAre(HasSubstr("libc++ is not installed, so libstdc++ is used")));
  EXPECT_THAT(translated({"-stdlib=libc++", "a.c"}, compilerOf(false)).notes, IsEmpty());
}

TEST(MacArguments, FrameworksAreOneLibrary) {
  const HostCommand command = translated({"a.o", "-framework", "Metal", "-weak_framework", "Foundation"});
  EXPECT_THAT(fmt::format("{}", fmt::join(command.words, " ")),
              HasSubstr("a.o -Wl,--push-state,--no-as-needed -lgcc_s -L/sdk/lib -Wl,-rpath,/sdk/lib -lMetal "
                        "-Wl,--pop-state -lm -lpthread -ldl"));
  EXPECT_THAT(command.notes, IsEmpty());
  EXPECT_THAT(translated({"a.o"}).words, testing::Not(testing::Contains("-lMetal")));
  EXPECT_THAT(translated({"a.o", "-lobjc"}).words, testing::Contains("-lMetal"));
  EXPECT_THAT(translated({"a.m"}).words, testing::Contains("-lMetal"));
  EXPECT_THAT(translated({"-x", "objective-c++", "a.c"}).words, testing::Contains("-lMetal"));
  // Only what is linked is linked.
  EXPECT_THAT(translated({"-c", "a.m", "-framework", "AppKit"}).notes, IsEmpty());
}

TEST(MacArguments, AFrameworkThatIsNotHereIsANote) {
  const HostCommand command =
      translated({"a.o", "-framework", "AppKit", "-framework", "metal", "-framework", "AppKit"});
  EXPECT_THAT(command.notes,
              ElementsAre(HasSubstr("-framework AppKit: not in this SDK, which has Foundation,")));
  EXPECT_EQ(linking({"a.o", "-framework", "Accelerate", "-framework", "OpenCL"}), "a.o -lblas -lOpenCL");
  HostCompiler lapack = compilerOf(true);
  lapack.lapack = true;
  EXPECT_EQ(linking({"a.o", "-framework", "Accelerate"}, lapack), "a.o -llapack -lblas");
}

TEST(MacArguments, OptionsOfTheLinker) {
  EXPECT_EQ(linking({"a.o", "-dead_strip", "-headerpad_max_install_names", "-Wl,-search_paths_first",
                     "-undefined", "dynamic_lookup", "-Wl,-undefined,dynamic_lookup", "-Xlinker", "-w"}),
            "a.o -Wl,--gc-sections");
  EXPECT_EQ(linking({"a.o", "-Wl,-rpath,@executable_path/../lib", "-Wl,-rpath", "-Wl,@loader_path", "-rpath",
                     "/x"}),
            "a.o -Xlinker -rpath -Xlinker $ORIGIN/../lib -Xlinker -rpath -Xlinker $ORIGIN -Xlinker -rpath "
            "-Xlinker /x");
  EXPECT_EQ(linking({"a.o", "-Wl,--as-needed,-z,now"}), "a.o -Xlinker --as-needed -Xlinker -z -Xlinker now");
  EXPECT_EQ(linking({"-dynamiclib", "-install_name", "@rpath/libA.dylib", "-current_version", "1.2", "a.o"}),
            "-shared -fPIC -Xlinker -soname -Xlinker libA.dylib a.o");
  EXPECT_EQ(linking({"a.o", "-force_load", "libB.a"}),
            "a.o -Wl,--whole-archive libB.a -Wl,--no-whole-archive");
  EXPECT_EQ(linking({"a.o", "libB.a", "-ObjC"}), "-Wl,--whole-archive a.o libB.a -Wl,--no-whole-archive");
  EXPECT_EQ(linking({"a.o", "-lc++", "-lSystem", "-lz", "-weak-lq"}), "a.o -lz -lq");
}

TEST(MacArguments, SectionsOfDataAreNotPutIntoTheProgram) {
  EXPECT_THAT(translated({"a.o", "-sectcreate", "__TEXT", "__info_plist", "Info.plist"}).notes, IsEmpty());
  const HostCommand command = translated({"a.o", "-Wl,-sectcreate,__DATA,__lib,default.metallib"});
  EXPECT_THAT(command.notes,
              ElementsAre("-sectcreate __DATA __lib: default.metallib is not put into the program"));
}

TEST(MacArguments, ALibraryOfTheBuildMayHaveAMacsName) {
  const testing_support::TemporaryFolder folder;
  folder.write("liba.dylib", "");
  folder.write("libb.dylib", "");
  folder.write("libb.so", "");
  const std::string path = "-L" + folder.path().string();
  EXPECT_EQ(linking({"x.o", path, "-la", "-lb", "-lc"}), "x.o " + path + " -l:liba.dylib -lb -lc");
}

TEST(MacArguments, AnOptionWithoutItsValueIsAnError) {
  for (const std::vector<std::string> &arguments : {std::vector<std::string>{"a.o", "-framework"},
                                                    {"a.o", "-Wl,-rpath"},
                                                    {"a.o", "-Xlinker"},
                                                    {"-arch"}}) {
    const Result<HostCommand> command = hostCommand(compilerOf(true), arguments);
    ASSERT_FALSE(command) << arguments.back();
    EXPECT_THAT(command.error().message(), HasSubstr("needs a value after it"));
  }
  EXPECT_THAT(hostCommand(compilerOf(true), {"a.o", "-sectcreate", "A", "B"}).error().message(),
              HasSubstr("-sectcreate needs three values"));
}
