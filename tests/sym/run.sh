#!/bin/bash
# Tests of the translator and the interpreter: programs run natively and interpreted, at several -O levels, must
# print the same, end the same way and take the same path; symbolic runs must collect the right conditions.
# usage: run.sh [BUILD] [NAME...]   Prints "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BUILD=$(cd "${1:-${BUILD:-$root/build}}" && pwd)
shift
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

. "$here/lib.sh"

run() { # run NAME COMMAND...: output and status into NAME.out
	local name=$1
	shift
	{ timeout 60 "$@" >"$name.out" 2>"$name.err"; } 2>/dev/null
	echo "status $?" >>"$name.out"
}

same() { diff "$1.out" "$2.out" >check.diff || { cat "$2.err"; head -5 check.diff; return 1; }; }

found_as_expected() { diff expected found || { cat run.err; return 1; }; }

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

# What was made concrete is a condition: a run's conditions hold for its own input only.
assumed() { # assumed SOURCE OPTS INPUTS...
	local name opt i all
	name=$(basename "$1")
	wanted "$name" || return
	for opt in $2; do
		build "$1" "$opt" >build.log 2>&1 || { bad "$name $opt: build"; continue; }
		all=$(IFS=';' && echo "${*:3}")
		for i in "${@:3}"; do
			own=$(SYM_INPUTS=$i ./record.exe | sed -n 's/^out//p' | tr -d '\n')
			for j in "${@:3}"; do
				[ "$i" = "$j" ] && echo "holds$own" || echo "fails"
			done >expected
			rm -f found
			SYM_INPUTS=$i SYM_ALTERNATIVES=$all SYM_OUT=found SYM_CODE=code timeout 60 ./twin.exe \
				>run.out 2>run.err
			check "$name $opt $i: conditions" found_as_expected
		done
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
			rm -f found
			SYM_INPUTS=$i SYM_ALTERNATIVES=$all SYM_OUT=found SYM_CODE=code timeout 60 ./twin.exe \
				>run.out 2>run.err
			check "$name $opt $i: conditions" found_as_expected
			for j in "${@:3}"; do
				echo "holds$(cat native.$j)" >expected
				rm -f found
				SYM_INPUTS=$i SYM_ALTERNATIVES=$j SYM_OUT=found SYM_LOG=path.$j SYM_CODE=code \
					timeout 60 ./twin.exe >run.out 2>run.err
				check "$name $opt $i along $j" found_as_expected
			done
		done
	done
}

for p in "$here"/programs/*.c "$here"/programs/*.cpp; do
	[ -f "$p" ] || continue
	concrete "$p" -O0 -O1 -O2 "-O3 -march=native"
done

# A fault of interpreted code: the thread's position is the faulting line, and the host can stop it.
fault() { # fault OPT NUMBER MARK
	local line
	line=$(grep -n "/\* $3 \*/" "$here/faults/fault.c" | cut -d: -f1)
	SYM_CODE=code timeout 60 ./twin.exe $2 >fault.out 2>fault.err
	[ $? = 96 ] && grep -q "fault.c:$line:.* in .*: " fault.err || { cat fault.err; return 1; }
}
if wanted fault.c; then
	for opt in -O0 -O2; do
		build "$here/faults/fault.c" $opt >build.log 2>&1 || bad "fault.c $opt: build"
		check "fault.c $opt: load" fault $opt 1 load
		check "fault.c $opt: store" fault $opt 2 store
		check "fault.c $opt: divide" fault $opt 3 divide
	done
fi

levels="-O0 -O1 -O2 -O3"
symbolic "$here/symbolic/branches.c" "$levels" 3,9 9,3 1,0 -1,2 100,0 5,5 1000,-1000 2147483647,1 -7,1030 2,8
symbolic "$here/symbolic/memory.c" "$levels" 3,9 9,3 1,0 -1,2 100,0 60,60 1000,-1000 2147483647,1 10,77
symbolic "$here/symbolic/wide.c" "$levels" 3,9 9,3 1,0 -1,2 0,-1 60,60 -9223372036854775808,-1 9223372036854775807,9223372036854775807 10,77
assumed "$here/symbolic/concrete.c" "$levels" 3 4 11 -1

# Random programs: SYM_SEEDS of them, from SYM_FIRST on. The second input changes the path less often.
$CC -O1 -Wall -Wextra "$here/generate.c" -o generate || exit 1
for ((seed = ${SYM_FIRST:-1}; seed < ${SYM_FIRST:-1} + ${SYM_SEEDS:-10}; seed++)); do
	wanted random || break
	./generate $seed >random$seed.c
	only="  " symbolic random$seed.c "-O0 -O2 -O3" 3,9 3,10 1000000,-5 -1,77
	rm -f random$seed.c
done

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
