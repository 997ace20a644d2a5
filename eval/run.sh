#!/bin/bash
# The evaluation: every program of bugs/ (or those named) is built, its cost of recording measured, recorded with each
# scheme until it fails, reproduced with the engines that fit, and replayed 20 times. eval/report.sh then writes
# eval/results.md and eval/results.json. What is in eval/out is not done again, so an interrupted evaluation goes on where
# it was.
#
#   eval/run.sh [-f] [--schemes LIST] [--seconds SEC] [--budget SEC] [PROGRAM...]
#     -f              forget earlier results of these programs and schemes
#     --schemes LIST  of path+sync, path, rw, base (default: the first three)
#     --seconds SEC   how long to run a program until it fails, per scheme (default 40)
#     --budget SEC    for each reproduction (default 20)
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
export PATH=$root/build:$PATH
seconds=40 budget=20 schemes='path+sync path rw' fresh=
while :; do
	case $1 in
	-f) fresh=1; shift ;;
	--schemes) schemes=${2//,/ }; shift 2 ;;
	--seconds) seconds=$2; shift 2 ;;
	--budget) budget=$2; shift 2 ;;
	--help | -h) sed -n '2,/^here/s/^# \{0,1\}//p' "$0" | grep -v '^here'; exit 0 ;;
	-*) echo "eval/run.sh: unknown option $1" >&2; exit 2 ;;
	*) break ;;
	esac
done
out=$here/out work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data TMPDIR=$work
unset RETHREAD_OPTIONS
searches=
rethread reproduce --help 2>&1 | grep -q 'search' && searches=1

. "$here/lib.sh"

# head_value SOURCE KEY: the value of the line ` * KEY: VALUE` in the head comment.
head_value() {
	sed -n "/\*\//q; s/^ \* $2: *//p" "$1"
}

# build SOURCE NAME: in $work, the program, its fixed version, and the fixed version by plain clang.
build() {
	local cc=clang-19 rcc=cc
	case $1 in *.cpp) cc=clang++-19 rcc=c++ ;; esac
	$cc -O2 -g -pthread -DFIXED "$1" -o "$work/native" &&
		rethread $rcc -O2 -g -pthread -DFIXED "$1" -o "$work/fixed" &&
		rethread $rcc -O2 -g -pthread "$1" -o "$work/$2"
}

# ---------------------------------------------------------------- the cost of recording

# scaled FACTOR ARGS...: the arguments with the first, the size, so many times as large.
scaled() {
	local factor=$1 first=$2
	shift 2
	case $first in '' | *[!0-9]*) echo "$first $*" ;; *) echo "$((first * factor)) $*" ;; esac
}

# cpu COMMAND...: milliseconds of processor time, threads and children included; nothing when it fails or takes too long.
cpu() {
	local TIMEFORMAT='%3U %3S' used
	used=$({ time timeout 20 "$@" >/dev/null 2>&1 || echo failed; } 2>&1)
	case $used in *failed*) ;; *) echo "$used" | awk '{ print ($1 + $2) * 1000 }' ;; esac
}

# factor ARGS...: how large the size has to be for a run of 100 ms that still ends well.
factor() {
	local f=1 try t
	for try in 4 16 64 256 1024 4096; do
		t=$(cpu "$work/native" $(scaled $try "$@"))
		[ -n "$t" ] || break
		f=$try
		[ "${t%.*}" -ge 100 ] && break
	done
	echo $f
}

# run_as SCHEME ARGS...: the fixed version, recorded, or not (native).
run_as() {
	local scheme=$1
	shift
	mkdir -p "$work/logs"
	case $scheme in
	native) cpu "$work/native" "$@" ;;
	rw) cpu rethread record --scheme rw -o "$work/logs/rw" -- "$work/fixed" "$@" ;;
	*) cpu env RETHREAD_OPTIONS=dir="$work/logs",scheme="$scheme" "$work/fixed" "$@" ;;
	esac
	rm -rf "$work/logs"
}

# measure NAME ARGS...: least of five runs each, taken alternately (of one with rw, which may be slow); writes the cost file.
measure() {
	local name=$1 f args scheme t
	shift
	f=$(factor "$@")
	args=$(scaled $f "$@")
	local -A least=()
	for round in 1 2 3 4 5; do
		for scheme in native path+sync path base rw; do
			[ "${least[$scheme]}" = - ] || { [ $scheme = rw ] && [ $round -gt 1 ]; } && continue
			t=$(run_as $scheme $args)
			[ -n "$t" ] || { least[$scheme]=-; continue; }
			least[$scheme]=$(echo "$t ${least[$scheme]:-$t}" | awk '{ print $1 < $2 ? $1 : $2 }')
		done
	done
	{
		printf '{\n "program": "%s",\n "arguments": "%s"' "$name" "$args"
		for scheme in native path+sync path base rw; do
			printf ',\n "%s_ms": "%s"' $scheme "${least[$scheme]}"
		done
		printf ',\n "load": "%s"\n}\n' "$(cut -d ' ' -f 1 /proc/loadavg)"
	} >"$out/$name.cost.json"
}

# ---------------------------------------------------------------- reproducing

# reproduce NAME SCHEME ENGINE: the newest trace, and 20 replays; writes the result.
reproduce() {
	local name=$1 scheme=$2 engine=$3 status outcome why= replayed=- trace
	trace=$(readlink -f "$XDG_DATA_HOME/rethread/traces/latest")
	rm -f "$work/figures.json"
	timeout $((budget + 60)) rethread reproduce --engine "$engine" --budget "$budget" --json "$work/figures.json" >"$work/out" 2>&1
	status=$?
	case $status in
	0) outcome=reproduced replayed=$(timeout 300 rethread replay -n 20 2>/dev/null | sed -n 's/^reproduced //p') ;;
	1) outcome="no interleaving" ;;
	3) outcome="budget of $budget s" ;;
	*) outcome="error" why=$(grep '^rethread:' "$work/out" | tail -n 1 | tr -d '",\\|' | cut -c 11-190) ;;
	esac
	result "$name" "$scheme" "$engine" "$outcome" "$why" "$replayed" "$(du -cb "$trace"/log.* | awk 'END { print $1 }')"
}

# result NAME SCHEME ENGINE OUTCOME WHY REPLAYS LOG: one object, with the figures of the reproduction.
result() {
	local key
	{
		printf '{\n "program": "%s",\n "scheme": "%s",\n "engine": "%s",\n "outcome": "%s",\n "why": "%s",\n "replays": "%s",\n' \
			"$1" "$2" "$3" "$4" "$5" "$6"
		printf ' "log_bytes": %s,\n "runs": "%s"' "${7:-0}" "$(sed -n 's/^rethread: run \([0-9]*\):.*/\1/p' "$work/record.err" | tail -n 1)"
		for key in saps symbols racy_reads candidates replays_tried context_switches memory_model symbolic_seconds solve_seconds seconds; do
			printf ',\n "%s": "%s"' $key "$(field "$work/figures.json" ${key/replays_tried/replays})"
		done
		printf ',\n "load": "%s"\n}\n' "$(cut -d ' ' -f 1 /proc/loadavg)"
	} >"$out/$1.$2.$3.json"
}

# evaluate SOURCE NAME SCHEME
evaluate() {
	local predicate args engine=solve
	predicate=$(head_value "$1" fail-if) args=$(head_value "$1" args)
	case $3 in rw) engine=follow ;; base) engine=search ;; esac
	rm -rf "$work/data" "$work/figures.json"
	# `timeout` ends the attempts, not the program: a run that hangs does so by itself after 5 s.
	timeout "$seconds" rethread record --scheme "$3" --until-failure --runs 100000 --timeout 5 ${predicate:+--fail-if "$predicate"} \
		-- "$work/$2" $args >/dev/null 2>"$work/record.err"
	if ! grep -q '^rethread: trace: ' "$work/record.err"; then
		result "$2" "$3" $engine "no failure in $seconds s" "" -
		return
	fi
	[ $engine = search ] && [ -z "$searches" ] || reproduce "$2" "$3" $engine
	[ "$3" = path+sync ] && [ -n "$searches" ] && reproduce "$2" "$3" search
}

sources=()
if [ $# -gt 0 ]; then
	for n; do sources+=("$(ls "$root/bugs/$n".c* | head -n 1)"); done
else
	sources=("$root"/bugs/*.c "$root"/bugs/*.cpp)
fi
k=0 began=$SECONDS
for source in "${sources[@]}"; do
	name=$(basename "${source%.*}") built=
	k=$((k + 1))
	for scheme in cost $schemes; do
		[ -n "$fresh" ] && rm -f "$out/$name.$scheme".*
		[ -e "$out/$name.$scheme.done" ] && continue
		[ -t 2 ] && printf '\r\033[K%d/%d %s %s' $k ${#sources[@]} "$name" $scheme >&2
		[ -n "$built" ] || build "$source" "$name" || break
		built=1
		if [ $scheme = cost ]; then measure "$name" $(head_value "$source" args); else evaluate "$source" "$name" $scheme 2>/dev/null; fi
		[ -t 2 ] && printf '\r\033[K' >&2
		: >"$out/$name.$scheme.done"
		for f in "$out/$name.$scheme".*.json; do
			[ $scheme = cost ] || printf '%4d s  %2d/%d %-16s %-10s %-7s %s\n' $((SECONDS - began)) $k ${#sources[@]} "$name" $scheme \
				"$(field "$f" engine)" "$(field "$f" outcome) $(field "$f" replays)" >&2
		done
	done
done
exec "$here/report.sh"
