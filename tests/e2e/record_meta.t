# Arguments and variables of any bytes survive; with --no-env secrets stay out; all is for the user alone.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static int n;
static void *work(void *x) { n += *(int *)x; return x; }
int main(int argc, char **v) {
	pthread_t t;
	const char *e = getenv("ODD");
	int k = argc == 2 && !strcmp(v[1], "a\xff\x80z") ? 1 : 2;
	k += e && strcmp(e, "\xc0 b") ? 4 : 0;
	pthread_create(&t, 0, work, &k);
	pthread_join(t, 0);
	assert(n != 1);
	return 0;
}
P
rethread cc -O1 -g -pthread p.c -o p
export ODD=$'\xc0 b' API_TOKEN=topsecret
status 134 rethread record ./p $'a\xff\x80z' 2>err
! grep -q 'UTF-8' err || fail "$(cat err)"
rethread reproduce >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 3 >out
has out '^reproduced 3/3$'
has "$(latest)/meta.json" topsecret
same "$(find "$(latest)/" -type f ! -name twin ! -name program -perm /077)" ""
unset ODD
status 134 rethread record --no-env ./p $'a\xff\x80z' 2>err
! grep -rq topsecret "$(latest)/" || fail "a secret in the trace"
has "$(latest)/meta.json" '"PATH=' '"hex": "61ff807a"'
rethread replay 2>err && fail "there is no schedule yet"
rethread reproduce >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
