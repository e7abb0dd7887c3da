// Bad input: one clear message, an exit code, nothing half-written. Whole messages are compared.
#include "program.h"
#include "support/files/npy.h"

namespace assay::cli_test {
namespace {

class BadInput : public Program {
protected:
  const std::string run = "run add.metal --kernel add --grid 4 --threads 4 ";
  const std::string bound = "--buffer 0=f32:1,2,3,4 --buffer 1=f32:1,2,3,4 --buffer 2=zeros:f32[4] ";
  const std::string has =
      "  kernel 'add' has: buffer 0 (const device float *a), buffer 1 (const device float *b), "
      "buffer 2 (device float *sum)\n";
};

} // namespace

TEST_F(BadInput, AMissingFile) {
  EXPECT_EQ(complaint("check no.metal"),
            "2 error: cannot read 'no.metal': No such file or directory [no-such-file]\n");
  EXPECT_EQ(complaint("run no.metal --kernel k --grid 1 --threads 1"),
            "2 error: cannot read 'no.metal': No such file or directory [no-such-file]\n");
  EXPECT_EQ(complaint("translate no.metal"),
            "2 error: cannot read 'no.metal': No such file or directory [no-such-file]\n");
}

TEST_F(BadInput, AnUnknownCommand) {
  EXPECT_EQ(complaint("rum add.metal"),
            "2 error: no command 'rum' [unknown-command]\n"
            "  commands: check, diff, numerics, run, translate, verify; try: assay --help\n");
}

TEST_F(BadInput, AFolderInsteadOfAFile) {
  EXPECT_EQ(complaint("check ."), "2 error: cannot read '.': Is a directory [unreadable-file]\n");
}

TEST_F(BadInput, AnUnknownKernelNamesTheNearest) {
  EXPECT_EQ(complaint("run add.metal --kernel adn --grid 4 --threads 4 " + bound),
            "2 error: no kernel 'adn' in add.metal [unknown-kernel]\n  did you mean 'add'?\n");
}

TEST_F(BadInput, ACompileErrorIsAtTheUsersOwnPlace) {
  write("bad.metal", "#include <metal_stdlib>\nkernel void f(device int *x) {\n  x[0] = y;\n}\n");
  EXPECT_EQ(complaint("check bad.metal"), "1 bad.metal:3:10: error: use of undeclared identifier 'y'\n"
                                          "    x[0] = y;\n"
                                          "           ^\n");
}

TEST_F(BadInput, AMissingBinding) {
  EXPECT_EQ(complaint(run + "--buffer 0=f32:1,2,3,4 --buffer 2=zeros:f32[4]"),
            "2 error: kernel 'add' needs a buffer at index 1 (const device float *b), none is bound "
            "[missing-binding]\n" +
                has);
}

TEST_F(BadInput, ASurplusBinding) {
  EXPECT_EQ(complaint(run + bound + "--buffer 3=i32:1"),
            "2 error: a buffer is bound at index 3, kernel 'add' has no argument there [surplus-binding]\n" +
                has);
  EXPECT_EQ(complaint(run + bound + "--threadgroup-memory 0=16"),
            "2 error: a threadgroup memory length is set at index 0, kernel 'add' has no argument there "
            "[surplus-binding]\n" +
                has);
}

TEST_F(BadInput, ABindingGivenTwice) {
  EXPECT_EQ(complaint(run + bound + "--buffer 0=i32:1"),
            "2 error: --buffer is given twice for index 0 [bad-option]\n");
}

TEST_F(BadInput, AMissingFunctionConstant) {
  write("fc.metal", "#include <metal_stdlib>\n"
                    "constant int scale [[function_constant(7)]];\n"
                    "kernel void f(device int *x [[buffer(0)]]) { x[0] *= scale; }\n");
  const Outcome outcome = assay("run fc.metal --kernel f --grid 1 --threads 1 --buffer 0=i32:1");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("scale"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("[missing-function-constant]"));
}

TEST_F(BadInput, AnUnknownFunctionConstantNamesTheNearest) {
  write("fc.metal", "#include <metal_stdlib>\n"
                    "constant int scale [[function_constant(7)]];\n"
                    "kernel void f(device int *x [[buffer(0)]]) { x[0] *= scale; }\n");
  const std::string run = "run fc.metal --kernel f --grid 1 --threads 1 --buffer 0=i32:1 ";
  EXPECT_EQ(complaint(run + "--constant scael=2"),
            "2 error: no function constant 'scael' [unknown-function-constant]\n  did you mean 'scale'?\n");
  EXPECT_EQ(complaint(run + "--constant 8=2"),
            "2 error: no function constant has index 8 "
            "[unknown-function-constant]\n  function constants: 7 (scale)\n");
  EXPECT_EQ(complaint(run + "--constant scale=1.5"),
            "2 error: --constant scale=1.5: '1.5' is not a value of type i32 [bad-value]\n");
  EXPECT_EQ(complaint(run + "--constant scale=1,2"),
            "2 error: --constant scale=1,2: scale of int needs 1 values, 2 are given [bad-value]\n");
  EXPECT_EQ(complaint(run + "--constant scale"),
            "2 error: --constant scale: it should be INDEX=VALUE or NAME=VALUE [bad-option]\n");
}

TEST_F(BadInput, ABufferShorterThanItsOutShape) {
  EXPECT_EQ(assay(run + bound + "--out 2=o.npy:f32[5]").err,
            "error: o.npy: the shape asked for needs 20 bytes, the buffer has 16 [output-shape]\n");
  EXPECT_FALSE(exists("o.npy"));
}

TEST_F(BadInput, ABufferThatIsNoWholeNumberOfElements) {
  write("seven.bin", "1234567");
  EXPECT_EQ(complaint(run + "--buffer 0=seven.bin --buffer 1=f32:1 --buffer 2=f32:1"),
            "2 error: buffer 0 has 7 bytes, not a whole number of float (4 bytes each, argument 'a') "
            "[misaligned-buffer]\n");
}

TEST_F(BadInput, TooManyThreads) {
  EXPECT_EQ(complaint("run add.metal --kernel add --grid 4 --threads 33,32 " + bound),
            "2 error: a threadgroup of 33 x 32 x 1 = 1056 threads is more than the largest, 1024 threads "
            "[threadgroup-size]\n");
}

TEST_F(BadInput, MoreThreadsThanTheKernelAllows) {
  write("max.metal",
        "#include <metal_stdlib>\n"
        "[[kernel, max_total_threads_per_threadgroup(64)]] void f(device int *x [[buffer(0)]]) { x[0] = "
        "1; }\n");
  EXPECT_EQ(complaint("run max.metal --kernel f --threadgroups 1 --threads 65 --buffer 0=i32:0"),
            "2 error: a threadgroup of 65 x 1 x 1 = 65 threads is more than the 64 that kernel 'f' allows "
            "[threadgroup-size]\n  its max_total_threads_per_threadgroup attribute says so\n");
}

TEST_F(BadInput, AnotherThreadgroupThanTheKernelRequires) {
  write("required.metal",
        "#include <metal_stdlib>\n"
        "[[kernel, required_threads_per_threadgroup(8, 4)]] void f(device int *x [[buffer(0)]]) { x[0] = "
        "1; }\n");
  EXPECT_EQ(complaint("run required.metal --std metal4.0 --kernel f --threadgroups 1 --threads 4,8 "
                      "--buffer 0=i32:0"),
            "2 error: a threadgroup of 4 x 8 x 1 threads is not the 8 x 4 x 1 that kernel 'f' requires "
            "[threadgroup-size]\n  its required_threads_per_threadgroup attribute says so\n");
}

TEST_F(BadInput, ARequiredThreadgroupThatCannotBe) {
  write("required.metal",
        "[[kernel, required_threads_per_threadgroup(64, 32)]] void f(device int *x) { *x = 1; }\n"
        "[[kernel, required_threads_per_threadgroup(8, 0)]] void g(device int *x) { *x = 1; }\n");
  const std::string text = complaint("check required.metal --std metal4.0");
  EXPECT_NE(text.find("required.metal:1:1: error: required_threads_per_threadgroup asks for 2048 threads, a "
                      "threadgroup has at most 1024"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("required.metal:2:1: error: required_threads_per_threadgroup is 0 along y, must be 1 to "
                "1024"),
      std::string::npos)
      << text;
}

TEST_F(BadInput, ThreadgroupMemory) {
  write("tg.metal", "#include <metal_stdlib>\n"
                    "kernel void f(device int *x [[buffer(0)]], threadgroup int *t [[threadgroup(0)]]) {\n"
                    "  t[0] = 1;\n  x[0] = t[0];\n}\n");
  const std::string run = "run tg.metal --kernel f --threadgroups 1 --threads 1 --buffer 0=i32:0 ";
  EXPECT_EQ(
      complaint(run),
      "2 error: kernel 'f' needs a threadgroup memory length at index 0 (threadgroup int *t), none is set "
      "[missing-binding]\n  kernel 'f' has: buffer 0 (device int *x), threadgroup 0 (threadgroup int *t)\n");
  EXPECT_EQ(complaint(run + "--threadgroup-memory 0=100"),
            "2 error: threadgroup memory length 100 at index 0 is not a multiple of 16 "
            "[threadgroup-memory-length]\n"
            "  112 is the next that is\n");
  EXPECT_EQ(complaint(run + "--threadgroup-memory 0=32784"),
            "2 error: 32784 bytes of threadgroup memory (0 of the kernel's variables, 32784 of lengths set) "
            "are more "
            "than 32768 [threadgroup-memory]\n");
  EXPECT_EQ(complaint(run + "--threadgroup-memory 0=x"),
            "2 error: --threadgroup-memory 0=x: 'x' is not a number of bytes [bad-option]\n");
}

TEST_F(BadInput, AnEmptyDispatch) {
  EXPECT_EQ(complaint("run add.metal --kernel add --grid 0 --threads 4 " + bound),
            "2 error: a grid of 0 x 1 x 1 threads is empty [empty-dispatch]\n");
  EXPECT_EQ(complaint("run add.metal --kernel add --threadgroups 1 --threads 4,0 " + bound),
            "2 error: a threadgroup of 4 x 0 x 1 threads is empty [empty-dispatch]\n");
}

TEST_F(BadInput, AnUnreadableNpy) {
  write("no.npy", "hello");
  EXPECT_EQ(complaint(run + "--buffer 0=no.npy"),
            "2 no.npy: error: --buffer 0: not an .npy file: it does not begin with \\x93NUMPY [npy]\n"
            "  raw bytes are read from files whose name ends in .bin\n");
  EXPECT_EQ(complaint(run + "--buffer 0=gone.npy"),
            "2 error: --buffer 0: cannot read 'gone.npy': No such file or directory [no-such-file]\n");
}

TEST_F(BadInput, AFortranOrderNpy) {
  std::string bytes = npyBytes(ScalarType::Float, {2, 2}, std::string(16, '\0'));
  bytes.replace(bytes.find("False"), 5, "True ");
  write("f.npy", bytes);
  EXPECT_EQ(complaint(run + "--buffer 0=f.npy"),
            "2 f.npy: error: --buffer 0: the array is in Fortran order; kernels index in C order [npy]\n"
            "  in NumPy: numpy.save(file, numpy.ascontiguousarray(a))\n");
}

TEST_F(BadInput, OptionsThatMakeNoSense) {
  EXPECT_EQ(complaint("run add.metal --kernel add --threads 4 " + bound),
            "2 error: either --threadgroups or --grid must be given [bad-option]\n"
            "  --threadgroups counts threadgroups, --grid counts threads\n");
  EXPECT_EQ(complaint(run + bound + "--threadgroups 1"),
            "2 error: --threadgroups and --grid exclude each other [bad-option]\n"
            "  --threadgroups counts threadgroups, --grid counts threads\n");
  EXPECT_EQ(complaint("run add.metal --kernel add --grid 4,x --threads 4 " + bound),
            "2 error: --grid 4,x: it should be X, X,Y or X,Y,Z [bad-option]\n");
  EXPECT_EQ(complaint(run + bound + "--schedule random"),
            "2 error: schedule random: no such schedule [bad-option]\n"
            "  schedules: auto, canonical, parallel, shuffle:SEED\n");
  EXPECT_EQ(complaint(run + bound + "--numerics fast"),
            "2 error: numerics 'fast': no profile 'fast' [bad-numerics]\n"
            "  profiles: apple, ieee\n");
  EXPECT_EQ(complaint(run + bound + "--math-mode slow"),
            "2 error: --math-mode slow: no such mode [bad-option]\n"
            "  modes: fast, relaxed, safe\n");
  EXPECT_EQ(complaint(run + "--buffer x=i32:1"),
            "2 error: --buffer x: no other --buffer holds its address [unreachable-buffer]\n"
            "  --buffer INDEX=SPEC binds a buffer; a NAME is for addr:x in another's SPEC\n");
  EXPECT_EQ(complaint(run + "--buffer 1x=i32:1"),
            "2 error: --buffer 1x=i32:1: it should be INDEX=SPEC or NAME=SPEC [bad-option]\n"
            "  INDEX is the number in [[buffer(INDEX)]] or [[threadgroup(INDEX)]]\n");
  EXPECT_EQ(complaint(run + "--buffer 31=i32:1"),
            "2 error: --buffer 31=i32:1: index 31 is more than the largest, 30 [buffer-index]\n");
}

TEST_F(BadInput, AnOptionThatDoesNotExist) {
  const Outcome outcome = assay("check add.metal --pipeline");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.err, testing::HasSubstr("--pipeline"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("try: assay check --help"));
  EXPECT_EQ(assay("").exitCode, 2);
  EXPECT_EQ(assay("chekc add.metal").exitCode, 2);
}

TEST_F(BadInput, AnOutFileThatCannotBeWritten) {
  EXPECT_EQ(complaint(run + bound + "--out 2=none/o.npy"),
            "2 error: cannot write 'none/o.npy': no folder 'none' [unwritable-file]\n");
  EXPECT_EQ(complaint(run + bound + "--out 5=o.npy"),
            "2 error: --out 5=o.npy: no --buffer is bound at index 5 [missing-binding]\n");
  EXPECT_EQ(complaint(run + bound + "--out 2=o.txt"),
            "2 error: 'o.txt': not a form of output file that is known [bad-spec]\n"
            "  it is FILE.npy[:TYPE[d0,d1,..]] or FILE.bin\n");
}

TEST_F(BadInput, ARunThatFailsWritesNoFiles) {
  const Outcome outcome = assay("run add.metal --kernel add --grid 8 --threads 8 " + bound + "--out 2=o.npy");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, testing::HasSubstr("[out-of-bounds]"));
  EXPECT_THAT(outcome.err, testing::HasSubstr("add.metal:6:"));
  EXPECT_FALSE(exists("o.npy"));
}

TEST_F(BadInput, ErrorsAreJsonWhenJsonIsAskedFor) {
  for (const std::string &arguments :
       {std::string("check no.metal --json"), std::string("run add.metal --json"),
        "run add.metal --kernel adn --grid 4 --threads 4 --json " + bound,
        std::string("check --bogus --json")}) {
    const Outcome outcome = assay(arguments);
    EXPECT_EQ(outcome.exitCode, 2) << arguments;
    EXPECT_EQ(outcome.err, "") << arguments;
    const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << outcome.out;
    EXPECT_EQ(json["ok"], false);
    EXPECT_EQ(json["error"]["exitCode"], 2);
    EXPECT_FALSE(json["error"]["diagnostics"][0]["message"].get<std::string>().empty());
  }
}

} // namespace assay::cli_test
