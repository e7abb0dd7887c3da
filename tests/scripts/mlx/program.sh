#!/usr/bin/env bash
# Stands for MLX's C++ tests under doctest: seven cases, which end as their number and the settings say.
first=1 last=7 only=
for word in "$@"; do
  case $word in
  --first=*) first=${word#*=} ;;
  --last=*) last=${word#*=} ;;
  --list-test-cases) only=1 ;;
  esac
done
names=("adds" "reads past the end" "fails" "crashes, &lt;sometimes&gt;" "needs order" "hangs"
       "asks for the GPU")
say() { # verdict, text
  if [ "$1" = false ]; then
    printf '      <Expression success="false" type="CHECK" filename="/x/a_tests.cpp" line="7">\n'
    printf '        <Original>\n          a == b\n        </Original>\n'
    printf '        <Exception>\n          %s\n        </Exception>\n      </Expression>\n' "$2"
  fi
  printf '    <OverallResultsAsserts successes="1" test_case_success="%s" duration="0.25"/>\n' "$1"
}
for ((i = 1; i <= 7; ++i)); do
  if [ "$i" -lt "$first" ] || [ "$i" -gt "$last" ]; then # what is not chosen is named, too
    printf '    <TestCase name="%s" skipped="true"/>\n' "${names[i - 1]}"
    continue
  fi
  printf '    <TestCase name="%s" filename="/x/a_tests.cpp" line="1"%s>\n' "${names[i - 1]}" "${only:+/}"
  [ -z "$only" ] || continue
  case $i in
  2) [ -n "${ASSAY_BUFFER_SLACK:-}" ] && say true || say false "read of 4 bytes | past the end" ;;
  3) say false "1 is not 2" ;;
  4)
    [ "$DEVICE" = cpu ] && say false "also there" && continue
    echo "terminating: of a sudden" >&2
    kill -SEGV $$
    ;;
  5) [ "$first" -eq 5 ] && [ "$last" -eq 5 ] && say true || say false "state &amp; order" ;;
  6) [ "$DEVICE" = cpu ] && say true || exec sleep 30 ;;
  7) [ "$DEVICE" = cpu ] && say false "of its own" || say false "[METAL] 3 is not 4" ;;
  *) say true ;;
  esac
done
