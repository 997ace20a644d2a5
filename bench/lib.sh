# What bench/run.sh and bench/real.sh share: how variants are run, and a row of the table.
#
# The variants of a row run one after the other, round after round, so that what else happens on the machine hits all of
# them; a row's figure is the best of its rounds. Log sizes are those of the last round.

ROUNDS=${ROUNDS:-5}
LIMIT=${LIMIT:-300} # seconds that one run may take: a program that hangs does not hang the table
CC=${CC:-clang-19} CXX=${CXX:-clang++-19}
export XDG_DATA_HOME=$work/data
unset RETHREAD_OPTIONS

# compile VARIANT: the compiler of a variant
compiler() {
	case $1 in
	native) echo "$CC" ;;
	lto) echo "$CC -flto -fuse-ld=lld" ;;
	tsan) echo "$CC -fsanitize=thread" ;;
	every) echo "env RETHREAD_PASS_ALL_BRANCHES=1 $BUILD/rethread cc" ;;
	*) echo "$BUILD/rethread cc" ;;
	esac
}

compiler_cxx() {
	local cc=$(compiler $1)
	cc=${cc/%rethread cc/rethread c++}
	echo "${cc/#clang-19/clang++-19}"
}

build_logsize() {
	$CC -std=gnu17 -O1 -D_GNU_SOURCE= -I"$here/../include" -I"$here/../src" "$here/logsize.c" "$here"/../src/trace/*.c \
		"$here/../src/base/base.c" "$here/../src/rt/input_kinds.c" -o "$work/logsize" -ljansson
}

# run VARIANT COMMAND...: with @ in the first word replaced by the directory of the variant's programs. under=COMMAND: that runs it
run() {
	local variant=$1 program=$2 dir
	shift 2
	case $variant in
	native | lto | tsan | full | every) dir=$variant ;;
	*) dir=recorded ;;
	esac
	program=${program//@/$dir}
	case $variant in
	path | path+sync) RETHREAD_OPTIONS=dir=$work/trace,scheme=$variant timeout $LIMIT $under "$program" "$@" ;;
	every) RETHREAD_OPTIONS=dir=$work/trace,scheme=path timeout $LIMIT $under "$program" "$@" ;;
	tsan) TSAN_OPTIONS=report_bugs=0 timeout $LIMIT $under "$program" "$@" ;;
	rw) "$BUILD/rethread" record --scheme rw --timeout 300 -o "$work/trace.rw" -- "$program" "$@" ;;
	*) timeout $LIMIT $under "$program" "$@" ;;
	esac 2>/dev/null
}

# ratio A B
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a > 0 && b > 0) printf "%.2f", a / b; else printf "-" }'; }

heads() {
	printf '%-26s %7s %6s %6s %6s %9s %6s %6s %6s %9s %9s %9s %9s %9s %9s\n' \
		"" native lto off path path+sync full rw tsan branches recorded "log bits" "log bytes" "log KiB" "log KiB" \
		"" ms "x" "x" "x" "x" "x" "x" "x" million share "/ branch" "/ lock op" path+sync full
}

# line NAME: from best[], size[], all (branches), rw (a ratio, or nothing)
line() {
	local bits path syncs sync
	read -r bits path syncs sync < <(echo "${size[path+sync]}")
	awk -v name="$1" -v n="${best[native]}" -v lto="${best[lto]}" -v off="${best[off]}" -v p="${best[path]}" -v s="${best[path+sync]}" \
		-v f="${best[full]}" -v t="${best[tsan]}" -v rw="${rw:--}" -v all="$all" -v bits="$bits" -v path="$path" \
		-v syncs="$syncs" -v sync="$sync" -v full="${size[full]}" 'BEGIN {
		printf "%-26s %7.1f %6s %6s %6s %9s %6s %6s %6s %9.1f %9s %9s %9s %9.0f %9s\n", name, n / 1e6, x(lto), x(off), x(p), x(s), x(f),
			rw, x(t), (all ? all : bits) / 1e6, all ? sprintf("%.2f", bits / all) : "-",
			all + bits ? sprintf("%.2f", path * 8 / (all ? all : bits)) : "-",
			(syncs > 1000 ? sprintf("%.2f", sync / syncs) : "-"), (path + sync) / 1024,
			full == "" ? "-" : sprintf("%.0f", full / 1024) }
		function x(t) { return t == "" || !n ? "-" : sprintf("%.2f", t / n) }'
}
