# scripts/test-summary.awk on results with one test of each kind, in the form in which ctest 3.25 writes them.
file(WRITE ${WORK_DIR}/results.xml [=[<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="Linux-c++" tests="6" failures="1" disabled="0" skipped="3">
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
</testsuite>
]=])
execute_process(COMMAND awk -v preset=release -f ${SCRIPT} ${WORK_DIR}/results.xml OUTPUT_VARIABLE line
                RESULT_VARIABLE code)
set(expected "release: 2 passed, 1 failed, 3 skipped (want ASSAY_GGML_DIR: 2, ASSAY_MLX_DIR: 1)\n")
if(NOT code EQUAL 0 OR NOT line STREQUAL expected)
  message(FATAL_ERROR "it printed\n${line}\nand not\n${expected}")
endif()
