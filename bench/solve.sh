#!/usr/bin/env bash
# Inference on the programs of bugs/, next to the figures of the papers.
#
#   solve.sh [-b SECONDS] [-t SECONDS] [PROGRAM...]
#
#   -b SECONDS   budget of one inference (60)
#   -t SECONDS   for recording a failing run (60)
#   PROGRAM      names without extension; all of them by default
#
# Per program: SAPs; racy locations and symbols; variables and constraints of the whole formula with the lock order
# recorded (path+sync) and without (path); seconds for symbolic execution, for solving, and in all; candidates
# until one was proven by replay; context switches up to the failure, and how many of them preempt a thread that no
# lock or join holds up (the papers' #cs). Below it the paper's row: CLAP (PLDI'13) table 1, with table 3's time on
# eight cores; Symber (thesis) tables 4.4 and 4.5; SIMBA table 1. "-": not measured, or nothing to measure.
#
# Exit status: 0; 1 when a program was not reproduced; 2 on wrong usage or when something does not build.
# BUILD names the build folder (../build).
set -u
cd "$(dirname "$0")" || exit 2
budget=60 record=60
. ./inference.sh
driver=$BUILD/bench/solve_execution bugs=$PWD/../bugs
[ -x "$driver" ] || { echo "solve.sh: build first: make bench" >&2; exit 2; }

# The papers' rows: program|paper|SAPs|variables with, without lock order|constraints with, without|symbolic|solve|#cs
papers='sim_race|CLAP|23|-|26|-|341|0.8|0.5 (8 cores 0.3)|0
pbzip2|CLAP|65|-|102|-|5324|4|5 (8 cores 0.3)|2
aget|CLAP|1951|-|2485|-|1366923|125|89 (8 cores 16)|1
bbuf|CLAP|64|-|75|-|2784|3|5 (8 cores 0.6)|1
swarm|CLAP|1265|-|1776|-|1226098|27|64 (8 cores 19)|2
pfscan|CLAP|2864|-|3101|-|7255156|332|160 (8 cores 63)|3
apache45605|CLAP apache|81237|-|15534|-|10153562|770|344 (8 cores 195)|3
racey|CLAP|1361588|-|2010082|-|513086300|857|2280 (8 cores >7200)|276
bakery|CLAP|218|-|331|-|16355|1|8 (8 cores 1.5)|1
dekker|CLAP|39|-|52|-|699|1|2 (8 cores 0.2)|1
peterson|CLAP|35|-|48|-|696|1|2 (8 cores 0.2)|1
twostage|Symber|274|1113282|5407122|1113117|5406748|-|-|1
twostage|SIMBA|-|453|873|1119K|2592K|-|61 (CLAP >7200)|-
piper|Symber|264|37793|580609|37617|579686|-|-|1
piper|SIMBA|-|539|2132|225K|737K|-|30 (CLAP >7200)|-
ticketorder|SIMBA|-|548|620|172K|199K|-|40 (CLAP 95)|-
manager|SIMBA|-|1115|1286|59K|60K|-|743 (CLAP >7200)|-'

row='%-16s %9s %5s %8s %10s %10s %11s %11s %8s %-20s %6s %5s %8s %7s\n'

# record SCHEME PROGRAM: a trace of a failing run into $work/PROGRAM.SCHEME
record_failure() {
  local scheme=$1 name=$2 source=$3 failif args extra=()
  failif=$(sed -n 's/^ \* fail-if: //p' "$source" | head -1)
  args=$(sed -n 's/^ \* args: //p' "$source" | head -1)
  [ -n "$failif" ] && extra=(--fail-if "$failif")
  # shellcheck disable=SC2086  # args are words
  (cd "$work" && timeout "$record" "$rethread" record --scheme "$scheme" -o "$work/$name.$scheme" --until-failure \
    --timeout 5 "${extra[@]}" -- "./$name" $args) >"$work/out" 2>&1
  [ -d "$work/$name.$scheme" ]
}

# formula SCHEME: "variables constraints" of the execution that inference kept
formula() {
  local kept
  kept=$(find "$work" -maxdepth 2 -path '*/rethread-*/execution' | head -1)
  if [ -n "$kept" ]; then timeout 20 "$driver" -f "$kept" 2>/dev/null || echo "- -"; else echo "- -"; fi
}

forget() { rm -rf "$work"/rethread-* "$work/figures"; }

# infer SCHEME NAME: reproduce, figures into $work/figures
infer() {
  forget
  RETHREAD_KEEP=1 timeout $((budget + 60)) "$rethread" reproduce "$work/$2.$1" --budget "$budget" \
    --json "$work/figures" >"$work/out" 2>&1
}

measure() {
  local name=$1 source=$2 compiler=cc with=(- -) without=(- -) result preempt
  case $source in *.cpp) compiler=c++ ;; esac
  "$rethread" $compiler -O2 -g -pthread "$source" -o "$work/$name" || exit 2
  if record_failure path "$name" "$source" 2>/dev/null; then
    infer path "$name"
    read -r -a without < <(formula)
  fi
  if ! record_failure path+sync "$name" "$source" 2>/dev/null; then
    # shellcheck disable=SC2059
    printf "$row" "$name" "no failure" - - - - - - - - - - - -
    return
  fi
  infer path+sync "$name"
  result=$?
  read -r -a with < <(formula)
  preempt=$(field preemptions)
  # shellcheck disable=SC2059
  printf "$row" "$name" "$(field saps)" "$(field racy_locations)" "$(field symbols)" "${with[0]}" "${without[0]}" \
    "${with[1]}" "${without[1]}" "$(printf %.2f "$(field symbolic_seconds)")" "$(printf %.2f "$(field solve_seconds)")" \
    "$(printf %.1f "$(field seconds)")" "$(field replays)" "$(field context_switches)" "${preempt:--}"
  [ "$result" = 0 ] || { status=1; echo "  not reproduced: $(tail -1 "$work/out")"; }
  forget
}

# shellcheck disable=SC2059
printf "$row" program SAPs racy symbols vars:sync vars:path cons:sync cons:path symbolic solve all tries switches preempt
[ $# -gt 0 ] || set -- $(cd "$bugs" && ls -- *.c *.cpp | sed 's/\.c\(pp\)\{0,1\}$//')
for name in "$@"; do
  source=$bugs/$name.c
  [ -f "$source" ] || source=$bugs/$name.cpp
  [ -f "$source" ] || { echo "solve.sh: there is no program $name in bugs/" >&2; exit 2; }
  measure "$name" "$source"
  while IFS='|' read -r program paper saps vs vp cs cp symbolic solve switches; do
    # shellcheck disable=SC2059
    [ "$program" = "$name" ] &&
      printf "$row" "  $paper" "$saps" - - "$vs" "$vp" "$cs" "$cp" "$symbolic" "$solve" - - - "$switches"
  done <<<"$papers"
done
exit $status
