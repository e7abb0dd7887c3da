# words: after, past or beyond, not `behind`, for an order; sources that a reader can open.
BEGIN {
  advice["behind"] = "say after, past, beyond or under"
  advice["metal-semantics"] = "cite what the note cites, or the test that covers it"
  advice["design, \""] = "cite a file of this repository"
  for (i = 1; i in allowed; ++i) {
    split(allowed[i], part, " ")
    most[part[1]] = part[2]
  }
}
kindOf(FILENAME) == "data" || FILENAME ~ /^scripts\/lint/ { next }
{
  text = tolower($0)
  for (word in advice) {
    if (!index(text, word)) continue
    if (word == "behind" && FILENAME in most) lines[FILENAME] = lines[FILENAME] " " FNR
    else found(FILENAME, FNR, "'" word "': " advice[word])
  }
}
END {
  for (file in lines) {
    number = split(lines[file], part, " ")
    entry = file " " most[file]
    if (listed(entry) && number > most[file])
      found(file, part[number], "'behind' is on " number " lines, and " list " allows " most[file])
    if (number < most[file]) found(list, lineOf[entry], file " has the word on " number " lines")
  }
  unneeded()
}
