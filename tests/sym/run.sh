#!/bin/bash
# Tests of the translator and the interpreter: programs run natively and interpreted, at several -O levels, must
# print the same, end the same way and take the same path; symbolic runs must collect the right conditions.
# usage: run.sh [BUILD] [NAME...]   Prints "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BUILD=$(cd "${1:-${BUILD:-$root/build}}" && pwd)
shift
CC=${CC:-clang-19} CXX=${CXX:-clang++-19} LLVM_CONFIG=${LLVM_CONFIG:-llvm-config-19}
if [ -n "$SYM_WORK" ]; then
	work=$SYM_WORK && mkdir -p "$work"
else
	work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
fi
cd "$work" || exit 1
passed=0 failed=0
only=" $* "

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED sym: $*"; }
check() { # check WHAT COMMAND...
	local what=$1
	shift
	if "$@" >check.log 2>&1; then ok; else bad "$what"; sed 's/^/    /' check.log | head -8; fi
}
wanted() { [ "$only" = "  " ] || [[ $only == *" $1 "* ]]; }

flags="-std=gnu17 -O2 -g -Wall -Wextra -D_GNU_SOURCE= -I$root/include -I$root/src -I$here"
o=$BUILD/obj/src
$CC $flags -c "$here/record.c" -o record.o && $CC $flags -c "$here/harness.c" -o harness.o || exit 1
interpreter="$(ls $o/sym/interp*.c.o) $o/sym/code.c.o $o/sym/symmem.c.o $o/sym/expr.c.o $o/base/base.c.o"
$CC $flags "$here/translate_tool.c" $o/sym/translate*.c.o $o/sym/code.c.o $o/base/base.c.o -o translate_tool \
	$($LLVM_CONFIG --ldflags --libs --link-shared) || exit 1

compiler() { case $1 in *.cpp) echo "$CXX" ;; *) echo "$CC" ;; esac; }

# link MODE OPT SOURCE OBJECTS...: the program MODE.exe, and MODE.bc
link() {
	local mode=$1 opt=$2 source=$3
	shift 3
	RETHREAD_PASS=$mode RETHREAD_PASS_BITCODE=$mode.bc timeout 120 $(compiler "$source") $opt -g -flto \
		-ffat-lto-objects -fuse-ld=lld -Wl,--fat-lto-objects \
		-Wl,--load-pass-plugin="$BUILD/librethread_pass.so" "$@" -o "$mode.exe" -pthread -lm
}

build() { # build SOURCE OPT: record.exe, twin.exe, code
	local source=$1 opt=$2
	rm -f ./*.exe code ./*.bc
	$(compiler "$source") $opt -g -w -I"$here" -flto -ffat-lto-objects -c "$source" -o program.o &&
		link record "$opt" "$source" program.o record.o &&
		link twin "$opt" "$source" program.o harness.o $interpreter &&
		./translate_tool twin.bc code
}

run() { # run NAME COMMAND...: output and status into NAME.out
	local name=$1
	shift
	timeout 60 "$@" >"$name.out" 2>"$name.err"
	echo "status $?" >>"$name.out"
}

same() { diff "$1.out" "$2.out" >check.diff || { cat "$2.err"; head -5 check.diff; return 1; }; }

concrete() { # concrete SOURCE OPT...
	local name opt
	name=$(basename "$1")
	wanted "$name" || return
	for opt in "${@:2}"; do
		if ! build "$1" "$opt" >build.log 2>&1; then
			bad "$name $opt: build"
			sed 's/^/    /' build.log | head
			continue
		fi
		run native env SYM_PATH=path ./record.exe
		run free env SYM_CODE=code ./twin.exe
		check "$name $opt: output" same native free
		run logged env SYM_CODE=code SYM_LOG=path ./twin.exe
		check "$name $opt: path" same native logged
	done
}

# Under each input: the conditions another input's run collected hold exactly when the path is the same, and
# then the output expressions give that input's output. And a run that follows one input's log with another's
# values collects conditions that hold for the former.
symbolic() { # symbolic SOURCE OPTS INPUTS...
	local name opt i j all
	name=$(basename "$1")
	wanted "$name" || return
	for opt in $2; do
		if ! build "$1" "$opt" >build.log 2>&1; then
			bad "$name $opt: build"
			sed 's/^/    /' build.log | head
			continue
		fi
		all=$(IFS=';' && echo "${*:3}")
		for i in "${@:3}"; do
			SYM_INPUTS=$i SYM_PATH=path.$i ./record.exe | sed -n 's/^out//p' | tr -d '\n' >native.$i
		done
		for i in "${@:3}"; do
			for j in "${@:3}"; do
				cmp -s path.$i path.$j && echo "holds$(cat native.$j)" || echo "fails"
			done >expected
			SYM_INPUTS=$i SYM_ALTERNATIVES=$all SYM_OUT=found SYM_CODE=code timeout 60 ./twin.exe \
				>run.out 2>run.err
			check "$name $opt $i: conditions" diff expected found
			for j in "${@:3}"; do
				echo "holds$(cat native.$j)" >expected
				SYM_INPUTS=$i SYM_ALTERNATIVES=$j SYM_OUT=found SYM_LOG=path.$j SYM_CODE=code \
					timeout 60 ./twin.exe >run.out 2>run.err
				check "$name $opt $i along $j" diff expected found
			done
		done
	done
}

for p in "$here"/programs/*.c "$here"/programs/*.cpp; do
	[ -f "$p" ] || continue
	concrete "$p" -O0 -O1 -O2 "-O3 -march=native"
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
