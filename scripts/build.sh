#!/usr/bin/env bash
# Builds what has changed since the last time: the wasm, the package (dist/) and the page (build/page).
#   usage: build.sh [sources|wasm|package|page …]
# `sources` builds the wasm that tests on sources need, and `wasm` also the one for threads.
# Without an argument everything is built.
. "$(dirname "$0")/common.sh"

need 'JavaScript packages' emcc 'clang 19' cmake ninja 'Eigen 3.4'
# Overrides the caller's value: under NODE_ENV=test lit would resolve to another build.
export NODE_ENV=production

# Two builds at a time would write the same files, so the second one waits. A lock taken earlier is released first.
lock() {
  exec 9>"build/.$1.lock"
  if command -v flock >/dev/null; then flock 9; fi
}

# step NAME COMMAND…: prints one line if the command did something. If it fails, prints its output and one line with the reason.
step() {
  local name=$1 started=$SECONDS
  shift
  if ! logged "$name" "$@"; then
    tail -n 60 "build/logs/$name.log" >&2
    fail "$name failed: $(reason "$name")"
  fi
  grep -q '^ninja: no work to do' "build/logs/$name.log" || say "$name ($((SECONDS - started)) s)"
}

# Writes the wasm into a module, on its own line, because Node prints the whole line of an uncaught error.
embed() {
  local wasm=build/wasm/wasm-attention.wasm module=web/lib/generated/embedded.ts
  newer_than $module $wasm || return 0
  node --eval 'console.log(`const wasm: string = \`\n${fs.readFileSync(process.argv[1], "hex")}\n\`;\nexport default wasm;`)' $wasm >$module.new
  mv $module.new $module
}

# build_wasm [TARGET…]
build_wasm() {
  if [[ ! -e build/emscripten/build.ninja ]]; then
    if has_old_emscripten; then
      step configure-wasm cmake --preset wasm --toolchain scripts/debian-12.cmake
    else
      step configure-wasm emcmake cmake --preset wasm
    fi
  fi
  step wasm ninja -C build/emscripten "$@"
  embed
}

build_package() {
  build_wasm
  local stamp=build/package.stamp next=build/dist-next vite=node_modules/vite/bin/vite.js
  [[ -e dist/index.js ]] || rm -f $stamp
  newer_than $stamp web/{lib,elements,training} web/{vite.config,licenses}.ts cpp/licenses.md build/wasm/*.wasm package{,-lock}.json tsconfig.{base,lib}.json || return 0
  touch $stamp.next
  step package node $vite build --config web/vite.config.ts web --outDir "$PWD/$next"
  step anywidget node $vite build --config web/elements/anywidget.config.ts web/elements --outDir "$PWD/$next/elements"
  # Types are checked by `npm run lint`.
  step declarations node node_modules/typescript/bin/tsc --project tsconfig.lib.json --noCheck
  # Other programs see either the old dist/ or the new one.
  rm -rf dist
  mv $next dist
  # The stamp gets the time of the start, so that files that change during the build are built next time.
  mv $stamp.next $stamp
}

build_page() {
  local stamp=build/page.stamp
  [[ -e build/page/index.html ]] || rm -f $stamp
  newer_than $stamp web tests/bench/peers cpp/licenses.md build/wasm/*.wasm package-lock.json tsconfig.base.json tsconfig.json || return 0
  touch $stamp.next
  step page node node_modules/vite/bin/vite.js build --config web/page/vite.config.ts web/page \
    --outDir "$PWD/build/page" --emptyOutDir
  mv $stamp.next $stamp
}

# Additions to the finished page. Drawing the figures takes half a minute; with STILLS=kept the page gets the pictures of an earlier build.
finish_page() {
  local stamp=build/finished.stamp
  newer_than $stamp build/page/index.html scripts/{offline,stills}.mjs || return 0
  touch $stamp.next
  step stills node scripts/stills.mjs build/page ${STILLS:+"$STILLS"}
  tail -n 1 build/logs/stills.log
  step offline node scripts/offline.mjs build/page
  if [[ ${STILLS-} != kept ]]; then mv $stamp.next $stamp; fi
}

(($#)) || set -- package page
node scripts/figures.mjs
for part; do
  lock dist
  case $part in
    sources) build_wasm wasm-attention bindings ;;
    wasm) build_wasm wasm-attention wasm-attention-threads bindings ;;
    package) build_package ;;
    page)
      build_wasm
      lock page
      build_page
      finish_page
      ;;
    *) fail 'usage: build.sh [sources|wasm|package|page …]' ;;
  esac
done
