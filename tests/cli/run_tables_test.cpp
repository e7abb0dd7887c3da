// assay run --table, and what assay check says of function tables.
#include "program.h"

namespace assay::cli_test {
namespace {

constexpr const char *kOperators = R"(#include <metal_stdlib>
using namespace metal;
[[visible]] float twice(float x) { return 2 * x; }
[[visible]] float square(float x) { return x * x; }
[[visible]] float product(float x, float y) { return x * y; }
kernel void apply(device float *x [[buffer(0)]], visible_function_table<float(float)> operators [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  x[i] = operators[i % operators.size()](x[i]);
}
)";

class Tables : public Program {
protected:
  Tables() { write("operators.metal", kOperators); }
  static constexpr const char *kRun =
      "run operators.metal --kernel apply --grid 4 --threads 4 --buffer 0=f32:1,2,3,4 ";
};

} // namespace

TEST_F(Tables, HoldVisibleFunctionsByName) {
  const Outcome outcome = assay(std::string(kRun) + "--table 1=twice,square,twice");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("table 1   operators: twice, square, twice\n"
                                              "buffer 0  x float[4] digest "));
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          2 4 6 8\n"));
  EXPECT_THAT(assay(std::string(kRun) + "--table 1=square --debug").out,
              testing::HasSubstr("\n          1 4 9 16\n"));
}

TEST_F(Tables, SayTheSameAsJson) {
  const Outcome outcome = assay(std::string(kRun) + "--table 1=twice,square,twice,twice,- --json");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("tables"),
            nlohmann::json::parse(R"([{"index":1,"name":"operators",)"
                                  R"("functions":["twice","square","twice","twice",null]}])"));
  EXPECT_EQ(json.at("buffers").at(0).at("values"), nlohmann::json::array({2.0, 4.0, 6.0, 8.0}));
}

TEST_F(Tables, MistakesAreNamed) {
  const auto said = [&](const char *options) { return complaint(std::string(kRun) + options); };
  EXPECT_EQ(said("--table 1=twise"), "2 error: --table 1: no visible function 'twise' [unknown-function]\n"
                                     "  did you mean 'twice'?\n");
  EXPECT_EQ(said("--table 1=apply"), "2 error: --table 1: no visible function 'apply' [unknown-function]\n"
                                     "  visible functions: twice, square, product\n");
  EXPECT_EQ(said("--table 1=twice,,square"),
            "2 error: --table 1=twice,,square: a name is empty [bad-option]\n"
            "  '-' is a null entry\n");
  EXPECT_EQ(said("--table 1=twice --table 1=square"),
            "2 error: --table is given twice for index 1 [bad-option]\n");
  EXPECT_EQ(said("--table 0=twice"), "2 error: --buffer and --table are both given for index 0 [bad-option]\n"
                                     "  function tables are bound at indices of buffers\n");
  EXPECT_EQ(said("--table twice"), "2 error: --table twice: it should be INDEX=NAME,NAME,.. [bad-option]\n"
                                   "  INDEX is the number in [[buffer(INDEX)]] or [[threadgroup(INDEX)]]\n");
  EXPECT_THAT(
      said("--table 1=product"),
      testing::StartsWith("1 operators.metal:8:10: error: a call of 'product', which is of type float "
                          "(float, float), as a function of another type [function-table]\n"));
  EXPECT_THAT(
      said("--table 1=-"),
      testing::StartsWith("1 operators.metal:8:10: error: a call of a null function [function-table]\n"));
  EXPECT_EQ(complaint("run operators.metal --kernel twice --grid 1 --threads 1"),
            "2 error: 'twice' is a visible function: a pipeline is made of a kernel [not-a-kernel]\n"
            "  link it to a kernel that calls it through a function table\n");
}

TEST_F(Tables, AreListedAndLinkedByCheck) {
  const Outcome outcome = assay("check operators.metal --pipelines");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              testing::HasSubstr("    table 1   operators  visible_function_table<float (float)>\n"));
  EXPECT_THAT(outcome.out, testing::HasSubstr("product\n  a visible function of type float (float, float): "
                                              "compiled, and not run by itself\n"));
  const auto json = nlohmann::json::parse(assay("check operators.metal --json").out);
  EXPECT_EQ(json.at("entryPoints").at(0).at("arguments").at(1).at("kind"), "table");
  EXPECT_EQ(json.at("otherFunctions").at(2).at("type"), "float (float, float)");
  // What is linked becomes native code, too: a mistake in it shows.
  write("broken.metal", std::string(kOperators) + "float nowhere(float x);\n"
                                                  "[[visible]] float lost(float x) { return nowhere(x); }\n");
  EXPECT_THAT(
      assay("check broken.metal --pipelines").err,
      testing::HasSubstr("broken.metal:11:42: error: 'float nowhere(float)' is declared and used, and not "
                         "defined [undefined-symbol]\n"));
}

} // namespace assay::cli_test
