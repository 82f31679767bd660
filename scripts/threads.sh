#!/usr/bin/env bash
# Everything that can be wrong with several threads: the kernels on a pool under ThreadSanitizer, then the suites of operations and
# layers, drawn arguments and many calls with three threads that share each loop, however small.
#   usage: threads.sh [JEST'S ARGUMENTS]
. "$(dirname "$0")/common.sh"

bash scripts/test-native.sh --threads
bash scripts/build.sh library
DIST=1 THREADS=3 run_jest threads tests/ops tests/layers tests/fuzz "$@"
