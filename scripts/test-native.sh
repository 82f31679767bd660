#!/usr/bin/env bash
# The C++ library's own tests, natively, under AddressSanitizer and UndefinedBehaviorSanitizer. Arguments go to GoogleTest,
# for instance --gtest_filter='Softmax*'.
. "$(dirname "$0")/common.sh"

exec 9>build/.native.lock
if command -v flock >/dev/null; then flock 9; fi

command -v g++ >/dev/null || fail 'g++ is missing: run `npm run setup`, which installs it'
if [[ ! -e build/native/build.ninja ]]; then
  logged configure-native cmake --preset native || fail "cmake failed: $(reason configure-native)"
fi
if ! logged native ninja -C build/native; then
  tail -n 60 build/logs/native.log >&2
  fail "the native build failed: $(reason native)"
fi
export UBSAN_OPTIONS=print_stacktrace=1
exec build/native/native-tests --gtest_brief=1 --gtest_output=json:build/results/native.json "$@"
