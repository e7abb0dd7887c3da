# width: no line has more than 110 columns; tables, recorded output and generated pages are exempt.
BEGIN {
  kMost = 110
  # Files that are exempt, and why.
  exempt["\\.(json|tsv|rows)$"] = "data, one row a line"
  exempt["^docs/kernels\\.md$"] = "generated from kernels_msl"
  exempt["(^|/|\\.)LICENSE$"] = "the text is not ours"
  # Lines that are exempt: kind of file, what the line is like, and why.
  exemptLine["\\.md$", "^ *\\|"] = "a row of a table"
  exemptLine["(\\.list|without_twin\\.txt)$", " \\| "] = "an entry is one line"
  exemptLine["\\.md$", "^\\[[^]]*\\]: "] = "the definition of a link"
  exemptLine["\\.def$", "^[A-Z_0-9]+\\("] = "a row of a table"
  exemptLine["\\.toml$", "^[a-z_]+ = "] = "a value is one line"
}
FNR == 1 {
  skip = fenced = 0
  for (pattern in exempt) if (FILENAME ~ pattern) skip = 1
}
skip { next }
FILENAME ~ /\.md$/ && /^ *```/ { fenced = !fenced } # commands and their output, which tests compare
fenced || length($0) <= kMost { next }
{
  text = $0
  gsub(/[\200-\277]/, "", text) # what is left of a UTF-8 character is its first byte
  if (length(text) <= kMost) next
  for (pair in exemptLine) {
    split(pair, part, SUBSEP)
    if (FILENAME ~ part[1] && $0 ~ part[2]) next
  }
  where[++number] = FILENAME SUBSEP FNR SUBSEP length(text)
  ++inFile[FILENAME]
}
END {
  for (i = 1; i <= number; ++i) {
    split(where[i], part, SUBSEP)
    found(part[1], part[2], part[3] " columns, at most " kMost " (one of " inFile[part[1]] " in this file)")
  }
}
