# Makes the rows of findings for scripts/ggml-backend-ops --check. An input line is an operation, a space,
# and what libMetal.so wrote with ASSAY_CHECK: `kernel NAME: FILE:LINE:COLUMN: warning: TEXT [RULE]`.
# Equal findings become one row, because each process of each operation reports a finding anew.
{
  rule = $NF
  gsub(/[][]/, "", rule)
  place = $4
  sub(/^.*\//, "", place)
  sub(/:[0-9]+:$/, "", place)
  kernel = $3
  sub(/:$/, "", kernel)
  key = rule " | " place
  if (!(key in kernels)) order[++count] = key
  add(kernels, key, kernel)
  add(operations, key, $1)
}
END {
  for (i = 1; i <= count; ++i)
    print "| " order[i] " | " list(kernels[order[i]]) " | " list(operations[order[i]]) " |"
}
function add(to, key, word) {
  if (index(to[key] " ", " " word " ") == 0) to[key] = to[key] " " word
}
# "a, b, c and 4 more"
function list(words,   part, n, i, text) {
  n = split(words, part, " ")
  for (i = 1; i <= n && i <= 3; ++i) text = text (i > 1 ? ", " : "") part[i]
  return n > 3 ? text " and " (n - 3) " more" : text
}
