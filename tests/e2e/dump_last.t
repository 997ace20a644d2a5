# A long log is shown from its end on: --last N. On a terminal dump says beforehand that much follows, into a pipe it does not.
cat >p.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int x, y;
static void *work(void *v) {
	for (int i = 0; i < 6000; i++) {
		pthread_mutex_lock(&m);
		if ((rand() + y) % 3)
			y = y + 1;
		x = x + 1;
		pthread_mutex_unlock(&m);
	}
	return v;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return x != 12000;
}
C
rethread cc -O1 -g -pthread p.c -o p
rethread record -q ./p
rethread dump --no-lines >all 2>err
[ ! -s err ] || fail "$(cat err)"
rethread dump --no-lines --last 5 >few
has few '^  \(5995 earlier inputs left out\)$' '^thread 1:1: ' '^  sync [0-9]+ +join thread 1:1$'
[ "$(grep -c '^  input ' few)" = 10 ] || fail "$(cat few)"
! grep -q '^  path 0 ' few || fail "the begin of the path"
# What is left is the end of what there is.
for kind in input sync; do
	sed -n '/^thread 1:1: /,$p' all | grep "^  $kind" | tail -n 3 >a
	sed -n '/^thread 1:1: /,$p' few | grep "^  $kind" | tail -n 3 >b
	cmp a b
done
rethread dump --no-lines --thread 1:1 --json >a
rethread dump --no-lines --thread 1:1 --last 7 --json >b
python3 -c 'if 1:
	import json
	[a], [b] = (json.load(open(f))["threads"] for f in "ab")
	assert len(b["path"]) == 7 and a["path"].endswith(b["path"]) and b["left_out"]["path"] == len(a["path"]) - 7
	assert b["inputs"] == a["inputs"][-7:] and b["left_out"]["inputs"] == 6000 - 7' || fail "--json"
if command -v script >/dev/null; then
	script -qec 'rethread dump --no-lines' /dev/null </dev/null >much
	head -n 1 much >out
	has out '^rethread: warning: about [0-9]+ lines follow; --last N '
	script -qec 'rethread dump --no-lines --last 5' /dev/null </dev/null >out
	! grep -q 'lines follow' out || fail "a hint without need"
fi
status 2 rethread dump --last x 2>err
