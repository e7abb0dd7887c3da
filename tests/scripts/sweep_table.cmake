# scripts/sweep-table.awk and sweep-plot.awk on four rows, of which one was refused.
set(tab "	")
string(REPLACE " " "${tab}" lines "sweep head_dim heads m kv_len variant default total longest device_bytes \
threadgroup_bytes device_accesses threadgroup_accesses barriers simd float math integer busy accesses_busy \
dispatches ms refused")
string(APPEND lines "\n")
foreach(line
    "decode 64 2 1 10 w2@k1@half2@float 1 6400 100 2000 3000 4 5 6 7 8000000 9 10 0.5 0.6 1 1.25 "
    "decode 64 2 1 10 w4@k1@half2@float 0 6720 240 2000 3000 4 5 6 7 8000000 9 10 0.5 0.6 1 2.5 "
    "decode 64 2 1 10 w8@k1@half2@float 0 0 0 0 0 0 0 0 0 0 0 0 1 1 0 0 partials"
    "decode 64 2 1 20 w4@k1@half2@float 1 64 2 0 0 0 0 0 0 0 0 0 1 1 1 0 ")
  string(REPLACE " " "${tab}" line "${line}")
  string(REPLACE "@" " " line "${line}")
  string(APPEND lines "${line}\n")
endforeach()
file(WRITE ${WORK_DIR}/sweep.tsv "${lines}")

function(expect_output script expected)
  execute_process(COMMAND awk ${ARGN} -f ${SCRIPTS}/${script} ${WORK_DIR}/sweep.tsv OUTPUT_VARIABLE text
                  RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT text STREQUAL expected)
    message(FATAL_ERROR "it printed\n${text}\nand not\n${expected}")
  endif()
endfunction()

# 6400 / 32 + 100 = 300 steps, 6720 / 32 + 240 = 450; 64 / 32 + 2 = 4.
expect_output(sweep-table.awk [=[
Steps: total / 32 + longest, in operations of simdgroups; * is the default. ms: here.

decode: head_dim 64, 2 heads, m 1, kv_len 10
variant                   total longest    steps x best device KB group KB barriers   simd  Mflop  busy     ms
w2 k1 half2 float *        6400     100      300   1.00       2.0      3.0        6      7   8.00   50%   1.25
w4 k1 half2 float          6720     240      450   1.50       2.0      3.0        6      7   8.00   50%   2.50
w8 k1 half2 float     refused: partials

decode: head_dim 64, 2 heads, m 1, kv_len 20
variant                   total longest    steps x best device KB group KB barriers   simd  Mflop  busy     ms
w4 k1 half2 float *          64       2        4   1.00       0.0      0.0        0      0   0.00  100%   0.00
]=] -v p=32)
execute_process(COMMAND awk -v p=32 -v json=1 -f ${SCRIPTS}/sweep-table.awk ${WORK_DIR}/sweep.tsv
                OUTPUT_VARIABLE text)
string(JSON count LENGTH "${text}" rows)
string(JSON steps GET "${text}" rows 1 steps)
string(JSON refused GET "${text}" rows 2 refused)
string(JSON variant GET "${text}" rows 3 variant)
if(NOT count EQUAL 4 OR NOT steps EQUAL 450 OR NOT refused STREQUAL partials OR
   NOT variant STREQUAL "w4 k1 half2 float")
  message(FATAL_ERROR "as JSON it printed\n${text}")
endif()
expect_output(sweep-plot.awk [=[set terminal pngcairo size 960,380 noenhanced
set output 'out.png'
set logscale xy 2
set format y '%.0f'
set grid
set key outside right
set xlabel 'simdgroups'
set ylabel 'steps'
set multiplot layout 1,2
$d1_1 << EOD
2 300
4 450
EOD
set title 'head dim 64, kv len 10'
plot $d1_1 using 1:2 with linespoints title '1 keys'
$d2_1 << EOD
4 4
EOD
set title 'head dim 64, kv len 20'
plot $d2_1 using 1:2 with linespoints title '1 keys'
unset multiplot
]=] -v p=32 -v picture=out.png)
