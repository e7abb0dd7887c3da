# The picture of scripts/sweep as commands for gnuplot: steps, one panel for each head_dim and the like, a
# curve for each value of a knob. Input and p as scripts/sweep-table.awk; -v picture=FILE.png.
#
# decode   steps by simdgroups, a curve for each number of keys; elements at once and partials as by default
# prefill  steps by queries, a curve for each form and number of simdgroups
# splitk   steps by queries, a curve for each number of splits
BEGIN { FS = "\t" }
NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
$at["refused"] == "" {
  row[++rows] = $0
  split($at["variant"], part, " ")
  if ($at["default"] && $at["sweep"] == "decode") usual[$at["head_dim"]] = part[3] " " part[4]
}
END {
  for (i = 1; i <= rows; ++i) {
    split(row[i], f, "\t")
    split(f[at["variant"]], part, " ")
    sweep = f[at["sweep"]]
    panel = "head dim " f[at["head_dim"]]
    if (sweep == "decode") {
      if (f[at["head_dim"]] in usual && usual[f[at["head_dim"]]] != part[3] " " part[4]) continue
      panel = panel ", kv len " f[at["kv_len"]]
      curve = substr(part[2], 2) " keys"
      x = substr(part[1], 2)
      axis = "simdgroups"
    } else {
      panel = panel (sweep ~ /^prefill/ ? ", " f[at["kv_len"]] - f[at["m"]] " keys before" \
                                        : ", kv len " f[at["kv_len"]])
      curve = sweep ~ /^prefill/ ? substr(sweep, 9) " " part[1] : substr(part[2], 2) " splits"
      x = f[at["m"]]
      axis = "queries"
    }
    if (!(panel in curves)) panels[++panelCount] = panel
    if (!((panel, curve) in data)) name[panel, ++curves[panel]] = curve
    data[panel, curve] = data[panel, curve] x " " f[at["total"]] / p + f[at["longest"]] "\n"
  }
  if (!panelCount) { print "sweep: there is nothing to plot" > "/dev/stderr"; exit 1 }
  across = int(sqrt(panelCount - 1)) + 1
  down = int((panelCount + across - 1) / across)
  printf "set terminal pngcairo size %d,%d noenhanced\nset output '%s'\n", 480 * across, 380 * down, picture
  printf "set logscale xy 2\nset format y '%%.0f'\nset grid\nset key outside right\nset xlabel '%s'\n", axis
  printf "set ylabel 'steps'\nset multiplot layout %d,%d\n", down, across
  for (i = 1; i <= panelCount; ++i) {
    panel = panels[i]
    for (c = 1; c <= curves[panel]; ++c)
      printf "$d%d_%d << EOD\n%sEOD\n", i, c, data[panel, name[panel, c]]
    printf "set title '%s'\nplot ", panel
    for (c = 1; c <= curves[panel]; ++c)
      printf "%s$d%d_%d using 1:2 with linespoints title '%s'", (c > 1 ? ", " : ""), i, c, name[panel, c]
    print ""
  }
  print "unset multiplot"
}
