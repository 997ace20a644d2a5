# Resolvers of indirect functions run while the program is relocated, before a recorder or a twin can be there: they, and what they
# call, do what they do without rethread, and what they chose is recorded and reproduced.
cat >p.c <<'P'
#include <assert.h>
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>
static unsigned highest, asked;
static int balance;
__attribute__((noinline)) static unsigned ask(void)
{
	unsigned b, c, d;
	asked++;
	for (unsigned leaf = 0; leaf < 2; leaf++)
		if (!__get_cpuid(leaf, leaf ? &b : &highest, &b, &c, &d))
			return 0;
	return highest;
}
static int add(int x, int y) { return x + y; }
static int none(int x, int y) { return 100 * x + y; }
static int (*resolve(void))(int, int) { return ask() ? add : none; }
int plus(int, int) __attribute__((ifunc("resolve")));
__attribute__((target_clones("avx2", "sse4.2", "default"))) int odd(const int *a, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i] & 1 ? 1 : 0;
	return sum;
}
static void *work(void *numbers)
{
	for (int i = 0; i < 2000; i++)
		balance = plus(balance, odd(numbers, 2));
	return NULL;
}
int main(void)
{
	int numbers[] = {1, 2};
	pthread_t t[2];
	printf("%d %d\n", asked > 0, ask() == highest);
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, numbers);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(balance == 4000);
	return 0;
}
P
for flags in -O0 "-O2 -no-pie" "-O2 -fPIE -pie -Wl,-z,now"; do
	rethread cc $flags -g p.c -o p
	recordable p
	(./p 2>/dev/null || true) >out
	same "$(cat out)" "1 1"
	rethread record ./p >out 2>err || true
	same "$(cat out)" "1 1"
	if grep -q warning: err; then fail "$(cat err)"; fi
done
proven p.c
