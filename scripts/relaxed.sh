#!/usr/bin/env bash
# The suites of operations and layers, drawn arguments and many calls with the wasm for relaxed SIMD; with THREADS=3 on three
# threads that share each loop, however small.
. "$(dirname "$0")/common.sh"

bash scripts/build.sh library
[[ -e dist/wasm-attention-relaxed.wasm ]] || fail 'the build made no wasm for relaxed SIMD: npm run setup'
# Node 20 has it behind a flag.
flags=()
node --eval 'process.exit(WebAssembly.validate(fs.readFileSync("dist/wasm-attention-relaxed.wasm")) ? 0 : 1)' ||
  flags=(--experimental-wasm-relaxed-simd)
export RELAXED=1
exec node "${flags[@]}" --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js \
  tests/ops tests/layers tests/fuzz "$@"
