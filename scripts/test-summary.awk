# Prints one line about the results that ctest wrote in JUnit's format:
#   release: 2240 passed, 0 failed, 36 skipped (want ASSAY_GGML_DIR: 20, ASSAY_MLX_NATIVE_DIR: 16)
# A skipped test says what it wants on the line after "Skipped";
# the first variable that it names stands for it.
# Where ctest ran a shard of a program, GoogleTest's own lines are counted.
function count() {
  if (!shard && status == "run") passed++
  else if (status == "fail" && !shard_failed) failed++
  else if (!shard && (status == "notrun" || status == "disabled")) skip()
  status = ""; reason = ""; next_line = 0; shard = 0; shard_failed = 0
}
function skip(  want) {
  skipped++
  want = reason == "" ? "something that they do not name" : reason
  if (match(want, /ASSAY_[A-Z_]+/)) want = substr(want, RSTART, RLENGTH)
  wants[want]++
  reason = ""
}
/<testcase / {
  status = $0
  sub(/.* status="/, "", status); sub(/".*/, "", status)
}
next_line { reason = $0; next_line = 0 }
reason == "" && /Skipped$/ { next_line = 1 }
reason == "" && /skipped: / { reason = $0; sub(/.*skipped: /, "", reason) }
/Note: This is test shard / { shard = 1 }
shard && /^\[       OK \] / { passed++; reason = "" }
shard && /^\[  SKIPPED \] .* ms\)$/ { skip() }
shard && /^\[  FAILED  \] .* ms\)$/ { failed++; shard_failed = 1; reason = "" }
/<\/testcase>/ { count() }
END {
  for (want in wants) list[++n] = want
  for (i = 2; i <= n; i++) # the most wanted first
    for (j = i; j > 1 && wants[list[j]] > wants[list[j - 1]]; j--) {
      swap = list[j]; list[j] = list[j - 1]; list[j - 1] = swap
    }
  text = ""
  for (i = 1; i <= n; i++) text = text (i > 1 ? ", " : "") list[i] ": " wants[list[i]]
  printf "%s: %d passed, %d failed, %d skipped%s\n", preset, passed, failed, skipped,
    n ? " (want " text ")" : ""
}
