# Functions that no table has are named once, when the run is over; known ones are not.
cat >p.c <<'P'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
int strange(int), odd(void);
static void *work(void *x) { return x; }
int main(int argc, char **v) {
	pthread_mutex_t m;
	pthread_t t;
	struct utsname u;
	char where[4096];
	pthread_mutex_init(&m, 0);
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	printf("%f %s %d %d\n", sin(argc), strerror(argc), uname(&u), chdir("."));
	return strange(argc) - 2 + odd() + !v[0] + !getcwd(where, sizeof where) + !getwd(where);
}
P
cat >q.c <<'P'
int strange(int x) { return x + 1; }
int odd(void) { return 0; }
P
clang-19 -c q.c -o q.o
rethread cc -O1 -g -pthread p.c q.o -lm -o p
rethread record ./p >/dev/null 2>err
same "$(grep -c 'is not recorded: ' err)" 1
has err 'is not recorded: strange, odd, getwd$'
rethread record --until-failure --runs 5 ./p >/dev/null 2>err
has err 'no failure in 5 runs'
rethread record -q ./p >/dev/null 2>err
same "$(cat err)" ""

# Of very many the first are named.
for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "int strange$i(void) { return 0; }"; done >many.c
{ for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "int strange$i(void);"; done
echo 'int main(void) { return 0'
for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "+ strange$i()"; done
echo '; }'; } >all.c
clang-19 -c many.c -o many.o
rethread cc -O1 all.c many.o -o all
rethread record ./all 2>err
has err "is not recorded: strange1, .*, strange8, and 3 more, which .rethread analyze' names"
rethread analyze ./all >out
has out 'that no table knows: .*strange11'
