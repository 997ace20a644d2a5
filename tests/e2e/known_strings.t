# What strlen, strcmp, memcmp and their kin say of a thread's own memory is computed again: branches on it are not recorded, unless
# they tell how far the thread came.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <string.h>
static int total, seen[2];
static __attribute__((noinline)) int weigh(int n) { __asm__ volatile("" : "+r"(n)); return n; }
static void *work(void *x) {
	char words[16][8], wanted[8] = "word00";
	int found = 0;
	for (int i = 0; i < 16; i++) {
		memcpy(words[i], wanted, sizeof words[i]);
		words[i][4 + i % 2] += (char)(i / 2);
	}
	for (int i = 0; i < 16; i++) {
		if (!strcmp(words[i], wanted))
			found = weigh(found + 1);
		if (strlen(words[i] + i / 2) == 3)
			found = weigh(found + 2);
		if (memcmp(words[i], words[15 - i], i) < 0)
			found = weigh(found + 4);
	}
	seen[x != 0] = found;
	total += found;
	return x;
}
int main(void) {
	pthread_t t;
	int other;
	pthread_create(&t, 0, work, &other);
	work(0);
	pthread_join(t, 0);
	assert(seen[0] == seen[1] && total < seen[0]);
	return 0;
}
P
rethread cc -O1 -g -pthread p.c -o p
rethread analyze p >out
has out '^ +14  work .*branches: 1 known' '^ +16  work .*branches: 1 known' '^ +18  work .*branches: 1 known'
status 134 rethread record -q ./p
rethread reproduce >out
has out 'reproduced and proven by replay'
