#!/usr/bin/env bash
# Runs the native tests of the C++ library under AddressSanitizer and UndefinedBehaviorSanitizer, or with --threads on a
# pool of threads under ThreadSanitizer.
#   usage: test-native.sh [--threads] [GOOGLETEST'S ARGUMENTS]      for instance --gtest_filter='Softmax*'
. "$(dirname "$0")/common.sh"
need g++ cmake ninja 'Eigen 3.4' GoogleTest

name=native
if [[ ${1-} == --threads ]]; then
  name=thread
  shift
fi

exec 9>build/.native.lock
if command -v flock >/dev/null; then flock 9; fi

if [[ ! -e build/native/build.ninja ]]; then
  logged configure-native cmake --preset native || fail "cmake failed: $(reason configure-native)"
fi
if ! logged $name-tests ninja -C build/native $name-tests; then
  tail -n 60 build/logs/$name-tests.log >&2
  fail "the native build failed: $(reason $name-tests)"
fi
export UBSAN_OPTIONS=print_stacktrace=1
exec build/native/$name-tests --gtest_brief=1 "--gtest_output=json:build/results/${RESULTS:-$name-tests}.json" "$@"
