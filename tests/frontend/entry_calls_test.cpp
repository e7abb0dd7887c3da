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

} // namespace
