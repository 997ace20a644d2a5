#!/bin/bash
# One bug from compile to replay, each command shown with its output. `make demo` runs it after building.
set -e
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$PWD/build/demo.html
export PATH=$PWD/build:$PATH XDG_DATA_HOME=$work/data
cp bugs/twostage.c "$work"
cd "$work"

run() {
	printf '\n$ %s\n' "$*"
	"$@"
}

echo "bugs/twostage.c: a version number is drawn under one lock and published under another."
run rethread cc -O2 -g twostage.c -o twostage
# The program fails: its status is the assertion's signal.
run rethread record --until-failure ./twostage 4 || true
run rethread info
run rethread reproduce
run rethread replay -n 20
run rethread explain
run rethread explain --html "$page"
printf '\nThe interleaving as a picture is in %s\n' "$page"
