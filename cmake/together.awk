# Which sources can be given to the compiler together: prints a number and a source for each. Sources of one
# number have the same using-directives, share no name of their own, and call no function by the name of
# another one's own: they mean one of a header. `most`: of one number.
#
# The names are those of unnamed namespaces, of using-declarations, of macros and of what is static. What this
# misreads ends as an error of the compiler.
function endOf(file,   key, k, n, name) {
  if (file == "") return
  key = directives
  for (k = 0; !fits(key, k); ++k);
  ++size[key, k]
  for (n = 1; n <= count; ++n) {
    taken[key, k, names[n]] = meant[n]
    delete calls[names[n]]
  }
  for (name in calls) called[key, k, name] = 1
  delete calls
  if (!((key, k) in number)) number[key, k] = numbers++
  print number[key, k] " " file
}
function fits(key, k,   n, name) {
  if ((key, k) in size && size[key, k] >= most) return 0
  for (n = 1; n <= count; ++n) {
    own[names[n]] = 1
    if ((key, k, names[n]) in taken && taken[key, k, names[n]] != meant[n]) break
    if ((key, k, names[n]) in called && !(meant[n] ~ /::/)) break
  }
  if (n <= count) { delete own; return 0 }
  for (name in calls)
    if (!(name in own) && (key, k, name) in taken && taken[key, k, name] !~ /::/) { delete own; return 0 }
  delete own
  return 1
}
# A name and what it means: by default something of this source alone. Overloads of PrintTo differ in what
# they print.
function has(name, means) {
  if (name !~ /^[A-Za-z_][A-Za-z0-9_]*$/ || name == "PrintTo") return
  names[++count] = name
  meant[count] = means ? means : FILENAME
}
FNR == 1 { endOf(previous); previous = FILENAME; count = 0; unnamed = 0; raw = 0; directives = "" }
# The text of a kernel in a test is not C++.
raw { if (index($0, raw)) raw = 0; next }
match($0, /R"[A-Za-z_]*\(/) {
  close_ = ")" substr($0, RSTART + 2, RLENGTH - 3) "\""
  if (!index(substr($0, RSTART + RLENGTH), close_)) raw = close_
}
{
  text = $0
  sub(/\/\/.*/, "", text)
  while (match(text, /(^|[^A-Za-z0-9_.>:"])[A-Za-z_][A-Za-z0-9_]*\(/)) {
    word = substr(text, RSTART, RLENGTH - 1)
    sub(/^[^A-Za-z_]/, "", word)
    calls[word] = 1
    text = substr(text, RSTART + RLENGTH)
  }
}
/^ *# *define / { sub(/^ *# *define +/, ""); sub(/[^A-Za-z0-9_].*/, ""); has($0); next }
/^using namespace / { directives = directives " " $3; next }
/^using [A-Za-z0-9_:]+::[A-Za-z0-9_]+;/ {
  sub(/;.*/, "", $2)
  sub(/^::/, "", $2)
  means = $2
  sub(/.*::/, "", $2)
  has($2, means)
  next
}
/^namespace .*\{$/ { unnamed = unnamed || $2 == "{"; next }
/^\} +\/\/ namespace$/ { unnamed = 0; next }
!/^[A-Za-z]/ || /^(using namespace|namespace|template <>|extern|TEST|INSTANTIATE|return)/ { next }
!unnamed && !/^static / { next }
{
  head = $0
  sub(/^template <.*> */, "", head)
  sub(/^(\[\[[^\]]*\]\] *)/, "", head)
  if (head ~ /^(struct|class|enum|union) /) {
    sub(/^(enum class|enum struct|struct|class|enum|union) /, "", head)
    sub(/[^A-Za-z0-9_].*/, "", head)
  } else if (head ~ /^using [A-Za-z_0-9]+ *=/) {
    sub(/^using /, "", head); sub(/ *=.*/, "", head)
  } else if (head ~ /^[^(=]*[ *&][A-Za-z_][A-Za-z0-9_]*\(/) {
    sub(/\(.*/, "", head)
    sub(/.*[ *&]/, "", head)
  } else {
    # Variables, several of them at times.
    gsub(/ *=[^,;]*/, "", head)
    sub(/ *[{;].*/, "", head)
    parts = split(head, part, /, */)
    for (p = 1; p <= parts; ++p) { sub(/ *\[.*/, "", part[p]); sub(/.*[ *&]/, "", part[p]); has(part[p]) }
    next
  }
  has(head)
}
END { endOf(previous) }
