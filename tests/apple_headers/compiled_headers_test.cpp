// Headers that are written here, as stock Clang compiles them.
#include "compiled_headers.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace assay::apple_headers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// With each thing for which the headers are edited, and a condition that only a template's arguments decide.
constexpr const char *kBox =
    "namespace metal {\n"
    "template <typename T> struct box {\n"
    "  box() thread = default;\n"
    "  explicit box(T a) : value(a) { }\n"
    "  operator T() const thread { return __metal_read(value); }\n"
    "  operator bool() const device { return true; }\n"
    "  T get(device T *p, int n = 1) const thread __attribute__((enable_if(true, \"\"))) { return value; }\n"
    "  T value = 1.0h;\n"
    "};\n"
    "template <typename T> struct checked { static_assert(sizeof(T) > 3, \"too small\"); T value; };\n"
    "}\n";

Probe statement(std::vector<std::string> parameters, std::string statements) {
  Probe probe;
  probe.parameters = std::move(parameters);
  probe.statements = std::move(statements);
  return probe;
}

TEST(CompiledHeaders, RefuseWhatTheirDeclarationsDoNotAllow) {
  const CompiledHeaders headers(kBox);
  const std::vector<Probe> probes = {
      statement({"thread box<float> &", "device float *"}, "(void)(a0.get(a1) + a0);"),
      statement({"thread box<float> &", "constant float *"}, "(void)a0.get(a1);"),
      statement({"thread box<float> &"}, "switch (a0) { case 1: break; }"),
      statement({"float"}, "box<float> v = a0; (void)v;"),
      statement({"float"}, "box<float> v(a0); (void)v;"),
      {"", {"thread box<half> &", "device half *"}, "a0.get(a1, 2)", "half"},
      {"", {"thread box<half> &", "device half *"}, "a0.get(a1, 2)", "float"},
  };
  EXPECT_THAT(headers.refused(probes),
              ElementsAre(Pair(1, HasSubstr("cannot initialize a parameter of type '__global float *'")),
                          Pair(2, HasSubstr("integer type")), Pair(3, HasSubstr("no viable conversion")),
                          Pair(6, HasSubstr("another type"))));
}

// Clang speaks of the class once.
TEST(CompiledHeaders, RefuseEachProbeThatHasAnErrorOfATemplate) {
  const CompiledHeaders headers(kBox);
  const std::vector<Probe> probes = {statement({}, "checked<half> v; (void)v;"),
                                     statement({}, "checked<float> v; (void)v;"),
                                     statement({}, "(void)sizeof(checked<half>);")};
  EXPECT_THAT(headers.refused(probes),
              ElementsAre(Pair(0, HasSubstr("too small")), Pair(2, HasSubstr("too small"))));
}

TEST(CompiledHeaders, AreAnErrorIfClangRefusesThem) {
  try {
    const CompiledHeaders headers("namespace metal { typedef unknown known; }");
    FAIL();
  } catch (const std::runtime_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("stock Clang refuses the headers: unknown type name 'unknown'"));
  }
}

} // namespace
} // namespace assay::apple_headers
