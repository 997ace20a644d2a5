# Two threads make texts in one static buffer, by functions of the C library, which a trail knows little of. That the one that fails found what it was given when it was created is no
# reason, and not said.
cat >shows.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct metric { const char *name, *unit; long value; };
struct watch { struct metric *m; const char *want; };
static const char *show(const struct metric *m)
{
	static char buf[64];
	memset(buf, 0, sizeof buf);
	strcat(buf, m->name);
	strcat(buf, "=");
	snprintf(buf + strlen(buf), sizeof buf - strlen(buf), "%ld%s", m->value, m->unit);
	return buf;
}
static void *watches(void *p)
{
	struct watch *w = p;
	for (int i = 0; i < 40; i++) {
		char *copy = strdup(show(w->m));
		if (strncmp(copy, w->want, strlen(w->want)))
			exit(5);
		free(copy);
	}
	return NULL;
}
int main(void)
{
	struct metric requests = {"requests", "", 512}, bytes = {"bytes", "B", 99};
	struct watch w[2] = {{&requests, "requests="}, {&bytes, "bytes="}};
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, watches, &w[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread shows.c -o shows
status 5 rethread record -q --until-failure --runs 500 ./shows 2>err
rethread reproduce --engine search --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
! grep -q 'which thread 1 had written' short || fail "$(cat short)"
