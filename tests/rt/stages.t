# Paths that do not repeat themselves are not guessed for most of the time, and come back all the same, as do those that
# repeat themselves before, between and after.
program p <<'P'
#include "recorded.h"
static uint64_t sum = 14695981039346656037u, x = 88172645463325252u;
static void branch(int taken)
{
	B(taken);
	sum = (sum ^ !!taken) * 1099511628211u;
}
static void noise(long n)
{
	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		branch(x & 1);
	}
}
static void pattern(long n)
{
	for (long i = 0; i < n; i++)
		branch(i % 3 == 0);
}
int main(void)
{
	for (int round = 0; round < 3; round++) {
		pattern(30000);
		noise(100000);
		pattern(3000);
		noise(1000000);
		pattern(5000000);
	}
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
P
record 0 ./p >sum
dump
has dump "^thread 1 bits 18399000 " "^sum 1 $(cat sum)$"
# As plain words all of it would be 2.4 MB; the noise alone is 0.45, and there are time stamps.
[ "$(stat -c %s trace/log.*)" -lt 1300000 ]
