# The other scripts source this: strict mode, the repository as working directory, and functions for messages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Prints one line to stderr and exits.
fail() {
  printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
  exit 1
}

say() {
  printf '%s: %s\n' "$(basename "$0" .sh)" "$*"
}

mkdir -p build/{logs,results} 2>/dev/null || fail "cannot write to $PWD/build (is the disk full or the folder read-only?)"

# need TOOL…: exits with one line if a tool is missing; scripts/setup.sh lists their names.
need() {
  bash scripts/setup.sh --check "$@" || exit 1
}

# Whether this is Debian 12's Emscripten, for which scripts/debian-12.cmake compiles.
has_old_emscripten() {
  [[ $(emcc --version) == *' 3.1.6 '* ]]
}

# logged NAME COMMAND…: writes the output to build/logs/NAME.log and returns the command's status.
logged() {
  local log=build/logs/$1.log
  shift
  "$@" >"$log" 2>&1 </dev/null
}

# Prints in one line why a logged command failed: a full disk, or the first error in the log, or its last line.
reason() {
  local log=build/logs/$1.log line
  if grep -qiE 'no space left on device|ENOSPC' "$log"; then
    line='no space left on device'
  else
    line=$(grep -E '(^|[^A-Za-z])([Ee]rror|E|fatal)(:| )' "$log" | grep -vE 'npm error( code .*)?$' | head -n 1) || true
    line=${line:-$(tail -n 1 "$log")}
  fi
  printf '%s (log: %s)' "${line:-no output}" "$log"
}

# need_space FOLDER MEBIBYTES FOR: exits if the file system of FOLDER has less free space.
need_space() {
  local free
  free=$(df -Pm "$1" 2>/dev/null | awk 'NR == 2 { print $4 }')
  if [[ -n $free && $free -lt $2 ]]; then
    fail "the disk is full: $3 needs $2 MB in $1, $free MB are free"
  fi
}

# newer_than STAMP PATH…: true when the stamp is missing or something at or below a path changed after it.
newer_than() {
  local stamp=$1
  shift
  [[ ! -e $stamp || -n $(find "$@" -newer "$stamp" -print -quit) ]]
}
