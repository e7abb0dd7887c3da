# scripts/ggml-findings.awk on what two operations told: equal findings are one row.
file(WRITE ${WORK}/findings.txt [=[
ADD kernel kernel_add: /x/ggml-metal.metal:12:3: warning: read of a[1] by thread 1 races [race-grid]
SUM kernel kernel_sum: /x/ggml-metal.metal:40:9: warning: write of b[2] by thread 0 races [race-lanes]
SUM kernel kernel_sum: /x/ggml-metal.metal:12:7: warning: read of a[1] by thread 1 races [race-grid]
SUM kernel kernel_sum_2: /x/ggml-metal.metal:12:3: warning: read of a[3] by thread 1 races [race-grid]
SUM kernel kernel_sum_3: /x/ggml-metal.metal:12:3: warning: read of a[3] by thread 1 races [race-grid]
]=])
execute_process(COMMAND awk -f ${SCRIPT} ${WORK}/findings.txt OUTPUT_VARIABLE rows COMMAND_ERROR_IS_FATAL ANY)
set(expected
    "| race-grid | ggml-metal.metal:12 | kernel_add, kernel_sum, kernel_sum_2 and 1 more | ADD, SUM |
| race-lanes | ggml-metal.metal:40 | kernel_sum | SUM |
")
if(NOT rows STREQUAL expected)
  message(FATAL_ERROR "expected\n${expected}and got\n${rows}")
endif()
