# visitors: a Visit or Traverse function of emulator/frontend overrides; another one is never called.
FILENAME !~ /^emulator\/frontend\// || FILENAME ~ /\/syntax_visitor\./ { next }
/(^|[^:>.])bool (Visit|Traverse|WalkUpFrom)[A-Z][A-Za-z]*\(/ && !/override/ {
  found(FILENAME, FNR, "write `override`, and add the node to visited_nodes.def")
}
END { unneeded() }
