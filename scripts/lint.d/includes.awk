# includes: rooms depend one way (docs/architecture.md); Clang is for frontend, LLVM for that and lowering.
BEGIN {
  # room → what its files may include beside their own: rooms, `tables` (msl_shim/*.def) and `shim` (its other
  # files, which hold the records that kernels and the host exchange).
  may["support"] = "tables"
  may["compare"] = "support"
  may["frontend"] = "support clang llvm"
  may["lowering"] = "support llvm"
  may["runtime"] = "support tables shim"
  may["validation"] = "support"
  may["host"] = "frontend lowering runtime validation support tables shim"
  may["cli"] = "host compare support tables"
  may["testing"] = "host support"
  may["sdk"] = ""
  may["objective_c"] = "sdk support"
  may["metal"] = "host objective_c sdk support"
}
FNR == 1 { room = FILENAME ~ /^emulator\/[^\/]+\/.*\.(cpp|h|mm|m|def)$/ ? part2(FILENAME) : "" }
room == "" || !/^[ \t]*#[ \t]*(include|import)[ \t]*["<]/ { next }
{
  match($0, /["<][^">]*/)
  quoted = substr($0, RSTART, 1) == "\""
  header = substr($0, RSTART + 1, RLENGTH - 1)
  target = belongsTo(header, quoted)
  if (target == "" || target == room || (" " may[room] " ") ~ (" " target " ")) next
  if (listed(FILENAME " " target)) next
  if (!(room in may)) found(FILENAME, FNR, "the table of scripts/lint.d/includes.awk has no room '" room "'")
  else found(FILENAME, FNR, "'" header "': " room " may include " may[room] ", not " target)
}
END { unneeded() }
