# The table of scripts/sweep, as text or with -v json=1 as JSON. Lines: those of bench/sweeps/row.cpp, the
# first with the names of the columns; between them tabs. -v p=N: simdgroups that run at a time.
BEGIN { FS = "\t" }
NR == 1 { for (i = 1; i <= NF; ++i) { column[i] = $i; at[$i] = i }; columns = NF; next }
{
  problem = $at["sweep"] SUBSEP $at["head_dim"] SUBSEP $at["heads"] SUBSEP $at["m"] SUBSEP $at["kv_len"]
  if (!(problem in first)) { first[problem] = 1; problems[++problemCount] = problem }
  row[++rows] = $0
  of[rows] = problem
  steps[rows] = $at["total"] / p + $at["longest"]
  if ($at["refused"] == "" && (!(problem in best) || steps[rows] < best[problem])) best[problem] = steps[rows]
}
END {
  if (NR < 2) { print "sweep: there are no rows" > "/dev/stderr"; exit 1 }
  if (json) printJson()
  else printTable()
}

function printTable(   q, i, f, name) {
  printf "Steps: total / %d + longest, in operations of simdgroups; * is the default. ms: here.\n", p
  for (q = 1; q <= problemCount; ++q) {
    split(problems[q], name, SUBSEP)
    printf "\n%s: head_dim %s, %s heads, m %s, kv_len %s\n", name[1], name[2], name[3], name[4], name[5]
    printf "%-21s%10s%8s%9s%7s%10s%9s%9s%7s%7s%6s%7s\n", "variant", "total", "longest", "steps", "x best",
      "device KB", "group KB", "barriers", "simd", "Mflop", "busy", "ms"
    for (i = 1; i <= rows; ++i) {
      if (of[i] != problems[q]) continue
      split(row[i], f, "\t")
      if (f[at["refused"]] != "") {
        printf "%-21s refused: %s\n", f[at["variant"]], f[at["refused"]]
        continue
      }
      printf "%-21s%10d%8d%9.0f%7.2f%10.1f%9.1f%9d%7d%7.2f%5.0f%%%7.2f\n",
        f[at["variant"]] (f[at["default"]] ? " *" : ""), f[at["total"]], f[at["longest"]], steps[i],
        steps[i] / best[of[i]], f[at["device_bytes"]] / 1000, f[at["threadgroup_bytes"]] / 1000,
        f[at["barriers"]], f[at["simd"]], f[at["float"]] / 1e6, 100 * f[at["busy"]], f[at["ms"]]
    }
  }
}

function printJson(   i, c, f, text) {
  printf "{\n  \"simdgroupsAtATime\": %d,\n  \"rows\": [\n", p
  for (i = 1; i <= rows; ++i) {
    split(row[i], f, "\t")
    text = ""
    for (c = 1; c <= columns; ++c)
      text = text sprintf("\"%s\": %s, ", column[c],
                          column[c] ~ /^(sweep|variant|refused)$/ ? "\"" f[c] "\"" : f[c])
    printf "    {%s\"steps\": %.1f}%s\n", text, steps[i], i < rows ? "," : ""
  }
  print "  ]\n}"
}
