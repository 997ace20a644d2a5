# Arithmetic that no instruction does: complex products and quotients, powers, division of 128 bits, conversions. The compiler calls functions of its own library for it,
# which touch no memory; nothing is said of them, and what they make of values that race is computed again in inference and replay.
cat >p.c <<'P'
#include <complex.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static double complex z = 1 + 2 * I;
static float complex f = 1 + 1 * I;
static long double complex l = 2 - 1 * I;
static __int128 i = (__int128)1 << 100;
static unsigned __int128 u = (unsigned __int128)3 << 90;
static double d = 3;
static int n = 5;
static volatile int total;
static void *works(void *p)
{
	int seen = total;
	z = z * z / (z + f);
	f = f * f / (f + 1);
	l = l * l / (l + 1);
	i = i / (n + 1) + i % (n + 2);
	u = u / (unsigned)n + u % 1000;
	d = __builtin_powi(d, n) + (double)i + (double)u;
	i += (__int128)d;
	usleep((useconds_t)(long)p);
	total = seen + (creal(z) != 0) + (creall(l) > 1000) + (i == 0);
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, works, (void *)100000L);
	pthread_create(&t[1], NULL, works, (void *)20000L);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	printf("%.6g %.6g %.6Lg %.6g %016llx\n", creal(z), cimag(f), creall(l), d, (unsigned long long)(u >> 7));
	return total != 2;
}
P
rethread cc -O2 -g -pthread p.c -o p -lm
status 1 rethread record --until-failure --runs 20 ./p >recorded 2>err
! grep -q 'not recorded' err || fail "$(cat err)"
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$(cat out)"
rethread replay >out 2>err || fail "$(cat out err)"
same "$(head -1 out)" "$(head -1 recorded)"
