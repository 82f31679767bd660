#!/usr/bin/env bash
# Sets everything up and runs every suite, or with `ci` the slower ones. The last line is `N passed, N failed`.
. "$(dirname "$0")/common.sh"

if ! bash scripts/setup.sh --tools; then
  echo '0 passed, 1 failed'
  exit 1
fi
exec node scripts/test.mjs "$@"
