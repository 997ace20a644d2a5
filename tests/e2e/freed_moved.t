# A table is moved by realloc while others look something up in it without the lock: they read what the allocator left in the old one.
cat >intern.c <<'C'
/* Names are interned in a table that grows; whoever looks one up does so without the lock, since the table "only grows". */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct table { char **names; size_t n, cap; pthread_mutex_t lock; };
static struct table table = { .lock = PTHREAD_MUTEX_INITIALIZER };
static long find(const char *name)
{
	for (size_t i = 0; i < table.n; i++)
		if (!strcmp(table.names[i], name))
			return (long)i;
	return -1;
}
static long intern(const char *name)
{
	long at = find(name);
	if (at >= 0)
		return at;
	pthread_mutex_lock(&table.lock);
	at = find(name);
	if (at < 0) {
		if (table.n == table.cap) {
			table.cap = table.cap ? table.cap * 2 : 4;
			table.names = realloc(table.names, table.cap * sizeof *table.names);
		}
		table.names[table.n] = strdup(name);
		at = (long)table.n++;
	}
	pthread_mutex_unlock(&table.lock);
	return at;
}
static void *client(void *arg)
{
	long sum = 0;
	for (int i = 0; i < 80; i++) {
		char name[24];
		snprintf(name, sizeof name, "item-%d", (i * 7 + (int)(long)arg * 13) % 90);
		sum += intern(name);
	}
	return (void *)sum;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, client, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%zu names\n", table.n);
	return 0;
}
C
for i in 1 2 3; do
	HARD=1 ENGINE=solve proven intern.c
	tr -s ' \n' ' ' <out >line
	has line 'In short: thread 1:[123] read .*\(intern.c:11\) after thread 1:[123] had freed it \(intern.c:25\)\.'
done
