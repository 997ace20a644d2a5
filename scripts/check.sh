#!/bin/bash
# Runs every test suite and adds up: the unit test programs given as arguments, then each
# tests/*/run.sh, whose last line is "N passed, N failed". The last line here is the sum in the
# same words. Exit status 1 when anything failed.
cd "$(dirname "$0")/.." || exit 2

# What `make check` sets for its own makes is not meant for the programs that tests build.
unset MAKEFLAGS MFLAGS MAKELEVEL

passed=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# add NAME P F STATUS: a suite that ended badly without counting a failure is one failure.
add() {
	local name=$1 p=${2:-0} f=${3:-0} status=$4
	if [ "$status" != 0 ] && [ "$f" = 0 ] || [ $((p + f)) = 0 ]; then
		echo "$name: ended with status $status, $p passed, $f failed"
		f=$((f + 1))
	fi
	passed=$((passed + p)) failed=$((failed + f))
}

for unit; do
	echo "== $unit"
	CMOCKA_MESSAGE_OUTPUT=stdout timeout 300 "$unit" >"$log" 2>&1
	status=$?
	p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test(s).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
	f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test(s).*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
	[ $status = 0 ] || cat "$log"
	add "$unit" "$p" "$f" $status
done

for suite in tests/*/run.sh; do
	[ -e "$suite" ] || continue
	echo "== $suite"
	timeout 1800 bash "$suite" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	read -r p f < <(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
	add "$suite" "$p" "$f" "$status"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
