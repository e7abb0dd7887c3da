# references: a path in a comment or a page exists; so do the targets and anchors of links.
#
# A path counts if it begins with a folder of the root, of emulator/ or beside the file; it is looked up from
# there, from emulator/ and from msl_shim/. From * { < on it is a pattern, and its folder must exist. Other
# names of sources must be the end of some file's path, or begin with the project that they are of;
# tests/projects is about those.
BEGIN {
  split("assay clang llvm mlx", foreign, " ") # assay: headers as they are installed
  for (i in foreign) isForeign[foreign[i]] = 1
  for (path in isFile)
    for (end = path; end != ""; end = substr(end, index(end "/", "/") + 1)) isEnd[end] = 1
  for (path in isFolder) {
    if (path !~ /\//) isTop[path] = 1
    if (path ~ /^emulator\/[^\/]+$/) isTop[substr(path, 10)] = 1
  }
}
FNR == 1 { kind = kindOf(FILENAME); fenced = 0; delete seen }
kind == "data" { next }
kind == "md" {
  if (/^ *```/) fenced = !fenced
  else if (!fenced) { heading(); links() }
  paths($0)
  next
}
kind == "cpp" ? match($0, /\/\//) : match($0, /(^|[ \t])#/) { paths(substr($0, RSTART + RLENGTH)) }
END {
  for (i = 1; i <= anchors; ++i)
    if (!(wanted[i] in isAnchor)) found(wantedIn[i], wantedAt[i], "no heading for '" wanted[i] "'")
  unneeded()
}

# `## The way of data` can be linked to as FILE#the-way-of-data.
function heading(   text) {
  if (!/^#+ /) return
  text = tolower($0)
  gsub(/^#+ +|[^a-z0-9 _-]/, "", text)
  gsub(/ /, "-", text)
  isAnchor[FILENAME "#" text] = 1
}

function links(   text, target, path) {
  text = $0
  while (match(text, /\]\([^) ]+/)) {
    target = substr(text, RSTART + 2, RLENGTH - 2)
    text = substr(text, RSTART + RLENGTH)
    if (target ~ /^[a-z]+:/) continue
    path = target
    sub(/#.*/, "", path)
    path = path == "" ? FILENAME : normalised(folderOf(FILENAME) "/" path)
    sub(/^\//, "", path)
    if (!exists(path)) found(FILENAME, FNR, "the link's target '" target "' does not exist")
    else if (target ~ /#/) {
      wanted[++anchors] = path substr(target, index(target, "#"))
      wantedIn[anchors] = FILENAME
      wantedAt[anchors] = FNR
    }
  }
}

function paths(text,   word) {
  gsub(/[a-z]+:\/\/[^ )>]*|(^|[^A-Za-z0-9_\/])<[^<> ]*>/, " ", text) # addresses, <header> and <placeholder>
  while (match(text, /[A-Za-z0-9_.*{<$~@\/-]+/)) {
    word = substr(text, RSTART, RLENGTH)
    if (RSTART > 1 && substr(text, RSTART - 1, 1) == "}") word = ""
    text = substr(text, RSTART + RLENGTH)
    sub(/[.\/-]+$/, "", word)
    if (word ~ /\// || word ~ /^[a-z0-9_]+\.(cpp|h|mm|def|metal|rows)$/) look(word)
  }
}

function look(word,   top) {
  sub(/[^\/]*[*{<$].*/, "", word)
  sub(/\/$/, "", word)
  if (word == "" || word in seen || listed(FILENAME " " word)) return
  seen[word] = 1
  top = word
  sub(/\/.*/, "", top)
  if (!(top in isTop) && top != ".." && !((folderOf(FILENAME) "/" top) in isFolder)) {
    if (fenced || FILENAME ~ /^tests\/projects\// || top in isForeign) return
    if (word ~ /\.(cpp|h|mm|def|rows)$/ && !(word in isEnd))
      found(FILENAME, FNR, "no file is called '" word "'")
    return
  }
  if (exists(normalised(word)) || exists(normalised(folderOf(FILENAME) "/" word))) return
  if (exists(normalised("emulator/" word)) || exists(normalised("msl_shim/" word))) return
  found(FILENAME, FNR, "'" word "' does not exist")
}
