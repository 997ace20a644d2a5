# What the recorder's tests are written in; each test also has what tests/e2e/lib.sh defines.

# program NAME [FLAGS...]: compile NAME.c from standard input with the recorder in it.
program() {
	local name=$1
	shift
	cat >"$name.c"
	clang-19 -std=gnu17 -O1 -g -Wall -I"$ROOT/include" -I"$ROOT/tests/rt" "$name.c" -o "$name" \
		-fuse-ld=lld -Wl,--whole-archive "$RT_LIB" -Wl,--no-whole-archive -Wl,--build-id=sha1 -lpthread "$@"
}

# record STATUS COMMAND...: run with a fresh trace in ./trace; more options in $OPTIONS.
record() {
	rm -rf trace
	mkdir trace
	RETHREAD_OPTIONS="dir=trace${OPTIONS:+,$OPTIONS}" status "$@"
}

# dump [DIR]: the trace as text in ./dump.
dump() {
	"$DUMP" "${1:-trace}" >dump || fail "dump: $(cat dump)"
}
