#!/usr/bin/env bash
# Measures how often the programs of the bug suite fail by themselves, without any tool.
#
#   rate.sh [-n RUNS] [-t SECONDS] [--idle] [--fixed] [PROGRAM...]
#
#   -n RUNS      runs per program (200)
#   -t SECONDS   after which a run counts as blocked (5)
#   --idle       start a run only when no other process is running: on a busy core the threads of
#                a short program hardly ever run side by side, which changes every rate
#   --fixed      the versions built with -DFIXED instead, which must never fail
#   PROGRAM      names without extension; all of them by default
#
# Prints a row per program: runs, failures, rate, the kinds of failure seen, and the mean time of
# the runs that ended, from fork to exit. How a program fails, and with which arguments it is run,
# is read from the lines `fails:`, `fail-if:` and `args:` in its head comment (README.md).
#
# Exit status: 0; 1 when a program failed in another way than it says, or a fixed version failed;
# 2 on wrong usage or when a program does not build. CC, CXX and CFLAGS are honoured:
#
#   CFLAGS='-O1 -g -fsanitize=thread' rate.sh --fixed -n 20      races left in the fixed versions
set -u
cd "$(dirname "$0")" || exit 2

: "${CC:=clang-19}" "${CXX:=clang++-19}" "${CFLAGS:=-O2}"
runs=200 limit=5 idle='' fixed=''
programs=()

usage() {
  sed -n '2,/^set -u/{s/^# \{0,1\}//;/^set -u/d;p}' "$0"
  exit "$1"
}

while [ $# -gt 0 ]; do
  case $1 in
  -n) runs=${2-} && shift ;;
  -t) limit=${2-} && shift ;;
  --idle) idle=yes ;;
  --fixed) fixed=-DFIXED ;;
  -h | --help) usage 0 ;;
  -*) usage 2 >&2 ;;
  *) programs+=("$1") ;;
  esac
  shift
done
case $runs in '' | *[!0-9]* | 0) usage 2 >&2 ;; esac

if [ ${#programs[@]} -eq 0 ]; then
  for source in *.c *.cpp; do
    programs+=("${source%.*}")
  done
fi

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
ulimit -c 0

# head_value SOURCE KEY: the value of the line ` * KEY: VALUE` in the head comment.
head_value() {
  sed -n "/\*\//q; s/^ \* $2: *//p" "$1"
}

build() { # SOURCE OUTPUT
  # CFLAGS and fixed are lists of words.
  # shellcheck disable=SC2086
  case $1 in
  *.cpp) $CXX $CFLAGS $fixed -pthread "$1" -o "$2" ;;
  *) $CC $CFLAGS $fixed -pthread "$1" -o "$2" ;;
  esac
}

# Waits, as long as it takes, until this script is the only process that runs.
wait_for_idle() {
  local key running
  while :; do
    while read -r key running _; do
      [ "$key" = procs_running ] && break
    done </proc/stat
    [ "$running" -le 1 ] && return
    read -r -t 0.002 -u "$silent" # sleeps without starting a process
  done
}
exec {silent}<> <(:)

# classify STATUS BLOCKED PREDICATE: how the run whose output is in $scratch has failed, or nothing.
classify() {
  case $1 in
  0) if [ -n "$3" ] && sh -c "$3" <"$scratch/out"; then echo output; fi ;;
  124) echo "${2:-blocked}" ;;
  134) if grep -q 'Assertion.*failed' "$scratch/err"; then echo assert; else echo SIGABRT; fi ;;
  139) echo SIGSEGV ;;
  *) echo "status $1" ;;
  esac
}

# measure SOURCE: prints the row; returns 1 when a failure was not of the kind announced.
measure() {
  local source=$1 program=${1%.*} expected blocked='' predicate arguments
  expected=$(head_value "$source" fails)
  predicate=$(head_value "$source" fail-if)
  arguments=$(head_value "$source" args)
  [ -n "$predicate" ] && expected=output
  case $expected in deadlock | hang) blocked=$expected ;; esac

  local -A seen=()
  local failures=0 ended=0 microseconds=0 unexpected=0 start status kind
  for ((run = 0; run < runs; run++)); do
    [ -n "$idle" ] && wait_for_idle
    start=${EPOCHREALTIME/[.,]/}
    # shellcheck disable=SC2086
    timeout "$limit" "$scratch/$program" $arguments >"$scratch/out" 2>"$scratch/err"
    status=$?
    if [ $status -ne 124 ]; then
      ended=$((ended + 1)) microseconds=$((microseconds + ${EPOCHREALTIME/[.,]/} - start))
    fi
    kind=$(classify $status "$blocked" "$predicate")
    if [ -n "$kind" ]; then
      failures=$((failures + 1))
      seen[$kind]=$((${seen[$kind]-0} + 1))
      if [ "$kind" != "$expected" ] || [ -n "$fixed" ]; then
        unexpected=1
      fi
    fi
  done 2>/dev/null # bash's own words about killed children

  local kinds='' rate='-'
  for kind in "${!seen[@]}"; do
    kinds+="${kinds:+, }$kind"
    [ ${#seen[@]} -gt 1 ] && kinds+=" (${seen[$kind]})"
  done
  [ $failures -gt 0 ] && rate="1 in $(((runs + failures / 2) / failures))"
  [ $ended -eq 0 ] && ended=1
  awk -v p="$program" -v n="$runs" -v f=$failures -v r="$rate" -v k="${kinds:--}" \
    -v ms="$((microseconds / ended))" 'BEGIN {
      printf "%-16s %6d %8d %6.1f %%  %-9s  %-10s %6.1f\n", p, n, f, 100 * f / n, r, k, ms / 1000 }'
  return $unexpected
}

result=0
printf '%-16s %6s %8s %8s  %-9s  %-10s %6s\n' program runs failures rate '' kind ms
for program in "${programs[@]}"; do
  source=$program.c
  [ -f "$source" ] || source=$program.cpp
  if [ ! -f "$source" ] || ! build "$source" "$scratch/$program"; then
    echo "rate.sh: cannot build $program" >&2
    exit 2
  fi
  measure "$source" || result=1
done
read -r load _ </proc/loadavg
printf '%s, %d cores, load average %s at the end\n' "$($CC --version | head -n 1)" "$(nproc)" "$load"
exit $result
