// Calls of functions that only a host starts.
#include "tests/frontend/compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay::frontend;
using testing::HasSubstr;

namespace {

constexpr const char *kFunctions =
    "kernel void a(device float *o) { o[0] = 1; }\nvertex float4 v() { return float4(1); }\n"
    "fragment float4 f() { return float4(1); }\n"
    "template <class T> kernel void t(device T *o) { o[0] = 1; }\n";

TEST(EntryCalls, AreRefused) {
  for (const auto &[text, name] :
       {std::pair("kernel void k(device float *o) { a(o); }", "kernel function 'a'"),
        std::pair("kernel void k(device float *o) { o[0] = v().x; }", "vertex function 'v'"),
        std::pair("vertex float4 w() { return f(); }", "fragment function 'f'"),
        std::pair("void g(device float *o) { a(o); }", "kernel function 'a'"),
        std::pair("template <class T> void g(device T *o) { t(o); }\n"
                  "kernel void k(device float *o) { g(o); }",
                  "kernel function 't'"),
        std::pair("kernel void k(device float *o) { auto g = [&] { a(o); }; g(); }", "kernel function 'a'")})
    EXPECT_THAT(messagesOf(std::string(kFunctions) + text),
                HasSubstr(std::string("the ") + name + " cannot be called"))
        << text;
}

TEST(EntryCalls, AreNotTypesNorInstantiations) {
  for (const char *text :
       {"template [[host_name(\"tf\")]] kernel decltype(t<float>) t<float>;",
        "template kernel void t<float>(device float *);",
        "typedef decltype(t<int>) kernel_type;\ntemplate [[host_name(\"ti\")]] kernel "
        "kernel_type t<int>;",
        "kernel void k(device float *o) { o[0] = sizeof(v()); decltype(f()) x(2); o[1] = x.x; }"})
    EXPECT_EQ(messagesOf(std::string(kFunctions) + text), "") << text;
}

TEST(EntryCalls, OfFunctionsThatDiscardAreRefused) {
  const std::string helpers = "void drop(float x) { if (x > 0) discard_fragment(); }\n"
                              "template <class T> T test(T x) { drop(x); return x; }\n"
                              "float both(float x) { return test(x); }\n";
  for (const char *text : {"kernel void k(device float *o) { drop(o[0]); }",
                           "kernel void k(device float *o) { o[1] = 2 * both(o[0]); }",
                           "vertex float4 v() { return test(1.0f); }",
                           "template <class T> kernel void k(device T *o) { o[0] = test(o[1]); }\n"
                           "template kernel void k<float>(device float *);"})
    EXPECT_THAT(messagesOf(helpers + text), HasSubstr("calls discard_fragment, which cannot be called in a"))
        << text;
  for (const char *text : {"fragment float4 f() { return both(1); }",
                           "kernel void k(device float *o) { o[0] = sizeof(both(1)); }"})
    EXPECT_EQ(messagesOf(helpers + text), "") << text;
}

} // namespace
