# A text that was given back while another thread looked at it: the executor reads it as far as any text there may have gone, but what lies behind its end was not read.
cat >label.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *label;
static void *renames(void *p)
{
	for (int i = 0; i < 200; i++) {
		char text[32];
		snprintf(text, sizeof text, "number of it %d", i * 7 % 23);
		pthread_mutex_lock(&lock);
		memset(label, '#', strlen(label));
		free(label);
		label = strdup(text);
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return p;
}
static void *reads(void *p)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		char *text = label; /* bug: it is looked at when the lock has been given up */
		pthread_mutex_unlock(&lock);
		if (i % 4 == 3)
			sched_yield();
		char want[32];
		snprintf(want, sizeof want, "number of it %d", atoi(text + 13));
		assert(strcmp(text, want) == 0);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	label = strdup("number of it 0");
	pthread_create(&t[0], NULL, reads, NULL);
	pthread_create(&t[1], NULL, renames, NULL);
	pthread_create(&t[2], NULL, renames, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread label.c -o label
status 134 rethread record -q --until-failure --runs 5000 ./label 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:1 read '
if grep -E 'behind the end|after it had freed that itself' text; then fail "$(cat out)"; fi
