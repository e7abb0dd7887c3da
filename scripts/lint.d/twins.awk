# twins: each source of emulator/ has a test of its name, or one that tests/without_twin.txt gives.
BEGIN {
  for (path in isFile) {
    if (path !~ /^emulator\/.*\.(cpp|mm|h)$/) continue
    if (path ~ /^emulator\/sdk\//) continue # Apple's interface
    unit = path
    sub(/\.[a-z]+$/, "", unit)
    source[unit] = path # a header stands for itself only if there is no source beside it
    if ((unit ".mm") in isFile) source[unit] = unit ".mm"
    if ((unit ".cpp") in isFile) source[unit] = unit ".cpp"
  }
  for (i = 1; i in allowed; ++i) {
    split(allowed[i], part, " ")
    entry[part[1]] = allowed[i]
    if (!(part[1] in isFile)) found(list, lineOf[allowed[i]], part[1] " does not exist")
    for (j = 2; j in part; ++j)
      if (part[j] != "none" && !(part[j] in isFile))
        found(list, lineOf[allowed[i]], part[j] " does not exist")
    if (!(2 in part)) found(list, lineOf[allowed[i]], "no test is named")
    split("", part)
  }
  for (unit in source)
    if (!hasTwin(substr(unit, 10))) {
      if (source[unit] in entry) listed(entry[source[unit]])
      else found(source[unit], 1, "no test is called after it, and " list " does not name one")
    }
  unneeded()
  exit
}

# The test of a/b/y is a/b/y_test, a/y_test or b/y_test.
function hasTwin(unit,   part, count, name) {
  count = split(unit, part, "/")
  name = part[count] "_test"
  if (isTest(folderOf(unit) "/" name)) return 1
  return count == 3 && (isTest(part[1] "/" name) || isTest(part[2] "/" name))
}
function isTest(path) { return ("tests/" path ".cpp") in isFile || ("tests/" path ".mm") in isFile }
