#!/usr/bin/env bash
# Sets everything up, builds, serves the page on 127.0.0.1 and prints its URL. PORT chooses the port, 4173 by default.
. "$(dirname "$0")/common.sh"

export PORT=${PORT:-4173}
[[ $PORT =~ ^[1-9][0-9]{0,4}$ ]] && ((PORT < 65536)) || fail "PORT: expected a number from 1 to 65535, got '$PORT'"
# Checks the port before building; scripts/serve.mjs checks again.
if (: <"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null; then
  fail "port $PORT is busy: choose another one, for instance PORT=$((PORT < 65535 ? PORT + 1 : PORT - 1)) npm start"
fi

bash scripts/setup.sh
STILLS=kept bash scripts/build.sh page
# Draws the still figures in the background.
bash scripts/build.sh page >build/logs/start-stills.log 2>&1 &
exec node scripts/serve.mjs
