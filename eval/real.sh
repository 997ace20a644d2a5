#!/bin/bash
# Real programs: fetches the Debian sources of pbzip2 and memcached with a private list of package sources (the system's
# is not changed), builds them with rethread and with plain clang, runs a workload, and checks that recording changes
# neither output nor exit status; prints the cost as a ratio, measured alternately, least of several runs.
# Needs libbz2-dev and libevent-dev. Files go to build/real. Not part of `make check`.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
export PATH=$root/build:$PATH
work=$root/build/real
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
cd "$work"
for p in libbz2-dev libevent-dev; do
	dpkg-query -W "$p" >/dev/null 2>&1 || { echo "eval/real.sh: needs the package $p: apt-get install $p" >&2; exit 2; }
done
# The mirror that the system itself uses.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | head -n 1)
echo "deb-src ${mirror:-http://deb.debian.org/debian} $(. /etc/os-release; echo "$VERSION_CODENAME") main" >sources.list
apt="apt-get -q -o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$work/lists -o Dir::Cache=$work/cache"
ls pbzip2_*.orig.tar.* memcached_*.orig.tar.* >/dev/null 2>&1 ||
	{ $apt update && $apt source --download-only pbzip2 memcached; } >apt.log 2>&1 || { cat apt.log; exit 1; }
export XDG_DATA_HOME=$work/data

# milliseconds COMMAND...
milliseconds() {
	local t
	t=$(date +%s%N)
	"$@" >/dev/null 2>&1
	echo $((($(date +%s%N) - t) / 1000000))
}
least() { sort -n | head -n 1; }

echo "== pbzip2"
for way in native recorded; do
	rm -rf $way && mkdir $way && tar xf pbzip2_*.orig.tar.* -C $way --strip-components=1
	cxx=clang++-19
	[ $way = recorded ] && cxx=rethread-c++
	# clang is stricter than the code about literals; that has nothing to do with rethread.
	make -s -C $way CXX="$cxx -w -Wno-reserved-user-defined-literal" pbzip2 >$way.log 2>&1 || { tail $way.log; exit 1; }
done
head -c 8000000 /dev/urandom >data.in
./native/pbzip2 -k -p3 -c data.in >a.bz2
rethread record -- ./recorded/pbzip2 -k -p3 -c data.in >b.bz2 2>record.log
cmp a.bz2 b.bz2 && echo "output is the same"
for _ in 1 2 3 4 5; do
	milliseconds ./native/pbzip2 -k -p3 -c data.in >>native.ms
	milliseconds rethread record -- ./recorded/pbzip2 -k -p3 -c data.in >>recorded.ms
done
echo "time: $(least <recorded.ms) ms recorded, $(least <native.ms) ms native: $(awk -v a="$(least <recorded.ms)" -v b="$(least <native.ms)" 'BEGIN { printf "%.2fx", a / b }')"
rm -f native.ms recorded.ms

echo "== memcached"
for way in native recorded; do
	[ -x mc-$way/memcached ] && continue
	rm -rf mc-$way && mkdir mc-$way && tar xf memcached_*.orig.tar.* -C mc-$way --strip-components=1
	cc=clang-19
	[ $way = recorded ] && cc=rethread-cc
	(cd mc-$way && CC="$cc" ./configure -q && make -s -j"$(nproc)" memcached) >mc-$way.log 2>&1 || { tail mc-$way.log; exit 1; }
done

# talk PORT: sets and gets over one connection, bounded; prints what came back.
talk() {
	exec 3<>"/dev/tcp/127.0.0.1/$1"
	local i line
	for i in $(seq 300); do
		printf 'set k%d 0 0 5\r\nv%04d\r\nget k%d\r\n' $((i % 40)) "$i" $((i % 40)) >&3
		for _ in 1 2 3 4; do IFS= read -r -t 5 line <&3 && echo "$line"; done
	done
	printf 'quit\r\n' >&3
	exec 3<&- 3>&-
}
port=21300
for way in native recorded; do
	run=(./mc-$way/memcached -u "$(id -un)" -p $port -U 0 -t 3 -l 127.0.0.1)
	[ $way = recorded ] && run=(rethread record -- "${run[@]}")
	"${run[@]}" >/dev/null 2>mc.err &
	server=$!
	for _ in $(seq 50); do (: <>/dev/tcp/127.0.0.1/$port) 2>/dev/null && break; sleep 0.1; done
	talk $port >talk.$way
	kill -TERM $server
	wait $server && echo "$way: exit status 0" || echo "$way: exit status $?"
	port=$((port + 1))
done
cmp talk.native talk.recorded && echo "answers are the same ($(wc -l <talk.native) lines)"
