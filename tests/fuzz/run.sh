#!/bin/bash
# Replays the saved corpus of every fuzz target under the sanitizers; with FUZZ_SECONDS=N fuzzes each target so long
# first, adding to the corpus. A target is tests/fuzz/NAME.c, its corpus tests/fuzz/NAME/. Last line: "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

build() { # NAME SOURCES...
	local name=$1
	shift
	clang-19 -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_GNU_SOURCE= \
		-I"$root/include" -I"$root/src" "$here/$name.c" "$@" -ljansson -o "$work/$name"
}

fuzz() { # NAME
	local corpus=$here/$1
	if [ -n "$FUZZ_SECONDS" ]; then
		mkdir -p "$work/new" && cp -r "$corpus/." "$work/new"
		(cd "$work" && ./"$1" -max_total_time="$FUZZ_SECONDS" -max_len=40000 -print_final_stats=1 new) || return 1
		(cd "$work" && ./"$1" -merge=1 "$corpus" new >/dev/null 2>&1)
	fi
	(cd "$work" && ./"$1" -runs=0 "$corpus" 2>&1 | tail -n 3)
	return "${PIPESTATUS[0]}"
}

one() { # NAME SOURCES...
	if build "$@" && fuzz "$1"; then
		echo "ok $1"
		passed=$((passed + 1))
	else
		echo "FAILED $1"
		failed=$((failed + 1))
	fi
}

one trace "$root"/src/trace/*.c "$root/src/base/base.c"
one schedule "$root"/src/model/*.c "$root"/src/sym/expr*.c "$root/src/base/base.c"
one twin_schedule
echo "$passed passed, $failed failed"
[ $failed = 0 ]
