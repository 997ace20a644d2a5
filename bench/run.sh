#!/bin/bash
# make bench: what recording costs (design §7), as ratios to the native program. Prints one table: the thesis' six
# microbenchmarks, and real programs (bench/real.sh).
#
# WORK is the private work beside each branch and access, in steps of about 2 ns: 0, 2 and 8 are shown, because it decides
# how large the same cost looks. "lto" is the program as clang -flto makes it, which recorded programs go through: what that costs
# or gains is not the recorder's. "full" is a full-order recorder written by hand into the benchmark; "rw" is ours, measured on
# a small part (1/RW) of the row, against the native program on the same part.
# usage: run.sh [BUILD]    ROUNDS=5, SCALE=10000000 (branches and accesses of a row, where it does not vary them), RW=100,
#        LEAST=200: milliseconds; a row whose native program takes less has twice, four times, ... as many of both, up to 64 times
#        TIME=cpu: processor time, for a machine that others use as well; default is the time that passes.
#        VARIANTS="native lto off path path+sync full tsan", WORKS="0 2 8", REAL=0: no real programs, REAL=ours: only those of bench/programs
here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(cd "${1:-$here/../build}" && pwd)
S=${SCALE:-10000000} RW=${RW:-100} LEAST=${LEAST:-200}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$here/lib.sh"

build() { # build WORK: the variants, in directories wWORK/VARIANT
	local v
	for v in native lto full tsan every recorded; do
		mkdir -p "w$1/$v"
		$(compiler ${v/full/native}) -O2 -g -pthread -DWORK=$1 -DFULL_ORDER=$([ $v = full ] && echo 1 || echo 0) \
			"$here/micro.c" -o "w$1/$v/micro" || exit 1
	done
}

variants=${VARIANTS:-native lto off path path+sync full tsan}
declare -A best size

# nanoseconds VARIANT ARGUMENTS...: what micro.c measures, and the bytes of a full-order log
nanoseconds() {
	local variant=$1 ns cpu bytes
	shift
	read -r ns cpu bytes < <(run $variant "$set/@/micro" "$@")
	[ "$TIME" = cpu ] && ns=$cpu
	echo "${ns:-0} ${bytes:-0}"
}

# times THREADS BRANCHES ...: how many times as many branches and accesses take the native program LEAST milliseconds. In a row of
# 5 ms, which rows without locks would be, chance decides.
times() {
	local ns n=1
	read -r ns _ < <(nanoseconds native "$@")
	while [ $n -lt 64 ] && [ "$ns" -gt 0 ] && [ $((ns * n)) -lt $((LEAST * 1000000)) ]; do n=$((n * 2)); done
	echo $n
}

row() { # row NAME THREADS BRANCHES ACCESSES VARIABLES PERCENT
	local name=$1 v ns bytes i n part
	shift
	part=("$1" $(($2 / (RW ? RW : 1))) $(($3 / (RW ? RW : 1))) "$4" "$5")
	n=$(times "$@")
	set -- "$1" $(($2 * n)) $(($3 * n)) "$4" "$5"
	best=() size=()
	for ((i = 0; i < ROUNDS; i++)); do
		for v in $variants; do
			[ $v = tsan ] && [ $i -gt 1 ] && continue
			rm -f trace/log.*
			read -r ns bytes < <(nanoseconds $v "$@")
			[ -z "${best[$v]}" ] || [ "$ns" -lt "${best[$v]}" ] && best[$v]=$ns
			case $v in
			path+sync) size[$v]=$(./logsize trace) ;;
			full) size[$v]=$bytes ;;
			esac
		done
	done
	rm -f trace/log.*
	run every "$set/@/micro" "$@" >/dev/null
	read -r all _ < <(./logsize trace)
	rw=
	if [ "$RW" != 0 ]; then
		read -r n _ < <(nanoseconds native "${part[@]}")
		rm -rf trace.rw
		read -r ns _ < <(nanoseconds rw "${part[@]}")
		rw=$(ratio "$ns" "$n")
	fi
	line "$name"
}

build_logsize || exit 1
mkdir -p trace
heads
for w in ${WORKS:-0 2 8}; do
	build $w
	set=./w$w
	echo "-- WORK $w"
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
	# Not in the thesis: one thread that does nothing but what is recorded.
	row "one thread, branches" 1 $((S * 4)) 0 4 0
	row "one thread, locks" 1 0 $S 4 100
done
[ "$REAL" = 0 ] || . "$here/real.sh"
