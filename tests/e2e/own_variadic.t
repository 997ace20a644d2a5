# What is passed in ... to a function of the program that prints it stays the thread's own; what such a function keeps does not.
cat >va.c <<'P2'
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char last[100];
__attribute__((noinline)) static void vlog(const char *fmt, va_list ap)
{
	char line[100];
	vsnprintf(line, sizeof line, fmt, ap);
	pthread_mutex_lock(&m);
	strcpy(last, line);
	pthread_mutex_unlock(&m);
}
__attribute__((noinline)) static void logit(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vlog(fmt, ap);
	va_end(ap);
}
static char *kept[10];
__attribute__((noinline)) static void keep(int n, ...)
{
	va_list ap;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		kept[i] = va_arg(ap, char *);
	va_end(ap);
}
static void *work(void *arg)
{
	char *name = malloc(40), *other = malloc(40);
	long sum = 0;
	for (int i = 0; i < 20; i++) {
		memset(name, 'a' + i, 30);
		name[30 - i] = 0;
		logit("%d %s", i, name);
		for (char *p = name; *p; p++)
			sum += *p == 'c';
		strcpy(other, "x");
		for (char *p = other; *p; p++)
			sum += *p == 'c';
	}
	if (arg)
		keep(2, other, NULL);
	return (void *)sum;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work("");
	pthread_join(t, NULL);
	puts(last);
	return kept[0] == NULL;
}
P2
for opt in -O0 -O1 -O2; do
	rethread cc $opt -g -pthread va.c -o va
	rethread analyze va >out
	# Of the two blocks one is kept where others find it.
	same "$(grep -c '^  heap .*malloc .*in work' out)" 1
	rethread record -q -o trace$opt ./va >said
	has said '^19 tttt*$'
	rethread dump trace$opt >/dev/null || fail "$opt: not decoded"
done
