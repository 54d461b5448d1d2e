# What tools/demo and tools/test share: packages, configuration, build.
#
# Sourced, never run. Makes a fresh Debian 12 able to build moec and says what
# it does; touches nothing but packages (when some are missing) and build/.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${MOEC_BUILD_DIR:-$root/build}
packages_file=$root/third_party/packages.txt
started=$SECONDS

# ccache hits from every checkout: paths are stored relative to it.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '\033[1m==> %s\033[0m (%d s)\n' "$*" $((SECONDS - started)) >&2; }
plain_say() { printf '==> %s (%d s)\n' "$*" $((SECONDS - started)) >&2; }
[ -t 2 ] || say() { plain_say "$@"; }

# fail CODE MESSAGE...: what went wrong, where, and what to do next.
fail() {
  local code=$1
  shift
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit "$code"
}

# Names of the packages that are absent or too old, one a line.
missing_packages() {
  local name least installed
  while read -r name least _; do
    case $name in '' | '#'*) continue ;; esac
    installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Version}' "$name" 2>/dev/null) || installed=
    case $installed in
    ii*) ;;
    *) echo "$name" && continue ;;
    esac
    [ "$least" = - ] && continue
    installed=${installed##* }
    # The epoch is the packager's, not a version of the program.
    dpkg --compare-versions "${installed#*:}" ge "$least" || echo "$name"
  done <"$packages_file"
}

install_packages() {
  [ -r "$packages_file" ] || fail 3 "cannot read $packages_file"
  command -v dpkg-query >/dev/null ||
    fail 4 "this is no Debian system (no dpkg-query); install what $packages_file lists by hand"
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  [ -z "$missing" ] && return
  say "installing packages: $missing"
  [ "$(id -u)" = 0 ] ||
    fail 4 "packages are missing and only root may install them; run: apt-get install $missing"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q >&2 ||
    fail 4 "cannot install packages: 'apt-get update' failed (see above); check the network and /etc/apt/sources.list*"
  # shellcheck disable=SC2086 # A list of words.
  apt-get install -q -y --no-install-recommends $missing >&2 ||
    fail 4 "cannot install packages: 'apt-get install $missing' failed (see above). LLVM 22 comes from Debian's" \
      "bookworm-security: is it in /etc/apt/sources.list*?"
  missing=$(missing_packages | tr '\n' ' ')
  [ -z "$missing" ] || fail 4 "still missing or older than $packages_file asks after the installation: $missing"
}

# Jobs that fit both the cores and the memory: one MLIR source takes 1 GiB.
build_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1250000) }' /proc/meminfo)
  [ "${memory:-1}" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# build_project TARGET...: configures (preset `release`) and builds.
build_project() {
  say "configuring $build (preset release)"
  local log=$build/configure.log
  mkdir -p "$build" || fail 3 "cannot create $build"
  (cd "$root" && cmake --preset release -B "$build") >"$log" 2>&1 || {
    cat "$log" >&2
    fail 1 "the configuration failed (see above, $log)"
  }
  say "building with $(build_jobs) jobs; the first build takes some minutes"
  NINJA_STATUS='[%f/%t, %es] ' cmake --build "$build" -j "$(build_jobs)" --target "$@" >&2 ||
    fail 1 "the build failed (see above)"
}
