# cmake/together.awk: which sources may be compiled together, and which share a name or differ in what they
# use.
set(here ${WORK_DIR}/together)
file(REMOVE_RECURSE ${here})
file(WRITE ${here}/a.cpp [=[
using namespace assay;
namespace {
struct Mark {};
constexpr int kMost = 2;
template <class T> T twice(T value) { return value + value; }
} // namespace
int everywhere() { return kMost; }
]=])
# A kernel's text is not C++.
file(WRITE ${here}/b.cpp [=[
using namespace assay;
const char *text = R"(
struct Mark {};
)";
namespace {
int thrice(int value) { return 3 * value; }
} // namespace
int everyone() { return 2; }
]=])
file(WRITE ${here}/mark.cpp "using namespace assay;\nnamespace {\nenum class Mark { A };\n} // namespace\n")
file(WRITE ${here}/most.cpp
     "using namespace assay;\nnamespace {\nint least = 0, kMost = 1;\n} // namespace\n")
file(WRITE ${here}/macro.cpp "using namespace assay;\n#define kMost 2\n")
file(WRITE ${here}/twice.cpp "using namespace assay;\nstatic int twice(int value) { return 2 * value; }\n")
# Two may use the same name of another namespace, but not call something else so.
foreach(source uses also)
  file(WRITE ${here}/${source}.cpp "using namespace assay;\nusing ::numbers::twice;\nusing numbers::four;\n")
endforeach()
file(WRITE ${here}/calls.cpp "using namespace assay;\nint y = x.least(2) + (twice(2)); // kMost(2)\n")
file(WRITE ${here}/other.cpp "using namespace metal;\n")

function(expect most numbers)
  list(TRANSFORM ARGN PREPEND ${here}/)
  list(TRANSFORM ARGN APPEND .cpp)
  execute_process(COMMAND awk -v most=${most} -f ${SCRIPT} ${ARGN}
                  OUTPUT_VARIABLE out OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)[0-9]+ " got "${out}")
  list(JOIN got "" got)
  string(REGEX REPLACE "[^0-9]+" "" got "${got}")
  if(NOT got STREQUAL numbers)
    message(FATAL_ERROR "expected ${numbers} for ${ARGN}, got ${got}")
  endif()
endfunction()

expect(9 00 a b)
foreach(source mark most macro twice other calls)
  expect(9 01 a ${source})
endforeach()
expect(9 001 uses also twice)
expect(9 01 calls a)
expect(9 000 calls most uses)
expect(9 0110 a mark most b)
expect(1 012 a b other)
