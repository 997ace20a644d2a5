#!/bin/bash
# make bench: what recording costs (design §7), as ratios to the native program. Prints one table.
#
# The variants of a row run one after the other, round after round, so that what else happens on the machine hits all of
# them; a row's figure is the best of its rounds. Log sizes are those of the last round.
# usage: run.sh [BUILD]    ROUNDS=5, SCALE=10000000 (branches and accesses of a row, where it does not vary them),
#        TIME=cpu: processor time, for a machine that others use as well; default is the time that passes
here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(cd "${1:-$here/../build}" && pwd)
ROUNDS=${ROUNDS:-5} S=${SCALE:-10000000}
CC=${CC:-clang-19}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset RETHREAD_OPTIONS

build() { # build WORK: the variants, in directory wWORK
	mkdir "w$1"
	$CC -O2 -g -pthread -DWORK=$1 "$here/micro.c" -o "w$1/native" &&
		$CC -O2 -g -pthread -DWORK=$1 -DFULL_ORDER=1 "$here/micro.c" -o "w$1/full" &&
		$CC -O2 -g -pthread -DWORK=$1 -fsanitize=thread "$here/micro.c" -o "w$1/tsan" &&
		RETHREAD_PASS_ALL_BRANCHES=1 "$BUILD/rethread" cc -O2 -g -pthread -DWORK=$1 "$here/micro.c" -o "w$1/every" &&
		"$BUILD/rethread" cc -O2 -g -pthread -DWORK=$1 "$here/micro.c" -o "w$1/recorded"
}
build 2 && build 0 &&
	$CC -std=gnu17 -O1 -D_GNU_SOURCE= -I"$here/../include" -I"$here/../src" "$here/logsize.c" "$here"/../src/trace/*.c \
		"$here/../src/base/base.c" "$here/../src/rt/input_kinds.c" -o logsize -ljansson || exit 1
mkdir -p trace

run() { # run VARIANT ARGUMENTS...: what micro.c prints
	local variant=$1
	shift
	case $variant in
	off) $set/recorded "$@" ;;
	path | path+sync) RETHREAD_OPTIONS=dir=trace,scheme=$variant $set/recorded "$@" ;;
	tsan) TSAN_OPTIONS=report_bugs=0 $set/tsan "$@" 2>/dev/null ;;
	*) $set/"$variant" "$@" ;;
	esac
}

variants=${VARIANTS:-native off path path+sync full tsan}
declare -A best size
row() { # row NAME THREADS BRANCHES ACCESSES VARIABLES PERCENT
	local name=$1 v ns cpu bytes i
	shift
	best=() size=()
	for ((i = 0; i < ROUNDS; i++)); do
		for v in $variants; do
			[ $v = tsan ] && [ $i -gt 1 ] && continue
			rm -f trace/log.*
			read -r ns cpu bytes < <(run $v "$@")
			[ "$TIME" = cpu ] && ns=$cpu
			[ -z "${best[$v]}" ] || [ "$ns" -lt "${best[$v]}" ] && best[$v]=$ns
			case $v in
			path+sync) size[$v]=$(./logsize trace) ;;
			full) size[$v]=$bytes ;;
			esac
		done
	done
	rm -f trace/log.*
	RETHREAD_OPTIONS=dir=trace,scheme=path $set/every "$@" >/dev/null
	read -r all _ < <(./logsize trace)
	read -r bits path syncs sync < <(echo "${size[path+sync]}")
	awk -v name="$name" -v n="${best[native]}" -v off="${best[off]}" -v p="${best[path]}" -v s="${best[path+sync]}" \
		-v f="${best[full]}" -v t="${best[tsan]}" -v all="$all" -v bits="$bits" -v path="$path" -v syncs="$syncs" \
		-v sync="$sync" -v full="${size[full]}" 'BEGIN {
		printf "%-24s %7.1f %6.2f %6.2f %9.2f %6.2f %6.2f %9.1f %9.2f %9.2f %9s %9.0f %9.0f\n", name, n / 1e6, off / n,
			p / n, s / n, f / n, t / n, all / 1e6, all ? bits / all : 0, all ? path * 8 / all : 0,
			(syncs > 1000 ? sprintf("%.2f", sync / syncs) : "-"), (path + sync) / 1024, full / 1024 }'
}

printf '%-24s %7s %6s %6s %9s %6s %6s %9s %9s %9s %9s %9s %9s\n' \
	"" native off path path+sync full tsan branches recorded "log bits" "log bytes" "log KiB" "log KiB" \
	"" ms "x" "x" "x" "x" "x" million share "/ branch" "/ lock op" path+sync full
set=./w2
row "1 threads 2" 2 $S $S 4 50
row "1 threads 16" 16 $S $S 4 50
row "2 accesses / 4" 4 $S $((S / 4)) 4 50
row "2 accesses x 2" 4 $S $((S * 2)) 4 50
row "3 synchronized 1 %" 4 $S $S 4 1
row "3 synchronized 10 %" 4 $S $S 4 10
row "4 variables 1" 4 $S $S 1 0
row "4 variables 64" 4 $S $S 64 0
row "5 branches 0" 4 0 $S 4 0
row "5 branches x 8" 4 $((S * 8)) $S 4 0
row "6 synchronized 0 %" 4 $S $S 4 0
row "6 synchronized 100 %" 4 $S $S 4 100
# Not in the thesis: one thread that does nothing but what is recorded, with a little work in between and without.
row "one thread, branches" 1 $((S * 4)) 0 4 0
row "one thread, locks" 1 0 $S 4 100
set=./w0
row "branches without work" 1 $((S * 8)) 0 4 0
row "locks without work" 1 0 $((S * 2)) 4 100
