# What the recorder's tests are written in; each test also has what tests/e2e/lib.sh defines.

# program NAME [FLAGS...]: compile NAME.c from standard input with the recorder in it.
program() {
	local name=$1
	shift
	cat >"$name.c"
	clang-19 -std=gnu17 -O1 -g -Wall -I"$ROOT/include" -I"$ROOT/tests/rt" "$name.c" -o "$name" \
		-fuse-ld=lld -Wl,--whole-archive "$RT_LIB" -Wl,--no-whole-archive -Wl,--build-id=sha1 -lpthread "$@"
}

# record STATUS COMMAND...: run with a fresh trace in ./trace, as the tool does; more options in $OPTIONS.
record() {
	rm -rf trace
	mkdir trace
	RETHREAD_OPTIONS="dir=trace,command=0${OPTIONS:+,$OPTIONS}" status "$@"
}

# dump [DIR]: the trace as text in ./dump.
dump() {
	"$DUMP" "${1:-trace}" >dump || fail "dump: $(cat dump)"
}

# compare LOCKS LEAST: each entry of objects 1 to LOCKS is what the program noted (./noted: object, order and thread), and each change of thread that it noted, at
# least so many, is an entry.
compare() {
	awk -v locks="$1" -v least="$2" 'NR == FNR {
			who[$1 "," $2] = $3
			if ($2 == 1 || who[$1 "," $2 - 1] != $3) { changes[$1 "," $2] = 1; all++ }
			next
		}
		$1 == "sync" && $6 >= 1 && $6 <= locks {
			at = $6 "," $8
			if (who[at] != $2) { print "entry of " $2 ", noted: " who[at] ": " $0; bad++ }
			if (at in changes) { delete changes[at]; found++ }
		}
		END { print all, found, bad + 0; exit !(all >= least && found == all && !bad) }' noted dump
}
