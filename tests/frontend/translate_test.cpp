// A translated file compiles with stock Clang by the command line in its first comment.
#include "frontend/compile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace assay;

namespace {

// Macros hide an address space and an attribute, and a conditional needs a repair that Clang asks for.
TEST(Translate, CompilesWithStockClangByItsOwnFirstLine) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("assay_translate_test." + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "part.h") << "#pragma once\n#define FC(i) [[function_constant(i)]]\n"
                                         "#define SHARED(T) threadgroup T\nconstant int n FC(0);\n";
  std::ofstream(directory / "first.h") << "inline float first() { return metal::exp2(1.0f); }\n";
  std::ofstream(directory / "k.metal")
      << "#include <metal_stdlib>\n#include \"part.h\"\n#include \"part.h\"\nusing namespace metal;\n"
         "static float simd_sum(float x) { return x; }\n"
         "static half2 pick(bool b, device const half2 *p) { return b ? p[1] : half2(1); }\n"
         "kernel void f(device float *p [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n"
         "  SHARED(float) s[4]; s[i] = simd_sum(p[i]) * n * SCALE * first(); p[i] = s[0]; }\n";
  frontend::SourceRequest request;
  request.path = (directory / "k.metal").string();
  request.defines = {{"SCALE", "2"}, {std::string(kIosMacro), "1"}};
  request.language = LanguageVersion::Metal2_2; // without simd_sum on iOS
  request.headers = {"metal_stdlib", (directory / "first.h").string()};
  const auto text = frontend::translate(request, ASSAY_SHIM_DIR);
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_THAT(*text, testing::StartsWith("// clang++-19 "));

  const std::string file = (directory / "k.cpp").string();
  std::ofstream(file) << *text;
  std::string command = text->substr(3, text->find('\n') - 3);
  command.replace(command.find("FILE"), 4, file);
  command += " -o /dev/null 2>" + (directory / "log").string();
  const int status = std::system(command.c_str());
  std::ifstream log(directory / "log");
  EXPECT_EQ(status, 0) << command << "\n" << std::string(std::istreambuf_iterator<char>(log), {});
  std::filesystem::remove_all(directory);
}

} // namespace
