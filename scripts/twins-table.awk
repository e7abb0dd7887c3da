# The table of scripts/twins, as text or with -v json=1 as JSON. Lines: round, twin, way, fastest milliseconds
# of the round, and whether simdgroups ran as one program; between them tabs. -v device=TEXT names pocl's
# device.
#
# A twin NAME:VARIANT is the same work in another form. It has a row, and no part in the means.
BEGIN {
  FS = "\t"
  split("fibers vectors pocl hand", ways, " ")
}
{
  if (!($2 in seen)) { seen[$2] = 1; twins[++count] = $2 }
  key = $2 SUBSEP $3
  if (!(key in fastest) || $4 + 0 < fastest[key]) fastest[key] = $4 + 0
  all[key] = all[key] " " $4
  if ($3 == "vectors" && $5 + 0) onVectors[$2] = 1
  if ($1 + 0 > rounds) rounds = $1 + 0
}
END {
  for (i = 1; i <= count; ++i) {
    twin = twins[i]
    for (j = 3; j <= 4; ++j) {
      value = ratio(twin, ways[j])
      if (value == 0 || twin ~ /:/) continue
      add(ways[j], value)
      if (ways[j] == "hand" && twin !~ /_product$/) add("rest", value)
    }
  }
  if (json) printJson()
  else printTable()
}

function add(group, value) { logs[group] += log(value); members[group]++ }
function mean(group) { return members[group] ? exp(logs[group] / members[group]) : 0 }
# Speed of the vector engine over that of another way; 0 if one of them was not measured.
function ratio(twin, way) {
  if (!measured(twin, way) || !measured(twin, "vectors")) return 0
  return fastest[twin, way] / fastest[twin, "vectors"]
}

function measured(twin, way) { return (twin SUBSEP way) in fastest }
function number(value, format) { return value ? sprintf(format, value) : "-" }
function row(first, a, b, c, d, e, f) {
  printf "%-22s %10s %10s %10s %10s %10s %10s\n", first, a, b, c, d, e, f
}
function printTable(   i, j, twin, cell, starred) {
  print "Fastest of " rounds " rounds in ms; ratios of speeds, above 1 the vector engine is faster."
  print "pocl: " (device ? device : "skipped")
  row("twin", "fibers", "vectors", "pocl", "by hand", "v/pocl", "v/hand")
  for (i = 1; i <= count; ++i) {
    twin = twins[i]
    for (j = 1; j <= 4; ++j)
      cell[j] = measured(twin, ways[j]) ? sprintf("%.3f", fastest[twin, ways[j]]) : "-"
    if (!(twin in onVectors)) { cell[2] = cell[2] "*"; starred = 1 }
    row(twin, cell[1], cell[2], cell[3], cell[4], number(ratio(twin, "pocl"), "%.3f"),
        number(ratio(twin, "hand"), "%.3f"))
  }
  row("geometric mean", "", "", "", "", number(mean("pocl"), "%.3f"), number(mean("hand"), "%.3f"))
  row("without the products", "", "", "", "", "", number(mean("rest"), "%.3f"))
  if (starred) print "* left to the fibers by the vector engine"
  for (i = 1; i <= count; ++i)
    if (twins[i] ~ /:/) { print "A name with a colon is a variant: not in the means."; break }
}

function printJson(   i, j, twin, key, text) {
  printf "{\"rounds\": %d, \"pocl\": %s, \"twins\": [", rounds, (device ? "\"" device "\"" : "null")
  for (i = 1; i <= count; ++i) {
    twin = twins[i]
    text = ""
    for (j = 1; j <= 4; ++j)
      if (measured(twin, ways[j])) {
        key = twin SUBSEP ways[j]
        text = text sprintf(", \"%s\": {\"fastest_ms\": %s, \"median_ms\": %s}", ways[j], fastest[key],
                            median(all[key]))
      }
    printf "%s\n  {\"twin\": \"%s\", \"variant\": %s, \"on_vectors\": %s%s, %s, %s}",
           (i > 1 ? "," : ""), twin, twin ~ /:/ ? "true" : "false", twin in onVectors ? "true" : "false",
           text, field("vectors_over_pocl", ratio(twin, "pocl")),
           field("vectors_over_hand", ratio(twin, "hand"))
  }
  printf "\n], \"means\": {%s, %s, %s}}\n", field("vectors_over_pocl", mean("pocl")),
         field("vectors_over_hand", mean("hand")), field("vectors_over_hand_without_products", mean("rest"))
}
function field(name, value) { return "\"" name "\": " (value ? sprintf("%.4f", value) : "null") }
function median(text,   part, n, i, j, swap) {
  n = split(text, part, " ")
  for (i = 2; i <= n; ++i)
    for (j = i; j > 1 && part[j] + 0 < part[j - 1] + 0; --j) {
      swap = part[j]; part[j] = part[j - 1]; part[j - 1] = swap
    }
  return n % 2 ? part[(n + 1) / 2] : (part[n / 2] + part[n / 2 + 1]) / 2
}
