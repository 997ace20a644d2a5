#!/bin/bash
# Random programs (generate.py) that always fail: whatever a run recorded, the run itself explains it. So inference must find an
# interleaving, and never says that there is none. One that takes too long is no failure; nor is one that is given up where
# the program makes numbers of addresses.
# usage: run.sh [BUILD]   Prints "N passed, N failed". RANDOM_FIRST, RANDOM_SEEDS: which programs (default: 20, from 1 on).
# RANDOM_KEEP=DIR keeps what failed.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BUILD=$(cd "${1:-${BUILD:-$root/build}}" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export PATH=$BUILD:$PATH XDG_DATA_HOME=$work/data TMPDIR=$work
unset RETHREAD_OPTIONS
cd "$work" || exit 1
passed=0 failed=0 slow=''

bad() { # bad SEED WHAT: the case's files stay if they are wanted
	failed=$((failed + 1))
	echo "FAILED random: seed $1: $2"
	if [ -n "$RANDOM_KEEP" ]; then
		mkdir -p "$RANDOM_KEEP/$1" && cp -r p.c p trace "$RANDOM_KEEP/$1"
	fi
}

# may_give_up: the program's first line names its features. Where bits of addresses decide something, neither the executor nor a
# replay need come to the same.
may_give_up() { head -n 1 p.c | grep -q addresses; }

for ((seed = ${RANDOM_FIRST:-1}; seed < ${RANDOM_FIRST:-1} + ${RANDOM_SEEDS:-20}; seed++)); do
	python3 "$here/generate.py" $seed >p.c
	opt=-O$((seed % 4))
	if ! rethread cc $opt -g -w -pthread -o p p.c >out 2>&1; then
		bad $seed "build: $(cat out)"
		continue
	fi
	for scheme in path+sync path; do
		rm -rf trace
		{ timeout 60 rethread record -q --scheme $scheme -o trace ./p; } >out 2>&1
		status=$?
		if [ $status != 134 ]; then
			bad $seed "$scheme: recording ended with status $status: $(cat out)"
			continue
		fi
		timeout 60 rethread reproduce --engine solve --budget 10 trace >out 2>&1
		status=$?
		case $status in
		0) passed=$((passed + 1)) ;;
		3) passed=$((passed + 1)) slow="$slow $seed:$scheme" ;;
		*) if [ $status = 4 ] && may_give_up; then passed=$((passed + 1)); else bad $seed "$opt $scheme: status $status: $(cat out)"; fi ;;
		esac
	done
done 2>/dev/null
[ -z "$slow" ] || echo "took too long:$slow"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
