#!/usr/bin/env bash
# Formats every file that `npm run lint` looks at.
. "$(dirname "$0")/common.sh"
find cpp tests/native -name '*.cpp' -o -name '*.h' | xargs -r clang-format -i
node_modules/.bin/prettier --write --log-level warn .
