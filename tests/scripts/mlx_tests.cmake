# scripts/mlx-suites and mlx-table.awk on programs that stand for MLX's: what fails is tried again in three
# ways, what ends its process or takes too long costs no other test its result, and the table says all of it.
set(DIR ${WORK_DIR}/mlx)
file(REMOVE_RECURSE ${DIR})
file(MAKE_DIRECTORY ${DIR}/build/tests ${DIR}/build/python/mlx ${DIR}/checkout/python/tests ${DIR}/results
     ${DIR}/work)
file(CREATE_LINK ${HERE}/mlx/program.sh ${DIR}/build/tests/tests SYMBOLIC)
foreach(file test_few.py test_broken.py)
  file(CREATE_LINK ${HERE}/mlx/${file} ${DIR}/checkout/python/tests/${file} SYMBOLIC)
endforeach()
file(WRITE ${DIR}/checkout/python/tests/mlx_tests.py "")
file(WRITE ${DIR}/build/python/mlx/core.py "def clear_streams():
    pass


class random:
    def seed(number):
        pass
")
# A cause is known for what a test says, and not for whatever else it may say one day.
file(WRITE ${DIR}/known.list "# suite | test | text | cause
C++ | hangs | stopped after | it waits for the moon
C++ | asks for the GPU | 3 is not 4 | it is there
C++ | fails | 2 is not 3 | another one
")
file(WRITE ${DIR}/run.sh [=[
set -uo pipefail
root=$1 dir=$2/checkout build=$2/build results=$2/results work=$2/work limit=2
pattern= only=$3 python=1 strict=
fail() { echo "$1" && exit 2; }
. "$root/scripts/mlx-suites"
chooseSuites
for suite in "${suites[@]}"; do runSuite "$suite" 2>"$2/progress"; done
cd "$results" || exit
awk -v lenient=ROOM=1 -v known="$2/known.list" -f "$root/scripts/mlx-table.awk" "${suites[@]}"
]=])

# Times vary, except those that the program itself says.
function(expect_table suites expected)
  execute_process(COMMAND ${BASH} ${DIR}/run.sh ${ROOT} ${DIR} ${suites} OUTPUT_VARIABLE table)
  string(REGEX REPLACE " [0-9]+ \\| \\|\n" " S | |\n" table "${table}")
  string(REGEX REPLACE " [0-9]+ \\|  \\|\n" " S |  |\n" table "${table}")
  if(NOT table STREQUAL expected)
    message(FATAL_ERROR "expected\n${expected}\nand got\n${table}")
  endif()
endfunction()

set(head "| suite | passed | leniently | failed | skipped | seconds | |\n")
string(APPEND head "|---|---:|---:|---:|---:|---:|---|\n")
set(columns "| suite | test | what it said |\n|---|---|---|\n")
expect_table(C++ "${head}| C++ | 2 | 1 | 4 | 0 | S |  |
| **total** | 2 | 1 | 4 | 0 | S | |

What failed of a known cause (scripts/mlx-tests.list):

| suite | test | what it said | cause |
|---|---|---|---|
| C++ | hangs | stopped after 2 s | it waits for the moon |
| C++ | asks for the GPU | a_tests.cpp:7: CHECK(a == b): [METAL] 3 is not 4 | it is there |

What failed, and fails with DEVICE=cpu, too:

${columns}| C++ | fails | a_tests.cpp:7: CHECK(a == b): 1 is not 2 |
| C++ | crashes, <sometimes> | crashed (SEGV): terminating: of a sudden |

What passes leniently only (ROOM=1):

${columns}| C++ | reads past the end | a_tests.cpp:7: CHECK(a == b): read of 4 bytes \\| past the end |

What fails after other tests, and passes alone:

${columns}| C++ | needs order | a_tests.cpp:7: CHECK(a == b): state & order |

No failure is left unexplained.
")
# Without the list of causes, and where no test before it failed, nobody knows why.
file(WRITE ${DIR}/results/two
     "pass\tfirst\t1\t\nalone\tsecond\t1\t1 is not 2\nlimit\tthird\t9\tstopped\n")
execute_process(COMMAND awk -v known=/dev/null -f ${ROOT}/scripts/mlx-table.awk two
                WORKING_DIRECTORY ${DIR}/results OUTPUT_VARIABLE table)
string(FIND "${table}" "| two | second | alone it passes; 1 is not 2 |\n| two | third | stopped |\n
2 failures are without an explanation.\n" at)
if(at EQUAL -1)
  message(FATAL_ERROR "two failures that nobody explains are not in\n${table}")
endif()
# A test may have several causes, and the end of the process one.
file(WRITE ${DIR}/results/three
     "limit\tfirst\t9\tstopped\nprocess\t9\tended with code 134 after its last test\n")
file(WRITE ${DIR}/several.list "three | first | stopped | it is slow
three | first | 1 is not 2 | it is wrong
three | the process | code 134 | a destructor
")
foreach(list several.list known.list)
  execute_process(COMMAND awk -v known=${DIR}/${list} -f ${ROOT}/scripts/mlx-table.awk three
                  WORKING_DIRECTORY ${DIR}/results OUTPUT_VARIABLE ${list})
endforeach()
string(FIND "${several.list}" "| three | first | stopped | it is slow |
| three | the process | ended with code 134 after its last test | a destructor |

No failure is left unexplained.
" at)
if(at EQUAL -1 OR NOT known.list MATCHES "\n2 failures are without an explanation")
  message(FATAL_ERROR "several causes give\n${several.list}\nand none\n${known.list}")
endif()
if(NOT EXISTS /usr/bin/python3)
  message("without /usr/bin/python3 the suites of Python are left out")
  return()
endif()
set(id test_few.TestFew)
expect_table(test_few "${head}| test_few | 1 | 1 | 1 | 1 | S |  |
| **total** | 1 | 1 | 1 | 1 | S | |

What failed, and fails with DEVICE=cpu, too:

${columns}| test_few | ${id}.test_c_fails_in_a_subtest | (i=1) AssertionError: 1 == 1 |

What passes leniently only (ROOM=1):

${columns}| test_few | ${id}.test_b_ends_the_process | crashed (ABRT): what a test prints does not count |

What was skipped:

${columns}| test_few | ${id}.test_d_is_skipped | not here |

No failure is left unexplained.
")

expect_table(test_broken "${head}| test_broken | 0 | 0 | 1 | 0 | S |  |
| **total** | 0 | 0 | 1 | 0 | S | |

What failed, and fails with DEVICE=cpu, too:

${columns}| test_broken | test_broken | ImportError: ModuleNotFoundError: No module named 'no_such_package' |

No failure is left unexplained.
")
