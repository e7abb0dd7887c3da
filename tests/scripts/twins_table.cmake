# scripts/twins-table.awk on times of two rounds: one twin that all ways ran, a variant of it that the vector
# engine left to the fibers, a product, and one without pocl.
set(tab "	")
set(lines "")
foreach(line
    "1 a fibers 8.5 0" "1 a vectors 2 1" "1 a pocl 6 0" "1 a hand 1 0"
    "1 a:square fibers 9 0" "1 a:square vectors 9 0" "1 a:square pocl 6 0" "1 a:square hand 1 0"
    "1 b_product vectors 4 1" "1 b_product pocl 2 0" "1 b_product hand 0.5 0"
    "1 c fibers 3 0" "1 c vectors 1 1" "1 c hand 2 0"
    "2 a fibers 8 0" "2 a vectors 3 1" "2 a pocl 4 0" "2 a hand 2 0")
  string(REPLACE " " "${tab}" line "${line}")
  string(APPEND lines "${line}\n")
endforeach()
file(WRITE ${WORK_DIR}/times.tsv "${lines}")

function(expect_output expected)
  execute_process(COMMAND awk ${ARGN} -f ${SCRIPT} ${WORK_DIR}/times.tsv OUTPUT_VARIABLE text
                  RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT text STREQUAL expected)
    message(FATAL_ERROR "it printed\n${text}\nand not\n${expected}")
  endif()
endfunction()

# Speeds over pocl: 4/2 and 2/4, mean 1. Over C++ by hand: 1/2, 0.5/4 and 2/1, mean 0.5; without b 1.
expect_output([=[Fastest of 2 rounds in ms; ratios of speeds, above 1 the vector engine is faster.
pocl: a device
twin                       fibers    vectors       pocl    by hand     v/pocl     v/hand
a                           8.000      2.000      4.000      1.000      2.000      0.500
a:square                    9.000     9.000*      6.000      1.000      0.667      0.111
b_product                       -      4.000      2.000      0.500      0.500      0.125
c                           3.000      1.000          -      2.000          -      2.000
geometric mean                                                          1.000      0.500
without the products                                                               1.000
* left to the fibers by the vector engine
A name with a colon is a variant: not in the means.
]=] -v "device=a device")
file(READ ${CMAKE_CURRENT_LIST_DIR}/twins_table.json json)
expect_output("${json}" -v json=1)
