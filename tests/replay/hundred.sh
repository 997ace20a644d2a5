#!/bin/bash
# The measurement of replay: every program of bugs/ and tests/replay/programs (or those named) is recorded by scheme rw until
# it fails, followed, and replayed: each time with the recorded signature, and with the same output, byte for byte.
#
#   tests/replay/hundred.sh [-n REPLAYS] [-r RUNS] [-O "LEVELS"] [-s "SCHEMES"] [PROGRAM...]
#     -n REPLAYS   of each failing run (100)
#     -r RUNS      at most, until it fails (3000)
#     -O LEVELS    of optimisation ("0 2")
#     -s SCHEMES   flavours of the recorder ("rw rw:leap")
#     PROGRAM      a name without extension
#
# Of a program's head comment (bugs/README.md) `fail-if:` and `args:` count, and more lines:
#   ends: well       it does not fail: it is recorded once, and what counts is the output
#   output: varies   by addresses, or what comes from outside, and is not compared
#   open: WHY        cannot be replayed from this recorder yet: left out unless it is named
#   model: tso       fails only with store buffers, which this recorder does not have: left out
# Last line: "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
replays=100 runs=3000 levels="0 2" schemes="rw rw:leap"
while getopts n:r:O:s:h option; do
	case $option in
	n) replays=$OPTARG ;;
	r) runs=$OPTARG ;;
	O) levels=$OPTARG ;;
	s) schemes=$OPTARG ;;
	*) sed -n '2,/^here/s/^# \{0,1\}//p' "$0" | grep -v '^here'; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
export PATH=${BUILD:-$root/build}:$PATH
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data TMPDIR=$work
unset RETHREAD_OPTIONS RETHREAD_TWIN
cd "$work" || exit 2

# head SOURCE KEY: the value of the line ` * KEY: VALUE` in the head comment.
head_value() {
	sed -n "/\*\//q; s/^ \* $2: *//p" "$1"
}

# record SCHEME OPTIONS...: a trace of a failing run, its output at the end of `recorded`, where all runs show theirs.
record() {
	local scheme=$1 until=--until-failure
	shift
	[ "$ends" = well ] && until=
	# shellcheck disable=SC2086
	timeout 300 rethread record --scheme "$scheme" "$@" $until ${until:+--runs "$runs"} --timeout 20 \
		${predicate:+--fail-if "$predicate"} -- ./p $arguments <"$input" >recorded 2>messages
	grep -q '^rethread: trace: ' messages
}

# All replays have the recorded signature, and show what the recorded run did.
replay() {
	timeout 600 rethread replay -n "$replays" -v </dev/null >all 2>/dev/null
	if [ "$(tail -n 1 all)" != "reproduced $replays/$replays" ]; then
		tail -n 2 all | tr '\n' ' '
		return 1
	fi
	[ "$output" = varies ] && return
	sed -i '$d' all
	local size=$(($(stat -c %s all) / replays))
	tail -c "$size" recorded >shown
	cmp -s all <(for ((i = 0; i < replays; i++)); do cat shown; done) || { echo "the output differs"; return 1; }
}

# one SCHEME: of the program ./p. Prints what is wrong.
one() {
	rm -rf data
	record "$1" || record "$1" --shake || {
		grep -q 'no failure in' messages && { echo "no failure in $runs runs"; return 2; }
		tail -n 1 messages
		return 1
	}
	timeout 300 rethread reproduce --budget 60 </dev/null >out 2>&1 || { tail -n 1 out; return 1; }
	replay
}

passed=0 failed=0
for source in "$root"/bugs/*.c "$root"/bugs/*.cpp "$here"/programs/*.c "$here"/programs/*.cpp; do
	name=$(basename "${source%.*}")
	[ -f "$source" ] || continue
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	predicate=$(head_value "$source" fail-if) arguments=$(head_value "$source" args) ends=$(head_value "$source" ends)
	output=$(head_value "$source" output) model=$(head_value "$source" model)
	input=/dev/null
	[ -f "${source%.*}.input" ] && input=${source%.*}.input
	[ -n "$model" ] && continue
	[ $# = 0 ] && [ -n "$(head_value "$source" open)" ] && continue
	cc=cc
	[ "${source##*.}" = cpp ] && cc=c++
	for level in $levels; do
		if ! rethread $cc -O"$level" -g -pthread "$source" -o p >messages 2>&1; then
			echo "FAILED $name -O$level: does not build: $(tail -n 1 messages)"
			failed=$((failed + 1))
			continue
		fi
		for scheme in $schemes; do
			start=$(date +%s)
			why=$(one "$scheme")
			status=$?
			case $status in
			0) echo "ok $name -O$level $scheme: $replays of $replays ($(($(date +%s) - start)) s)"; passed=$((passed + 1)) ;;
			2) echo "-- $name -O$level $scheme: $why" ;;
			*) echo "FAILED $name -O$level $scheme: $why"; failed=$((failed + 1))
				[ -n "$KEEP" ] && { mkdir -p "$KEEP/$name-O$level-$scheme"; cp -r data p recorded "$KEEP/$name-O$level-$scheme"; } ;;
			esac
		done
	done
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
