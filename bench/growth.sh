#!/usr/bin/env bash
# How inference grows: the programs of bench/growth/ and bugs/racey.c at growing sizes, recorded, reproduced and replayed.
#
#   growth.sh [-b SECONDS] [-t SECONDS] [PROGRAM...]
#
#   -b SECONDS   budget of one inference (100)
#   -t SECONDS   for recording a failing run (60)
#   PROGRAM      saps, races, compute, racey; all of them by default
#
# Per size: SAPs; events (SAPs that matter for the order); IR instructions; seconds for symbolic execution, for solving and for
# replay, and in all (elapsed: the machine should be idle); megabytes at the peak; and how the time in all grew from
# the size before, as a ratio to what linear growth would be (in SAPs; for racey in events, for compute in instructions): at most 1
# is linear.
#
#   saps      more SAPs, always the same few races          aim: linear up to ten million SAPs
#   races     every access races, and decides branches      aim: near linear
#   racey     every access races and decides addresses      aim: 1.36 million accesses (226667) in a minute; CLAP: 38 minutes
#   compute   millions of instructions before the failure   aim: 1000 (10^9 instructions) works
#
# Exit status: 0; 1 when something was not reproduced; 2 on wrong usage or when something does not build.
# BUILD names the build folder (../build).
set -u
cd "$(dirname "$0")" || exit 2
budget=100 record=60 here=$PWD
. ./inference.sh
row='%-8s %8s %10s %10s %12s %9s %8s %8s %8s %7s %6s\n'

declare -A sizes=(
  [saps]="6250 62500 625000"
  [races]="5000 20000 80000"
  [racey]="1000 10000 100000 226667 340000"
  [compute]="10 100 1000"
)

# timed COMMAND...: runs it; its peak in megabytes into $work/peak, "-" where the program `time` is missing
timed() {
  echo - >"$work/peak"
  if [ -x /usr/bin/time ]; then
    /usr/bin/time -f %M -o "$work/kilobytes" "$@"
    local got=$?
    echo $(($(tail -1 "$work/kilobytes") / 1024)) >"$work/peak"
    return $got
  fi
  "$@"
}

# measure PROGRAM SIZE COUNTED: one row; COUNTED is the figure that growth is counted in
measure() {
  local name=$1 size=$2 counted=$3 failif n seconds ratio=- extra=()
  failif=$(sed -n 's/^ \* fail-if: //p' "$source" | head -1)
  [ -n "$failif" ] && extra=(--fail-if "$failif")
  rm -rf "$work/trace" "$work/figures"
  { timeout "$record" "$rethread" record --all-values -o "$work/trace" --until-failure --timeout 60 "${extra[@]}" -- "$work/$name" "$size" \
    >"$work/out" 2>&1; } 2>/dev/null
  if [ ! -d "$work/trace" ]; then
    # shellcheck disable=SC2059
    printf "$row" "$name" "$size" "no failure" - - - - - - - -
    return
  fi
  timed timeout $((budget + 60)) "$rethread" reproduce "$work/trace" --engine solve --budget "$budget" --json "$work/figures" \
    >"$work/out" 2>&1 || { status=1; echo "  not reproduced: $(tail -1 "$work/out")"; }
  [ -s "$work/figures" ] || return
  n=$(field "$counted") seconds=$(field seconds)
  [ -n "$last_n" ] && ratio=$(awk "BEGIN { printf \"%.2f\", ($seconds / $last_seconds) / ($n / $last_n) }")
  last_n=$n last_seconds=$seconds
  # shellcheck disable=SC2059
  printf "$row" "$name" "$size" "$(field saps)" "$(field events)" "$(field instructions)" \
    "$(printf %.2f "$(field symbolic_seconds)")" "$(printf %.2f "$(field solve_seconds)")" \
    "$(printf %.2f "$(field replay_seconds)")" "$(printf %.2f "$seconds")" "$(cat "$work/peak")" "$ratio"
}

# shellcheck disable=SC2059
printf "$row" program size SAPs events instructions symbolic solve replay all MB growth
[ $# -gt 0 ] || set -- saps races racey compute
for name in "$@"; do
  [ -n "${sizes[$name]:-}" ] || { echo "growth.sh: there is no program $name" >&2; exit 2; }
  source=$here/growth/$name.c
  [ -f "$source" ] || source=$here/../bugs/$name.c
  "$rethread" cc -O2 -g -pthread "$source" -o "$work/$name" || exit 2
  counted=saps last_n='' last_seconds=''
  [ "$name" = compute ] && counted=instructions
  [ "$name" = racey ] && counted=events # busy waiting at its start makes SAPs that say nothing
  for size in ${sizes[$name]}; do
    measure "$name" "$size" "$counted"
  done
done
exit $status
