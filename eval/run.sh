#!/bin/bash
# The evaluation: every program of bugs/ (or those named) is built, recorded until it fails, reproduced, and replayed
# 20 times. Results go to eval/results.md and eval/results.json; one that exists in eval/out is not run again, so an
# interrupted evaluation goes on where it was.
#
#   eval/run.sh [-f] [--runs N] [--budget SEC] [--scheme S] [PROGRAM...]
#     -f           forget earlier results of these programs
#     --runs N     how often to run a program until it fails (default 5000)
#     --budget SEC for each reproduction (default 60)
#     --scheme S   path+sync (default) or path
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
export PATH=$root/build:$PATH
runs=5000 budget=60 scheme=path+sync fresh=
while :; do
	case $1 in
	-f) fresh=1; shift ;;
	--runs) runs=$2; shift 2 ;;
	--budget) budget=$2; shift 2 ;;
	--scheme) scheme=$2; shift 2 ;;
	--help | -h) sed -n '2,/^here/s/^# \{0,1\}//p' "$0" | grep -v '^here'; exit 0 ;;
	-*) echo "eval/run.sh: unknown option $1" >&2; exit 2 ;;
	*) break ;;
	esac
done
out=$here/out work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data
unset RETHREAD_OPTIONS

# field FILE KEY: a number or text of a flat JSON file written by rethread.
field() {
	sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" 2>/dev/null | head -n 1
}

# milliseconds COMMAND...: the least of five runs.
milliseconds() {
	local best=999999999 i t
	for i in 1 2 3 4 5; do
		t=$(date +%s%N)
		timeout 20 "$@" >/dev/null 2>&1
		t=$((($(date +%s%N) - t) / 10000))
		[ $t -lt $best ] && best=$t
	done
	echo $best | awk '{ print $1 / 100 }'
}

one() {
	local source=$1 name=$2 cc=clang-19 rcc=cc predicate args why= outcome=unknown replayed=-
	case $source in *.cpp) cc=clang++-19 rcc=c++ ;; esac
	predicate=$(sed -n 's/^ \* fail-if: //p' "$source")
	args=$(sed -n 's/^ \* args: //p' "$source")
	cd "$work" || return
	rm -rf data figures.json
	$cc -O2 -g -pthread "$source" -o native || return
	rethread $rcc -O2 -g -pthread "$source" -o "$name" || return
	local native recorded
	native=$(milliseconds ./native $args)
	recorded=$(milliseconds env RETHREAD_OPTIONS=dir="$work",scheme="$scheme" "./$name" $args)
	rm -f log.*
	rethread record --scheme "$scheme" --until-failure --runs "$runs" --timeout 20 \
		${predicate:+--fail-if "$predicate"} -- "./$name" $args >/dev/null 2>record.err
	if ! grep -q '^rethread: trace: ' record.err; then
		outcome="no failure in $runs runs"
	else
		local trace status
		trace=$(readlink -f data/rethread/traces/latest)
		timeout $((budget + 60)) rethread reproduce --budget "$budget" --json figures.json >reproduce.out 2>&1
		status=$?
		case $status in
		0) outcome=reproduced replayed=$(rethread replay -n 20 2>/dev/null | sed -n 's/^reproduced //p') ;;
		1) outcome="no interleaving" ;;
		3) outcome="budget of $budget s" ;;
		*) outcome="status $status" why=$(grep '^rethread:' reproduce.out | tail -n 1 | tr -d '"\\' | cut -c 1-150) ;;
		esac
		log=$(du -b "$trace"/log.* | awk '{ n += $1 } END { print n }')
	fi
	cat >"$out/$name.json" <<J
{
 "program": "$name",
 "scheme": "$scheme",
 "outcome": "$outcome",
 "why": "$why",
 "replays": "$replayed",
 "native_ms": ${native:-0},
 "recorded_ms": ${recorded:-0},
 "log_bytes": ${log:-0},
 "saps": $(field figures.json saps || true)0,
 "symbols": $(field figures.json symbols)0,
 "racy_reads": $(field figures.json racy_reads)0,
 "candidates": $(field figures.json replays)0,
 "context_switches": $(field figures.json context_switches)0,
 "memory_model": "$(field figures.json memory_model)",
 "seconds": $(field figures.json seconds)
}
J
	# Absent numbers became 0, present ones gained a 0 at the end: take it away again.
	sed -i -E '/"(saps|symbols|racy_reads|candidates|context_switches)"/s/([0-9])0,$/\1,/; s/"seconds": $/"seconds": 0/' "$out/$name.json"
}

sources=()
if [ $# -gt 0 ]; then
	for n; do sources+=("$(ls "$root/bugs/$n".c* | head -n 1)"); done
else
	sources=("$root"/bugs/*.c "$root"/bugs/*.cpp)
fi
k=0
for source in "${sources[@]}"; do
	name=$(basename "${source%.*}")
	k=$((k + 1))
	[ -n "$fresh" ] && rm -f "$out/$name.json"
	[ -t 2 ] && printf '\r\033[K%d/%d %s' $k ${#sources[@]} "$name" >&2
	[ -e "$out/$name.json" ] || (one "$source" "$name")
	[ -e "$out/$name.json" ] && printf '%s%-18s %s\n' "$([ -t 2 ] && printf '\r\033[K')" "$name" "$(field "$out/$name.json" outcome)" >&2
done

{
	echo "# Evaluation"
	echo
	echo "Written by \`eval/run.sh\` on $(date -u +%F), $(nproc) cores, scheme \`$scheme\`. Recording is the ratio of the least of"
	echo "five runs each to the program built by plain clang -O2. The papers' figures are for their program of that name, on"
	echo "their machines and sizes; seconds are symbolic execution and solving together."
	echo
	echo "| program | outcome | replays | recording | log bytes | SAPs | symbols | racy reads | candidates | switches | model | seconds | paper: SAPs | seconds | switches |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	for source in "$root"/bugs/*.c "$root"/bugs/*.cpp; do
		name=$(basename "${source%.*}") f=$out/$(basename "${source%.*}").json
		[ -e "$f" ] || continue
		paper=$(awk -F'\t' -v p="$name" '$1 == p { printf "%s | %s | %s", $3, $4, $5 }' "$here/papers.tsv")
		printf '| %s | %s %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %.2f | %s |\n' "$name" "$(field "$f" outcome)" \
			"$(field "$f" why)" "$(field "$f" replays)" \
			"$(awk -v a="$(field "$f" recorded_ms)" -v b="$(field "$f" native_ms)" 'BEGIN { if (b) printf "%.2f", a / b; else printf "-" }')" \
			"$(field "$f" log_bytes)" "$(field "$f" saps)" "$(field "$f" symbols)" "$(field "$f" racy_reads)" \
			"$(field "$f" candidates)" "$(field "$f" context_switches)" "$(field "$f" memory_model)" \
			"$(field "$f" seconds)" "${paper:-- | - | -}"
	done
	echo
	echo "$(grep -l '"outcome": "reproduced"' "$out"/*.json | wc -l) of $(ls "$out"/*.json | wc -l) reproduced."
} >"$here/results.md"
{
	echo "["
	sep=
	for f in "$out"/*.json; do printf '%s' "$sep"; cat "$f"; sep=,; done
	echo "]"
} >"$here/results.json"
tail -n 1 "$here/results.md"
