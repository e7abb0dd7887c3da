# size: a file has at most 600 lines, unless it is one table, generated or listed with its size.
BEGIN {
  kMost = 600
  for (i = 1; i in allowed; ++i) {
    split(allowed[i], part, " ")
    recorded[part[1]] = part[2]
  }
}
FNR == 1 { last() }
{ file = FILENAME; lines = FNR }
END { last(); unneeded() }

function last() {
  if (file == "" || file ~ /\.(tsv|json|rows|def)$/ || file == "docs/kernels.md" || lines <= kMost) return
  if (!(file in recorded)) found(file, kMost + 1, lines " lines, at most " kMost ": is it two files?")
  else if (listed(file " " recorded[file]) && lines > recorded[file])
    found(file, recorded[file] + 1, lines " lines, and " list " allows it " recorded[file])
}
