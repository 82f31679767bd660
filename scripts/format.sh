#!/usr/bin/env bash
# Formats every file that `npm run lint` checks, and updates the tables that are made from other files.
. "$(dirname "$0")/common.sh"
need 'JavaScript packages' clang-format
find cpp tests -name node_modules -prune -o \( -name '*.cpp' -o -name '*.h' \) -print | xargs -r clang-format -i
bash scripts/build.sh sources
node scripts/attributes.mjs
node scripts/hosts.mjs
node_modules/.bin/prettier --write --log-level warn .
