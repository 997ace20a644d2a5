# What a call of a library reads of memory that races is a guess, of several words. Where it was wrong, it is so as a whole: an order in which another
# thread comes between two of those words would explain the log as well, but cannot be replayed. Judged by output.
cat >clock.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
static void *format(void *arg)
{
	time_t t = *(time_t *)arg;
	char want[64], got[64];
	struct tm own;
	strftime(want, sizeof want, "%Y-%m-%d %H:%M", gmtime_r(&t, &own));
	for (int i = 0; i < 300; i++) {
		strftime(got, sizeof got, "%Y-%m-%d %H:%M", gmtime(&t));
		if (strcmp(got, want)) {
			printf("WRONG %s instead of %s\n", got, want);
			break;
		}
	}
	return NULL;
}
int main(void)
{
	time_t a = 1000000000, b = 1700000000;
	pthread_t x, y;
	pthread_create(&x, NULL, format, &a);
	pthread_create(&y, NULL, format, &b);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread clock.c -o clock
# The few that were really disturbed within a call are none of this test's.
for i in 1 2 3 4; do
	rethread record --until-failure --runs 2000 --fail-if "awk '/WRONG/ { n++; whole += /WRONG (2001-09-09 01:46|2023-11-14 22:13) / } END { exit !n || whole < n }'" -- ./clock >recorded 2>err || true
	if ! grep -q '^rethread: trace: ' err; then
		echo "NOTE: its failure did not come here, so nothing was reproduced"
		break
	fi
	rethread reproduce --engine solve --budget 15 >out 2>&1 || fail "not reproduced: $(cat out recorded)"
	rethread replay -n 10 >out 2>&1 || fail "not replayed: $(cat out recorded)"
done
