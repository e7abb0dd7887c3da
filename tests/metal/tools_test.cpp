// xcrun, metal and metallib as a build calls them, and what they write as a host loads it.
#include "../host/shared_shims.h"
#include "../host/temporary_folder.h"
#include "classes/library_file.h"
#include "tools/paste_includes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>

using namespace assay;
using namespace assay::metal;
using assay::testing_support::SharedShims;
using assay::testing_support::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class Tools : public testing::Test {
protected:
  Tools() { setenv("ASSAY_CACHE_DIR", (folder / "cache").c_str(), 1); }

  /// Exit code and what was printed to standard error,
  /// by a shell in the folder that has the tools first in PATH.
  std::string shell(const std::string &command) const {
    const std::string line = "cd '" + folder.path().string() +
                             "' && export PATH='" ASSAY_METAL_BIN "':$PATH && { " + command +
                             "; } 2>messages";
    const int status = std::system(line.c_str());
    return std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + " " + read("messages");
  }
  std::string read(const std::string &name) const {
    std::ifstream file(folder.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string pasted(const std::string &name, const std::vector<std::string> &paths = {}) const {
    const Result<PastedSource> result = pasteIncludes(folder / name, read(name), paths);
    return result ? withoutFolder(result->text) : result.error().rule();
  }
  std::string withoutFolder(std::string text) const {
    const std::string prefix = folder.path().string() + "/";
    for (size_t at; (at = text.find(prefix)) != text.npos;)
      text.erase(at, prefix.size());
    return text;
  }
  /// Runs one thread of a kernel over int x[4] and returns x[0], or the error.
  std::string run(const std::string &library, const std::string &kernel) const {
    Result<std::vector<Library>> libraries = loadLibraryFile(device, folder / library);
    if (!libraries)
      return renderDiagnostics(libraries.error().diagnostics);
    const Result<Function> function = libraries->back().newFunction(kernel);
    if (!function)
      return function.error().rule();
    const Result<ComputePipeline> pipeline = device.newComputePipelineState(*function);
    if (!pipeline)
      return renderDiagnostics(pipeline.error().diagnostics);
    Buffer x = device.newBuffer(16);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    encoder.setBuffer(x, 0, 0);
    const Result<DispatchReport> report = encoder.dispatchThreads(Size(1), Size(1));
    return report ? std::to_string(x.as<int>()[0]) : renderDiagnostics(report.error().diagnostics);
  }

  TemporaryFolder folder;
  const std::filesystem::path bin = ASSAY_METAL_BIN;
  SharedShims shims{bin.parent_path() / "test-shims", folder.path() / "cache", "/proc/self/exe"};
  Device device = Device::systemDefault();
};

constexpr const char *kBuild =
    "xcrun -sdk macosx metal -O3 -c k.metal -o - | xcrun -sdk macosx metallib - -o default.metallib";
constexpr const char *kKernel = "#include <metal_stdlib>\n#include \"part.h\"\n"
                                "kernel void put(device int *x [[buffer(0)]]) { x[0] = part(x); }\n";

} // namespace

TEST_F(Tools, MakeALibraryThatNeedsItsSourcesNoMore) {
  folder.write("k.metal", kKernel);
  folder.write("part.h", "#pragma once\ninline int part(device int *) { return 41 + ONE; }\n");
  EXPECT_EQ(shell("xcrun -sdk macosx metal -DONE=1 -std=metal3.1 -fno-fast-math -c k.metal -o - | "
                  "xcrun -sdk macosx metallib - -o default.metallib"),
            "0 ");
  std::filesystem::remove(folder.path() / "k.metal");
  std::filesystem::remove(folder.path() / "part.h");
  EXPECT_EQ(run("default.metallib", "put"), "42");
  const auto sources = readLibrary(read("default.metallib"), "it");
  ASSERT_TRUE(sources);
  ASSERT_EQ(sources->size(), 1u);
  EXPECT_EQ(sources->front().languageVersion, LanguageVersion::Metal3_1);
  EXPECT_EQ(sources->front().mathMode, MathMode::Safe);
  EXPECT_THAT(sources->front().macros, ElementsAre(std::pair<std::string, std::string>("ONE", "1")));
}

TEST_F(Tools, MakeALibraryThatLoadsFromAnyFolder) {
  folder.write("kernels/k.metal", kKernel);
  folder.write("kernels/part.h", "inline int part(device int *) { return 7; }\n");
  EXPECT_EQ(shell("metal -c kernels/k.metal -o k.air && metallib k.air -o default.metallib"), "0 ");
  std::filesystem::remove_all(folder.path() / "kernels");
  EXPECT_EQ(run("default.metallib", "put"), "7");
}

TEST_F(Tools, FindMistakesWhenTheHostIsBuilt) {
  folder.write("k.metal", kKernel);
  folder.write("part.h", "\ninline int part(device int *) {\n  return absent;\n}\n");
  const std::string said = shell("xcrun metal -c k.metal -o k.air");
  EXPECT_EQ(
      said,
      "1 part.h:3:10: error: use of undeclared identifier 'absent'\n    return absent;\n           ^\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "k.air"));
  EXPECT_THAT(shell(kBuild), HasSubstr("2 ")) << "the pipe's last program must fail, too";
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "default.metallib"));
}

TEST_F(Tools, FaultsWhileItRunsAreInTheHeadersOwnLine) {
  folder.write("k.metal", kKernel);
  folder.write("part.h", "\n\n\ninline int part(device int *x) {\n  return x[4];\n}\n");
  ASSERT_EQ(shell(kBuild), "0 ");
  const std::string said = run("default.metallib", "put");
  EXPECT_THAT(said, HasSubstr("part.h:5:"));
  EXPECT_THAT(said, HasSubstr("[out-of-bounds]"));
}

TEST_F(Tools, PutSeveralSourcesIntoOneLibrary) {
  folder.write("a.metal", "kernel void a(device int *x [[buffer(0)]]) { x[0] = 1; }\n");
  folder.write("b.metal", "kernel void b(device int *x [[buffer(0)]]) { x[0] = 2; }\n");
  ASSERT_EQ(shell("metal -c a.metal && metal -c b.metal && metallib a.air b.air -o both.metallib"), "0 ");
  EXPECT_EQ(loadLibraryFile(device, folder / "both.metallib")->size(), 2u);
  EXPECT_EQ(run("both.metallib", "b"), "2");
  ASSERT_EQ(shell("metal a.metal b.metal -o at_once.metallib -MD -MF at_once.d"), "0 ");
  EXPECT_EQ(run("at_once.metallib", "b"), "2");
  EXPECT_EQ(read("at_once.d"), "at_once.metallib: a.metal\n");
}

TEST_F(Tools, LinkFunctionsOfSeveralSources) {
  folder.write("a.metal", "int f(int);\nkernel void a(device int *x [[buffer(0)]]) { x[0] = f(3); }\n");
  folder.write("b.metal", "int f(int x) { return x * N; }\n");
  ASSERT_EQ(shell("metal -c a.metal && metal -DN=7 -c b.metal && metallib a.air b.air -o x.metallib && "
                  "metal -DN=8 a.metal b.metal -o y.metallib && metal-ar r z.a a.air b.air && "
                  "metallib z.a -o z.metallib"),
            "0 ");
  EXPECT_EQ(run("x.metallib", "a"), "21");
  EXPECT_EQ(run("y.metallib", "a"), "24");
  EXPECT_EQ(run("z.metallib", "a"), "21");
  EXPECT_EQ(loadLibraryFile(device, folder / "x.metallib")->size(), 1u);
}

TEST_F(Tools, RefuseWhatCannotBeLinked) {
  folder.write("a.metal", "int f(int);\nkernel void a(device int *x [[buffer(0)]]) { x[0] = f(3); }\n");
  folder.write("b.metal", "int g(int x) { return x; }\n");
  folder.write("c.metal", "int g(int x) { return -x; }\n");
  folder.write("d.metal", "kernel void a(device int *x [[buffer(0)]]) { x[0] = 1; }\n");
  ASSERT_EQ(shell("metal -c a.metal && metal -c b.metal && metal -c c.metal && metal -c d.metal"), "0 ");
  EXPECT_THAT(shell("metallib a.air b.air -o x.metallib"),
              HasSubstr("a.metal:2:53: error: 'int f(int)' is declared, and none of the files defines it "
                        "[undefined-symbol]"));
  EXPECT_THAT(shell("metallib b.air c.air -o x.metallib"), HasSubstr("[duplicate-symbol]"));
  EXPECT_THAT(shell("metal b.metal c.metal -o x.metallib"),
              HasSubstr("c.metal:1:5: error: a second definition of 'int g(int)' [duplicate-symbol]"));
  EXPECT_THAT(shell("metallib b.air d.air d.air -o x.metallib"), HasSubstr("a second kernel function 'a'"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "x.metallib"));
}

TEST_F(Tools, LinkWhatIsCompiled) {
  folder.write("a.metal", "kernel void a(device int *x [[buffer(0)]]) { x[0] = ONE; }\n");
  folder.write("b.metal", "kernel void b(device int *x [[buffer(0)]]) { x[0] = 2; }\n");
  folder.write("c.metal", "kernel void c(device int *x [[buffer(0)]]) { x[0] = 3; }\n");
  ASSERT_EQ(shell("metal -DONE=1 -fno-fast-math -c a.metal && metal -fmetal-math-mode=relaxed -c b.metal && "
                  "rm a.metal b.metal && xcrun metal *.air c.metal -o all.metallib"),
            "0 ");
  EXPECT_EQ(loadLibraryFile(device, folder / "all.metallib")->size(), 3u);
  EXPECT_EQ(run("all.metallib", "c"), "3");
  ASSERT_EQ(shell("metal b.air a.air -o two.metallib"), "0 ");
  EXPECT_EQ(run("two.metallib", "a"), "1");
  const auto sources = readLibrary(read("all.metallib"), "it");
  ASSERT_TRUE(sources);
  EXPECT_EQ((*sources)[0].mathMode, MathMode::Safe) << "the options are those of the compilation";
  EXPECT_EQ((*sources)[1].mathMode, MathMode::Relaxed);
  EXPECT_EQ((*sources)[2].mathMode, MathMode::Fast);
  EXPECT_THAT(shell("metal -c a.air"), HasSubstr("-c: 'a.air' is compiled already [bad-option]"));
  folder.write("text.air", "kernel void a() {}\n");
  EXPECT_THAT(shell("metal text.air -o x.metallib"), HasSubstr("'text.air' cannot be loaded as a library"));
}

TEST_F(Tools, Preprocess) {
  folder.write("k.metal",
               "#include <metal_stdlib>\n#include \"sub/a.h\"\n// why\n#if __METAL_VERSION__ >= 300 && "
               "defined(__METAL__)\nkernel void k(device int *x [[buffer(0)]]) { x[0] = TWO; }\n"
               "#endif\n#define NEVER /* in */ 3\nconstant int n = NEVER;\n");
  std::filesystem::create_directory(folder.path() / "sub");
  folder.write("sub/a.h", "#pragma once\n#include \"b.h\"\nMETAL_FUNC int part() { return 1; }\n");
  folder.write("sub/b.h", "#pragma once\nconstant int b = 1;\n");
  ASSERT_EQ(shell("xcrun -sdk macosx metal -x metal -I. -DTWO=2 -E -P k.metal >plain"), "0 ");
  const std::string plain = read("plain");
  EXPECT_THAT(plain, HasSubstr("#include <metal_stdlib>"));
  EXPECT_THAT(plain, HasSubstr("kernel void k(device int *x [[buffer(0)]]) { x[0] = 2; }"));
  EXPECT_THAT(plain, HasSubstr("constant int b = 1;"));
  EXPECT_THAT(plain, HasSubstr("METAL_FUNC int part()"));
  EXPECT_THAT(plain, testing::Not(HasSubstr("why")));
  EXPECT_THAT(plain, testing::Not(HasSubstr("# 1")));
  EXPECT_EQ(shell("metal -I. -DTWO=2 -E -P -CC -C -H k.metal -w -o all"), "0 . ./sub/a.h\n.. ./sub/b.h\n");
  EXPECT_THAT(read("all"), testing::AllOf(HasSubstr("// why"), HasSubstr("/* in */ 3;")));
  ASSERT_EQ(shell("metal -DTWO=2 -E k.metal >marked"), "0 ");
  EXPECT_THAT(read("marked"), HasSubstr("# 1 \"./sub/b.h\""));
  // What comes out compiles.
  folder.write("again.metal", plain);
  ASSERT_EQ(shell("metal again.metal -o again.metallib"), "0 ");
  EXPECT_EQ(run("again.metallib", "k"), "2");
  folder.write("bad.metal", "#include \"gone.h\"\n");
  EXPECT_THAT(shell("metal -E bad.metal"), HasSubstr("1 bad.metal:1:10: error: 'gone.h' file not found"));
  EXPECT_THAT(shell("metal -E k.metal bad.metal"), HasSubstr("-E takes one source, not 2"));
}

TEST_F(Tools, TheOldestMacDecidesTheLanguage) {
  folder.write("v.metal", "__METAL_VERSION__\n");
  const auto version = [&](const std::string &options) {
    EXPECT_EQ(shell("metal " + options + " -E -P v.metal >v"), "0 ");
    const std::string text = read("v");
    return text.substr(text.find_last_not_of("\n") - 2, 3);
  };
  EXPECT_EQ(version("-mmacosx-version-min=26.2"), "400");
  EXPECT_EQ(version("-mmacos-version-min=26.0 -std=metal3.1"), "310");
  EXPECT_EQ(version("-mmacosx-version-min=14.0"), version(""));
  EXPECT_THAT(shell("metal -mmacosx-version-min=new -c v.metal"),
              HasSubstr("'new' is not a version of macOS"));
}

TEST_F(Tools, MakeLibrariesForTheNumericsOfWhoeverLoadsThem) {
  folder.write("a.metal", "kernel void a(device int *x [[buffer(0)]]) { x[0] = 1; }\n");
  ASSERT_EQ(shell("metal a.metal -o a.metallib"), "0 ");
  PipelineOptions pipelines;
  pipelines.numerics.contract = Contraction::Fast;
  for (const char *file : {"a.metallib", "a.metal"}) {
    const Result<std::vector<Library>> libraries = loadLibraryFile(device, folder / file, pipelines);
    ASSERT_TRUE(libraries) << file;
    EXPECT_TRUE(device.newComputePipelineState(*libraries->back().newFunction("a"), pipelines)) << file;
  }
}

TEST_F(Tools, RefuseWhatApplesCompilerMade) {
  folder.write("theirs.metallib", std::string("MTLB\0\1", 6));
  const std::string expected =
      "'theirs.metallib' cannot be loaded as a library: it was made by Apple's compiler, "
      "for Apple's GPUs [bad-metallib]\n  build it again with Assay's xcrun first in PATH, "
      "or load the .metal source\n";
  EXPECT_EQ(shell("metallib theirs.metallib -o mine.metallib"), "2 metallib: error: " + expected);
  EXPECT_EQ(withoutFolder(run("theirs.metallib", "put")), "error: " + expected);
}

TEST_F(Tools, RefuseAVersionThatIsNone) {
  for (const char *version : {"2", "1e99", "-1", "\"1\"", "null", "[1]"}) {
    const auto sources =
        readLibrary(fmt::format("{{\"assay_metallib\": {}, \"sources\": []}}", version), "it");
    ASSERT_FALSE(sources) << version;
    EXPECT_EQ(sources.error().message(),
              "'it' cannot be loaded as a library: it was written by another version of Assay");
  }
}

TEST_F(Tools, RefuseWhatNobodyWrote) {
  for (const char *text :
       {"kernel void k() {}", "{", "{}", "[1]", "null", R"({"assay_metallib": 1})",
        R"({"assay_metallib": 1, "sources": 3})", R"({"assay_metallib": 1, "sources": [{"name": "a"}]})"}) {
    const auto sources = readLibrary(text, "it");
    ASSERT_FALSE(sources) << text;
    EXPECT_EQ(sources.error().message(),
              "'it' cannot be loaded as a library: Assay's compiler has not written it, or it is damaged")
        << text;
  }
}

TEST_F(Tools, NameWhatTheyDoNotKnow) {
  folder.write("k.metal", "");
  EXPECT_THAT(shell("metal -fmagic -c k.metal"), HasSubstr("unknown option '-fmagic' [bad-option]"));
  EXPECT_THAT(shell("metal -std=metal9.0 -c k.metal"),
              HasSubstr("-std=metal9.0: no such version of Metal here"));
  EXPECT_EQ(shell("metal -ftexture-write-rounding-mode=rte -c k.metal"), "0 ");
  EXPECT_THAT(
      shell("metal -ftexture-write-rounding-mode=rtz -c k.metal"),
      HasSubstr("-ftexture-write-rounding-mode=rtz: writes to textures do not round towards zero here"));
  EXPECT_THAT(shell("metal -c gone.metal"), HasSubstr("cannot read 'gone.metal': No such file"));
  EXPECT_THAT(shell("metallib gone.air"), HasSubstr("cannot read 'gone.air': No such file"));
  EXPECT_THAT(shell("metal"), HasSubstr("no source to compile"));
  EXPECT_THAT(shell("xcrun -sdk macosx swiftc"), HasSubstr("no tool 'swiftc'"));
  EXPECT_EQ(shell("test \"$(xcrun -sdk macosx -find metal)\" = '" ASSAY_METAL_BIN "/metal'"), "0 ");
}

TEST_F(Tools, PasteHeadersBetweenLineDirectives) {
  folder.write("k.metal", "#include <metal_stdlib>\n#include \"a.h\" // why\nint k;\n");
  folder.write("a.h", "#include <inc.h>\nint a;");
  folder.write("more/inc.h", "int inc;\n");
  EXPECT_EQ(pasted("k.metal", {folder / "more"}), "#include <metal_stdlib>\n"
                                                  "#line 1 \"a.h\"\n"
                                                  "#line 1 \"more/inc.h\"\nint inc;\n"
                                                  "#line 1 \"a.h\"\n\nint a;\n"
                                                  "#line 2 \"k.metal\"\n // why\nint k;\n");
}

TEST_F(Tools, IncludeHeadersBeforeTheFirstLine) {
  folder.write("a.h", "#define A 6\n");
  folder.write("k.metal", "kernel void put(device int *x [[buffer(0)]]) { x[0] = metal::simd_max(A); }\n");
  EXPECT_EQ(shell("metal k.metal -include metal_stdlib -include a.h -o k.metallib"), "0 ");
  std::filesystem::remove(folder / "a.h");
  EXPECT_EQ(run("k.metallib", "put"), "6");
  folder.write("a.h", "#define A absent\n");
  EXPECT_EQ(shell("metal k.metal -include metal_stdlib -include a.h -o k.metallib").substr(0, 30),
            "1 k.metal:1:71: error: use of ");
  EXPECT_EQ(shell("metal -E -P k.metal -include a.h | grep -q absent"), "0 ");
  EXPECT_EQ(shell("metal k.metal -o k.metallib").substr(0, 2), "1 ") << "a file has to include the library";
  EXPECT_EQ(shell("metal k.metal -include").substr(0, 2), "2 ");
}

TEST_F(Tools, LeaveIncludesInCommentsAndOfWhatIsNotThere) {
  folder.write("a.h", "int a;\n");
  const std::string text = "/* \n#include \"a.h\"\n*/\n#if NEVER\n#include \"gone.h\"\n#endif\n"
                           "#define S \"/*\"\n#define M \\\n#include \"a.h\"\n";
  folder.write("k.metal", text);
  EXPECT_EQ(pasted("k.metal"), text);
}

TEST_F(Tools, ReadNoFileWhoseNameIsCutShort) {
  folder.write("a.h", "int a;");
  const std::string text("#include \"a.h\0b\"\n", 17);
  const auto result = pasteIncludes(folder / "k.metal", text, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->text, text);
  EXPECT_TRUE(result->files.empty());
}

TEST_F(Tools, CountLinesOnAfterABranchThatWasPastedInto) {
  folder.write("a.h", "int a;\n");
  folder.write("k.metal", "#if NEVER\n#include \"a.h\"\n#else\nint b = absent;\n#endif\nint c = absent;\n");
  EXPECT_EQ(shell("metal -c k.metal -o k.air"),
            "1 k.metal:4:9: error: use of undeclared identifier 'absent'\n  int b = absent;\n          ^\n"
            "k.metal:6:9: error: use of undeclared identifier 'absent'\n  int c = absent;\n          ^\n");
}

TEST_F(Tools, PasteOnceWhatIsToBeThereOnce) {
  folder.write("a.h", "#pragma once\nconstant int a = 1;\n");
  folder.write("b.h", "#ifndef B\n#define B\n#include \"a.h\"\n#include \"b.h\"\n#endif\n");
  folder.write("k.metal",
               "#if 0\n#include \"a.h\"\n#endif\n#include \"a.h\"\n#include \"b.h\"\n#import \"a.h\"\n"
               "#if __has_include(\"a.h\") && !__has_include(\"gone.h\")\n"
               "kernel void k(device int *x [[buffer(0)]]) { x[0] = a; }\n#endif\n");
  ASSERT_EQ(shell("metal k.metal -o k.metallib && rm a.h b.h k.metal"), "0 ");
  EXPECT_EQ(run("k.metallib", "k"), "1");
}

TEST_F(Tools, RefuseAFileThatIncludesItselfForEver) {
  folder.write("k.metal", "#include \"a.h\"\n");
  folder.write("a.h", "int a;\n#include \"a.h\"\n");
  EXPECT_EQ(pasted("k.metal"), "include-cycle");
}
