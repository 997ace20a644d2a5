#!/bin/bash
# Tests of the recorder and of the trace reader: each tests/rt/*.t is a small shell script that runs in an empty
# directory of its own with lib.sh read in, and passes when it exits 0. RT_LIB names another runtime to test.
# Run some only: tests/rt/run.sh path kill. Last line: "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ROOT=$root WORK=$work LIB=$here/lib.sh E2E_LIB=$root/tests/e2e/lib.sh
export RT_LIB=${RT_LIB:-$root/build/librethread_rt.a} DUMP=$work/dump
unset RETHREAD_OPTIONS RETHREAD_TWIN

clang-19 -std=gnu17 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE= \
	-I"$root/include" -I"$root/src" "$here/dump.c" "$root"/src/trace/*.c "$root/src/base/base.c" \
	-ljansson -o "$DUMP" || exit 1

one() {
	local name=$1 dir=$WORK/$1.dir status
	mkdir -p "$dir"
	cd "$dir" || exit 1
	: >"$dir.said"
	TMPDIR=$dir E2E_SAID=$dir.said timeout -k 5 120 bash -e -c '. "$0"; . "$1"; . "$2"' "$E2E_LIB" "$LIB" "$2/$name.t" >"$dir/log" 2>&1
	status=$?
	if [ $status = 0 ]; then
		echo "ok $name"
	else
		echo "FAILED $name (status $status)"
		cat "$dir/log" "$dir.said" | sed 's/^/    /'
	fi
}

names=("$@")
[ $# -gt 0 ] || for t in "$here"/*.t; do names+=("$(basename "$t" .t)"); done
for name in "${names[@]}"; do one "$name" "$here"; done | tee "$work/results"
passed=$(grep -c '^ok ' "$work/results")
failed=$(grep -c '^FAILED ' "$work/results")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
