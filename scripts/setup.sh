#!/bin/sh
# Sees to it that the Debian packages rethread is built from are installed. Instant when they are.
# RETHREAD_NO_SETUP=1 skips the check.
set -e
[ "${RETHREAD_NO_SETUP:-}" = 1 ] && exit 0

needed="make clang-19 llvm-19 llvm-19-dev lld-19 libclang-rt-19-dev libz3-dev libzstd-dev
	libdw-dev libelf-dev libjansson-dev libcmocka-dev zlib1g-dev gdb binutils"

if ! command -v dpkg-query >/dev/null; then
	echo "rethread: this is no Debian: make sure that these are installed: $needed" | tr -s '\n\t' ' ' >&2
	echo >&2
	exit 0
fi

have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $needed 2>/dev/null || true)
missing=
for p in $needed; do
	case "
$have
" in
	*"
$p installed
"*) ;;
	*) missing="$missing $p" ;;
	esac
done
[ -z "$missing" ] && exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
echo "rethread: installing with apt-get:$missing (RETHREAD_NO_SETUP=1 skips this)" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq >&2
$as_root apt-get install -y -qq --no-install-recommends $missing >&2
