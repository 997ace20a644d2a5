#!/bin/bash
# Random programs (random.c) recorded with scheme rw, in both flavours and at two -O levels: the replayed run sees the same
# values at every access. Then programs of many kinds (programs/) and two of the suite, each a few times, with the same output.
# usage: run.sh [BUILD]; CASES=N of each kind (default 500). Last line: "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(cd "${1:-${BUILD:-$here/../../build}}" && pwd)
PATH=$BUILD:$PATH
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_DATA_HOME=$work/data TMPDIR=$work CASES=${CASES:-500}
unset RETHREAD_OPTIONS RETHREAD_TWIN RETHREAD_LIBDIR

# case OPT SCHEME SEED: "ok", or what went wrong. The first run's output is what the replays are compared with.
case_() {
	local opt=$1 scheme=$2 seed=$3 name=case$1.$2.$3
	local same="if [ -e $work/$name.out ]; then cmp -s - $work/$name.out; else cat >$work/$name.out; fi"
	timeout 20 rethread record -o "$name" --scheme "$scheme" --timeout 10 --fail-if "$same" -- "./random$opt" "$seed" \
		>"$name.log" 2>&1
	if timeout 60 rethread reproduce "$name" >>"$name.log" 2>&1 &&
		timeout 60 rethread replay -n 2 "$name" >>"$name.log" 2>&1; then
		echo ok
	else
		echo "FAILED replay: $name: $(tail -n 3 "$name.log" | tr '\n' ' ')"
	fi
	rm -rf "$name"
}
export -f case_
export work

for opt in -O0 -O2; do
	rethread cc $opt -g -pthread "$here/random.c" -o random$opt || exit 1
	for scheme in rw rw:leap; do
		seq 1 "$CASES" | xargs -P "$(nproc)" -I{} bash -c "case_ $opt $scheme {}"
	done
done >results
grep -v '^ok$' results | head -n 20
passed=$(grep -c '^ok$' results)
failed=$(grep -vc '^ok$' results)

# hundred OPTIONS PROGRAM...: adds to the counts; shows what failed.
hundred() {
	BUILD=$BUILD "$here/hundred.sh" "$@" >hundred.out 2>&1
	grep -E '  (FAILED|--)  ' hundred.out
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' hundred.out)
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
}
programs=$(cd "$here/programs" && grep -L '^ \* open: ' *.c *.cpp | sed 's/\..*//')
# shellcheck disable=SC2086
hundred -n 5 -r 300 -O 2 -s rw $programs racey
hundred -n 5 -r 300 -O 0 -s rw:leap bbuf timed once talk
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
