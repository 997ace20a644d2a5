# What the tests are written in.

# fail WHY...: the test is over. To a file, since standard error may be another one here (`status 134 ... 2>err`).
fail() {
	echo "FAILED: $*" >>"$E2E_SAID"
	exit 1
}

# status N COMMAND...: the command ends with exit status N (128 + signal for a signal).
status() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ $got = "$want" ] || fail "status $got instead of $want: $*"
}

# same A B: two texts are equal.
same() {
	[ "$1" = "$2" ] || fail "$(printf 'expected:\n%s\ngot:\n%s' "$2" "$1")"
}

# has FILE PATTERN...: every pattern (grep -E) is in the file.
has() {
	local file=$1
	shift
	for p; do
		grep -Eq -- "$p" "$file" || fail "no \`$p' in $file: $(cat "$file")"
	done
}

# recordable PROGRAM: it carries bitcode and twin, and runs as an ELF file should.
recordable() {
	local sections
	sections=$(readelf -SW "$1")
	case "$sections" in
	*.rethread.bc*.rethread.twin*) ;;
	*) fail "$1 has no sections of rethread" ;;
	esac
}

# latest: the newest trace's directory.
latest() {
	readlink -f "$XDG_DATA_HOME/rethread/traces/latest"
}

# reproduced INPUT PROGRAM ARGS...: a failing run with that standard input is reproduced, and replayed 20 of 20 times
# without the input, with the same output.
reproduced() {
	local input=$1 i got
	shift
	for i in $(seq 500); do
		got=0
		rethread record -- "$@" <"$input" >recorded 2>err || got=$?
		[ $got = 0 ] || break
	done
	[ $got = 134 ] || fail "status $got: $(cat err)"
	rethread reproduce --budget 60 </dev/null >out 2>&1 || fail "not reproduced: $(cat out)"
	has out 'reproduced and proven by replay'
	rethread replay -n 20 </dev/null >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 20/20$'
}

# followed INPUT PROGRAM ARGS...: the same by scheme rw: recorded, followed, and replayed with the same output every time.
followed() {
	local input=$1 i got
	shift
	for i in $(seq 500); do
		got=0
		rethread record --scheme "${RW:-rw}" -- "$@" <"$input" >recorded 2>err || got=$?
		[ $got = 0 ] || break
	done
	[ $got = 134 ] || fail "status $got: $(cat err)"
	rethread reproduce </dev/null >out 2>&1 || fail "not followed: $(cat out)"
	has out 'followed and proven by replay'
	for i in $(seq 10); do
		rethread replay </dev/null >out 2>err || fail "not replayed: $(cat out err)"
		same "$(grep -v '^reproduced 1/1$' out)" "$(cat recorded)"
	done
}

# proven SOURCE [ARGS...]: a program like those of bugs/ is built, recorded until it fails, reproduced, and replayed 20 of 20 times.
# Its head comment says how it fails (`fail-if:`), with which arguments (`args:`). LIMIT: seconds after which it hangs (20);
# SCHEME: what is recorded. FLAGS: for the compiler. ENGINE: the one that has to find it; else what solve misses, search may find.
# HARD: not every recording of it is reproduced: so many in a row may fail, which is said.
proven() {
	local source=$1 cc=cc predicate args try
	shift
	case $source in *.cpp) cc=c++ ;; esac
	predicate=$(sed -n 's/^ \* fail-if: //p' "$source")
	args=${*:-$(sed -n 's/^ \* args: //p' "$source")}
	rethread $cc -O2 -g ${FLAGS:-} -pthread "$source" -o p
	for try in $(seq 0 "${HARD:-0}"); do
		recorded_failing || return 0
		! rethread reproduce ${ENGINE:+--engine "$ENGINE"} --budget "${BUDGET:-50}" >out 2>&1 || break
		[ "$try" -lt "${HARD:-0}" ] || fail "not reproduced: $(cat err out)"
		echo "NOTE: a recording was not reproduced: $(grep ^rethread: out | tail -1)"
	done
	has out 'reproduced and proven by replay'
	rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 20/20$'
	rethread explain >out
	has out 'context switch' 'thread 1'
}

# recorded_failing: for `proven`, one recording; false when the program does not fail here.
recorded_failing() {
	# How likely a failure is depends on the machine and on what else it does: time decides when to give up, and `TRY` may
	# name other arguments to try in turn.
	local until=$((SECONDS + ${PATIENCE:-60})) a
	: >err
	until grep -q '^rethread: trace: ' err || [ $SECONDS -ge $until ]; do
		for a in ${TRY:-"$args"}; do
			rethread record ${SCHEME:+--scheme "$SCHEME"} --until-failure --runs 150 --timeout "${LIMIT:-20}" ${predicate:+--fail-if "$predicate"} -- ./p $a >recorded 2>err || break
		done
	done
	# Without luck there is nothing to reproduce, which is no fault of the tool's; run.sh lets few tests be unlucky.
	grep -q '^rethread: trace: ' err || {
		echo "NOTE: its failure did not come here, so nothing was reproduced"
		false
	}
}

# harmless SOURCE [ARGS...]: its fixed version does not fail in RUNS runs (100), and nothing of it is "reproduced".
harmless() {
	local source=$1 cc=cc predicate args runs=${RUNS:-100}
	shift
	case $source in *.cpp) cc=c++ ;; esac
	predicate=$(sed -n 's/^ \* fail-if: //p' "$source")
	args=${*:-$(sed -n 's/^ \* args: //p' "$source")}
	rethread $cc -O2 -g -pthread -DFIXED "$source" -o fixed
	rethread record --until-failure --runs "$runs" --timeout 20 ${predicate:+--fail-if "$predicate"} -- ./fixed $args >recorded 2>err ||
		fail "the fixed version of $source fails: $(cat err)"
	has err "no failure in $runs runs"
	rethread record ${predicate:+--fail-if "$predicate"} -- ./fixed $args >recorded 2>err || fail "the fixed version of $source fails: $(cat err)"
	status 4 rethread reproduce >out 2>&1
	has out 'is the trace of a run that did not fail'
}

# lines_agree SOURCE N [TRACE]: the threads passed the lines that they noted themselves (notes.h), N of them at least.
lines_agree() {
	local n
	rethread dump --lines all --json ${3:+"$3"} >lines.json || fail "no dump"
	n=$(python3 "$ROOT/tests/e2e/lines.py" "$1" <lines.json) || fail "$1: decoded paths differ"
	[ "$n" -ge "$2" ] || fail "only $n lines were compared"
	rm -f lines.[0-9]*
}
