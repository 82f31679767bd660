#!/usr/bin/env bash
# Brings up to date what the suite reads, then runs it.
#   usage: jest.sh js|browser [JEST'S ARGUMENTS]
. "$(dirname "$0")/common.sh"

suite=${1-}
[[ $# -eq 0 ]] || shift
case $suite in
  js) build=elements config=jest.config.js ;;
  browser) build= config=jest.browser.config.js ;;
  *) fail 'usage: jest.sh js|browser [arguments]' ;;
esac
bash scripts/build.sh ${build:+$build}
mkdir -p build/results
exec node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
  --config $config --json --outputFile build/results/$suite.json "$@" >build/logs/jest-$suite.json
