# Text that changes, or whose memory is somebody else's by now, while strlen, strcmp, strcpy, strtol and atoi read it.
cat >hosts.c <<'P'
/* The name of a host is replaced by another one, and the old one freed, while somebody still looks at it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile host;
static char title[32] = "none";
static int stop;

static void *rename_it(void *unused)
{
	static const char *const titles[] = { "one", "twenty-two", "three hundred" };
	for (int i = 0; i < 25; i++) {
		char text[40], *old = host;
		snprintf(text, sizeof text, i % 3 ? "host-%d.example" : "h%d", i % 7);
		strcpy(title, titles[i % 3]);
		host = strdup(text);
		usleep(30);
		free(old);
		if (i % 4 == 2)
			usleep(30);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	return unused;
}

static void *look(void *unused)
{
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		char copy[40];
		const char *name = host;
		usleep(35);
		size_t n = strlen(name);
		strcpy(copy, title);
		if (!strcmp(copy, "one"))
			continue;
		if ((strncmp(name, "host-", 5) || n != 14 || strcmp(name + 6, ".example")) && *name != 'h')
			abort(); /* bug: the text is not a name any more */
	}
	return unused;
}

int main(void)
{
	pthread_t t, u;
	host = strdup("host-0.example");
	pthread_create(&t, NULL, rename_it, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
P
ENGINE=solve proven hosts.c

cat >levels.c <<'P'
/* A number is kept as text and as a number; who reads both may find one of them changed already. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[8] = "7";
static long number = 7;

static void *set(void *unused)
{
	static const struct { char text[8]; long number; } levels[] = {
		{ "1001", 1001 }, { "-305", -305 }, { "+12 x", 12 }, { "x", 0 }, { "42", 42 }, { "7", 7 },
	};
	for (int i = 0; i < 12; i++) {
		memcpy(text, levels[i % 6].text, sizeof text);
		usleep(10);
		number = levels[i % 6].number;
		usleep(20);
	}
	return unused;
}

static void *look(void *unused)
{
	for (int i = 0; i < 30; i++) {
		char *end;
		long n = strtol(text, &end, 10);
		if (n < 0)
			usleep(1);
		else if (n > 40)
			usleep(3);
		if (end == text + 4 || n == 42)
			usleep(2);
		if (atoi(text) == n && n == 42 && number == 0)
			abort(); /* bug: the text is new, the number old */
		usleep(25);
	}
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, set, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
P
HARD=2 BUDGET=25 ENGINE=solve proven levels.c

# How long a text may have been ends with its block: nobody has read what lies behind, and what the length decides is a condition (else one recording of ten was not reproduced).
cat >freed.c <<'P'
/* A text is given back between two looks at it: how long it was says nothing of what lies behind its block. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *volatile host;

static void *look(void *unused)
{
	const char *name = host;
	size_t n = strlen(name);
	usleep(100000);
	if ((strncmp(name, "host-", 5) || n != 14) && *name != 'h')
		abort(); /* bug: it is not there any more */
	return unused;
}

int main(void)
{
	pthread_t t;
	host = strdup("host-0.example");
	pthread_create(&t, NULL, look, NULL);
	usleep(50000);
	free(host);
	host = NULL;
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread freed.c -o freed
status 134 rethread record -q --until-failure --runs 20 ./freed 2>err
rethread reproduce --engine solve --budget 25 >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread explain >out
has out 'In short: thread 1:1 read '
! grep 'behind the end' out || fail "it read its block only"
