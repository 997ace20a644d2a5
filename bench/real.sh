# Real programs, as rows of bench/run.sh's table, which reads this file. Programs of bench/programs/ are always there; pbzip2 with
# libbz2 built into it (so that all of the work is recorded), zstd and leveldb come from Debian's sources, as in eval/real.sh, when the network
# allows (leveldb where there is a cmake, memcached where there is libevent-dev); they are built once, in build/bench. Time is processor time: user and system
# (of memcached the server's alone), and about half a second or more: a start takes some milliseconds more, and so do a thread's first values.
# SIZE: megabytes of text to compress.
echo "-- real programs (processor time)"
TIMEFORMAT='%U %S'

# cpu VARIANT COMMAND...: nanoseconds of processor time
cpu() {
	{ time run "$@" >/dev/null; } 2>&1 | awk '{ printf "%d\n", ($1 + $2) * 1e9 }'
}

# served COMMAND...: the same of a server, which bench/served.c starts, loads and ends
next_port=$((20000 + $$ % 10000))
served() {
	next_port=$((next_port + 1))
	under="./served $next_port 4 100000" run "$@" -p $next_port
}

# program NAME COMMAND...: a row; every variant that was built is run. measure=served: a server
program() {
	local name=$1 v ns i
	shift
	best=() size=() all= rw=
	for ((i = 0; i < ROUNDS; i++)); do
		for v in ${variants/full/}; do
			[ -x "${1//@/tsan}" ] || [ $v != tsan ] || continue
			[ $v = tsan ] && [ $i -gt 1 ] && continue
			rm -f trace/log.*
			ns=$(${measure:-cpu} $v "$@")
			[ -z "${best[$v]}" ] || [ "$ns" -lt "${best[$v]}" ] && best[$v]=$ns
			[ $v = path+sync ] && size[$v]=$(./logsize trace)
		done
	done
	if [ -x "${1//@/every}" ]; then
		rm -f trace/log.*
		run every "$@" >/dev/null
		read -r all _ < <(./logsize trace)
	fi
	line "$name"
}

for v in native lto recorded tsan every; do
	mkdir -p programs/$v
	for p in words sort matrix search tokens blocks edges; do
		$(compiler $v) -O2 -g -pthread "$here/programs/$p.c" -o programs/$v/$p || exit 1
	done
	for p in tasks bodies rays events; do
		$(compiler_cxx $v) -O2 -g -pthread "$here/programs/$p.cpp" -o programs/$v/$p || exit 1
	done
done
program "words" programs/@/words 2 32
program "sort" programs/@/sort 2 8000
program "matrix" programs/@/matrix 2 1200 1200
program "search" programs/@/search 2 3000
program "tokens" programs/@/tokens 2 400
program "blocks" programs/@/blocks 2 2000
program "tasks" programs/@/tasks 2 1000
program "bodies" programs/@/bodies 2 3000
program "rays" programs/@/rays 2 1200
program "events" programs/@/events 2 300
program "edges" programs/@/edges 2 120

# ---------------------------------------------------------------- from Debian's sources

sources=$BUILD/bench
mkdir -p "$sources/lists/partial" "$sources/cache/archives/partial"

has_sources() {
	ls pbzip2_*.orig.tar.* bzip2_*.orig.tar.* libzstd_*.orig.tar.* leveldb_*.orig.tar.* memcached_*.orig.tar.* >/dev/null 2>&1
}

fetch() {
	local mirror apt
	has_sources && return
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | head -n 1)
	echo "deb-src ${mirror:-http://deb.debian.org/debian} $(. /etc/os-release; echo "$VERSION_CODENAME") main" >sources.list
	apt="apt-get -q -o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists
		-o Dir::Cache=$PWD/cache"
	timeout 120 $apt update && timeout 300 $apt source --download-only pbzip2 bzip2 libzstd leveldb memcached
	has_sources
}

build_pbzip2() { # VARIANT
	local cc=$(compiler $1) cxx=$(compiler_cxx $1) f
	mkdir -p src && tar xf "$sources"/bzip2_*.orig.tar.* -C src --strip-components=1 &&
		tar xf "$sources"/pbzip2_*.orig.tar.* -C src --strip-components=1 && cd src || return
	for f in blocksort huffman crctable randtable compress decompress bzlib; do
		$cc -O2 -g -w -c $f.c || return
	done
	for f in pbzip2 BZ2StreamScanner ErrorContext; do
		$cxx -O2 -g -w -Wno-reserved-user-defined-literal -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 \
			-DUSE_STACKSIZE_CUSTOMIZATION -DPBZIP_NO_LOADAVG -I. -c $f.cpp || return
	done
	timeout 900 $cxx -O2 -g -pthread ./*.o -o "$sources/$1/pbzip2"
}

build_zstd() { # VARIANT
	mkdir -p zstd && tar xf "$sources"/libzstd_*.orig.tar.xz -C zstd --strip-components=1 &&
		timeout 1800 make -s -C zstd/programs -j"$(nproc)" CC="$(compiler $1)" CFLAGS="-O2 -g -w" MOREFLAGS=-pthread HAVE_ZLIB=0 \
			HAVE_LZMA=0 HAVE_LZ4=0 HAVE_THREAD=1 ZSTD_NO_ASM=1 ZSTD_LEGACY_SUPPORT=0 zstd &&
		cp zstd/programs/zstd "$sources/$1/"
}

build_leveldb() { # VARIANT
	local cc=$(compiler $1) cxx=$(compiler_cxx $1)
	# CMake takes a compiler by one name, and the first llvm-ar that it finds, which need not be LLVM 19's.
	printf '#!/bin/sh\nexec %s "$@"\n' "$cc" >cc && printf '#!/bin/sh\nexec %s "$@"\n' "$cxx" >cxx && chmod +x cc cxx || return
	mkdir -p leveldb/b && tar xf "$sources"/leveldb_*.orig.tar.* -C leveldb --strip-components=1 && cd leveldb/b || return
	CC=$work/of.$1/cc CXX=$work/of.$1/cxx cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g -w" -DLEVELDB_BUILD_TESTS=OFF \
		-DCMAKE_AR=/usr/lib/llvm-19/bin/llvm-ar -DCMAKE_RANLIB=/usr/lib/llvm-19/bin/llvm-ranlib .. &&
		timeout 1800 make -j"$(nproc)" db_bench && cp db_bench "$sources/$1/leveldb"
}

build_memcached() { # VARIANT
	mkdir -p memcached && tar xf "$sources"/memcached_*.orig.tar.* -C memcached --strip-components=1 && cd memcached || return
	CC="$(compiler $1)" CFLAGS="-O2 -g -w" ./configure -q && timeout 900 make -s -j"$(nproc)" memcached && cp memcached "$sources/$1/"
}

optional() { # the programs that this machine can build
	command -v cmake >/dev/null && echo leveldb
	[ -e /usr/include/event.h ] && echo memcached
}

if [ "$REAL" = ours ]; then
	:
elif (cd "$sources" && fetch) >"$work/fetch.log" 2>&1; then
	for v in native lto recorded tsan; do
		mkdir -p "$sources/$v" "$work/of.$v"
		for p in pbzip2 zstd $(optional); do
			# What is recorded is built anew when the recorder is newer.
			{ [ "$sources/$v/$p" -nt "$BUILD/librethread_rt.a" ] && [ "$sources/$v/$p" -nt "$BUILD/librethread_pass.so" ]; } || { [ $v != recorded ] && [ -x "$sources/$v/$p" ]; } ||
				(cd "$work/of.$v" && build_$p $v) >"$work/build.log" 2>&1 || { tail -n 5 "$work/build.log"; exit 1; }
		done
	done
	# Text of which each part is another one: what repeats itself is no work for zstd.
	find -L /usr/lib/llvm-19/include/llvm -name '*.h' | LC_ALL=C sort | xargs cat 2>/dev/null | head -c $((${SIZE:-16} << 20)) >text
	"$sources/native/pbzip2" -k -p2 -c text >text.bz2
	program "pbzip2 -p2" "$sources/@/pbzip2" -k -p2 -c text
	program "pbzip2 -p2 -d" "$sources/@/pbzip2" -d -k -p2 -c text.bz2
	program "zstd -T2 -12" "$sources/@/zstd" -T2 -12 -c text
	if [ -x "$sources/recorded/leveldb" ]; then
		"$sources/native/leveldb" --num=3000 --benchmarks=fillseq,compact --db="$work/db" >/dev/null 2>&1
		program "leveldb, random reads" "$sources/@/leveldb" --num=3000 --benchmarks=readrandom --use_existing_db=1 --threads=2 \
			--reads=1000000 --db="$work/db"
	fi
	if [ -x "$sources/recorded/memcached" ]; then
		$CC -O2 "$here/served.c" -o served || exit 1
		measure=served program "memcached -t 2" "$sources/@/memcached" -u "$(id -un)" -U 0 -t 2 -l 127.0.0.1
	fi
else
	echo "pbzip2, zstd, leveldb and memcached: their sources cannot be fetched (no network?); not measured"
fi
