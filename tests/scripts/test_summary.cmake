# scripts/test-summary.awk on results with one test of each kind, in the form in which ctest 3.25 writes them:
# single tests, then shards of a program, of which the last died in its second test.
file(WRITE ${WORK_DIR}/results.xml [=[<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="9" failures="3" disabled="0" skipped="3">
	<testcase name="A.Passes" classname="A.Passes" time="0.1" status="run">
		<system-out>[ RUN      ] A.Passes
</system-out>
	</testcase>
	<testcase name="A.AlsoPasses" classname="A.AlsoPasses" time="0.1" status="run">
		<system-out></system-out>
	</testcase>
	<testcase name="A.Fails" classname="A.Fails" time="0.1" status="fail">
		<failure message=""/>
		<system-out>a.cpp:3: Failure
</system-out>
	</testcase>
	<testcase name="B.Wants" classname="B.Wants" time="0.1" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>b.cpp:7: Skipped
give a checkout of ggml by ASSAY_GGML_DIR=...
</system-out>
	</testcase>
	<testcase name="B.WantsIt" classname="B.WantsIt" time="0.1" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>b.cpp:9: Skipped
ASSAY_GGML_DIR is not set
</system-out>
	</testcase>
	<testcase name="C.Wants" classname="C.Wants" time="0.1" status="notrun">
		<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
		<system-out>skipped: ASSAY_MLX_DIR names no folder
</system-out>
	</testcase>
	<testcase name="d_test.0" classname="d_test.0" time="0.1" status="run">
		<system-out>Note: This is test shard 1 of 3.
[==========] Running 3 tests from 1 test suite.
[ RUN      ] D.Passes
[       OK ] D.Passes (0 ms)
[ RUN      ] D.Wants
d.cpp:7: Skipped
ASSAY_GGML_DIR is not set
[  SKIPPED ] D.Wants (0 ms)
[ RUN      ] D.AlsoPasses
[       OK ] D.AlsoPasses (0 ms)
[  PASSED  ] 2 tests.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] D.Wants
</system-out>
	</testcase>
	<testcase name="d_test.1" classname="d_test.1" time="0.1" status="fail">
		<failure message=""/>
		<system-out>Note: This is test shard 2 of 3.
[ RUN      ] D.Fails
[  FAILED  ] D.Fails (0 ms)
[  PASSED  ] 0 tests.
[  FAILED  ] 1 test, listed below:
[  FAILED  ] D.Fails
</system-out>
	</testcase>
	<testcase name="d_test.2" classname="d_test.2" time="0.1" status="fail">
		<failure message=""/>
		<system-out>Note: This is test shard 3 of 3.
[ RUN      ] D.PassesBefore
[       OK ] D.PassesBefore (0 ms)
[ RUN      ] D.Dies
</system-out>
	</testcase>
</testsuite>
]=])
execute_process(COMMAND awk -v preset=release -f ${SCRIPT} ${WORK_DIR}/results.xml OUTPUT_VARIABLE line
                RESULT_VARIABLE code)
set(expected "release: 5 passed, 3 failed, 4 skipped (want ASSAY_GGML_DIR: 3, ASSAY_MLX_DIR: 1)\n")
if(NOT code EQUAL 0 OR NOT line STREQUAL expected)
  message(FATAL_ERROR "it printed\n${line}\nand not\n${expected}")
endif()
