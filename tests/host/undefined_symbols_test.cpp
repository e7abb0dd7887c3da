// What is used and not defined: a warning of the compiler, and an error where a library must be whole.
#include "host/assay.h"
#include "host/undefined_symbols.h"

#include <gtest/gtest.h>

using namespace assay;

namespace {

TEST(UndefinedSymbols, AreAnErrorWithTheirNotesAndTheRestStaysWarnings) {
  const Result<Library> library = Device::systemDefault().newLibraryWithSource(
      "float hue(float x);\nfloat unused(float x);\n[[visible]] float later(float x);\n"
      "kernel void k(device float *o) {\n  int lost;\n  o[0] = later(hue(o[0]));\n}\n");
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  const std::optional<Error> error = undefinedSymbols(library->warnings());
  ASSERT_TRUE(error);
  EXPECT_EQ(renderDiagnostics(error->diagnostics),
            "source.metal:6:16: error: 'float hue(float)' is declared and used, and not defined "
            "[undefined-symbol]\n"
            "  define it, or give the file that defines it, too\n"
            "source.metal:1:7: note: it is declared here\n");
  for (const Diagnostic &other : otherWarnings(library->warnings()))
    EXPECT_EQ(other.message.find("hue"), std::string::npos);
  EXPECT_FALSE(undefinedSymbols(otherWarnings(library->warnings())));
}

TEST(UndefinedSymbols, OfSeveralSourcesAreDefinedByOneOfThem) {
  const auto library = Device::systemDefault().newLibraryWithSources(
      {{.text = "float hue(float x); kernel void k(device float *o) { o[0] = hue(o[0]); }"},
       {.text = "float hue(float x) { return x; }"}});
  ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
  EXPECT_FALSE(undefinedSymbols(library->warnings()));
}

} // namespace
