#!/usr/bin/env bash
# The long forms of tests/fuzz: 300,000 random cases, a million small calls, or the kernels under libFuzzer.
#   usage: fuzz.sh cases [JEST'S ARGUMENTS] | soak | native [--seconds N] [PROPERTY…]
. "$(dirname "$0")/common.sh"
need 'JavaScript packages'

what=${1-}
[[ $# -eq 0 ]] || shift
case $what in
  cases)
    FUZZ_CASES=${FUZZ_CASES-300000} DIST=1 exec bash scripts/jest.sh js tests/fuzz/{fuzz,embed}.test.ts "$@"
    ;;
  soak)
    SOAK_CALLS=${SOAK_CALLS-1000000} DIST=1 exec bash scripts/jest.sh js tests/fuzz/long/soak.test.ts tests/layers/long/soakDropped.test.ts "$@"
    ;;
  native) ;;
  *) fail 'usage: fuzz.sh cases|soak|native [arguments]' ;;
esac

# ---- the kernels

seconds=30
properties=()
while (($#)); do
  case $1 in
    --seconds)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || fail '--seconds takes a whole number above 0'
      seconds=$2
      shift 2
      ;;
    -*) fail 'usage: fuzz.sh native [--seconds N] [PROPERTY…]' ;;
    *)
      properties+=("$1")
      shift
      ;;
  esac
done

bash scripts/setup.sh --fuzz || exit 1
if ! logged configure-fuzz cmake -S . -B build/fuzz -G Ninja -DFUZZ=ON -DCMAKE_CXX_COMPILER=clang++; then
  fail "cmake failed: $(reason configure-fuzz)"
fi
logged fuzz ninja -C build/fuzz fuzz || fail "the build failed: $(reason fuzz)"
# Without a property it lists all.
((${#properties[@]})) || properties=($(build/fuzz/fuzz))

failed=0
for property in "${properties[@]}"; do
  mkdir -p "build/fuzz/corpus/$property" build/fuzz/findings
  if PROPERTY=$property build/fuzz/fuzz -max_total_time="$seconds" -max_len=64 -len_control=0 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/findings/$property-" "build/fuzz/corpus/$property" >"build/logs/fuzz-$property.log" 2>&1; then
    say "$property: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/logs/fuzz-$property.log") inputs in $seconds s, no finding"
  else
    failed=1
    grep -m 3 -E 'ERROR|runtime error|expected' "build/logs/fuzz-$property.log" || true
    say "$property: FAILED (build/logs/fuzz-$property.log)"
  fi
done
exit $failed
