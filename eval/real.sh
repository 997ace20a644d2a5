#!/bin/bash
# Real programs: fetches Debian sources with a private list of package sources (the system's is not changed), builds them
# with plain clang and, unchanged, with rethread, runs a workload, and checks that recording changes neither output nor
# exit status; prints the cost as a ratio, measured alternately, least of several runs. Into some a bug is put by a patch
# (eval/patches: an old one put back, or a lock left out); they are recorded until it shows, reproduced, and replayed 20 times.
#
#   eval/real.sh [PROGRAM...]      of pbzip2 memcached tinyproxy libmicrohttpd leveldb libuv lbzip2 ag nng squashfs civetweb mosquitto xz ck
#                                  urcu lmdb nanomsg kyotocabinet microsocks minimap blosc libevent apr libwebp unbound haproxy pixz htslib threadpool rwqueue lrzip gifsicle e2fsprogs strongswan libqb znc pigz plzip concurrentqueue zpaq openjpeg glib sort httplib spdlog zeromq zstd srt rdkafka redis poco log4cplus filezilla mafft mimalloc capnproto tachyon x264 onetbb; all but the last twenty, which build long, when none is named
#
# Needs libbz2-dev and libevent-dev; unbound libssl-dev and libexpat1-dev, znc libssl-dev, ag also libpcre3-dev and automake, zeromq libtool, squashfs, minimap, blosc and rdkafka zlib1g-dev, pixz liblzma-dev and libarchive-dev, pigz zlib1g-dev, plzip liblz-dev, gifsicle automake, filezilla nettle-dev, libgnutls28-dev and libgmp-dev, lrzip automake, libtool, zlib1g-dev, liblzo2-dev and liblz4-dev, glib meson. Files go to build/real; a program that is built and newer than rethread is not built
# again. The last line says what did not hold; exit status 0 when everything did. Not part of `make check`.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$root/build:$PATH
work=$root/build/real
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/tmp"
cd "$work" || exit 2
export XDG_DATA_HOME=$work/data TMPDIR=$work/tmp
unset RETHREAD_OPTIONS
programs=("$@")
[ $# -gt 0 ] || programs=(pbzip2 memcached tinyproxy libmicrohttpd leveldb libuv lbzip2 ag nng squashfs civetweb mosquitto urcu lmdb nanomsg kyotocabinet microsocks minimap blosc libevent apr libwebp unbound haproxy pixz xz ck htslib threadpool rwqueue lrzip gifsicle e2fsprogs strongswan libqb znc pigz plzip concurrentqueue)
bad=()
port=$((20000 + $$ % 10000))

# ---------------------------------------------------------------- sources and builds

# fetch PACKAGE SOURCE: the upstream archive of a source package, unless it is here.
fetch() {
	ls "$2"_*.orig.tar.* >/dev/null 2>&1 && return
	local mirror apt release
	# The mirror that the system itself uses.
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | head -n 1)
	apt="apt-get -q -o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/lists -o Dir::Cache=$work/cache"
	# Mirrors need not have the sources of all releases.
	for release in $(. /etc/os-release; echo "$VERSION_CODENAME") trixie sid; do
		echo "deb-src ${mirror:-http://deb.debian.org/debian} $release main" >sources.list
		{ $apt update && $apt source --download-only --tar-only "$1"; } >apt.log 2>&1 && return
	done
	tail -n 3 apt.log
	return 1
}

# build SOURCE WAY BINARY COMMAND: unpacks into SOURCE-WAY and runs the command there, in which $CC and $CXX are clang
# (way `native`) or rethread (`recorded`; `bug`, with the patch). strip=0: the archive has no folder around its files.
build() {
	local dir=$1-$2
	[ -x "$dir/$3" ] && [ "$dir/$3" -nt "$root/build/librethread_rt.a" ] && return
	rm -rf "$dir" && mkdir "$dir" && tar xf "$1"_*.orig.tar.* -C "$dir" --strip-components="${strip:-1}" || return
	[ "$2" = bug ] && { patch -s -p1 -d "$dir" <"$(ls "$root/eval/patches/$1"-*.patch)" || return; }
	(
		cd "$dir" || exit
		CC=clang-19 CXX=clang++-19
		[ "$2" = native ] || CC=rethread-cc CXX=rethread-c++
		export CC CXX
		eval "$4"
	) >"$dir.log" 2>&1 || { tail "$dir.log"; return 1; }
}

# needs PACKAGE...: a library that a program is linked with.
needs() {
	local p
	for p; do
		dpkg-query -W "$p" >/dev/null 2>&1 || { echo "needs the package $p: apt-get install $p"; return 1; }
	done
}

# ---------------------------------------------------------------- what is checked

# holds TEXT COMMAND...
holds() {
	local what=$1
	shift
	if "$@"; then echo "$what: yes"; else echo "$what: NO" && bad+=("$program: $what"); fi
}

# milliseconds COMMAND...
milliseconds() {
	local t
	t=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $((($(date +%s%N) - t) / 1000000))
}

# cost NATIVE RECORDED ARGS...: the ratio, least of seven runs each, taken alternately.
cost() {
	local native=$1 recorded=$2 a b n=999999999 r=999999999
	shift 2
	for _ in 1 2 3 4 5 6 7; do
		a=$(milliseconds "$native" "$@")
		b=$(milliseconds env RETHREAD_OPTIONS=dir="$work/tmp" "$recorded" "$@")
		[ "$a" -lt $n ] && n=$a
		[ "$b" -lt $r ] && r=$b
	done
	rm -f "$work"/tmp/log.*
	echo "time: $r ms recorded, $n ms native: $(awk -v a=$r -v b=$n 'BEGIN { printf "%.2fx", a / (b + !b) }')"
}

# reproduced: the newest trace is reproduced and replayed 20 of 20 times.
reproduced() {
	timeout 200 rethread reproduce --budget 120 >reproduce.out 2>&1 || { cat reproduce.out; return 1; }
	grep -v '^schedule:' reproduce.out
	timeout 200 rethread replay -n 20 >replay.out 2>&1
	tail -n 1 replay.out
	grep -q '^reproduced 20/20$' replay.out
}

# failing BINARY ARGS...: records it until it fails.
failing() {
	{ rethread record --until-failure --runs 5000 --timeout 5 -- "$@" >/dev/null 2>record.err; } 2>/dev/null
	grep '^rethread: run\|no failure' record.err
}

# compared SOURCE BINARY WHAT ARGS...: what three builds print; the one with the bug crashes, hangs or says by its exit status that it failed.
compared() {
	local native=./$1-native/$2 recorded=./$1-recorded/$2 bug=./$1-bug/$2 what=$3
	shift 3
	"$native" "$@" >a.out
	rethread record -- "$recorded" "$@" >b.out 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same output" cmp a.out b.out
	failing "$bug" "$@"
	holds "$what reproduced" reproduced
}

next_port() {
	port=$((port + 1))
}

# listens: waits for somebody at $port.
listens() {
	for _ in $(seq 100); do (: <>/dev/tcp/127.0.0.1/$port) 2>/dev/null && break; sleep 0.1; done
}

# served WAY CLIENT SERVER...: starts the server, which listens on $port, runs the client, ends the server with SIGTERM,
# and returns how the server ended.
served() {
	local way=$1 client=$2 server
	shift 2
	[ "$way" = native ] || set -- rethread record -- "$@"
	"$@" >/dev/null 2>server.err &
	server=$!
	listens
	$client 2>/dev/null
	kill -TERM $server 2>/dev/null
	wait $server 2>/dev/null
}

# ---------------------------------------------------------------- the programs

try_pbzip2() {
	local w runs=2000
	needs libbz2-dev && fetch pbzip2 pbzip2 || return
	# clang is stricter than the code about literals; that has nothing to do with rethread.
	for w in native recorded bug; do
		build pbzip2 $w pbzip2 'make -s CXX="$CXX -g -w -Wno-reserved-user-defined-literal" pbzip2' || return
	done
	[ -e data.in ] || head -c 8000000 /dev/urandom >data.in
	head -c 300000 /dev/zero >zeros.in
	./pbzip2-native/pbzip2 -k -p3 -c data.in >a.out
	rethread record -- ./pbzip2-recorded/pbzip2 -k -p3 -c data.in >b.out 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same output" cmp a.out b.out
	cost ./pbzip2-native/pbzip2 ./pbzip2-recorded/pbzip2 -q -k -p3 -c data.in
	{ rethread record --until-failure --runs $runs --timeout 20 -- ./pbzip2-bug/pbzip2 -q -k -p3 -1 -b1 -c zeros.in >/dev/null 2>record.err; } 2>/dev/null
	grep '^rethread: run\|no failure' record.err
	holds "early free reproduced" reproduced
}

# leveldb's benchmark of random reads (C++, CMake). Its answers do not change from run to run, its times do.
try_leveldb() {
	local w arguments
	fetch leveldb leveldb || return
	for w in native recorded bug; do
		# No build type: assertions stay in.
		build leveldb $w b/db_bench 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g" \
			-DLEVELDB_BUILD_TESTS=OFF .. && make -s -j"$(nproc)" db_bench' || return
	done
	./leveldb-native/b/db_bench --num=3000 --benchmarks=fillseq,compact --db="$work/db" >/dev/null 2>&1
	arguments=(--use_existing_db=1 --db="$work/db" --num=3000 --threads=4 --benchmarks=readrandom)
	./leveldb-native/b/db_bench "${arguments[@]}" --reads=500 2>/dev/null | grep -o '(.*found)' >a.out
	rethread record -- ./leveldb-recorded/b/db_bench "${arguments[@]}" --reads=500 2>record.err >record.out
	holds "exit status 0" [ $? = 0 ]
	grep -o '(.*found)' record.out >b.out
	holds "same answers" cmp a.out b.out
	holds "no unknown functions" [ "$(grep -c 'is not recorded' record.err)" = 0 ]
	cost ./leveldb-native/b/db_bench ./leveldb-recorded/b/db_bench "${arguments[@]}" --reads=30000
	{ rethread record --until-failure --runs 2000 --timeout 20 -- ./leveldb-bug/b/db_bench "${arguments[@]}" --reads=100 >/dev/null 2>record.err; } 2>/dev/null
	grep '^rethread: run\|no failure' record.err
	holds "release without the cache's lock reproduced" reproduced
}

# Sets and gets over one connection; the answers go to `answers`.
talk() {
	exec 3<>"/dev/tcp/127.0.0.1/$port"
	local i line
	for i in $(seq 300); do
		printf 'set k%d 0 0 5\r\nv%04d\r\nget k%d\r\n' $((i % 40)) "$i" $((i % 40)) >&3
		for _ in 1 2 3 4; do IFS= read -r -t 5 line <&3 && echo "$line"; done
	done >answers
	printf 'quit\r\n' >&3
	exec 3<&- 3>&-
}

# Two clients that increment one number.
increment() {
	local many
	many=$(printf 'incr n 1\r\n%.0s' $(seq 3000))
	(exec 3<>"/dev/tcp/127.0.0.1/$port"; printf 'set n 0 0 5\r\n10000\r\nquit\r\n' >&3; cat <&3 >/dev/null)
	for _ in 1 2; do
		(exec 3<>"/dev/tcp/127.0.0.1/$port"; printf '%s\nquit\r\n' "$many" >&3; timeout 20 cat <&3 >/dev/null) &
		set -- "$@" $!
	done
	wait "$@"
}

try_memcached() {
	local w run status=0
	needs libevent-dev && fetch memcached memcached || return
	for w in native recorded bug; do
		build memcached $w memcached './configure -q && make -s -j"$(nproc)" memcached' || return
	done
	local arguments=(-u "$(id -un)" -U 0 -t 4 -l 127.0.0.1)
	for w in native recorded; do
		next_port
		holds "$w: exit status 0" served $w talk ./memcached-$w/memcached "${arguments[@]}" -p $port
		mv answers answers.$w
	done
	holds "same answers" cmp answers.native answers.recorded
	for run in $(seq 300); do
		next_port
		# In the background, where record follows it.
		served bug increment ./memcached-bug/memcached -d "${arguments[@]}" -p $port
		status=$?
		[ $status = 0 ] || break
	done
	echo "run $run: status $status, $(grep -m 1 'SIGABRT\|no failure' server.err)"
	holds "lost update reproduced" reproduced
}

# The proxy's own pages, three clients at a time.
browse() {
	local i k url asking
	for i in $(seq 20); do
		k=0 asking=()
		for url in http://tinyproxy.stats/ http://127.0.0.1:1/x nonsense; do
			k=$((k + 1))
			(exec 3<>"/dev/tcp/127.0.0.1/$port"; printf 'GET %s HTTP/1.0\r\n\r\n' $url >&3; timeout 10 cat <&3 >page.$k) &
			asking+=($!)
		done
		wait "${asking[@]}"
		grep -h '^HTTP/\|<h1>\|<title>' page.1 page.2 page.3
	done >answers
}

try_tinyproxy() {
	local w
	fetch tinyproxy tinyproxy || return
	for w in native recorded; do
		build tinyproxy $w src/tinyproxy './configure -q --disable-manpage_support && make -s -j"$(nproc)" -C src' || return
	done
	for w in native recorded; do
		next_port
		printf '%s\n' "Port $port" 'Listen 127.0.0.1' 'Timeout 10' 'StatHost "tinyproxy.stats"' "LogFile \"$work/tinyproxy.out\"" \
			"DefaultErrorFile \"$work/tinyproxy-native/data/templates/default.html\"" \
			"StatFile \"$work/tinyproxy-native/data/templates/stats.html\"" >tinyproxy.conf
		holds "$w: exit status 0" served $w browse ./tinyproxy-$w/src/tinyproxy -d -c tinyproxy.conf
		mv answers answers.$w
	done
	holds "same answers" cmp answers.native answers.recorded
}

try_zstd() {
	local w
	fetch zstd libzstd || return
	for w in native recorded; do
		build libzstd $w programs/zstd 'make -s -j"$(nproc)" -C programs CC="$CC" zstd' || return
	done
	[ -e text.in ] || cat /usr/bin/* 2>/dev/null | head -c 20000000 >text.in
	./libzstd-native/programs/zstd -q -T2 -B1M -c text.in >a.out
	rethread record -- ./libzstd-recorded/programs/zstd -q -T2 -B1M -c text.in >b.out 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same output" cmp a.out b.out
	cost ./libzstd-native/programs/zstd ./libzstd-recorded/programs/zstd -q -T2 -B1M -c text.in
}

# A project's own shared library, with threads of its own, made by libtool.
try_libmicrohttpd() {
	local w
	fetch libmicrohttpd-dev libmicrohttpd || return
	for w in native recorded bug; do
		build libmicrohttpd $w httpd './configure -q --disable-static --disable-doc --disable-https --disable-curl --disable-nls &&
			make -s -j"$(nproc)" -C src/microhttpd libmicrohttpd.la &&
			$CC -O1 -g "$root/eval/programs/httpd.c" -Isrc/include -Lsrc/microhttpd/.libs -lmicrohttpd -pthread \
				-Wl,-rpath,"$PWD/src/microhttpd/.libs" -o httpd' || return
	done
	compared libmicrohttpd httpd 'bug inside of the library'
}

# An event loop with a pool of threads, whose atomics are inline assembly, in a static library.
try_libuv() {
	local w
	fetch libuv1 libuv1 || return
	for w in native recorded bug; do
		build libuv1 $w uvwords 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" -DLIBUV_BUILD_TESTS=OFF .. &&
			make -s -j"$(nproc)" uv_a && cd .. &&
			$CC -O2 -g "$root/eval/programs/uvwords.c" -Iinclude b/libuv_a.a -pthread -ldl -lrt -o uvwords' || return
	done
	compared libuv1 uvwords 'finished work put into the queue without its lock'
}

# Threads that a monitor schedules, and signals with which they tell the main thread of their end.
try_lbzip2() {
	local w
	fetch lbzip2 lbzip2 || return
	for w in native recorded; do
		# Its gnulib is older than the C library here; the two macros are what later versions define.
		build lbzip2 $w src/lbzip2 './configure -q && make -s -j"$(nproc)" CFLAGS="-O2 -g -w -D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100"' || return
	done
	[ -e text.in ] || cat /usr/bin/* 2>/dev/null | head -c 20000000 >text.in
	head -c 4000000 text.in >lbzip2.in
	./lbzip2-native/src/lbzip2 -n3 -c <lbzip2.in >a.out
	rethread record -- ./lbzip2-recorded/src/lbzip2 -n3 -c <lbzip2.in >b.out 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same output" cmp a.out b.out
	rethread record -- ./lbzip2-recorded/src/lbzip2 -n3 -d -c <b.out 2>record.err >c.out
	holds "unpacked again" cmp lbzip2.in c.out
	cost ./lbzip2-native/src/lbzip2 ./lbzip2-recorded/src/lbzip2 -n2 -k -c lbzip2.in
}

# Searches files in several threads, which take them from a queue.
try_ag() {
	local w arguments=(--workers 3 --nocolor pthread_mutex "$root/src/rt")
	needs automake libpcre3-dev && fetch silversearcher-ag silversearcher-ag || return
	for w in native recorded bug; do
		build silversearcher-ag $w ag './autogen.sh && ./configure -q && make -s -j"$(nproc)"' || return
	done
	./silversearcher-ag-native/ag "${arguments[@]}" | sort >a.out
	rethread record -- ./silversearcher-ag-recorded/ag "${arguments[@]}" 2>record.err | sort >b.out
	holds "same output" cmp a.out b.out
	cost ./silversearcher-ag-native/ag ./silversearcher-ag-recorded/ag --workers 3 --nocolor pthread_mutex "$root/src" "$root/docs" "$root/tests"
	{ rethread record --until-failure --runs 3000 --timeout 20 -- ./silversearcher-ag-bug/ag "${arguments[@]}" >/dev/null 2>record.err; } 2>/dev/null
	grep '^rethread: run\|no failure' record.err
	holds "lock let go too early reproduced" reproduced
}

# Messages through a pool of threads (C, CMake).
try_nng() {
	local w
	fetch nng nng || return
	for w in native recorded bug; do
		build nng $w sink 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" -DNNG_TESTS=OFF -DNNG_TOOLS=OFF .. &&
			make -s -j"$(nproc)" nng && cd .. && $CC -O2 -g "$root/eval/programs/nngsink.c" -Iinclude b/libnng.a -pthread -o sink' || return
	done
	compared nng sink 'lock left out'
}

# Messages through lock-free queues (C++); reads the processor's counter by inline assembly.
try_zeromq() {
	local w
	needs libtool && fetch zeromq3 zeromq3 || return
	for w in native recorded bug; do
		build zeromq3 $w sink './autogen.sh && ./configure -q --disable-perf --disable-curve-keygen --without-docs --disable-libbsd --disable-shared &&
			make -s -j"$(nproc)" src/libzmq.la &&
			$CXX -x c -O2 -g "$root/eval/programs/zmqsink.c" -x none -Iinclude src/.libs/libzmq.a -pthread -o sink' || return
	done
	compared zeromq3 sink 'lock left out'
}

# A file system made by a pipeline of threads with queues between them, which is cancelled at the end.
try_squashfs() {
	local w i arguments=(-processors 3 -noappend -no-progress -all-time 0 -mkfs-time 0 -quiet -b 4096)
	needs zlib1g-dev && fetch squashfs-tools squashfs-tools || return
	for w in native recorded bug; do
		build squashfs-tools $w squashfs-tools/mksquashfs 'make -s -j"$(nproc)" -C squashfs-tools CC="$CC" EXTRA_CFLAGS=-g mksquashfs' || return
	done
	[ -e files ] || { mkdir files && for i in $(seq 200); do head -c $((i * 97)) "$root/docs/INTERNALS.md" >files/$i; done; }
	./squashfs-tools-native/squashfs-tools/mksquashfs files a.out "${arguments[@]}"
	rethread record -- ./squashfs-tools-recorded/squashfs-tools/mksquashfs files b.out "${arguments[@]}" 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same output" cmp a.out b.out
	cost ./squashfs-tools-native/squashfs-tools/mksquashfs ./squashfs-tools-recorded/squashfs-tools/mksquashfs files c.out "${arguments[@]}"
	failing ./squashfs-tools-bug/squashfs-tools/mksquashfs files b.out "${arguments[@]}"
	holds "wait without a loop reproduced" reproduced
}

# A server with a pool of threads, linked into a program that takes pages away.
try_civetweb() {
	local w
	fetch civetweb civetweb || return
	for w in native recorded bug; do
		build civetweb $w pages 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" -DCIVETWEB_ENABLE_SSL=OFF -DCIVETWEB_BUILD_TESTING=OFF \
			-DCIVETWEB_ENABLE_ASAN=OFF -DCIVETWEB_ENABLE_SERVER_EXECUTABLE=OFF .. && make -s -j"$(nproc)" && cd .. &&
			$CC -O2 -g "$root/eval/programs/civpages.c" -Iinclude b/src/libcivetweb.a -pthread -ldl -o pages' || return
	done
	compared civetweb pages 'wait left out'
}

# A client library with a thread of its own, which sends what others publish; the broker is the native one.
try_mosquitto() {
	local w broker
	fetch mosquitto mosquitto || return
	for w in native recorded bug; do
		build mosquitto $w pub 'options="WITH_TLS=no WITH_CJSON=no WITH_DOCS=no WITH_STATIC_LIBRARIES=yes WITH_SHARED_LIBRARIES=no"
			make -s -j"$(nproc)" -C lib CC="$CC" $options && { [ "$CC" = rethread-cc ] || make -s -j"$(nproc)" -C src CC="$CC" $options mosquitto; } &&
			$CC -O2 -g "$root/eval/programs/mosqpub.c" -Iinclude lib/libmosquitto.a -pthread -o pub' || return
	done
	next_port
	printf '%s\n' "listener $port 127.0.0.1" 'allow_anonymous true' >mosquitto.conf
	./mosquitto-native/src/mosquitto -c mosquitto.conf >/dev/null 2>&1 &
	broker=$!
	listens
	compared mosquitto pub 'message lost outside of a lock' $port
	kill $broker
	wait $broker 2>/dev/null
}

# Read-copy-update: readers without locks, and who waits for them.
try_urcu() {
	local w
	fetch liburcu-dev liburcu || return
	for w in native recorded bug; do
		build liburcu $w readers './configure -q --disable-shared && make -s -j"$(nproc)" -C src &&
			$CC -O2 -g "$root/eval/programs/rcuconfig.c" -Iinclude src/.libs/liburcu.a src/.libs/liburcu-common.a -pthread -o readers' || return
	done
	compared liburcu readers 'grace period too short'
}

# A database in a mapped file, which it writes to by system calls.
try_lmdb() {
	local w
	fetch lmdb lmdb || return
	for w in native recorded bug; do
		build lmdb $w count 'make -s -C libraries/liblmdb CC="$CC" XCFLAGS=-g liblmdb.a &&
			$CC -O2 -g "$root/eval/programs/lmdbcount.c" -Ilibraries/liblmdb libraries/liblmdb/liblmdb.a -pthread -o count' || return
	done
	compared lmdb count 'lock let go too early'
}

# Messages through sockets and state machines, which a pool of threads runs.
try_nanomsg() {
	local w
	fetch nanomsg nanomsg || return
	for w in native recorded bug; do
		build nanomsg $w sink 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" -DNN_STATIC_LIB=ON -DNN_TESTS=OFF \
			-DNN_TOOLS=OFF -DNN_ENABLE_DOC=OFF .. && make -s -j"$(nproc)" nanomsg && cd .. &&
			$CC -O2 -g "$root/eval/programs/nnsink.c" -Isrc b/libnanomsg.a -pthread -lanl -o sink' || return
	done
	compared nanomsg sink 'lock left out'
}

# A cache of records in the order of their use (C++).
try_kyotocabinet() {
	local w
	fetch kyotocabinet kyotocabinet || return
	for w in native recorded bug; do
		build kyotocabinet $w cache './configure -q --disable-zlib --disable-shared &&
			make -s -j"$(nproc)" CC="$CC" CXX="$CXX" CXXFLAGS="-O2 -g -w" libkyotocabinet.a &&
			$CXX -std=c++17 -O2 -g "$root/eval/programs/kccache.cc" -I. libkyotocabinet.a -pthread -o cache' || return
	done
	compared kyotocabinet cache 'lock left out'
}

# Pages of $page_port through the proxy, three clients at a time.
tunnel() {
	local i asking
	for i in $(seq 5); do
		asking=()
		for _ in 1 2 3; do
			curl -s --max-time 20 --socks5 127.0.0.1:$port "http://127.0.0.1:$page_port/$i" | cksum >page.$((${#asking[@]} + 1)) &
			asking+=($!)
		done
		wait "${asking[@]}"
		cat page.1 page.2 page.3
	done >answers
}

# A proxy with a thread of 8 KiB of stack for each client.
try_microsocks() {
	local w i pages
	needs curl python3 && fetch microsocks microsocks || return
	for w in native recorded; do
		build microsocks $w microsocks 'make -s CC="$CC" CFLAGS="-O2 -g"' || return
	done
	[ -e pages ] || { mkdir pages && for i in 1 2 3 4 5; do head -c $((i * 30000)) /dev/urandom >pages/$i; done; }
	next_port
	page_port=$port
	python3 -m http.server $page_port --bind 127.0.0.1 -d pages >/dev/null 2>&1 &
	pages=$!
	listens
	for w in native recorded; do
		next_port
		served $w tunnel ./microsocks-$w/microsocks -i 127.0.0.1 -p $port
		holds "$w: ended by the signal" [ $? = 143 ]
		mv answers answers.$w
	done
	kill $pages
	wait $pages 2>/dev/null
	for i in 1 2 3 4 5; do for _ in 1 2 3; do cksum <pages/$i; done; done >answers
	holds "right answers" cmp answers answers.native
	holds "same answers" cmp answers.native answers.recorded
}

# Sequences aligned in a pipeline of threads.
try_minimap() {
	local w arguments=(-t 3 -K 100000 -a minimap2-native/test/MT-human.fa minimap.in)
	needs zlib1g-dev && fetch minimap2 minimap2 || return
	for w in native recorded; do
		build minimap2 $w minimap2 'make -s -j"$(nproc)" CC="$CC" minimap2' || return
	done
	for _ in $(seq 40); do cat minimap2-native/test/MT-orang.fa; done >minimap.in
	./minimap2-native/minimap2 "${arguments[@]}" 2>/dev/null | grep -v '^@PG' >a.out
	rethread record -- ./minimap2-recorded/minimap2 "${arguments[@]}" 2>record.err >b.all
	holds "exit status 0" [ $? = 0 ]
	grep -v '^@PG' b.all >b.out
	holds "same output" cmp a.out b.out
	cost ./minimap2-native/minimap2 ./minimap2-recorded/minimap2 "${arguments[@]}"
}

# Blocks packed by a pool of threads between two barriers.
try_blosc() {
	local w
	needs zlib1g-dev && fetch c-blosc c-blosc || return
	for w in native recorded bug; do
		build c-blosc $w pack 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" -DDEACTIVATE_LZ4=ON -DDEACTIVATE_ZSTD=ON \
			-DDEACTIVATE_SNAPPY=ON -DPREFER_EXTERNAL_ZLIB=ON -DBUILD_TESTS=OFF -DBUILD_FUZZERS=OFF -DBUILD_BENCHMARKS=OFF -DBUILD_SHARED=OFF .. &&
			make -s -j"$(nproc)" && cd .. && $CC -O2 -g "$root/eval/programs/bloscpack.c" -Iblosc b/blosc/libblosc.a -lz -pthread -o pack' || return
	done
	cost ./c-blosc-native/pack ./c-blosc-recorded/pack
	compared c-blosc pack 'counter read outside of its lock'
}

# Blocks packed by threads that wait for work on a stack.
try_xz() {
	local w
	fetch xz-utils xz-utils || return
	for w in native recorded bug; do
		build xz-utils $w src/xz/xz './configure -q --disable-nls --disable-shared --disable-doc --disable-lzmadec --disable-lzmainfo --disable-scripts \
			CFLAGS="-O2 -g" && make -s -j"$(nproc)"' || return
	done
	[ -e text.in ] || cat /usr/bin/* 2>/dev/null | head -c 20000000 >text.in
	head -c 600000 text.in >xz.in
	cost ./xz-utils-native/src/xz/xz ./xz-utils-recorded/src/xz/xz -T2 --block-size=100KiB -1 -k -c text.in
	compared xz-utils src/xz/xz 'lock left out' -T8 --block-size=4KiB -0 -k -c xz.in
}

# Structures without locks, whose accesses are inline assembly.
try_ck() {
	local w
	fetch libck-dev ck || return
	for w in native recorded bug; do
		build ck $w jobs './configure && $CC -O2 -g "$root/eval/programs/ckjobs.c" -Iinclude -pthread -o jobs' || return
	done
	compared ck jobs 'lock tested and then taken'
}

# Pools of memory whose allocator threads share (the Apache Portable Runtime, libtool).
try_apr() {
	local w
	fetch libapr1-dev apr || return
	for w in native recorded bug; do
		build apr $w aprpools './configure -q && make -s -j"$(nproc)" libapr-1.la &&
			$CC -O2 -g -D_GNU_SOURCE -Iinclude "$root/eval/programs/aprpools.c" .libs/libapr-1.a -pthread $(./apr-1-config --libs) -o aprpools' || return
	done
	compared apr aprpools 'node taken by two threads'
}

# A picture whose rows one thread reads and another one filters, with vector instructions.
try_libwebp() {
	local w
	fetch libwebp-dev libwebp || return
	for w in native recorded bug; do
		build libwebp $w webprows 'make -s -j"$(nproc)" -f makefile.unix CC="$CC" CFLAGS="-O2 -g -I. -Isrc/ -DWEBP_USE_THREAD" src/libwebp.a src/libwebpdecoder.a &&
			clang-19 -DMAKE -Isrc "$root/eval/programs/webprows.c" src/libwebp.a -pthread -lm -o webpmake &&
			$CC -O2 -g -Isrc "$root/eval/programs/webprows.c" src/libwebpdecoder.a -pthread -lm -o webprows' || return
	done
	./libwebp-native/webpmake picture.webp
	compared libwebp webprows 'end of the work that was said too early' picture.webp
}

# The cache of a name server, whose bins and entries have locks of their own.
try_unbound() {
	local w
	needs libssl-dev libexpat1-dev && fetch unbound unbound || return
	for w in native recorded bug; do
		build unbound $w ubcache './configure -q --with-pthreads --without-pyunbound && $CC -O2 -g -I. "$root/eval/programs/ubcache.c" \
			util/storage/lruhash.c util/storage/lookup3.c util/log.c util/locks.c -pthread -o ubcache' || return
	done
	compared unbound ubcache 'bin unlocked before its entry was locked'
}

# Trees under locks of HAProxy's own, whose accesses are inline assembly.
try_haproxy() {
	local w
	fetch haproxy haproxy || return
	for w in native recorded bug; do
		build haproxy $w haptable '$CC -O2 -g -w -Iinclude "$root/eval/programs/haptable.c" src/ebtree.c src/eb32tree.c -pthread -o haptable' || return
	done
	compared haproxy haptable 'writer that does not wait for readers'
}

# An event loop that other threads wake, and a buffer that they share.
try_libevent() {
	local w
	fetch libevent libevent || return
	for w in native recorded bug; do
		build libevent $w lines 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" -DEVENT__DISABLE_OPENSSL=ON -DEVENT__DISABLE_TESTS=ON \
			-DEVENT__DISABLE_SAMPLES=ON -DEVENT__DISABLE_BENCHMARK=ON -DEVENT__LIBRARY_TYPE=STATIC .. && make -s -j"$(nproc)" && cd .. &&
			$CC -O2 -g "$root/eval/programs/evlines.c" -Iinclude -Ib/include b/lib/libevent_core.a b/lib/libevent_pthreads.a -pthread -o lines' || return
	done
	compared libevent lines 'lock taken too late'
}

# Messages over UDP, which several threads send, acknowledge and put in order (C++).
try_srt() {
	local w
	fetch srt srt || return
	for w in native recorded bug; do
		build srt $w send 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g" -DCMAKE_C_FLAGS="-O2 -g" -DENABLE_ENCRYPTION=OFF \
			-DENABLE_SHARED=OFF -DENABLE_APPS=OFF .. && make -s -j"$(nproc)" && cd .. &&
			$CXX -x c -O2 -g "$root/eval/programs/srtsend.c" -x none -Isrtcore -Icommon -Ib b/libsrt.a -pthread -o send' || return
	done
	compared srt send 'lock left out'
}

# A client with a thread for each broker, against the library's own mock of one; reads memory by inline assembly.
try_rdkafka() {
	local w
	needs zlib1g-dev && fetch librdkafka librdkafka || return
	for w in native recorded bug; do
		build librdkafka $w produce './configure --disable-ssl --disable-gssapi --disable-curl --disable-zstd --disable-lz4-ext --enable-static \
			--disable-optimization --CFLAGS="-O2 -g" && make -s -j"$(nproc)" -C src librdkafka.a &&
			$CC -O2 -g "$root/eval/programs/kafkaproduce.c" -Isrc src/librdkafka.a -lz -lm -ldl -lrt -pthread -o produce' || return
	done
	compared librdkafka produce 'lock left out'
}

# A server and its clients of templates and regular expressions (C++).
try_httplib() {
	local w
	fetch libcpp-httplib-dev cpp-httplib || return
	for w in native recorded bug; do
		build cpp-httplib $w jobs '$CXX -std=c++17 -O1 -g "$root/eval/programs/httpjobs.cc" -I. -pthread -o jobs' || return
	done
	compared cpp-httplib jobs 'wait without a loop'
}

# A logger whose threads write what others hand to them (C++); its formatting is a library of its own.
try_spdlog() {
	local w
	fetch libspdlog-dev spdlog && fetch libfmt-dev fmtlib || return
	[ -e fmt ] || { mkdir fmt && tar xf fmtlib_*.orig.tar.* -C fmt --strip-components=1; }
	for w in native recorded bug; do
		build spdlog $w lines '$CXX -std=c++17 -O1 -g -DSPDLOG_FMT_EXTERNAL -DFMT_HEADER_ONLY -Iinclude -I../fmt/include \
			"$root/eval/programs/spdlines.cc" -pthread -o lines' || return
	done
	compared spdlog lines 'wait without a loop'
}

# Blocks packed by a pipeline of threads, by a library that is not recorded (the system's liblzma).
try_pixz() {
	local w
	needs automake liblzma-dev libarchive-dev && fetch pixz pixz || return
	for w in native recorded bug; do
		build pixz $w src/pixz './autogen.sh && ./configure -q --without-manpage && make -s -j"$(nproc)"' || return
	done
	head -c 400000 /dev/zero >pixz.in
	cost ./pixz-native/src/pixz ./pixz-recorded/src/pixz -0 -p3 -f 0.02 -i pixz.in -o pixz.out
	compared pixz src/pixz 'wait without a loop' -0 -p3 -f 0.02 -i pixz.in -o /dev/stdout
}

# Jobs of a pool of threads whose results come in the order of the jobs.
try_htslib() {
	local w
	fetch libhts-dev htslib || return
	for w in native recorded bug; do
		build htslib $w htspool 'touch config.h && $CC -O2 -g -I. "$root/eval/programs/htspool.c" thread_pool.c -pthread -o htspool' || return
	done
	compared htslib htspool 'result put into the list without its lock'
}

# Tasks and futures, which threads take from one another (C++, headers only).
try_threadpool() {
	local w
	fetch libthread-pool-dev libthread-pool || return
	for w in native recorded bug; do
		build libthread-pool $w squares '$CXX -std=c++17 -O1 -g -w -Iinclude "$root/eval/programs/stealsquares.cc" -pthread -o squares' || return
	done
	compared libthread-pool squares 'end told without the lock'
}

# A queue without locks, of one writer and one reader (C++, headers only).
try_rwqueue() {
	local w
	fetch libreaderwriterqueue-dev readerwriterqueue || return
	for w in native recorded bug; do
		build readerwriterqueue $w items '$CXX -std=c++17 -O1 -g -I. "$root/eval/programs/rwqueue.cc" -pthread -o items' || return
	done
	compared readerwriterqueue items 'item published before it was there'
}

# Blocks that threads pack and one writes in their order (C++); 12 MB of them. Its times and dates differ from run to run.
try_zpaq() {
	local w strip=0
	fetch zpaq zpaq || return
	for w in native recorded bug; do
		build zpaq $w zpaq '$CXX -O2 -g -w -Dunix -DDEBUG libzpaq.cpp zpaq.cpp -pthread -o zpaq' || return
	done
	[ -e random.in ] || head -c 12000000 /dev/urandom >random.in
	for w in native recorded; do
		rm -rf a.zpaq $w.d
		RETHREAD_OPTIONS=dir="$work/tmp" ./zpaq-$w/zpaq add a.zpaq random.in -method 1 -threads 4 >/dev/null 2>&1
		holds "$w: exit status 0" [ $? = 0 ]
		RETHREAD_OPTIONS=dir="$work/tmp" ./zpaq-$w/zpaq extract a.zpaq -to $w.d -threads 4 >/dev/null 2>&1
		holds "$w: unpacked again" cmp random.in $w.d/random.in
	done
	rm -f "$work"/tmp/log.*
	cost ./zpaq-native/zpaq ./zpaq-recorded/zpaq add '' random.in -method 1 -threads 4
	failing ./zpaq-bug/zpaq add '' random.in -method 00 -threads 4
	holds "block said to be packed too early reproduced" reproduced
}

# Thousands of short threads, and libraries that are not recorded.
try_lrzip() {
	local w
	needs automake libtool zlib1g-dev libbz2-dev liblzo2-dev liblz4-dev && fetch lrzip lrzip || return
	for w in native recorded; do
		build lrzip $w lrzip 'autoreconf -i && ./configure -q --disable-asm && make -s -j"$(nproc)"' || return
	done
	[ -e text.in ] || cat /usr/bin/* 2>/dev/null | head -c 20000000 >text.in
	./lrzip-native/lrzip -p 3 -w 1 -l -q -f -o a.out text.in >/dev/null 2>&1
	rethread record -- ./lrzip-recorded/lrzip -p 3 -w 1 -l -q -f -o b.out text.in >/dev/null 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same output" cmp a.out b.out
	rethread record -- ./lrzip-recorded/lrzip -d -p 3 -q -f -o c.out b.out >/dev/null 2>record.err
	holds "unpacked again" cmp text.in c.out
	cost ./lrzip-native/lrzip ./lrzip-recorded/lrzip -p 3 -w 1 -l -q -f -o c.out text.in
}

# A picture whose blocks a pool of threads decodes (CMake, a shared library).
try_openjpeg() {
	local w
	needs python3 && fetch libopenjp2-7-dev openjpeg2 || return
	for w in native recorded bug; do
		build openjpeg2 $w b/bin/opj_decompress 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O2 -g" .. &&
			make -s -j"$(nproc)" opj_decompress && { [ "$CC" = rethread-cc ] || make -s opj_compress; }' || return
	done
	python3 -c 'import sys; w, h = 128, 96
sys.stdout.buffer.write(b"P6\n%d %d\n255\n" % (w, h) + bytes(v & 255 for y in range(h) for x in range(w) for v in (x * y // 64, x + y, x ^ y)))' >picture.ppm
	./openjpeg2-native/b/bin/opj_compress -i picture.ppm -o picture.j2k -b 16,16 -n 3 >/dev/null 2>&1
	./openjpeg2-native/b/bin/opj_decompress -i picture.j2k -o a.ppm -threads 3 >/dev/null
	rethread record -- ./openjpeg2-recorded/b/bin/opj_decompress -i picture.j2k -o b.ppm -threads 3 >/dev/null 2>record.err
	holds "exit status 0" [ $? = 0 ]
	holds "same picture" cmp a.ppm b.ppm
	failing ./openjpeg2-bug/b/bin/opj_decompress -i picture.j2k -o b.ppm -threads 3
	holds "job taken outside of the lock reproduced" reproduced
}

# Queues and threads of GLib, whose locks are futexes of its own (Meson, a shared library of thin archives).
try_glib() {
	local w
	needs meson ninja-build libffi-dev libpcre2-dev && fetch libglib2.0-dev glib2.0 || return
	for w in native recorded bug; do
		build glib2.0 $w gqueue 'meson setup b -Dtests=false -Dselinux=disabled -Dlibmount=disabled -Dnls=disabled &&
			meson compile -C b glib-2.0 && $CC -O2 -g "$root/eval/programs/gqueue.c" -I. -Iglib -Ib/glib -Ib b/glib/libglib-2.0.so \
				-Wl,-rpath,"$PWD/b/glib" -pthread -o gqueue' || return
	done
	compared glib2.0 gqueue 'wait without a loop'
}

# Pictures with colours of their own, in as many files.
pictures() {
	python3 - "$@" <<'P'
import random, struct, sys
random.seed(1)
for name in sys.argv[1:]:
    colours = bytes(random.randrange(256) for _ in range(768))
    out, bits, n = bytearray(), 0, 0
    for p in range(100 * 100): # codes of nine bits; 256 begins anew before they would get longer
        for code in ([256] if p % 200 == 0 else []) + [(p % 100 * (p // 100) // 7 + random.randrange(9)) & 255] + ([257] if p == 9999 else []):
            bits, n = bits | code << n, n + 9
            while n >= 8:
                out.append(bits & 255)
                bits, n = bits >> 8, n - 8
    out.append(bits)
    with open(name, 'wb') as f:
        f.write(b'GIF89a' + struct.pack('<HHBBB', 100, 100, 0xF7, 0, 0) + colours + b',' + struct.pack('<HHHHB', 0, 0, 100, 100, 0) + b'\x08')
        for i in range(0, len(out), 255):
            f.write(bytes([len(out[i:i + 255])]) + out[i:i + 255])
        f.write(b'\0;')
P
}

# gifsicle: threads that each make a picture of an animation larger or smaller. The bug: one variable tells all of them what they sort.
try_gifsicle() {
	local w
	needs automake && fetch gifsicle gifsicle || return
	for w in native recorded bug; do
		build gifsicle $w src/gifsicle 'autoreconf -i && ./configure -q --disable-gifview CFLAGS="-O2 -g" && make -s -C src gifsicle' || return
	done
	pictures p1.gif p2.gif p3.gif p4.gif p5.gif p6.gif
	./gifsicle-native/src/gifsicle p?.gif >pictures.gif 2>/dev/null
	cost ./gifsicle-native/src/gifsicle ./gifsicle-recorded/src/gifsicle --resize 900x900 --resize-method=mix --threads=3 pictures.gif
	compared gifsicle src/gifsicle 'sorting without the lock' --resize 30x30 --resize-method=mix --threads=3 pictures.gif
}

# GNU sort. The bug: parts that can be merged are queued without the lock. Threads already sort few lines there.
try_sort() {
	local w
	fetch coreutils coreutils || return
	for w in native recorded bug; do
		build coreutils $w src/sort 'FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls CFLAGS="-O2 -g" &&
			printf "bs: \$(BUILT_SOURCES)\n" | make -s -f Makefile -f - bs && make -s src/sort' || return
	done
	seq 400000 | awk '{ print $1 * 7919 % 1000003 }' >sort.in
	head -n 300 sort.in >sort.few
	cost ./coreutils-native/src/sort ./coreutils-recorded/src/sort --parallel=2 -S 100M sort.in
	compared coreutils src/sort 'queue without the lock' --parallel=4 sort.few
}

# Workers that wait for notifications (C++, CMake, a shared library).
try_poco() {
	local w
	fetch libpoco-dev poco || return
	for w in native recorded bug; do
		build poco $w notes 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g" -DCMAKE_C_FLAGS="-O2 -g" -DENABLE_TESTS=OFF \
			$(for part in XML JSON UTIL NET NETSSL CRYPTO DATA DATA_SQLITE MONGODB REDIS ZIP PAGECOMPILER PAGECOMPILER_FILE2PAGE ACTIVERECORD ENCODINGS JWT ACTIVERECORD_COMPILER; do
				echo "-DENABLE_$part=OFF"; done) .. && make -s -j"$(nproc)" Foundation && cd .. &&
			$CXX -std=c++17 -O2 -g "$root/eval/programs/poconotes.cc" -IFoundation/include -Lb/lib -lPocoFoundation -pthread -Wl,-rpath,"$PWD/b/lib" -o notes' || return
	done
	compared poco notes 'queue without the lock'
}

# Sets that a thread in the background frees.
forget() {
	local many
	many=$(printf 'm%d ' $(seq 100))
	exec 3<>"/dev/tcp/127.0.0.1/$port"
	for _ in $(seq 100); do printf 'SADD s %s\r\nUNLINK s\r\n' "$many"; done >&3
	printf 'QUIT\r\n' >&3
	timeout 10 cat <&3 >answers
	exec 3<&- 3>&-
}

# A server whose threads free what was deleted and close files.
try_redis() {
	local w
	fetch redis redis || return
	for w in native recorded; do
		build redis $w src/redis-server 'make -s -j"$(nproc)" -C src MALLOC=libc CC="$CC" OPT="-O2" redis-server' || return
	done
	for w in native recorded; do
		next_port
		holds "$w: exit status 0" served $w forget ./redis-$w/src/redis-server --port $port --save '' --daemonize no
		mv answers answers.$w
	done
	holds "same answers" cmp answers.native answers.recorded
	next_port
	rethread record --fail-if true -- ./redis-recorded/src/redis-server --port $port --save '' --daemonize no >/dev/null 2>server.err &
	listens
	forget
	printf 'SHUTDOWN NOSAVE\r\n' >"/dev/tcp/127.0.0.1/$port"
	wait $!
	holds "whole run reproduced" reproduced
}

# Jobs of a pool of threads in objects with methods, all in C (libtool, one library without plugins).
try_strongswan() {
	local w
	fetch libstrongswan strongswan || return
	for w in native recorded bug; do
		build strongswan $w jobs './configure -q --disable-defaults --enable-monolithic --enable-static --disable-shared --disable-gmp CFLAGS="-O2 -g" &&
			make -s -j"$(nproc)" -C src/libstrongswan && $CC -O2 -g -include config.h -I. -Isrc/libstrongswan "$root/eval/programs/swanjobs.c" \
				src/libstrongswan/.libs/libstrongswan.a -pthread -ldl -lm -o jobs' || return
	done
	compared strongswan jobs 'job forgotten too late'
}

# Messages that a thread writes for others.
try_libqb() {
	local w
	fetch libqb-dev libqb || return
	for w in native recorded bug; do
		build libqb $w messages './configure -q --disable-shared --enable-static CFLAGS="-O2 -g" && make -s -j"$(nproc)" -C include && make -s -j"$(nproc)" -C lib &&
			$CC -O2 -g -Iinclude "$root/eval/programs/qblog.c" lib/.libs/libqb.a -pthread -ldl -lrt -o messages' || return
	done
	compared libqb messages 'list without the lock'
}

# Bitmaps of a file system that several threads read into one tree.
try_e2fsprogs() {
	local w
	fetch e2fsprogs e2fsprogs || return
	for w in native recorded bug; do
		build e2fsprogs $w misc/dumpe2fs './configure -q --disable-nls --disable-fuse2fs CFLAGS="-O2 -g" && make -s -j"$(nproc)" libs && make -s -C misc dumpe2fs &&
			{ [ "$CC" = rethread-cc ] || make -s -C misc mke2fs; }' || return
	done
	[ -e system.img ] || { truncate -s 64M system.img && ./e2fsprogs-native/misc/mke2fs -q -F -b 1024 -g 1024 -O ^flex_bg,^uninit_bg,^has_journal,^resize_inode,^metadata_csum \
		-t ext4 -U 00000000-0000-0000-0000-000000000001 system.img; }
	compared e2fsprogs misc/dumpe2fs 'tree without the lock' system.img
}

# A logger with a queue of one line, which its threads wait for by events (C++, CMake).
try_log4cplus() {
	local w
	fetch liblog4cplus-dev log4cplus || return
	for w in native recorded bug; do
		build log4cplus $w lines 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O1 -g -w" -DLOG4CPLUS_BUILD_TESTING=OFF \
			-DLOG4CPLUS_BUILD_LOGGINGSERVER=OFF -DWITH_UNIT_TESTS=OFF -DBUILD_SHARED_LIBS=OFF -DLOG4CPLUS_ENABLE_DECORATED_LIBRARY_NAME=OFF .. &&
			make -s -j"$(nproc)" log4cplus && cd .. && $CXX -std=c++17 -O1 -g -w "$root/eval/programs/log4lines.cc" -Iinclude -Ib/include \
				b/src/liblog4cplus.a -pthread -o lines' || return
	done
	compared log4cplus lines 'event reset outside of its lock'
}

# Handlers of events, which loops in a pool of threads run, and which go while events are on their way (C++, libtool).
try_filezilla() {
	local w
	needs nettle-dev libgnutls28-dev libgmp-dev && fetch libfilezilla-dev libfilezilla || return
	for w in native recorded bug; do
		build libfilezilla $w events './configure -q --disable-shared --enable-static --disable-nls CXXFLAGS="-O1 -g -w" && make -s -j"$(nproc)" -C lib &&
			$CXX -std=c++17 -O1 -g -w "$root/eval/programs/fzevents.cc" -Ilib lib/.libs/libfilezilla.a -lnettle -lhogweed -lgmp -lgnutls -pthread -o events' || return
	done
	compared libfilezilla events 'handler freed too early'
}

# Proteins, alike but for a tenth of their letters.
proteins() {
	python3 -c 'import random, sys
n, length = int(sys.argv[1]), int(sys.argv[2])
random.seed(5)
base = [random.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(length)]
for i in range(n):
    print(">s%d\n%s" % (i, "".join(random.choice(["", c + c, "A", "W"]) if random.random() < 0.2 else c for c in base)))' "$@"
}

# Sequences that threads align along a tree: each joint waits for those below it.
try_mafft() {
	local w arguments=(-q 0 -E 2 -V -1.53 -s 0.0 -W 6 -C 3-3 -b 62 -g 0 -f -1.53 -Q 100.0 -h 0 -F -X 0.1 -i)
	needs python3 && fetch mafft mafft || return
	for w in native recorded bug; do
		build mafft $w core/disttbfast 'make -s -j"$(nproc)" -C core CC="$CC" CFLAGS="-O2 -g -w" disttbfast' || return
	done
	proteins 60 400 >proteins.many
	proteins 14 60 >proteins.in
	cost ./mafft-native/core/disttbfast ./mafft-recorded/core/disttbfast "${arguments[@]}" proteins.many
	compared mafft core/disttbfast 'wait without a loop' "${arguments[@]}" proteins.in 2>/dev/null
}

# Jobs of a pool of threads, which come back through a pipe, and which can be cancelled (C++).
try_znc() {
	local w
	needs libssl-dev && fetch znc znc || return
	for w in native recorded bug; do
		build znc $w jobs './configure -q --disable-ipv6 --disable-zlib --disable-charset --disable-i18n && cp third_party/Csocket/Csocket.h include/znc/ &&
			$CXX -std=c++11 -O1 -g -w -ffunction-sections -DHAVE_PTHREAD -Iinclude "$root/eval/programs/zncjobs.cc" src/Threads.cpp src/ZNCDebug.cpp \
				src/ZNCString.cpp -pthread -Wl,--gc-sections -o jobs' || return
	done
	compared znc jobs 'state changed outside of the lock'
}

# An allocator without locks, of memory that it maps itself: blocks that one thread allocates and others give back.
try_mimalloc() {
	local w
	fetch libmimalloc-dev mimalloc || return
	for w in native recorded bug; do
		build mimalloc $w pass '$CC -O2 -g -DNDEBUG -Iinclude "$root/eval/programs/mipass.c" src/static.c -pthread -o pass' || return
	done
	compared mimalloc pass 'block that leads to what was first in the list before'
}

# Locks and conditions of futexes, in C++ of lambdas and owned pointers.
try_capnproto() {
	local w
	fetch libcapnp-dev capnproto || return
	for w in native recorded bug; do
		build capnproto $w once 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g" -DBUILD_TESTING=OFF .. && make -s -j"$(nproc)" kj && cd .. &&
			$CXX -std=c++17 -O2 -g -Isrc "$root/eval/programs/kjonce.cc" $(find b -name libkj.a) -pthread -o once' || return
	done
	compared capnproto once 'table said to be there before it is'
}

# A ray tracer: threads that each draw every third line, and meet at a barrier.
try_tachyon() {
	local w arguments=(tachyon-native/scenes/lattice.dat -res 32 24 -numthreads 3 -format PPM -o /dev/null)
	fetch tachyon tachyon || return
	for w in native recorded bug; do
		build tachyon $w tachyon '$CC -O2 -g -w -DLinux -DTHR -D_REENTRANT -Isrc -Idemosrc $(ls src/*.c | grep -v parvol) demosrc/main.c demosrc/getargs.c \
			demosrc/parse.c demosrc/nffparse.c demosrc/ac3dparse.c demosrc/mgfparse.c -lm -pthread -o tachyon' || return
	done
	for w in native recorded; do
		RETHREAD_OPTIONS=dir="$work/tmp" ./tachyon-$w/tachyon "${arguments[@]::8}" -o $w.ppm >/dev/null 2>&1
		holds "$w: exit status 0" [ $? = 0 ]
	done
	rm -f "$work"/tmp/log.*
	holds "same picture" cmp native.ppm recorded.ppm
	cost ./tachyon-native/tachyon ./tachyon-recorded/tachyon tachyon-native/scenes/lattice.dat -res 256 192 -numthreads 2 -o /dev/null
	failing ./tachyon-bug/tachyon "${arguments[@]}"
	holds "threads counted outside of the lock reproduced" reproduced
}

# Pictures that move.
film() {
	python3 - "$1" "$2" "$3" <<'P'
import sys
w, h, n = map(int, sys.argv[1:])
for t in range(n):
    sys.stdout.buffer.write(bytes(x * y // 40 + t * 9 + (x ^ y) & 255 for y in range(h) for x in range(w)))
    for p in range(2):
        sys.stdout.buffer.write(bytes(x * 3 + y * 2 + t * 5 + p * 40 & 255 for y in range(h // 2) for x in range(w // 2)))
P
}

# A film that a pool of threads packs, each a picture that others look at (30 million instructions for three of them).
try_x264() {
	local w arguments=(--threads 3 --no-progress --quiet --fps 25)
	needs python3 && fetch x264 x264 || return
	for w in native recorded bug; do
		build x264 $w x264 './configure --disable-asm --disable-lavf --disable-ffms --disable-gpac --disable-lsmash --disable-swscale --disable-avs --disable-opencl \
			--bit-depth=8 --extra-cflags=-g && make -s -j"$(nproc)" x264' || return
	done
	film 320 240 12 >film.yuv
	film 96 80 3 >short.yuv
	for w in native recorded; do
		RETHREAD_OPTIONS=dir="$work/tmp" ./x264-$w/x264 "${arguments[@]}" --input-res 320x240 film.yuv -o $w.264 >/dev/null 2>&1
		holds "$w: exit status 0" [ $? = 0 ]
	done
	rm -f "$work"/tmp/log.*
	holds "same output" cmp native.264 recorded.264
	cost ./x264-native/x264 ./x264-recorded/x264 "${arguments[@]}" --input-res 320x240 film.yuv -o film.264
	failing ./x264-bug/x264 "${arguments[@]}" --preset ultrafast --input-res 96x80 short.yuv -o film.264
	holds "job queued before it was filled in reproduced" reproduced
}

# Blocks packed by threads that share buffers from a pool, with locks that are counters one waits for; zlib is not recorded.
try_pigz() {
	local w
	needs zlib1g-dev && fetch pigz pigz || return
	for w in native recorded bug; do
		build pigz $w pigz 'make -s -j"$(nproc)" CC="$CC" CFLAGS="-O2 -g -w" pigz' || return
	done
	[ -e text.in ] || cat /usr/bin/* 2>/dev/null | head -c 20000000 >text.in
	head -c 600000 text.in >pigz.in
	cost ./pigz-native/pigz ./pigz-recorded/pigz -p2 -c text.in
	compared pigz pigz 'count read outside of its lock' -p3 -b 128 -1 -c pigz.in
}

# Packets that go from one thread through many to another, in their order (C++); its library is not recorded. The bug is a hang.
try_plzip() {
	local w
	needs liblz-dev && fetch plzip plzip || return
	for w in native recorded bug; do
		build plzip $w plzip './configure CXX="$CXX" CXXFLAGS="-O2 -g" && make -s -j"$(nproc)"' || return
	done
	[ -e text.in ] || cat /usr/bin/* 2>/dev/null | head -c 20000000 >text.in
	head -c 600000 text.in >plzip.in
	cost ./plzip-native/plzip ./plzip-recorded/plzip -n2 -0 -c text.in
	compared plzip plzip 'end told to one of those who wait' -n3 -0 -B 64Ki -c plzip.in
}

# A queue without locks, of many writers and many readers (C++, headers only).
try_concurrentqueue() {
	local w
	fetch libconcurrentqueue-dev concurrentqueue || return
	for w in native recorded bug; do
		build concurrentqueue $w items '$CXX -std=c++17 -O1 -g -I. "$root/eval/programs/ccqueue.cc" -pthread -o items' || return
	done
	compared concurrentqueue items 'item taken that is not there'
}

# A table whose buckets have locks of atomic numbers, which readers and writers share (C++, CMake, a shared library that loads others).
try_onetbb() {
	local w
	fetch libtbb-dev onetbb || return
	for w in native recorded bug; do
		build onetbb $w words 'mkdir b && cd b && cmake -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="-O2 -g" -DTBB_TEST=OFF -DTBB_STRICT=OFF .. &&
			make -s -j"$(nproc)" tbb && cd .. && lib=$(dirname "$PWD"/b/*/libtbb.so) &&
			$CXX -std=c++17 -O2 -g -Iinclude "$root/eval/programs/tbbmap.cc" -L"$lib" -ltbb -Wl,-rpath,"$lib" -pthread -o words' || return
	done
	compared onetbb words 'word inserted without looking again'
}

for program in "${programs[@]}"; do
	echo "== $program"
	declare -F "try_$program" >/dev/null || { echo "eval/real.sh: no program $program" >&2; exit 2; }
	"try_$program" || bad+=("$program: not tried")
done
[ ${#bad[@]} = 0 ] && echo "everything held" && exit
printf 'did not hold: %s\n' "${bad[@]}"
exit 1
