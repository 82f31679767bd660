#!/usr/bin/env bash
# Builds what the suites need, then runs them. Results go to build/results.
#   usage: jest.sh js|package|browser|browsers|matrix|hosts [JEST'S ARGUMENTS]
# `js` runs on the library's sources, or with DIST=1, THREADS=3 (threads share every loop, however small) or RELAXED=1
# (relaxed SIMD) on the built package, as `package` and `browsers` do. LONG=1, or naming one, also runs the suites in
# folders named `long`.
. "$(dirname "$0")/common.sh"
need 'JavaScript packages'

suite=${1-}
[[ $# -eq 0 ]] || shift
[[ "$*" != */long* ]] || export LONG=1
config=jest.$suite.config.js flags=(--experimental-vm-modules --disable-warning=ExperimentalWarning)
case $suite in
  js)
    config=jest.config.js
    if [[ -z ${DIST-}${THREADS-}${RELAXED-} ]]; then
      bash scripts/build.sh sources
    else
      export DIST=1
      bash scripts/build.sh package
    fi
    ;;
  package)
    export DIST=1
    bash scripts/build.sh package
    ;;
  browser)
    need Chromium fonts
    # Only long suites use the package.
    bash scripts/build.sh ${LONG:+package} page
    ;;
  browsers)
    export DIST=1
    bash scripts/setup.sh --browsers || exit 1
    need Chromium fonts
    bash scripts/build.sh package page
    ;;
  hosts)
    need Chromium
    bash scripts/build.sh package
    ;;
  matrix)
    bash scripts/setup.sh --books || exit 1
    bash scripts/build.sh package
    tools=tests/package/matrix
    if newer_than $tools/node_modules/.package-lock.json $tools/package-lock.json; then
      say 'installing the tools of the matrix (once)'
      # Not `npm ci`, because it needs every platform's packages in the lock file, and a registry may not have all of them.
      logged matrix-tools npm install --no-save --ignore-scripts --no-audit --no-fund --prefix $tools ||
        fail "the matrix's tools cannot be installed: $(reason matrix-tools)"
    fi
    ;;
  *) fail 'usage: jest.sh js|package|browser|browsers|matrix|hosts [arguments]' ;;
esac

if [[ -n ${RELAXED-} ]]; then
  wasm=dist/wasm-attention-relaxed.wasm
  [[ -e $wasm ]] || fail 'the build made no wasm for relaxed SIMD: run `npm run setup`'
  # Node 20 needs a flag for it.
  node --eval 'process.exit(WebAssembly.validate(fs.readFileSync(process.argv[1])) ? 0 : 1)' $wasm ||
    flags+=(--experimental-wasm-relaxed-simd)
fi
name=${RESULTS:-$suite}
exec node "${flags[@]}" node_modules/jest/bin/jest.js --config "$config" --json --outputFile "build/results/$name.json" "$@" \
  >"build/logs/jest-$name.json"
