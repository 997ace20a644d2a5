#!/bin/bash
# make bench, replay part: what replaying costs, and recording the full order, beside recording path+sync; and what building
# costs beside plain clang -flto. Ratios to the native program, by the time that passes; a figure is the least of ROUNDS,
# in which the variants take turns.
# usage: replay.sh [BUILD]    ROUNDS=5, SCALE=2000000 (accesses of a row), TIME=cpu as in run.sh
here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(cd "${1:-$here/../build}" && pwd)
ROUNDS=${ROUNDS:-5} S=${SCALE:-2000000}
CC=${CC:-clang-19} CXX=${CXX:-clang++-19}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME=$work/data PATH=$BUILD:$PATH
unset RETHREAD_OPTIONS RETHREAD_TWIN

# microseconds COMMAND...: that pass, or of processor time.
microseconds() {
	local TIMEFORMAT='%R %U %S' r u s
	read -r r u s < <({ time "$@" >/dev/null 2>&1; } 2>&1)
	awk -v r="$r" -v c="$(echo "$u $s" | awk '{ print $1 + $2 }')" -v t="$TIME" 'BEGIN { printf "%d\n", (t == "cpu" ? c : r) * 1e6 }'
}

recorded() { # recorded SCHEME COMMAND...: by the program itself, or by its twin as `rethread record' starts it
	local scheme=$1
	shift
	rm -rf log && mkdir log
	case $scheme in
	rw*) RETHREAD_TWIN=mode=record,build=00 RETHREAD_OPTIONS=dir=$work/log,scheme=$scheme setarch -R ./trace/twin "$@" ;;
	*) RETHREAD_OPTIONS=dir=$work/log,scheme=$scheme ./program "$@" ;;
	esac
}

replayed() {
	RETHREAD_TWIN=mode=replay,schedule=$work/trace/schedule,timeout=600,log=$(echo trace/log.*) setarch -R ./trace/twin "$@"
}

row() { # row NAME ARGUMENTS...: of ./native and ./program
	local name=$1 i v waits us
	local -A best=()
	shift
	rm -rf trace
	rethread record -o trace --scheme rw -- ./program "$@" >/dev/null 2>&1
	waits=$(rethread reproduce --budget 300 trace 2>/dev/null | sed -n 's/.*: \([0-9]*\) waits$/\1/p')
	for ((i = 0; i < ROUNDS; i++)); do
		for v in native path+sync rw rw:leap replay; do
			case $v in
			native) us=$(microseconds ./native "$@") ;;
			replay) [ -n "$waits" ] && us=$(microseconds replayed "$@") || us=0 ;;
			*) us=$(microseconds recorded $v "$@") ;;
			esac
			[ -z "${best[$v]}" ] || [ "$us" -lt "${best[$v]}" ] && best[$v]=$us
		done
	done
	awk -v name="$name" -v n="${best[native]}" -v p="${best[path+sync]}" -v d="${best[rw]}" -v l="${best[rw:leap]}" \
		-v r="${best[replay]}" -v w="${waits:--}" 'BEGIN {
		printf "%-26s %9.1f %10.2f %8.2f %8.2f %10.1f %8.2f %9s\n", name, n / 1e3, p / n, d / n, l / n, d / p, r / n, w }'
}

micro() { # micro WORK: the microbenchmark
	$CC -O2 -g -pthread -DWORK=$1 "$here/micro.c" -o native && rethread cc -O2 -g -pthread -DWORK=$1 "$here/micro.c" -o program
}

bug() { # bug NAME ARGUMENTS...
	local source=$here/../bugs/$1.c c=cc
	[ -f "$source" ] || source=$here/../bugs/$1.cpp c=c++
	$([ $c = cc ] && echo "$CC" || echo "$CXX") -O2 -g -pthread -DFIXED "$source" -o native &&
		rethread $c -O2 -g -pthread -DFIXED "$source" -o program && row "$*" "${@:2}"
}

printf '%-26s %9s %10s %8s %8s %10s %8s %9s\n' replay native path+sync rw rw:leap rw replay waits \
	"" ms x x x "/path+sync" x ""
micro 20
row "locks 100 %, few accesses" 2 $((S * 2)) $((S / 100)) 64 100
row "locks 100 %" 2 $S $((S / 10)) 4 100
row "races only" 2 $S $((S / 10)) 4 0
row "one thread" 1 $S $S 4 0
bug swarm 20000
bug barnes 300
bug pbzip2 800

# Building: of one program with many functions.
build_time() {
	local i us best=
	for ((i = 0; i < (ROUNDS + 1) / 2; i++)); do
		us=$(microseconds "$@")
		[ -z "$best" ] || [ "$us" -lt "$best" ] && best=$us
	done
	echo "$best"
}
echo
printf '%-26s %9s %10s\n' build "clang ms" rethread "" "-flto" x
building() { # building COMPILER OURS LEVEL SOURCE: the program runs in the end, or it counts for nothing
	local plain ours
	rm -f native program
	plain=$(build_time "$1" "$3" -g -flto -fuse-ld=lld -pthread -I"$here/../tests/ir" "$4" -o native)
	ours=$(build_time rethread "$2" "$3" -g -pthread -I"$here/../tests/ir" "$4" -o program)
	[ -x native ] && [ -x program ] || ours=0
	awk -v n="$(basename "$4") $3" -v p="$plain" -v o="$ours" 'BEGIN { printf "%-26s %9.0f %10s\n", n, p / 1e3, o ? sprintf("%.2f", o / p) : "-" }'
}
awk -v FUNCTIONS="${FUNCTIONS:-400}" -f "$here/generate.awk" >generated.c
for level in -O0 -O2; do
	building "$CXX" c++ $level "$here/../tests/ir/programs/large.cpp"
	building "$CC" cc $level generated.c
done
