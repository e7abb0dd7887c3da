# format: C++ and Objective-C++ are as clang-format 19 writes them.
set -euo pipefail
command -v clang-format-19 >/dev/null || {
  echo "lint: error: clang-format-19 is missing; scripts/prepare installs it" >&2
  exit 2
}
sources=()
for file in "$@"; do
  case $file in *.cpp | *.h | *.mm) sources+=("$file") ;; esac
done
[ ${#sources[@]} -gt 0 ] || exit 0
# One finding for each file; clang-format's own exit code says no more than its messages do.
messages=$(printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -n 40 clang-format-19 --dry-run -Werror 2>&1) || true
awk -F: '
/: error: .*clang-format-violations/ { if (!($1 in first)) first[$1] = $2; next }
/^[^ ]*: error:|^Invalid|^error:/ { print "lint: error: " $0 > "/dev/stderr"; broken = 1 }
END {
  for (file in first) print file ":" first[file] ": clang-format-19 -i would change this line [format]"
  exit broken
}' <<<"$messages"
