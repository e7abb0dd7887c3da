# The table of scripts/mlx-tests, in Markdown. Each input file is one suite, by its name; scripts/mlx-suites
# says what its lines are. `lenient` is what a lenient run sets, `known` a file of causes:
# suite | test | what the test says, a part of it | cause. A test may have several lines. "the process" is the
# end of the suite's process.
function causeOf(suite, test, text,    n) {
  for (n = 1; n <= causes[suite, test]; ++n)
    if (index(text, says[suite, test, n]))
      return cause[suite, test, n]
  return ""
}
function row(test, text, why) {
  gsub(/\|/, "\\|", text)
  gsub(/\|/, "\\|", test)
  return "| " FILENAME " | " test " | " text " |" (why != "" ? " " why " |" : "") "\n"
}
BEGIN {
  FS = "\t"
  while ((getline line <known) > 0)
    if (line !~ /^#/ && split(line, part, / +\| +/) == 4) {
      n = ++causes[part[1], part[2]]
      says[part[1], part[2], n] = part[3]
      cause[part[1], part[2], n] = part[4]
    }
}
FNR == 1 { suites[++suite] = FILENAME }
$1 == "process" {
  seconds[suite] = $2
  note[suite] = $3
  why = causeOf(FILENAME, "the process", $3)
  if (why != "")
    rows["known"] = rows["known"] row("the process", $3, why)
  else if ($3 != "")
    ++notes
  next
}
# A test may fail of the error that the one before it caused. Of another one nobody knows why.
$1 == "alone" && previous !~ /^(lenient|cpu|fail|crash|limit)$/ {
  $1 = "fail"
  $4 = "alone it passes; " $4
}
{
  previous = $1
  ++count[suite, $1]
  ++total[$1]
}
$1 ~ /^(alone|lenient|cpu|fail|crash|limit|skip)$/ {
  group = $1
  why = ""
  if ($1 ~ /^(fail|crash|limit)$/) {
    why = causeOf(FILENAME, $2, $4)
    group = why != "" ? "known" : "fail"
  }
  if (group == "known")
    ++known_failures
  rows[group] = rows[group] row($2, $4, why)
}
function failed(of) { return count[of, "fail"] + count[of, "crash"] + count[of, "limit"] + count[of, "cpu"] }
function section(group, title, more) {
  if (rows[group] != "")
    printf "\n%s\n\n| suite | test | what it said |%s\n|---|---|---|%s\n%s", title, \
      (more ? " cause |" : ""), (more ? "---|" : ""), rows[group]
}
END {
  print "| suite | passed | leniently | failed | skipped | seconds | |"
  print "|---|---:|---:|---:|---:|---:|---|"
  for (i = 1; i <= suite; ++i) {
    printf "| %s | %d | %d | %d | %d | %d | %s |\n", suites[i], count[i, "pass"] + count[i, "alone"], \
      count[i, "lenient"], failed(i), count[i, "skip"], seconds[i], note[i]
    all[1] += count[i, "pass"] + count[i, "alone"]
    all[2] += count[i, "lenient"]
    all[3] += failed(i)
    all[4] += count[i, "skip"]
    all[5] += seconds[i]
  }
  printf "| **total** | %d | %d | %d | %d | %d | |\n", all[1], all[2], all[3], all[4], all[5]
  section("fail", "What failed:")
  section("known", "What failed of a known cause (scripts/mlx-tests.list):", 1)
  section("cpu", "What failed, and fails with DEVICE=cpu, too:")
  section("lenient", "What passes leniently only (" lenient "):")
  section("alone", "What fails after other tests, and passes alone:")
  section("skip", "What was skipped:")
  open = total["fail"] + total["crash"] + total["limit"] - known_failures + notes
  if (open)
    printf "\n%d %s without an explanation.\n", open, open == 1 ? "failure is" : "failures are"
  else
    print "\nNo failure is left unexplained."
}
