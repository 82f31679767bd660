#!/usr/bin/env bash
# Everything that can be wrong with several threads: the kernels on a pool under ThreadSanitizer, then the suites of operations and
# layers, drawn arguments and many calls with three threads that share each loop, however small.
. "$(dirname "$0")/common.sh"

[[ -e build/native/build.ninja ]] || logged configure-native cmake --preset native ||
  fail "cmake failed: $(reason configure-native)"
logged thread-tests ninja -C build/native thread-tests || fail "the native build failed: $(reason thread-tests)"
build/native/thread-tests --gtest_brief=1

bash scripts/build.sh library
export THREADS=3
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
  tests/ops tests/layers tests/fuzz "$@"
