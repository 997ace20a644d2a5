#!/bin/bash
# Writes eval/results.md and eval/results.json from what eval/run.sh left in eval/out.
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here") out=$here/out
. "$here/lib.sh"

# ratio PROGRAM SCHEME: recorded to native time.
ratio() {
	awk -v a="$(field "$out/$1.cost.json" "$2_ms")" -v b="$(field "$out/$1.cost.json" native_ms)" \
		'BEGIN { if (a + 0 && b + 0) printf "%.2f", a / b; else printf "-" }'
}

# paper PROGRAM COLUMN
paper() {
	awk -F'\t' -v p="$1" -v c="$2" '$1 == p { v = $c } END { print v == "" ? "-" : v }' "$here/papers.tsv"
}

size() {
	awk -v n="$1" 'BEGIN { if (n >= 1e6) printf "%.1f MB", n / 1e6; else if (n >= 1e3) printf "%.0f KB", n / 1e3; else printf "%d B", n }'
}

seconds() {
	awk -v n="$1" 'BEGIN { if (n == "") printf "-"; else printf "%.2f", n }'
}

# outcome FILE: with the reason where there is one.
outcome() {
	local why
	why=$(field "$1" why)
	echo "$(field "$1" outcome)${why:+: $why}"
}

programs() {
	local s
	for s in "$root"/bugs/*.c "$root"/bugs/*.cpp; do basename "${s%.*}"; done
}

# loads: the smallest and largest load while it was measured.
loads() {
	sed -n 's/^ "load": "\(.*\)"$/\1/p' "$out"/*.json | sort -n | sed -n '1p;$p' | paste -s -d ' ' | sed 's/ / to /'
}

main_table() {
	local name f
	echo "| program | outcome | replays | failed in run | recording | log | SAPs | symbols | racy reads | candidates | switches | model | seconds | paper | SAPs | switches | seconds | recording | log | their size |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
	for name in $(programs); do
		f=$out/$name.path+sync.solve.json
		[ -e "$f" ] || continue
		echo "| $name | $(outcome "$f") | $(field "$f" replays) | $(field "$f" runs) | $(ratio "$name" path+sync) | $(size "$(field "$f" log_bytes)") |" \
			"$(field "$f" saps) | $(field "$f" symbols) | $(field "$f" racy_reads) | $(field "$f" replays_tried) |" \
			"$(field "$f" context_switches) | $(field "$f" memory_model) | $(seconds "$(field "$f" seconds)") |" \
			"$(paper "$name" 2) | $(paper "$name" 3) | $(paper "$name" 5) | $(paper "$name" 4) | $(paper "$name" 6) | $(paper "$name" 7) | $(paper "$name" 9) |"
	done
}

scheme_table() {
	local name f
	echo "| program | scheme | engine | outcome | replays | failed in run | recording | log | seconds | attempts | switches | attempts in PRES (SYNC) |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
	for name in $(programs); do
		for f in "$out/$name".path.*.json "$out/$name".rw.*.json "$out/$name".base.*.json "$out/$name".*.search.json; do
			[ -e "$f" ] || continue
			echo "| $name | $(field "$f" scheme) | $(field "$f" engine) | $(outcome "$f") | $(field "$f" replays) | $(field "$f" runs) |" \
				"$(ratio "$name" "$(field "$f" scheme)") | $(size "$(field "$f" log_bytes)") | $(seconds "$(field "$f" seconds)") |" \
				"$(field "$f" replays_tried) | $(field "$f" context_switches) | $(paper "$name" 8) |"
		done | sort -u
	done
}

# summary SCHEME ENGINE
summary() {
	local all reproduced failed
	all=$(ls "$out"/*."$1.$2".json 2>/dev/null | wc -l)
	[ "$all" -gt 0 ] || return
	reproduced=$(grep -l '"outcome": "reproduced"' "$out"/*."$1.$2".json | wc -l)
	failed=$(grep -L '"outcome": "no failure' "$out"/*."$1.$2".json | wc -l)
	echo "- \`$1\`, engine \`$2\`: $reproduced of $failed that failed were reproduced ($((all - failed)) of $all did not fail in the time given);" \
		"recording costs a factor of $(for n in $(programs); do ratio "$n" "$1"; echo; done | grep '[0-9]' | sort -n | awk '{ v[NR] = $1 } END { printf "%.2f in the middle, %.2f at most", v[int((NR + 1) / 2)], v[NR] }')"
}

{
	echo "# Evaluation"
	echo
	echo "Written by \`make eval\` on $(date -u +%F), $(nproc) cores, load $(loads) from all that the machine did meanwhile."
	echo
	for scheme in path+sync path rw base; do
		for engine in solve follow search; do summary $scheme $engine; done
	done
	echo
	echo "Recording is the ratio of processor time to plain clang -O2, least of five runs each, taken alternately, of the fixed version with its"
	echo "size raised until a run takes 100 ms (\`rw\`: one run, with the start of the twin that records it). Seconds are those of the whole \`rethread reproduce\`, the proving replay included;"
	echo "candidates and attempts are replays until the failure came. The papers' figures are for their program of that name, on"
	echo "their machines; theirs are mostly the real programs, ours their shapes with the rest cut away (bugs/README.md), so compare orders"
	echo "of magnitude. \`eval/real.sh\` does it with the real pbzip2 and memcached."
	echo
	echo "## Scheme path+sync"
	echo
	main_table
	echo
	echo "## The other schemes and engines"
	echo
	scheme_table
} >"$here/results.md"
{
	echo "["
	sep=
	for f in "$out"/*.json; do
		printf '%s' "$sep"
		cat "$f"
		sep=,
	done
	echo "]"
} >"$here/results.json"
grep '^- ' "$here/results.md"
