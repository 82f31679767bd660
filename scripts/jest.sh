#!/usr/bin/env bash
# Brings up to date what the suites read, then runs them.
#   usage: [DIST=1] [LONG=1] jest.sh js|package|browser [JEST'S ARGUMENTS]
. "$(dirname "$0")/common.sh"

suite=${1-}
[[ $# -eq 0 ]] || shift
config=jest.$suite.config.js
case $suite in
  js)
    config=jest.config.js
    if [[ ${DIST-} ]]; then bash scripts/build.sh library; else bash scripts/build.sh sources; fi
    ;;
  package)
    export DIST=1
    bash scripts/build.sh elements
    ;;
  browser)
    need Chromium
    bash scripts/build.sh
    ;;
  *) fail 'usage: jest.sh js|package|browser [arguments]' ;;
esac
run_jest "$suite" --config "$config" "$@"
