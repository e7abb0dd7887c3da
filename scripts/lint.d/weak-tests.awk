# weak-tests: each test asserts something, and a test of a death says which words it dies with.
#
# A test asserts if it holds one of GoogleTest's macros, or calls what does: a function or macro of its own
# file or of a header, or one that is called expect*.
BEGIN { kMacro = "(EXPECT|ASSERT)_[A-Z]|(^|[^A-Z_])FAIL\\(|SUCCEED\\(\\) *<<|ADD_FAILURE" }
FNR == 1 { name = body = raw = ""; isTest = inClass = 0 }
FILENAME !~ /^(tests|emulator\/testing)\/.*\.(cpp|h|mm)$/ { next }
raw != "" { # inside R"X( ... )X": other languages
  if (!index($0, raw)) next
  $0 = substr($0, index($0, raw) + length(raw) - 1)
  raw = ""
}
{
  line = $0
  sub(/(^|[ \t])\/\/.*/, "", line)
  if (match(line, /R"[A-Za-z_]*\(/)) {
    raw = ")" substr(line, RSTART + 2, RLENGTH - 3) "\""
    if (index(substr(line, RSTART + RLENGTH), raw)) raw = ""
  }
}
!isTest && /^#define [A-Za-z_]+\(/ { begin(substr($2, 1, index($2 "(", "(") - 1), 0) }
/^(TYPED_)?TEST(_F|_P)?\(/ { begin(testName(), 1) }
/^(template <.*> )?(class|struct) / { finish(); inClass = !/;$/ }
# A function of a namespace or of a class: what stands before the first parenthesis of a line that begins one.
!isTest && !/^(TEST|INSTANTIATE)/ && line !~ /;$/ && (inClass ? /^  [A-Za-z].*[^ ]\(/ : /^[A-Za-z].*[^ ]\(/) {
  head = line
  sub(/\(.*/, "", head)
  sub(/.*[^A-Za-z0-9_]/, "", head)
  begin(head, 0)
}
name != "" { body = body "\n" line }
isTest {
  if (line ~ /EXPECT_TRUE\(true\)|ASSERT_TRUE\(true\)/) weak(FNR, "asserts that true is true")
  dies = body ~ /_(DEATH|EXIT)\(/ && line !~ /ExitedWithCode\(0\)|KilledBySignal/ # a success may be silent
  if (dies && line ~ /, *("(\.\*)?"|(testing::)?_)\);$/)
    weak(FNR, "a death for any reason: say which words it dies with")
}
/^}/ || (isTest && /^TEST.*}$/) { finish(); inClass = 0 }
END {
  finish()
  for (i = 1; i <= helpers; ++i)
    if (helperBody[i] ~ kMacro) asserts[scope(helperFile[i]), helper[i]] = 1
  do { # in a source, what calls what asserts, asserts
    grown = 0
    for (i = 1; i <= helpers; ++i)
      if (helperFile[i] !~ /\.h$/ && !((helperFile[i], helper[i]) in asserts))
        if (calls(helperBody[i], helperFile[i])) grown = asserts[helperFile[i], helper[i]] = 1
  } while (grown)
  for (i = 1; i <= tests; ++i)
    if (!calls(testBody[i], testFile[i])) {
      if (!listed(testFile[i] " " test[i])) found(testFile[i], testLine[i], test[i] " asserts nothing")
    } else if (onlyNoThrow(testBody[i], testFile[i]))
      found(testFile[i], testLine[i], test[i] " asserts only that nothing is thrown")
  unneeded()
}

function weak(line, message) { if (!listed(FILENAME " " name)) found(FILENAME, line, name " " message) }
function testName(   text) {
  text = $0
  sub(/^TEST[A-Z_]*\(/, "", text)
  sub(/\).*/, "", text)
  sub(/, */, ".", text)
  return text
}
function begin(what, itIsATest) {
  finish()
  name = what
  isTest = itIsATest
  start = FNR
  file = FILENAME
}
function finish() {
  if (name == "") return
  if (isTest) {
    test[++tests] = name
    testBody[tests] = body
    testFile[tests] = file
    testLine[tests] = start
  } else {
    helper[++helpers] = name
    helperBody[helpers] = body
    helperFile[helpers] = file
  }
  name = body = ""
  isTest = 0
}
function calls(text, where,   word) {
  sub(/^[^(]*\(/, "", text) # its own name
  if (text ~ kMacro) return 1
  while (match(text, /[A-Za-z_][A-Za-z0-9_]*(<[A-Za-z0-9_:, *]*>)?\(|[A-Z]+_[A-Z_]+/)) {
    word = substr(text, RSTART, RLENGTH)
    text = substr(text, RSTART + RLENGTH)
    sub(/[<(].*/, "", word)
    if ((where, word) in asserts || ("", word) in asserts || word ~ /^expect[A-Z]/) return 1
  }
  return 0
}
function onlyNoThrow(text, where) {
  if (text !~ /_NO_THROW\(/) return 0
  gsub(/(EXPECT|ASSERT)_NO_THROW/, "", text)
  return !calls(text, where)
}
# What a header defines is everybody's.
function scope(path) { return path ~ /\.h$/ ? "" : path }
