# Functions of the C library that share a state between threads (strtok, localtime, setenv) or ask the program what comes
# next (qsort) are the program's own code, so what goes wrong in them is inferred. First: they do as the library does.
cat >sound.c <<'P2'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static unsigned calls, trail;
struct wide { int key; char rest[44]; };

static int by_key(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	calls++;
	trail = trail * 31 + (unsigned)(x * 7 + y);
	return (x > y) - (x < y);
}
static int by_byte(const void *a, const void *b, void *times)
{
	++*(int *)times;
	return *(const unsigned char *)a - *(const unsigned char *)b;
}
static void sorts(unsigned n)
{
	int v[n];
	long w[n];
	struct wide s[n];
	unsigned char c[n];
	int times = 0;
	for (unsigned i = 0; i < n; i++) {
		v[i] = rand() % 50;
		w[i] = v[i] | (long)i << 32;
		s[i].key = v[i];
		snprintf(s[i].rest, sizeof s[i].rest, "%u", i);
		c[i] = (unsigned char)v[i];
	}
	qsort(v, n, sizeof *v, by_key);
	qsort(w, n, sizeof *w, by_key);
	qsort(s, n, sizeof *s, by_key);
	qsort_r(c, n, 1, by_byte, &times);
	for (unsigned i = 0; i < n; i++)
		printf("%d %ld %s %d ", v[i], w[i] >> 32, s[i].rest, c[i]);
	for (int k = -1; k < 51; k += 13) {
		int *found = bsearch(&k, v, n, sizeof *v, by_key);
		printf("%ld ", found ? (long)(found - v) : -1);
	}
	printf("\n%u calls %u, %d\n", calls, trail, times);
}
static void show(const char *name)
{
	char *v = getenv(name);
	printf("%s=%s\n", name, v ? v : "(none)");
}
static void environment(void)
{
	static char own[] = "OWN=1";
	int a = setenv("A", "1", 0), b = setenv("A", "2", 0), c = setenv("A", "3", 1), d = setenv("X=", "1", 1), e = errno;
	printf("%d %d %d %d %d\n", a, b, c, d, e == EINVAL);
	show("A");
	putenv(own);
	show("OWN");
	own[4] = '2';
	show("OWN");
	for (int i = 0; i < 100; i++) {
		char name[8], value[8];
		snprintf(name, sizeof name, "N%d", i % 40);
		snprintf(value, sizeof value, "%d", i);
		setenv(name, value, 1);
	}
	show("N7");
	show("N39");
	unsetenv("N7");
	putenv("OWN");
	show("N7");
	show("OWN");
	show("N8");
	show("HOMELY");
	FILE *p = popen("echo $N8 $A", "r");
	char line[40] = "";
	printf("%s", fgets(line, sizeof line, p));
	pclose(p);
	clearenv();
	show("A");
	setenv("A", "again", 1);
	show("A");
	printf("%d\n", environ[0] && !environ[1]);
}
int main(void)
{
	char text[] = ",,one,two,;three;", none[] = ",,";
	time_t t = 86400 * 365, u = 0;
	for (unsigned n = 0; n < 400; n = n * 3 + 1)
		sorts(n);
	for (char *w = strtok(text, ",;"); w; w = strtok(NULL, ",;"))
		puts(w);
	printf("%d %d\n", strtok(none, ",") == NULL, strtok(NULL, ",") == NULL);
	setenv("TZ", "UTC0", 1);
	struct tm *a = gmtime(&t), *b = localtime(&u);
	printf("%d %s%s", a == b, asctime(a), ctime(&t));
	setenv("TZ", "EST5", 1);
	printf("%d %s", localtime(&u)->tm_hour, ctime(&t));
	environment();
}
P2
clang-19 -O1 -o plain sound.c
rethread cc -O1 -g -o sound sound.c
rethread cc -O0 -g -o sound0 sound.c
./plain >expected
same "$(./sound)" "$(cat expected)"
same "$(./sound0)" "$(cat expected)"
rethread record -- ./sound >out 2>err || fail "$(cat err)"
same "$(cat out)" "$(cat expected)"

# Then: threads that get what another one left there.
cat >states.c <<'P2'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile int descending;
static int what;

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b, r = (x > y) - (x < y);
	return descending ? -r : r;
}
static int sorted(int me)
{
	int v[6] = {3, 1, 5, 2, 6, 4};
	descending = me;
	sched_yield();
	qsort(v, 6, sizeof *v, compare);
	return v[0] == (me ? 6 : 1) && v[5] == (me ? 1 : 6);
}
static int tokens(int me)
{
	char text[2][16] = {"a b c d", "u v w x"};
	int n = 0;
	for (char *w = strtok(text[me], " "); w; w = strtok(NULL, " "), n++)
		sched_yield();
	return n == 4;
}
static int year(int me)
{
	time_t t = me ? 86400 * 400 : 0;
	struct tm *tm = gmtime(&t);
	sched_yield();
	return tm->tm_year == 70 + me;
}
static int variable(int me)
{
	setenv("WHO", me ? "second" : "first", 1);
	sched_yield();
	return !strcmp(getenv("WHO"), me ? "second" : "first");
}
static void *work(void *arg)
{
	static int (*const all[])(int) = {sorted, tokens, year, variable};
	int me = (int)(long)arg;
	for (int i = 0; i < 20; i++)
		if (!all[what](me))
			abort();
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	what = argc > 1 ? atoi(argv[1]) : 0;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P2
rethread cc -O2 -g -pthread -o states states.c
for what in 0 1 2 3; do
	rethread record --until-failure --runs 3000 --timeout 10 -- ./states $what >out 2>&1 && fail "$what: $(tail -1 out)"
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$what: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$what: $(cat out)"
	has out 'reproduced 10/10'
	rethread explain >out
	has out 'states.c:[0-9]+'
	! grep -E 'rethread-runtime|(tokens|sort|times|environment)\.c:' out || fail "$what: lines that are not the program's"
done
