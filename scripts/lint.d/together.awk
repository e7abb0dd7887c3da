# together: sources that assay_compile_together() joins share no name of their unnamed namespaces.
BEGIN {
  for (path in isFile) {
    if (path !~ /^emulator\/[a-z]+\/CMakeLists\.txt$/) continue
    while ((getline text < path) > 0)
      if (text ~ /^assay_compile_together\(/) together[folderOf(path)] = 1
    close(path)
  }
}
FNR == 1 { unnamed = 0; split(FILENAME, part, "/"); room = part[1] "/" part[2] }
!(room in together) || FILENAME !~ /\.cpp$/ { next }
/^namespace \{/ { unnamed = 1; next }
/^\} +\/\/ namespace$/ { unnamed = 0; next }
!unnamed || !/^[A-Za-z]/ || /^(using|namespace|template <>)/ { next }
{
  head = $0
  sub(/^template <[^>]*> */, "", head)
  if (head ~ /^(struct|class|enum) /) {
    sub(/^(enum class|struct|class|enum) /, "", head)
    sub(/[^A-Za-z0-9_].*/, "", head)
  } else if (head ~ /^[^(=]*[ *&][A-Za-z_][A-Za-z0-9_]*\(/) {
    sub(/\(.*/, "", head)
    sub(/.*[ *&]/, "", head)
  } else if (head ~ /^(constexpr|const|inline|static|thread_local) [^(]*=/) {
    sub(/ *(\[.*)?=.*/, "", head)
    sub(/.*[ *&]/, "", head)
  } else {
    next
  }
  if (head == "" || head ~ /::/) next
  if (((room, head) in first) && first[room, head] != FILENAME)
    found(FILENAME, FNR, "'" head "' is in " first[room, head] " too: rename one")
  else
    first[room, head] = FILENAME
}
