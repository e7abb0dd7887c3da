// Where members of derived classes lie after a base that holds vectors. The numbers are those of Clang for
// vectors of its own (ext_vector_type), on x86-64 and on Apple's ARM alike.
#include "frontend/compile.h"

#include <gtest/gtest.h>

using namespace assay;
using namespace assay::frontend;

namespace {

struct Case {
  const char *type;
  size_t size; ///< of `struct B : A { char d; }` with `struct A { TYPE a; char c; }`
};
constexpr Case kCases[] = {
    {"float2", 24},       {"float3", 48},        {"float4", 48},      {"half3", 24},     {"uchar4", 12},
    {"bool3", 12},        {"packed_float3", 20}, {"packed_half2", 8}, {"float", 12},     {"long2", 48},
    {"packed_uchar3", 5}, {"bfloat4", 24},       {"int_8", 96},       {"float3[2]", 64},
};

SourceRequest requestFor(const Case &row) {
  SourceRequest request;
  request.path = "k.metal";
  const std::string type = row.type;
  const size_t array = type.find('[');
  request.text =
      "#include <metal_stdlib>\nusing namespace metal;\ntypedef vec<int, 8> int_8;\nstruct A { " +
      type.substr(0, array) + " a" + (array == type.npos ? "" : type.substr(array)) +
      "; char c; };\nstruct B : A { char d; };\nstatic_assert(sizeof(B) == " + std::to_string(row.size) +
      ", \"\");\nkernel void k(device B *b) { b->d = b->c; }\n";
  return request;
}

TEST(PlainVectors, NothingLiesInThePaddingOfABase) {
  for (const Case &row : kCases) {
    const auto module = compile(requestFor(row));
    EXPECT_TRUE(module) << row.type << "\n" << renderDiagnostics(module.error().diagnostics);
  }
}

TEST(PlainVectors, HoldsWithoutThePrecompiledShim) {
  const auto module = compileParsingTheShim(requestFor({"float3", 48}));
  EXPECT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
}

// A base with a constructor is not plain in C++03, vectors or not: its padding is used.
TEST(PlainVectors, ABaseWithAConstructorIsNotPlain) {
  SourceRequest request;
  request.path = "k.metal";
  request.text = "#include <metal_stdlib>\nusing namespace metal;\n"
                 "struct A { float3 a; char c; A() : a(0), c(0) {} };\nstruct B : A { char d; };\n"
                 "static_assert(sizeof(B) == 32, \"\");\n";
  const auto module = compile(request);
  EXPECT_TRUE(module) << renderDiagnostics(module.error().diagnostics);
}

} // namespace
