# A thread fails as it ends, since another one wrote to a block that it had given back: the allocator then looks at all blocks that it kept, which is no use of them.
cat >kept.c <<'C'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct session {
	long number, times;
	char *text;
	char name[40];
};
static struct session *shared;
static void *ends(void *arg)
{
	struct session *s = malloc(sizeof *s);
	s->number = 7;
	s->text = malloc(120);
	strcpy(s->name, "client");
	shared = s;
	usleep(20000);
	free(s->text);
	free(s);
	usleep(20000);
	return arg;
}
static void *writes(void *arg)
{
	usleep(10000);
	struct session *s = shared;
	char *text = s->text;
	usleep(20000);
	memset(text, 'x', 100);
	if (s->times)
		usleep(1);
	usleep(50000);
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, ends, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
C
rethread cc -O1 -g -pthread kept.c -o kept
status 134 rethread record ./kept 2>err
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread explain >out
tr '\n' ' ' <out >flat
has flat "In short: thread 1:2 (read|wrote) [^(]*\(kept.c:(30|31)\) after thread 1:1 had freed +it \(kept.c:19\)"
! grep -q 'itself' out || fail "the allocator used nothing: $(cat out)"
