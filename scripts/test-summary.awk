# Prints one line about the results that ctest wrote in JUnit's format:
#   release: 2240 passed, 0 failed, 36 skipped (want ASSAY_GGML_DIR: 20, ASSAY_MLX_NATIVE_DIR: 16)
# A skipped test says what it wants on the line after "Skipped";
# the first variable that it names stands for it.
function count(  want, i, n, keys, key, swap) {
  if (status == "run") passed++
  else if (status == "fail") failed++
  else if (status == "notrun" || status == "disabled") {
    skipped++
    want = reason == "" ? "something that they do not name" : reason
    if (match(want, /ASSAY_[A-Z_]+/)) want = substr(want, RSTART, RLENGTH)
    wants[want]++
  }
  status = ""; reason = ""; next_line = 0
}
/<testcase / {
  status = $0
  sub(/.* status="/, "", status); sub(/".*/, "", status)
}
next_line { reason = $0; next_line = 0 }
reason == "" && /Skipped$/ { next_line = 1 }
reason == "" && /skipped: / { reason = $0; sub(/.*skipped: /, "", reason) }
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
