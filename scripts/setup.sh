#!/usr/bin/env bash
# Finds every tool that the build and the tests need and installs what is missing: system tools from Debian's packages
# (as root or through sudo), JavaScript packages with `npm ci`. Running it again costs a fraction of a second.
#   usage: setup.sh [--tools | --fuzz | --books | --browsers]
#                                           --tools leaves out the JavaScript packages, --fuzz adds libFuzzer, --books adds Sphinx and Pandoc,
#                                           --browsers adds Firefox, WebKitGTK and what drives browsers
#          setup.sh --check TOOL…           installs nothing, and fails with one line if one of these is missing
. "$(dirname "$0")/common.sh"

mode=${1-}
case $mode in
  '' | --tools | --fuzz | --books | --browsers | --check) ;;
  *) fail 'usage: setup.sh [--tools | --fuzz | --books | --browsers | --check TOOL…]' ;;
esac

# ---- what is needed: how to test for it, its Debian and Ubuntu packages (those that exist), where else to get it

# The version of a package that apt would install, `(none)` or nothing.
candidate() {
  apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p'
}

node_is_recent() {
  local version
  command -v npm >/dev/null && version=$(node --version 2>/dev/null) || return 1
  version=${version#v}
  ((${version%%.*} >= 20))
}

any_file() {
  local file
  for file; do [[ -e $file ]] && return; done
  return 1
}

# clang may be installed without libFuzzer.
has_libfuzzer() {
  command -v clang++ >/dev/null && any_file "$(clang++ -print-runtime-dir)"/libclang_rt.fuzzer*.a
}

# Debian 12's Emscripten is used with a newer compiler.
has_compiler_for_emscripten() {
  command -v clang++-19 >/dev/null && command -v wasm-ld-19 >/dev/null && return
  if command -v emcc >/dev/null; then ! has_old_emscripten; else [[ $(candidate emscripten) != 3.1.6~* ]]; fi
}

have() {
  case $1 in
    'Node.js 20 with npm') node_is_recent ;;
    'Eigen 3.4') any_file {/usr/,/usr/local/,/opt/homebrew/}include/{,eigen3/}Eigen/Core ;;
    GoogleTest) [[ -n ${GTest_DIR-}${GTEST_ROOT-} ]] || any_file {/usr/,/usr/local/,/opt/homebrew/}include/gtest/gtest.h ;;
    'JavaScript packages') packages_match ;;
    fonts) any_file /usr/share/fonts/truetype/dejavu/DejaVuMathTeXGyre.ttf && any_file /usr/share/fonts/truetype/wqy/* ;;
    Chromium) command -v "${CHROMIUM:-chromium}" >/dev/null ;;
    libFuzzer) has_libfuzzer ;;
    'clang 19') has_compiler_for_emscripten ;;
    emcc) command -v emcc >/dev/null && command -v emcmake >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

tools=(
  'Node.js 20 with npm|nodejs npm|https://nodejs.org/en/download'
  'cmake|cmake|https://cmake.org/download'
  'ninja|ninja-build|https://ninja-build.org'
  'g++|g++|https://gcc.gnu.org'
  'emcc|emscripten|https://emscripten.org/docs/getting_started/downloads.html'
  'clang 19|clang-19 lld-19|https://apt.llvm.org'
  'Eigen 3.4|libeigen3-dev|https://eigen.tuxfamily.org'
  'GoogleTest|libgtest-dev|https://google.github.io/googletest'
  'clang-format|clang-format|https://clang.llvm.org/docs/ClangFormat.html'
  'Chromium|chromium chromium-headless-shell chromium-browser|https://www.chromium.org, with CHROMIUM set to its path'
  'fonts|fonts-dejavu-core fonts-dejavu-extra fonts-wqy-microhei|https://dejavu-fonts.github.io'
)
# Half a gigabyte, which only `npm run fuzz:native` needs.
if [[ $mode == --fuzz ]]; then tools+=('libFuzzer|clang libclang-rt-dev|https://llvm.org/docs/LibFuzzer.html'); fi

# For the examples of books in `npm run test:matrix`.
if [[ $mode == --books ]]; then
  tools+=('sphinx-build|python3-sphinx|https://www.sphinx-doc.org' 'pandoc|pandoc|https://pandoc.org')
fi

# For `npm run test:browsers` and `npm run look`.
if [[ $mode == --browsers ]]; then
  tools+=(
    'chromedriver|chromium-driver|https://googlechromelabs.github.io/chrome-for-testing'
    'firefox-esr|firefox-esr|https://www.mozilla.org/firefox/enterprise'
    'WebKitWebDriver|webkit2gtk-driver|https://webkitgtk.org'
    'Xvfb|xvfb|https://www.x.org'
  )
fi

installed=node_modules/.package-lock.json
# A checkout renews package-lock.json's time without changing it, so compare the contents of a newer file.
packages_match() {
  [[ -e $installed ]] || return 1
  [[ package-lock.json -nt $installed ]] || return 0
  node --input-type=module --eval '
    import { readFileSync } from "node:fs";
    const [wanted, present] = process.argv.slice(1).map((file) => JSON.parse(readFileSync(file, "utf8")).packages);
    const same = Object.entries(wanted).every(([path, { version, optional }]) =>
      path === "" || (path in present ? present[path].version === version : optional));
    const extra = Object.keys(present).some((path) => !(path in wanted));
    process.exit(same && !extra ? 0 : 1);
  ' package-lock.json $installed && touch $installed
}

if [[ $mode == --check ]]; then
  missing=()
  for tool in 'Node.js 20 with npm' "${@:2}"; do have "$tool" || missing+=("$tool"); done
  ((${#missing[@]})) || exit 0
  list=$(printf ', %s' "${missing[@]}")
  fail "missing: ${list:2}; run \`npm run setup\`"
fi

find_missing() {
  missing=()
  local tool
  for tool in "${tools[@]}"; do have "${tool%%|*}" || missing+=("$tool"); done
}

# Prints one line per missing tool and exits.
report_missing() {
  local tool name packages source
  printf 'setup: %s\n' "$1" >&2
  for tool in "${missing[@]}"; do
    IFS='|' read -r name packages source <<<"$tool"
    printf '  %s is missing: apt-get install %s, or %s\n' "$name" "$packages" "$source" >&2
  done
  exit 1
}

# ---- Debian's packages

# Whether apt has a package. Debian 12's own Node.js is too old.
can_install() {
  [[ $(candidate "$1") == [0-9]* ]] && { [[ $1 != @(nodejs|npm) ]] || [[ $(candidate nodejs) =~ ^[2-9][0-9]\. ]]; }
}

sudo=()
if ((EUID != 0)); then
  sudo=(sudo)
  # Without a terminal nobody can type a password.
  [[ -t 0 ]] || sudo=(sudo -n)
fi
as_root() {
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive "$@"
}

install_packages() {
  local packages=() tool package
  command -v apt-get >/dev/null || report_missing 'this system has no apt-get; please install by hand:'
  if ((EUID != 0)); then
    command -v sudo >/dev/null || report_missing 'neither root nor sudo here; please install by hand:'
    as_root true 2>/dev/null || report_missing 'sudo refused; please install by hand:'
  fi
  # Two suites may install at the same time.
  exec 9>build/.setup.lock
  flock 9
  need_space /usr 3500 "installing Debian's packages"

  say 'updating the package lists'
  # If the lists cannot be updated, the old ones may be enough; otherwise the installation below fails.
  logged apt-update as_root apt-get update || true
  # The new lists may contain more packages.
  find_missing
  for tool in "${missing[@]}"; do
    IFS='|' read -r _ tool _ <<<"$tool"
    for package in $tool; do
      if can_install "$package"; then packages+=("$package"); fi
    done
  done
  ((${#packages[@]})) || report_missing 'apt has no package recent enough:'
  say "installing ${packages[*]} (log: build/logs/apt-install.log)"
  logged apt-install as_root apt-get install --yes --no-install-recommends "${packages[@]}" ||
    report_missing "apt-get failed: $(reason apt-install)"
  exec 9>&-
  hash -r
}

find_missing
if ((${#missing[@]})); then
  install_packages
  find_missing
  ((${#missing[@]} == 0)) || report_missing 'still not everything is here:'
fi

# A headless Chromium, which takes half the time. If it cannot be installed, the suites use the ordinary one.
tried=build/.headless-shell-tried
if [[ -z ${CHROMIUM-} && ! -e $tried ]] && ! command -v chromium-headless-shell >/dev/null &&
  command -v apt-get >/dev/null; then
  say 'installing chromium-headless-shell'
  # It is optional, so do not ask for a password.
  ((EUID == 0)) || sudo=(sudo -n)
  logged apt-headless-shell as_root apt-get install --yes --no-install-recommends chromium-headless-shell ||
    touch $tried
fi

# ---- JavaScript packages

[[ $mode != --tools ]] || exit 0
need_space . 200 'the build'

if ! packages_match; then
  need_space . 800 'npm ci'
  say 'npm ci'
  logged npm-ci npm ci --no-audit --no-fund || fail "npm ci failed: $(reason npm-ci)"
fi
