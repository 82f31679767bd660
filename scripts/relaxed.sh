#!/usr/bin/env bash
# The suites of operations and layers, drawn arguments and many calls with the wasm for relaxed SIMD; with THREADS=3 on three
# threads that share each loop, however small.
#   usage: [THREADS=3] relaxed.sh [JEST'S ARGUMENTS]
. "$(dirname "$0")/common.sh"

bash scripts/build.sh library
[[ -e dist/wasm-attention-relaxed.wasm ]] || fail 'the build made no wasm for relaxed SIMD: run `npm run setup`'
# Node 20 has it behind a flag.
node --eval 'process.exit(WebAssembly.validate(fs.readFileSync("dist/wasm-attention-relaxed.wasm")) ? 0 : 1)' ||
  NODE_FLAGS=--experimental-wasm-relaxed-simd
DIST=1 RELAXED=1 run_jest "relaxed${THREADS:+-threads}" tests/ops tests/layers tests/fuzz "$@"
