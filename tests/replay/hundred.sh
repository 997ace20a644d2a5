#!/bin/bash
# The measurement of replay: every program of bugs/ and tests/replay/programs (or those named) is recorded by scheme rw until
# it fails, followed, and replayed: each time with the recorded signature, and with the same output, byte for byte.
#
#   tests/replay/hundred.sh [-n REPLAYS] [-r RUNS] [-O "LEVELS"] [-s "SCHEMES"] [-j JOBS] [PROGRAM...]
#     -n REPLAYS   of each failing run (100)
#     -r RUNS      at most, until it fails (3000): as it is for a while, then shaken, then by rethread hunt
#     -O LEVELS    of optimisation ("0 2")
#     -s SCHEMES   flavours of the recorder ("rw rw:leap")
#     -j JOBS      programs at a time (2)
#     PROGRAM      a name without extension
# KEEP=DIR keeps what went wrong there.
#
# Of a program's head comment (bugs/README.md) `fail-if:` and `args:` count, and more lines:
#   ends: well       it does not fail: it is recorded once, and what counts is the output
#   output: varies   by addresses, or what comes from outside, and is not compared
#   open: WHY        cannot be replayed from this recorder yet: left out unless it is named
#   model: tso       fails only with store buffers, which this recorder does not have: left out
# A row for each: program, level, scheme, how it was made to fail and in how many runs, "ok", "--" (it never failed) or "FAILED",
# replays, seconds. What is left out, and why, comes behind. Last line: "N passed, N failed".
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
replays=100 runs=3000 levels="0 2" schemes="rw rw:leap" jobs=2
while getopts n:r:O:s:j:h option; do
	case $option in
	n) replays=$OPTARG ;;
	r) runs=$OPTARG ;;
	O) levels=$OPTARG ;;
	s) schemes=$OPTARG ;;
	j) jobs=$OPTARG ;;
	*) sed -n '2,/^here/s/^# \{0,1\}//p' "$0" | grep -v '^here'; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
export PATH=${BUILD:-$root/build}:$PATH
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work replays runs schemes work
unset RETHREAD_OPTIONS RETHREAD_TWIN RETHREAD_LIBDIR

# head SOURCE KEY: the value of the line ` * KEY: VALUE` in the head comment.
head_value() {
	sed -n "/\*\//q; s/^ \* $2: *//p" "$1"
}

# try SECONDS COMMAND...: a trace of a failing run of ./p, its output at the end of `recorded`, where all runs show theirs.
try() {
	local seconds=$1
	shift
	# shellcheck disable=SC2086
	timeout "$seconds" rethread "$@" ${predicate:+--fail-if "$predicate"} -- ./p $arguments <"$input" >recorded 2>messages
	done=$(($(sed -n 's/^rethread: run \([0-9]*\):.*/\1/p' messages | tail -n 1) + 0))
	# None of the programs hangs but in a deadlock, which is seen as one: a run that was stopped was only slow.
	grep -q '^rethread: trace: ' messages && ! grep -q 'timeout: still running' messages
}

# record SCHEME: sets `how`. A program that hangs is given the time to do so.
record() {
	how=recorded
	if [ "$ends" = well ]; then
		try 60 record --scheme "$1" --timeout 20
		return
	fi
	local until="--until-failure --runs $runs --timeout 60"
	# shellcheck disable=SC2086
	try 25 record --scheme "$1" $until && return
	how=shaken
	# shellcheck disable=SC2086
	try 200 record --scheme "$1" --shake $until && return
	how=hunted
	[ "$1" = rw ] && try 100 hunt --runs "$runs"
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

follow() {
	timeout 300 rethread reproduce --budget 60 </dev/null >out 2>&1 || { tail -n 1 out; return 1; }
	replay
}

# row NAME LEVEL SCHEME HOW RUNS RESULT...
row() {
	printf '%-16s -O%s %-8s %-9s %5s  %s\n' "$@"
}

# one NAME LEVEL SCHEME: of the program ./p.
one() {
	local start=$SECONDS why done=0 how
	rm -rf data
	if ! record "$3"; then
		row "$1" "$2" "$3" - - "--  it never failed: $(tail -n 1 messages | cut -c1-60)"
	elif why=$(follow); then
		row "$1" "$2" "$3" $how "$done" "ok  $replays of $replays ($((SECONDS - start)) s)"
	else
		row "$1" "$2" "$3" $how "$done" "FAILED  $why"
		[ -n "$KEEP" ] && mkdir -p "$KEEP/$1-O$2-$3" && cp -r data p recorded "$KEEP/$1-O$2-$3"
	fi
}

# program SOURCE LEVEL: in a directory of its own.
program() {
	local source=$1 level=$2 name cc=cc scheme
	name=$(basename "${source%.*}")
	mkdir -p "$work/$name-$level" && cd "$work/$name-$level" || exit 2
	export XDG_DATA_HOME=$PWD/data
	predicate=$(head_value "$source" fail-if) arguments=$(head_value "$source" args) ends=$(head_value "$source" ends)
	output=$(head_value "$source" output) input=/dev/null
	[ -f "${source%.*}.input" ] && input=${source%.*}.input
	[ "${source##*.}" = cpp ] && cc=c++
	if rethread $cc -O"$level" -g -pthread "$source" -o p >messages 2>&1; then
		for scheme in $schemes; do
			one "$name" "$level" "$scheme"
		done
	else
		row "$name" "$level" - - - "FAILED  does not build: $(tail -n 1 messages)"
	fi
	cd "$work" && rm -rf "$work/$name-$level"
}
export -f head_value try record replay follow row one program

row program '' scheme 'how in' runs result | sed 's/-O/  /'
left_out=
for source in "$root"/bugs/*.c "$root"/bugs/*.cpp "$here"/programs/*.c "$here"/programs/*.cpp; do
	name=$(basename "${source%.*}")
	[ -f "$source" ] || continue
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	why=
	[ -n "$(head_value "$source" model)" ] && why="needs store buffers"
	[ $# = 0 ] && why+=$(head_value "$source" open)
	if [ -n "$why" ]; then
		left_out+="left out: $name: $why"$'\n'
		continue
	fi
	for level in $levels; do
		printf '%s\n%s\n' "$source" "$level"
	done
done >"$work/list"
xargs -a "$work/list" -d '\n' -n 2 -P "$jobs" bash -c 'program "$@" 2>/dev/null' program | tee "$work/rows"
printf %s "$left_out"
failed=$(grep -c '  FAILED  ' "$work/rows")
echo "$(grep -c '  ok  ' "$work/rows") passed, $failed failed"
[ "$failed" = 0 ]
