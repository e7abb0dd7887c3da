# For scripts/architecture-picture: an SVG of the rooms of emulator/ and of what they include of one another.
BEGIN {
  # Who includes must stand above; rooms of one row do not include one another, but for those of `metal`.
  row["cli"] = row["testing"] = row["metal"] = 0
  row["host"] = 1
  row["frontend"] = row["lowering"] = row["runtime"] = row["validation"] = row["compare"] = 2
  row["support"] = 3
  row["tables"] = row["shim"] = 4
  column["cli"] = 4; column["testing"] = 1; column["metal"] = 2
  column["host"] = 2
  column["frontend"] = 0; column["lowering"] = 1; column["runtime"] = 2; column["validation"] = 3
  column["compare"] = 4
  column["support"] = 1.5
  row["objective_c"] = 1; column["objective_c"] = 5
  row["sdk"] = 2; column["sdk"] = 5
  column["tables"] = 1.5; column["shim"] = 3
  label["tables"] = "msl_shim/*.def"
  label["shim"] = "msl_shim"
  width = 130; height = 36; stepX = 180; stepY = 100; edge = 20
}
FNR == 1 { room = FILENAME ~ /^emulator\/[^\/]+\/.*\.(cpp|h|mm|m|def)$/ ? part2(FILENAME) : "" }
room == "" || !/^[ \t]*#[ \t]*(include|import)[ \t]*["<]/ { next }
{
  match($0, /["<][^">]*/)
  target = belongsTo(substr($0, RSTART + 1, RLENGTH - 1), substr($0, RSTART, 1) == "\"")
  if (target == room || target == "clang" || target == "llvm" || target == "") next
  if (!(room in row)) { print "no place for the room '" room "'" > "/dev/stderr"; bad = 1; exit }
  if (target in row) arrow[room, target] = 1
}
END {
  if (bad) exit 1
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", \
         5 * stepX + width + 2 * edge, 4 * stepY + height + 2 * edge
  print " font-family=\"sans-serif\" font-size=\"14\">"
  print "<!-- Drawn by scripts/architecture-picture from the includes of emulator/. Do not edit. -->"
  print "<title>Rooms of emulator/; an arrow means that one includes another</title>"
  printf "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\""
  print " markerWidth=\"7\" markerHeight=\"7\""
  print "  orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#556\"/></marker></defs>"
  print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
  rooms = "cli testing metal host objective_c frontend lowering runtime validation compare sdk support"
  rooms = rooms " tables shim"
  count = split(rooms, name, " ")
  for (i = 1; i <= count; ++i)
    for (j = 1; j <= count; ++j)
      if ((name[i], name[j]) in arrow) line(name[i], name[j])
  for (i = 1; i <= count; ++i) box(name[i])
  print "</svg>"
}

function left(room) { return edge + column[room] * stepX }
function top(room) { return edge + row[room] * stepY }

# From the lower edge of one box to the upper edge of the other. Arrows over several rows are drawn lighter.
function line(from, to) {
  printf "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#556\" stroke-opacity=\"%s\"", \
         left(from) + width / 2, top(from) + height, left(to) + width / 2, top(to), \
         (row[to] - row[from] > 1 ? "0.35" : "1")
  print " marker-end=\"url(#tip)\"/>"
}
function box(room) {
  printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" fill=\"#eef2fa\" stroke=\"#556\"/>\n", \
         left(room), top(room), width, height
  printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left(room) + width / 2, \
         top(room) + height / 2 + 5, room in label ? label[room] : room
}
