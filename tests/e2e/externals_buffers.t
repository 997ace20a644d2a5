# Functions of compression libraries that use no more than the buffers that they are given are known: what they write, others race for.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
size_t ZSTD_compress(void *, size_t, const void *, size_t, int), ZSTD_decompress(void *, size_t, const void *, size_t);
unsigned ZSTD_isError(size_t);
/* The packed text and its length are changed without a lock: a reader may have the length of one and the text of another. */
static char packed[512];
static size_t length;
static void pack(int round)
{
	char text[256];
	memset(text, 'a' + round % 26, sizeof text);
	for (int i = 0; i < round % 7 * 10; i++)
		text[i] = (char)(i * i);
	size_t n = ZSTD_compress(packed, sizeof packed, text, sizeof text, 1);
	sched_yield();
	length = n;
}
static void *change(void *a)
{
	for (int i = 1; i < 20; i++)
		pack(i);
	return a;
}
int main(void)
{
	char text[256];
	pthread_t t;
	pack(0);
	pthread_create(&t, NULL, change, NULL);
	for (int i = 0; i < 20; i++) {
		if (ZSTD_isError(ZSTD_decompress(text, sizeof text, packed, length)))
			abort();
		sched_yield();
	}
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread p.c -o p -l:libzstd.so.1
rethread record --until-failure --runs 500 ./p 2>err && fail "no failure"
! grep 'from outside' err || fail "$(cat err)"
# Replayed once: where the interleaving parts a single call, which replay cannot, chance has a share in it.
rethread reproduce --engine solve --budget 60 >out
has out 'reproduced and proven by replay'
