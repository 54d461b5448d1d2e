#!/bin/sh
# exports.sh NM LIBRARY EXPORTS: the library exports exactly the listed symbols
# (R34: nothing of LLVM or C++ among them) and needs no LLVM.
set -eu
nm=$1 library=$2 exports=$3
listed=$(sed -n 's/^ *\(moec_[a-z_]*\);$/\1/p' "$exports" | sort)
found=$("$nm" -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
  grep -v '^MOEC_0$' | sort)
if [ "$listed" != "$found" ]; then
  echo "exported symbols differ from $exports:" >&2
  echo "listed:" $listed >&2
  echo "found: " $found >&2
  exit 1
fi
if ldd "$library" | grep -iE 'llvm|mlir|amdhip'; then
  echo "$library must not be linked against these" >&2
  exit 1
fi
