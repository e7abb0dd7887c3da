# What the rules share: findings, the lists of exceptions, and the set of files.
#
# A list begins with `# entries: N` and has N lines `KEY | REASON`; others that begin with # are comments. It
# may only shrink: N is lowered when an entry is removed, and an entry that nothing needs is a finding.
BEGIN {
  for (i = 1; i < ARGC; ++i) {
    isFile[ARGV[i]] = 1
    for (folder = ARGV[i]; sub(/\/[^\/]*$/, "", folder); ) isFolder[folder] = 1
  }
  readList()
}

function found(path, line, message) { print path ":" line ": " message " [" rule "]" }

function readList(   text, line, number, declared, at) {
  while ((getline text < list) > 0) {
    ++line
    if (line == 1 && text ~ /^# entries: [0-9]+/) declared = substr(text, 12) + 0
    if (text ~ /^#/ || text == "") continue
    at = index(text, " | ")
    if (!at) found(list, line, "an entry is KEY | REASON")
    reason[allowed[++number] = at ? substr(text, 1, at - 1) : text] = substr(text, at + 3)
    lineOf[allowed[number]] = line
  }
  close(list)
  if (line && number + 0 != declared + 0)
    found(list, 1, "has " number + 0 " entries and says " declared + 0 "; it may only shrink")
}

# Whether the list has the key; an entry that was never asked for is a finding of `unneeded`.
function listed(key) {
  if (key in reason) needed[key] = 1
  return key in reason
}
function unneeded(   key) {
  for (key in reason)
    if (!(key in needed)) found(list, lineOf[key], "nothing needs '" key "': remove it")
}

# a/b/../c → a/c, ./a → a
function normalised(path) {
  gsub(/\/\.\//, "/", path)
  sub(/^\.\//, "", path)
  while (sub(/(^|\/)[^\/.][^\/]*\/\.\.(\/|$)/, "/", path)) sub(/^\//, "", path)
  sub(/\/+$/, "", path)
  return path
}
function folderOf(path) { return sub(/\/[^\/]*$/, "", path) ? path : "" }
function exists(path) { return path in isFile || path in isFolder }

# The kind of a file: cpp (comments begin with //), hash (with #), md, or data (nothing to read).
function kindOf(path) {
  if (path ~ /\.(tsv|json|rows)$/ || path ~ /(^|\/)LICENSE/ || path ~ /\.LICENSE$/) return "data"
  if (path ~ /\.md$/) return "md"
  if (path ~ /\.(cpp|h|mm|m|metal|def|S)$/ || path ~ /^msl_shim\/(.*\/)?[a-z_]+$/) return "cpp"
  return "hash"
}

function part2(path,   part) { split(path, part, "/"); return part[2] }

# The room, `tables`, `shim`, `clang`, `llvm` or folder that a header is of; "" for what comes from elsewhere.
function belongsTo(header, quoted,   path) {
  if (header ~ /^(clang|llvm)(-c)?\//) return header ~ /^clang/ ? "clang" : "llvm"
  path = normalised(folderOf(FILENAME) "/" header)
  if (!quoted || !(path in isFile)) path = normalised(header)
  if (!(path in isFile)) path = normalised("emulator/" header)
  if (!(path in isFile)) path = "emulator/sdk/include/" header
  if (!(path in isFile)) return ""
  if (path ~ /^emulator\//) return part2(path)
  if (path ~ /^msl_shim\//) return path ~ /\.def$/ ? "tables" : "shim"
  return folderOf(path)
}
