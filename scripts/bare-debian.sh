#!/usr/bin/env bash
# Runs a command in a clean copy of this checkout inside a bare Debian. It has only this machine's Node.js and npm, so
# that a package that setup forgets to install is missing. The system lives in memory and in its own namespaces, and is
# gone when the command ends. If it cannot be made, this exits with 125 and says why.
#   usage: bare-debian.sh bookworm|trixie COMMAND…
. "$(dirname "$0")/common.sh"

readonly MEGABYTES=10000 codename=${1-}
[[ $codename == @(bookworm|trixie) && $# -gt 1 ]] || fail 'usage: bare-debian.sh bookworm|trixie COMMAND…'
shift
root=$PWD/build/bare-$codename

impossible() {
  say "no bare Debian $codename here: $*"
  exit 125
}

# Lines of sources.list for that Debian, from this machine's mirrors.
sources() {
  local here
  here=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    grep " $here" | sed "s/ $here/ $codename/" | sort -u
}

# What this needs from the machine. Several systems can be made at a time, but apt runs once at a time.
prepare() {
  exec 9>build/.bare-debian.lock
  flock 9
  ((EUID == 0)) || impossible 'not root'
  command -v apt-get >/dev/null || impossible 'no apt-get'
  unshare --mount --pid --fork true 2>/dev/null || impossible 'no namespaces'
  # Memory for the files and for the programs.
  local free
  free=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
  ((free > MEGABYTES + 4000)) || impossible "$((MEGABYTES + 4000)) MB of memory are needed, $free MB are free"
  logged apt-update apt-get update || true
  command -v mmdebstrap >/dev/null || logged apt-install apt-get install --yes --no-install-recommends mmdebstrap ||
    impossible "$(reason apt-install)"
  sources >"$root.list" || impossible 'apt has no sources of Debian'
  # apt's configuration, to reach the same mirrors.
  apt-config dump | grep -E '^Acquire::(https?|Check-|ForceIPv4)' >"$root.conf" || true
  exec 9>&-
}

make_debian() {
  mkdir -p "$root"
  mount -t tmpfs -o size=${MEGABYTES}m bare-debian "$root"
  logged "mmdebstrap-$codename" mmdebstrap --mode=root --variant=apt --aptopt="$root.conf" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    "$codename" "$root" "$root.list" || impossible "$(reason "mmdebstrap-$codename")"
  echo 'APT::Keep-Downloaded-Packages "false";' >"$root/etc/apt/apt.conf.d/small"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
}

# Node.js and npm, in the folders of a manual installation.
copy_node() {
  local npm
  npm=$(readlink -f "$(command -v npm)")
  mkdir -p "$root"/usr/local/{bin,etc,lib/node_modules}
  cp "$(node --print process.execPath)" "$root/usr/local/bin/node"
  cp -R "${npm%/bin/*}" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
}

# The machine's network configuration: host names, certificates, npm.
copy_network() {
  local file certificates=/etc/ssl/certs/ca-certificates.crt local=/usr/local/share/ca-certificates
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir -p "$root/etc/ssl/certs" "$root$local"
  [[ ! -e $certificates ]] || cp -L $certificates "$root$certificates"
  [[ ! -e $local ]] || cp -RL $local/. "$root$local"
  file=$(npm config get globalconfig 2>/dev/null)
  [[ ! -e $file ]] || cp "$file" "$root/usr/local/etc/npmrc"
  file=$(npm config get userconfig 2>/dev/null)
  [[ ! -e $file ]] || cp "$file" "$root/root/.npmrc"
}

copy_checkout() {
  mkdir "$root/checkout"
  git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard |
    xargs -0 cp --parents --target-directory "$root/checkout"
}

enter() {
  local environment=() name
  for name in $(compgen -e); do
    if [[ ${name,,} =~ _proxy$|^npm_config_(registry|cafile)$|ca_certs$|cert_(file|dir)$ ]]; then
      environment+=("$name=${!name}")
    fi
  done
  exec chroot "$root" /usr/bin/env --ignore-environment --chdir=/checkout "${environment[@]}" CI=true HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

case $1 in
  --inside)
    make_debian
    copy_node
    copy_network
    copy_checkout
    say "in a bare Debian $codename with Node.js $(chroot "$root" node --version), of $(du -sxm "$root" | cut -f 1) MB"
    enter "${@:2}"
    ;;
  *)
    prepare
    exec unshare --mount --pid --fork --kill-child bash "$0" "$codename" --inside "$@"
    ;;
esac
