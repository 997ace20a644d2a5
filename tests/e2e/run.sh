#!/bin/bash
# End-to-end tests: each tests/e2e/*.t is a small shell script that runs in an empty directory of its own,
# with `rethread` in PATH and lib.sh read in, and passes when it exits 0.
# A test takes 10 s or less on a quiet machine; the limit (E2E_TIMEOUT, seconds) is for those that hang, also on a busy one.
# Run some only: tests/e2e/run.sh cc_basic record_exit. Last line: "N passed, N failed".
# Many tests record whatever a race brought forth, so no two runs of them are alike. Up to RERUN_MOST that fail are run once more,
# alone; one that passes then is counted as passed, but shown as UNSTEADY with what it said first.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ROOT=$root BUGS=$root/bugs PATH=$root/build:$PATH
export E2E_LIB=$here/lib.sh E2E_WORK=$work
unset RETHREAD_OPTIONS RETHREAD_TWIN RETHREAD_LIBDIR RETHREAD_CC RETHREAD_CXX

one() {
	local file=$1 name dir status
	name=$(basename "$file" .t)
	dir=$E2E_WORK/$name
	mkdir -p "$dir/home" "$dir/tmp"
	cd "$dir" || exit 1
	: >"$dir.said"
	HOME=$dir/home XDG_DATA_HOME=$dir/home/data TMPDIR=$dir/tmp E2E_SAID=$dir.said \
		timeout -k 5 "${E2E_TIMEOUT:-300}" bash -eE -c 'trap "echo line \$LINENO: \$BASH_COMMAND >&2" ERR; ''. "$0"; . "$1"' "$E2E_LIB" "$file" >"$dir/log" 2>&1
	status=$?
	if [ $status = 0 ] && [ -n "$(ls -A "$dir/tmp")" ]; then
		echo "left behind in TMPDIR: $(ls -A "$dir/tmp")" >>"$dir/log"
		status=1
	fi
	if [ $status = 0 ]; then
		echo "ok $name$(sed -n 's/^NOTE: / (/p' "$dir/log" | sed 's/$/)/')"
	else
		echo "FAILED $name (status $status)"
		cat "$dir/log" "$dir.said" | sed 's/^/    /'
	fi
}
export -f one

RERUN_MOST=8
names=("$@")
[ $# -gt 0 ] || for t in "$here"/*.t; do names+=("$(basename "$t" .t)"); done
printf "$here/%s.t\0" "${names[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'one {}' | tee "$work/results"
passed=$(grep -c '^ok ' "$work/results")
failed=$(grep -c '^FAILED ' "$work/results")
# again NAME: runs it once more, alone.
again() {
	mv "$work/$1" "$work/$1.first"
	one "$here/$1.t" >"$work/again"
}
if [ "$failed" -gt 0 ] && [ "$failed" -le $RERUN_MOST ]; then
	for name in $(sed -n 's/^FAILED \([^ ]*\) .*/\1/p' "$work/results"); do
		again "$name"
		if grep -q '^ok ' "$work/again"; then
			echo "UNSTEADY $name: failed first, passed when it was run again"
			passed=$((passed + 1)) failed=$((failed - 1))
		else
			sed '1s/$/, for the second time/' "$work/again"
		fi
	done
fi
# Bugs that did not show, also now that nothing else runs: one or the other on a busy machine; many mean that recording keeps them from it.
unlucky=0
for name in $(sed -n 's/^ok \([^ ]*\) .*its failure did not come here.*/\1/p' "$work/results"); do
	again "$name"
	if grep -q '^FAILED ' "$work/again"; then
		sed '1s/$/, when it was run again for its bug/' "$work/again"
		failed=$((failed + 1))
	elif grep -q 'its failure did not come here' "$work/again"; then
		unlucky=$((unlucky + 1))
	fi
done
if [ "$unlucky" -gt 6 ]; then
	echo "FAILED: the failures of $unlucky programs did not come"
	failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
