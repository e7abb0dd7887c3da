// os_log: its constructors and levels; records and formats are in tests/host/log_state_test.cpp and
// tests/runtime/log_format_test.cpp.
// source: MSL specification, section 6.19.
#include "signatures.h"

using namespace assay::test;

namespace {

TEST(LoggingHeader, DeclaresTheLogAndItsLevels) {
  expectSignatures(
      "metal_logging",
      {
          {kOnce,
           "void",
           {"os_log_default.log(\"%d\", 1)", "os_log_default.log_debug(\"%d\", 1)",
            "os_log_default.log_with_type(log_type_info, \"%d\", 1)", "os_log_default.log_info(\"%d\", 1)",
            "os_log_default.log_error(\"%d\", 1)", "os_log_default.log_fault(\"%d\", 1)"}},
          {kOnce, "os_log", {"os_log_default", "os_log_disabled", "os_log(\"subsystem\", \"category\")"}},
      });
}

TEST(LoggingHeader, TakesScalarsVectorsAndPointers) {
  expectCompiles("metal_logging", R"(#include <metal_types>
constant os_log mine("a", "b");
void f(device int *p, float4 v, half h, long l) { mine.log_info("%p %v4f %f %ld %s", p, v, h, l, "text"); }
)");
}

} // namespace
