#!/usr/bin/env bash
# Solving with one worker and with several: programs of bugs/, each recorded once, its execution solved again and again.
#
#   [ROUNDS=3] workers.sh [-b SECONDS] [-t SECONDS] [PROGRAM...]
#
#   -b SECONDS   budget of one solution, and of proving its context switches the fewest (20)
#   -t SECONDS   for recording a failing run (60)
#   ROUNDS       times that each number of workers is tried, in turn
#   PROGRAM      names without extension
#
# Per program and number of workers (1, 2, 4, ... up to the number of processors): racy reads; context switches, and how many there are
# at least (equal: proven the fewest); the least seconds of all rounds (elapsed: the machine should be idle) for the answer and
# for proving it the fewest; and the ratio to one worker. CLAP's (PLDI'13) table 3 has its eight cores next to one solver: bench/solve.sh shows it.
# A search and a solver are always beside each other, so "one worker" is one of each.
#
# Exit status: 0; 1 when nothing was found; 2 on wrong usage or when something does not build.
# BUILD names the build folder (../build).
set -u
cd "$(dirname "$0")" || exit 2
budget=20 record=60 rounds=${ROUNDS:-3}
. ./inference.sh
driver=$BUILD/bench/solve_execution bugs=$PWD/../bugs
[ -x "$driver" ] || { echo "workers.sh: build first: make bench" >&2; exit 2; }
row='%-16s %8s %8s %9s %9s %9s %9s %7s\n'

# execution NAME: the program, recorded and executed symbolically once; what is to be solved into $work/NAME.execution
execution() {
  local name=$1 source=$bugs/$1.c compiler=cc failif args extra=()
  [ -f "$source" ] || { source=$bugs/$name.cpp; compiler=c++; }
  [ -f "$source" ] || { echo "workers.sh: there is no program $name in bugs/" >&2; exit 2; }
  "$rethread" $compiler -O2 -g -pthread "$source" -o "$work/$name" || exit 2
  failif=$(sed -n 's/^ \* fail-if: //p' "$source" | head -1)
  args=$(sed -n 's/^ \* args: //p' "$source" | head -1)
  [ -n "$failif" ] && extra=(--fail-if "$failif")
  # shellcheck disable=SC2086  # args are words
  (cd "$work" && timeout "$record" "$rethread" record -o "$work/$name.trace" --until-failure --timeout 5 "${extra[@]}" -- "./$name" $args) >"$work/out" 2>&1
  [ -d "$work/$name.trace" ] || return 1
  RETHREAD_KEEP=1 timeout $((budget + 60)) "$rethread" infer "$work/$name.trace" --engine solve --budget "$budget" >"$work/out" 2>&1
  mv "$(find "$work" -maxdepth 2 -path '*/rethread-*/execution' | head -1)" "$work/$name.execution" 2>/dev/null || return 1
  rm -rf "$work"/rethread-*
}

# figure NAME FILE: a number of the driver's line of JSON
figure() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$2"; }

# least A B: the smaller number, A may be missing
least() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b + 0 < a + 0 ? b : a }'; }

counts=() processors=$(nproc)
for ((n = 1; n <= processors; n *= 2)); do counts+=("$n"); done

measure() {
  local name=$1 n round first= one= file=$work/json
  declare -A answer proof
  for ((round = 0; round < rounds; round++)); do
    for n in "${counts[@]}"; do
      timeout $((2 * budget + 60)) "$driver" -j -b "$budget" -w "$budget" -k "$n" "$work/$name.execution" >"$file.$n" || return 1
      answer[$n]=$(least "${answer[$n]-}" "$(figure solve "$file.$n")")
      proof[$n]=$(least "${proof[$n]-}" "$(figure check "$file.$n")")
    done
  done
  for n in "${counts[@]}"; do
    one=$(awk -v a="${answer[$n]}" -v p="${proof[$n]}" 'BEGIN { print a + p }')
    first=${first:-$one}
    # shellcheck disable=SC2059
    printf "$row" "$name" "$n" "$(figure racy_reads "$file.$n")" "$(figure switches "$file.$n")" "$(figure least "$file.$n")" "${answer[$n]}" \
      "${proof[$n]}" "$(awk -v a="$one" -v b="$first" 'BEGIN { printf "%.2f", b ? a / b : 1 }')"
  done
}

# shellcheck disable=SC2059
printf "$row" program workers racy switches "at least" answer proof ratio
[ $# -gt 0 ] || set -- apache25520 apache45605 cherokee pfscan swarm
for name in "$@"; do
  execution "$name" && measure "$name" || { status=1; echo "$name: no failure, or nothing found"; }
done
exit $status
