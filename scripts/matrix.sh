#!/usr/bin/env bash
# Runs the packed package in other people's tools: bundlers, runtimes, browsers. Installs them the first time.
#   usage: matrix.sh [JEST'S ARGUMENTS]
. "$(dirname "$0")/common.sh"
need

bash scripts/build.sh elements
tools=tests/package/matrix
if newer_than $tools/node_modules/.package-lock.json $tools/package-lock.json; then
  say 'installing the tools of the matrix (once)'
  # Not `npm ci`, which refuses a lock file without every platform's packages, and a registry may not have them all.
  logged matrix-tools npm install --no-save --ignore-scripts --no-audit --no-fund --prefix $tools ||
    fail "the matrix's tools cannot be installed: $(reason matrix-tools)"
fi
run_jest matrix --config jest.matrix.config.js "$@"
