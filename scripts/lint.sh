#!/usr/bin/env bash
# Runs all format and static checks in parallel and prints the output of those that fail. Writes the counts to
# build/results/lint.json.
. "$(dirname "$0")/common.sh"
need 'JavaScript packages' clang-format
# The build generates these types from C++.
bash scripts/build.sh wasm
bin=node_modules/.bin

checks=('clang-format' 'oxlint' 'prettier' 'tsc' 'tables')
run_check() {
  case $1 in
    clang-format) find cpp tests -name node_modules -prune -o \( -name '*.cpp' -o -name '*.h' \) -print | xargs -r clang-format --dry-run -Werror ;;
    oxlint) $bin/oxlint ;;  # checks types, too, by tsconfig.json
    prettier) $bin/prettier --check --cache --cache-location build/prettier.cache . ;;
    tsc) for project in lib scripts; do $bin/tsc --project tsconfig.$project.json --noEmit || return; done ;;
    tables) node scripts/attributes.mjs --check && node scripts/hosts.mjs --check ;;
  esac
}

jobs=()
for check in "${checks[@]}"; do
  logged "lint-$check" run_check "$check" &
  jobs+=($!)
done

passed=0 failed=0
for i in "${!checks[@]}"; do
  if wait "${jobs[i]}"; then
    passed=$((passed + 1))
    say "${checks[i]} ok"
  else
    failed=$((failed + 1))
    cat "build/logs/lint-${checks[i]}.log"
    say "${checks[i]} FAILED"
  fi
done
printf '{ "passed": %d, "failed": %d }\n' $passed $failed >build/results/lint.json
((failed == 0))
