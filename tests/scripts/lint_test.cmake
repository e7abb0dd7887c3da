# scripts/lint on a repository with one violation of each rule, on one with none, and called wrongly.
# Needs: SCRIPT, WORK_DIR (its folder lint is emptied), GIT
set(root ${WORK_DIR}/lint)
file(REMOVE_RECURSE ${root})
file(MAKE_DIRECTORY ${root})

function(git)
  execute_process(COMMAND ${GIT} -C ${root} ${ARGV} RESULT_VARIABLE code
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "git ${ARGV}:\n${said}")
  endif()
endfunction()

# Runs the script; it must end with `code` and print exactly `expected`.
function(lint code expected)
  git(add -A)
  execute_process(COMMAND ${SCRIPT} --root ${root} ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE printed
                  ERROR_VARIABLE printed)
  if(NOT result EQUAL ${code} OR NOT printed STREQUAL expected)
    message(FATAL_ERROR "lint ${ARGN} ended with ${result} and printed\n${printed}\nand not\n${expected}")
  endif()
endfunction()

git(init -q)
set(avoided "be" "hind") # the script reads this file, too
string(CONCAT avoided ${avoided})
file(WRITE ${root}/.clang-format "BasedOnStyle: LLVM\n")
file(WRITE ${root}/emulator/support/sum.h "int sum();\n")
file(WRITE ${root}/emulator/support/sum.cpp
     "// See support/sum.h.\n#include \"sum.h\"\nint sum() { return 1; }\n")
file(WRITE ${root}/tests/support/sum_test.cpp [=[
TEST(Sum, IsOne) { EXPECT_EQ(sum(), 1); }
]=])
file(WRITE ${root}/tests/CMakeLists.txt "add_executable(sum_test support/sum_test.cpp) # and no more\n")
file(WRITE ${root}/docs/page.md "# A page\n\n[itself](#a-page) and [a source](../emulator/support/sum.h)\n")
lint(0 "lint: 6 files, 12 rules, 0 findings\n")

# A file that git does not know is not looked at; here all are added. One violation after another:
file(WRITE ${root}/emulator/host/sum.h "int  x;\n")
lint(1 [=[
emulator/host/sum.h:1: clang-format-19 -i would change this line [format]
lint: 7 files, 1 rules, 1 findings (format 1)
]=] format)

string(REPEAT "ä" 110 most)
file(WRITE ${root}/emulator/host/sum.h "// ${most}\n// in time\n")
lint(1 [=[
emulator/host/sum.h:1: 113 columns, at most 110 (one of 1 in this file) [width]
lint: 7 files, 1 rules, 1 findings (width 1)
]=] width)

file(WRITE ${root}/emulator/host/sum.h "#include \"support/sum.h\"\n")
file(APPEND ${root}/emulator/support/sum.h "#include \"../host/sum.h\"\n#include <llvm/IR/Module.h>\n")
lint(1 [=[
emulator/support/sum.h:2: '../host/sum.h': support may include tables, not host [includes]
emulator/support/sum.h:3: 'llvm/IR/Module.h': support may include tables, not llvm [includes]
lint: 7 files, 1 rules, 2 findings (includes 2)
]=] includes)

file(WRITE ${root}/docs/environment.md "`ASSAY_CACHE`\n")
file(WRITE ${root}/emulator/host/sum.h "char *a = getenv(\"ASSAY_CACHE\"), *b = getenv(\"ASSAY_CASH\");\n")
lint(1 [=[
emulator/host/sum.h:1: reads ASSAY_CASH, which docs/environment.md does not name [variables]
lint: 8 files, 1 rules, 1 findings (variables 1)
]=] variables)
file(REMOVE ${root}/docs/environment.md)

file(WRITE ${root}/emulator/support/sum.h "// See tests/support/gone_test.cpp, docs/*.md and mul.h.\n")
file(APPEND ${root}/docs/page.md "[gone](gone.md), [no heading](#b-page)\n")
lint(1 [=[
docs/page.md:4: no heading for 'docs/page.md#b-page' [references]
docs/page.md:4: the link's target 'gone.md' does not exist [references]
emulator/support/sum.h:1: 'tests/support/gone_test.cpp' does not exist [references]
emulator/support/sum.h:1: no file is called 'mul.h' [references]
lint: 7 files, 1 rules, 4 findings (references 4)
]=] references)

file(WRITE ${root}/tests/support/lost_test.cpp "TEST(Sum, IsTwo) { EXPECT_EQ(sum(), 2); }\n")
lint(1 [=[
tests/support/lost_test.cpp:1: no CMakeLists.txt names it: its tests never run [built]
lint: 8 files, 1 rules, 1 findings (built 1)
]=] built)
file(REMOVE ${root}/tests/support/lost_test.cpp)

string(REPEAT "// one\n" 601 many)
file(WRITE ${root}/docs/many.h "${many}")
lint(1 [=[
docs/many.h:601: 601 lines, at most 600: is it two files? [size]
lint: 8 files, 1 rules, 1 findings (size 1)
]=] size)
# A list may only shrink: an entry that nothing needs, a file that grew, a number of entries that is too low.
file(WRITE ${root}/scripts/lint.d/size.list
     "# entries: 1\ndocs/many.h 600 | a reason\ndocs/page.md 700 | a reason\n")
lint(1 [=[
docs/many.h:601: 601 lines, and scripts/lint.d/size.list allows it 600 [size]
scripts/lint.d/size.list:1: has 2 entries and says 1; it may only shrink [size]
scripts/lint.d/size.list:3: nothing needs 'docs/page.md 700': remove it [size]
lint: 9 files, 1 rules, 3 findings (size 3)
]=] size)

file(WRITE ${root}/emulator/support/mul.cpp "int mul() { return 1; }\n")
file(WRITE ${root}/tests/without_twin.txt
     "# entries: 2\nemulator/support/sum.cpp none | a reason\n"
     "emulator/support/mul.cpp tests/support/gone_test.cpp | a reason\n")
lint(1 [=[
emulator/host/sum.h:1: no test is called after it, and tests/without_twin.txt does not name one [twins]
tests/without_twin.txt:2: nothing needs 'emulator/support/sum.cpp none': remove it [twins]
tests/without_twin.txt:3: tests/support/gone_test.cpp does not exist [twins]
lint: 11 files, 1 rules, 3 findings (twins 3)
]=] twins)

file(APPEND ${root}/tests/support/sum_test.cpp [=[
bool isOne() { return sum() == 1; }
void holds() { ASSERT_TRUE(isOne()); }
TEST(Sum, HoldsByAHelper) { holds(); }
TEST(Sum, IsPrinted) {
  print(isOne());
}
TEST(Sum, Dies) {
  EXPECT_TRUE(true);
  EXPECT_DEATH(sum(), "");
}
]=])
lint(1 [=[
tests/support/sum_test.cpp:5: Sum.IsPrinted asserts nothing [weak-tests]
tests/support/sum_test.cpp:9: Sum.Dies asserts that true is true [weak-tests]
tests/support/sum_test.cpp:10: Sum.Dies a death for any reason: say which words it dies with [weak-tests]
lint: 11 files, 1 rules, 3 findings (weak-tests 3)
]=] weak-tests)

file(WRITE ${root}/emulator/frontend/rule.cpp [=[
  bool VisitCallExpr(CallExpr *call) override { return TraverseStmt(call); }
  bool VisitGotoStmt(GotoStmt *s) { return !s; }
]=])
lint(1 [=[
emulator/frontend/rule.cpp:2: write `override`, and add the node to visited_nodes.def [visitors]
lint: 12 files, 1 rules, 1 findings (visitors 1)
]=] visitors)

file(APPEND ${root}/docs/page.md "The rows ${avoided} the last.\n")
lint(1 "docs/page.md:5: '${avoided}': say after, past, beyond or under [words]
lint: 12 files, 1 rules, 1 findings (words 1)
" words)

lint(2 "lint: error: no rule 'worlds'; scripts/lint --list names them\n" worlds)
