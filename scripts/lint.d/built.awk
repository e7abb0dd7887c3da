# built: each test file is in a program: a CMakeLists.txt of tests/ names it, or gathers its folder by a glob.
BEGIN {
  for (path in isFile) {
    if (path !~ /^tests\/(.*\/)?CMakeLists\.txt$/) continue
    folder = folderOf(path)
    while ((getline text < path) > 0) {
      sub(/#.*/, "", text)
      if (text ~ /GLOB/) gathered[folder] = 1
      gsub(/[()"]/, " ", text)
      count = split(text, word, " ")
      for (i = 1; i <= count; ++i)
        if (word[i] ~ /_test\.(cpp|mm)$/) named[normalised(folder "/" word[i])] = 1
    }
    close(path)
  }
  for (path in isFile)
    if (path ~ /^tests\/.*_test\.(cpp|mm)$/ && !(path in named) && !isGathered(path))
      found(path, 1, "no CMakeLists.txt names it: its tests never run")
  exit
}

function isGathered(path,   folder) {
  for (folder = folderOf(path); folder != ""; folder = folderOf(folder))
    if (folder in gathered) return 1
  return 0
}
