# ls, info, dump, rm.
cat >p.c <<'E'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *x) {
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return x;
}
static void fatal(void) { abort(); }
int main(int argc, char **v) {
	(void)v;
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	if (argc > 1) fatal();
	return n != 6;
}
E
rethread cc -O1 -g p.c -o p
rethread record ./p 2>/dev/null
rethread info >out
has out 'program .*/p$' 'scheme +path\+sync' 'threads +3' 'failure +no failure'
status 134 rethread record ./p x 2>/dev/null
rethread dump >out
has out 'SIGABRT' 'in thread 1$' 'fatal at .*p.c:13' 'thread 1:1:' 'thread 1:2:' 'create thread 1:1' 'join thread 1:2' 'acquire object'
rethread dump --json >json
python3 - <<'E' || fail "JSON"
import json
d = json.load(open("json"))
assert [t["name"] for t in d["threads"]] == ["1", "1:1", "1:2"], d["threads"]
assert all(len(t["path"]) == t["branches"] for t in d["threads"])
assert d["failure"]["kind"] == "signal" and d["failure"]["signal"] == 6
E
same "$(rethread ls | wc -l)" 2
rethread ls >out
has out 'SIGABRT' 'no failure'
first=$(rethread ls | awk 'NR == 2 { print $1 }')
rethread info "$first" >out
has out 'no failure'
rethread rm latest
same "$(rethread ls | wc -l)" 1
same "$(basename "$(latest)")" "$first"
rethread rm --all
same "$(rethread ls)" ""
status 4 rethread rm "$PWD" 2>err
has err 'is no trace'
# What only has names like a trace's is none; in the folder of traces everything is one.
mkdir -p mine "$XDG_DATA_HOME/rethread/traces/left"
touch mine/log.txt mine/meta.json mine/thesis.tex "$XDG_DATA_HOME/rethread/traces/left/reserved"
status 4 rethread rm mine 2>err
has err 'is no trace'
[ -e mine/thesis.tex ] || fail "a folder that is no trace was removed"
rethread rm --all
same "$(ls "$XDG_DATA_HOME/rethread/traces")" ""
