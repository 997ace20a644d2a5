#!/bin/bash
# Tests of the link-time pass: small programs at several -O levels, in both modes, with real (tiny)
# runtimes. usage: run.sh [BUILD]   Prints "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BUILD=$(cd "${1:-${BUILD:-$root/build}}" && pwd)
CC=${CC:-clang-19} CXX=${CXX:-clang++-19} LLVM_CONFIG=${LLVM_CONFIG:-llvm-config-19}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED ir: $*"; }
check() { # check WHAT COMMAND...
	local what=$1
	shift
	if "$@" >check.log 2>&1; then ok; else bad "$what"; sed 's/^/    /' check.log | head -5; fi
}

native() {
	$CC -std=gnu17 -O2 -g -Wall -Wextra -I"$root/include" -I"$here" -c "$1" -o "$2" || exit 1
}
native "$here/support.c" support.o
native "$here/record_rt.c" record_rt.o
native "$here/twin_rt.c" twin_rt.o
native "$here/sharing_rt.c" sharing_rt.o
native "$here/programs/enter_native.c" enter_native.o
$CC -O1 -Wall -Wextra -I"$root/include" -I"$($LLVM_CONFIG --includedir)" "$here/walk.c" -o walk \
	$($LLVM_CONFIG --ldflags --libs --link-shared) || exit 1

compiler() { case $1 in *.cpp) echo "$CXX" ;; *) echo "$CC" ;; esac; }

# link MODE OPT SOURCE OBJECTS...: the program MODE, and MODE.hash, MODE.bc, MODE.report
link() {
	local mode=$1 opt=$2 source=$3
	shift 3
	RETHREAD_PASS=$mode RETHREAD_PASS_VERIFY=1 RETHREAD_PASS_BITCODE=$mode.bc \
		RETHREAD_PASS_HASH=$mode.hash RETHREAD_PASS_REPORT=$mode.report \
		timeout 120 $(compiler "$source") $opt -flto -ffat-lto-objects -fuse-ld=lld \
		-Wl,--fat-lto-objects -Wl,--load-pass-plugin="$BUILD/librethread_pass.so" "$@" \
		-o "$mode.exe" -pthread -lm
}

run() { # run NAME EXE: output and status into NAME.out
	IR_OUT=$1.run timeout 60 "./$2" >"$1.out" 2>&1
	echo "status $?" >>"$1.out"
}

# build SOURCE OPT OBJECTS...: plain.exe, record.exe, twin.exe, all run
build() {
	local source=$1 opt=$2
	shift 2
	rm -f ./*.exe ./*.run* ./*.out
	local cc
	cc=$(compiler "$source")
	$cc -g $opt -w -I"$here" -flto -ffat-lto-objects -c "$source" -o program.o &&
		$cc $opt program.o support.o "$@" -o plain.exe -pthread -lm &&
		link record "$opt" "$source" program.o support.o record_rt.o "$@" &&
		link twin "$opt" "$source" program.o support.o twin_rt.o "$@" || return 1
	run plain plain.exe
	run record record.exe
	run twin twin.exe
}

same_hash() {
	cmp record.hash twin.hash && cmp record.bc twin.bc &&
		grep -q "hash $(cat record.hash)\$" record.run && grep -q "hash $(cat twin.hash)\$" twin.run
}
gates_counted() { [ "$(sed -n 's/^waits \([0-9]*\) .*/\1/p' twin.run)" = "$(cat twin.run.expect)" ]; }
# Gates are in line where there are few, and called where there are many; without optimisation all are called.
both_forms() { # OPT
	llvm-objdump-19 -d --disassemble-symbols=many twin.exe >many.s || return
	local called in_line
	called=$(grep -c 'call.*<__rethread_gate_wait.half>' many.s)
	in_line=$(grep -c 'call.*<__rethread_gate_wait.slow>' many.s)
	if [ $1 = -O0 ]; then [ $called = 35 ] && [ $in_line = 0 ]; else [ $called = 33 ] && [ $in_line -ge 2 ]; fi
}
records_less() { grep -q $'^total\tknown\t[1-9]' record.report && grep -q $'^total\tbranches\t[1-9]' record.report; }
# One round after the other asks whether the word is full, unless the loop is unrolled.
unrolls() { [ "$(awk -F'\t' '$1 == "branch" && $4 == "find"' record.report | wc -l)" -ge 4 ]; }
path_decodes() { ./walk record.bc record.run >walked && cmp walked record.run.marks; }

transparent() { # transparent NAME SOURCE OPT OBJECTS...
	local name=$1 source=$2 opt=$3
	shift 3
	if ! build "$source" "$opt" "$@" >build.log 2>&1; then
		bad "$name $opt: build"
		sed 's/^/    /' build.log | head
		return 1
	fi
	check "$name $opt: recorded output" diff plain.out record.out
	check "$name $opt: twin output" diff plain.out twin.out
	check "$name $opt: hashes" same_hash
}

for opt in ${IR_LEVELS--O0 -O1 -O2 -O3}; do
	# walk follows the log and computes nothing, so here the log has all branches; that the unrecorded ones
	# come out the same is what tests/sym compares.
	for name in branches switches; do
		RETHREAD_PASS_ALL_BRANCHES=1 transparent $name "$here/programs/$name.c" $opt &&
			check "$name $opt: decoded path" path_decodes
		transparent $name "$here/programs/$name.c" $opt || continue
		# Without optimisation all values are in memory, and their order of writing is not followed.
		[ $opt = -O0 ] || check "$name $opt: fewer branches" records_less
	done
	transparent gates "$here/programs/gates.c" $opt && check "gates $opt: gate count" gates_counted && check "gates $opt: where they are" both_forms $opt
	transparent enter "$here/programs/enter.c" $opt enter_native.o
	for source in odd.c vector.c library.cpp; do
		transparent "$source" "$here/programs/$source" $opt || continue
		[ $source$opt != vector.c-O2 ] || check "$source $opt: unrolled search" unrolls
	done
	case $opt in -O[02]) transparent large.cpp "$here/programs/large.cpp" $opt ;; esac
done

# Position-dependent and -fPIC code, no debug information, no types for aliasing.
for opt in "-O2 -no-pie -fno-pie" "-O2 -fPIC" "-O2 -g0 -fno-strict-aliasing"; do
	transparent odd.c "$here/programs/odd.c" "$opt"
	transparent enter "$here/programs/enter.c" "$opt" enter_native.o
done

# A mode that does not exist fails the link and says why.
misspelt() {
	! link recrod -O0 x.c program.o support.o record_rt.o >misspelt.log 2>&1 &&
		grep '^rethread: ' misspelt.log
}
check "misspelt mode" misspelt

# The lines on which a run really shared memory are among those the analysis says may.
shares_no_more() { # SOURCE OPT
	local cc
	cc=$(compiler "$1")
	$cc $2 -g -w -I"$here" -fsanitize=thread -mllvm -tsan-instrument-atomics=0 -c "$1" -o seen.o &&
		$cc seen.o support.o sharing_rt.o -no-pie -o seen.exe -pthread &&
		IR_OUT=seen.run timeout 60 ./seen.exe || return 1
	# The program's own lines, as in the report: where what is in a header of the system was inlined into. (Where it was not, here, it
	# may have been in the recorded program.)
	sort -u seen.run.shared | llvm-symbolizer-19 --obj=seen.exe --inlines --functions=none |
		awk 'BEGIN { RS = ""; FS = "\n" }
		     { own = ""; for (i = NF; i >= 1; i--) if ($i !~ "^/usr/") own = $i; if (own) print own }' |
		sed 's/:[0-9]*$//; s|.*/||' | sort -u >seen.lines
	awk -F'\t' '$1 == "site" && $2 != "synchronization" && $2 != "input" { sub(".*/", "", $5); print $5 ":" $3 }' record.report | sort -u >analysed.lines
	[ "$(wc -l <seen.lines)" -ge 8 ] || { echo "too few shared lines seen"; return 1; }
	comm -23 seen.lines analysed.lines >missed
	[ ! -s missed ] || { echo "shared, but not by the analysis:"; cat missed; return 1; }
}
for source in sharing.c sharing.cpp ways.c ways.cpp; do
	for opt in -O0 -O2; do
		transparent $source "$here/programs/$source" $opt &&
			check "$source $opt: real sharing" shares_no_more "$here/programs/$source" $opt
	done
done
for opt in "-O0 -no-pie -fno-pie" "-O2 -no-pie -fno-pie"; do
	transparent short.c "$here/programs/short.c" "$opt" &&
		check "short.c $opt: real sharing" shares_no_more "$here/programs/short.c" "$opt"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
