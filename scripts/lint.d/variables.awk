# variables: docs/environment.md has each environment variable that a source or a script reads.
BEGIN {
  page = "docs/environment.md"
  while ((getline text < page) > 0)
    while (match(text, /`[A-Z][A-Z_0-9]+`/)) {
      documented[substr(text, RSTART + 1, RLENGTH - 2)] = 1
      text = substr(text, RSTART + RLENGTH)
    }
}
FILENAME == page || kindOf(FILENAME) == "data" || kindOf(FILENAME) == "md" { next }
{
  text = $0
  while (match(text, /getenv\("[A-Z_0-9]+"\)|\$\{ASSAY_[A-Z_]+:-/)) {
    name = substr(text, RSTART, RLENGTH)
    gsub(/getenv\("|"\)|\$\{|:-/, "", name)
    if (FILENAME ~ /^tests\// && name !~ /^ASSAY_/) name = "HOME" # what a test tells its own child
    if (!(name in documented)) found(FILENAME, FNR, "reads " name ", which " page " does not name")
    text = substr(text, RSTART + RLENGTH)
  }
}
