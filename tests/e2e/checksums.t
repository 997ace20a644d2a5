# Checksums by inline assembly, which reads memory through a pointer: the same sums as without rethread, and what they read races like any other read.
cat >sums.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
static unsigned char text[100];
static uint64_t whole(const unsigned char *p, size_t n)
{
	uint64_t a = 1, b = 2, c = 3;
	for (; ((uintptr_t)p & 7) && n; p++, n--)
		__asm__ __volatile__("crc32b\t" "(%1), %0" : "=r"(a) : "r"(p), "0"(a));
	for (; n >= 24; p += 24, n -= 24)
		__asm__ __volatile__("crc32q\t" "(%3), %0\n\t" "crc32q\t" "8(%3), %1\n\t" "crc32q\t" "0x10(%3), %2"
			: "=r"(a), "=r"(b), "=r"(c) : "r"(p), "0"(a), "1"(b), "2"(c));
	for (; n; p++, n--)
		__asm__ __volatile__("crc32b\t" "(%1), %0" : "=r"(a) : "r"(p), "0"(a));
	return a ^ b << 1 ^ c << 2;
}
static uint32_t words(uint32_t sum, uint32_t v, uint16_t w)
{
	__asm__("crc32l %1, %0; crc32w %2, %0" : "+r"(sum) : "r"(v), "r"(w));
	return sum;
}
static void *changes(void *x) { usleep(1000); text[50]++; return x; }
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	for (int i = 0; i < 100; i++)
		text[i] = (unsigned char)(i * 7);
	if (argc > 1)
		return !printf("%llx %x\n", (unsigned long long)whole(text + 1, 99), words(5, 77u + (unsigned)argc, (uint16_t)argc));
	pthread_create(&t, NULL, changes, NULL);
	uint64_t first = whole(text, 100);
	usleep(2000);
	assert(whole(text, 100) == first);
	pthread_join(t, NULL);
	return 0;
}
P
for opt in -O0 -O2; do
	clang-19 $opt -pthread sums.c -o plain
	rethread cc $opt -g -pthread sums.c -o sums
	same "$(./sums x)" "$(./plain x)"
	status 134 rethread record --until-failure --runs 200 ./sums 2>err
	rethread reproduce --engine solve >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out 2>&1
	has out 'reproduced 10/10'
	rethread explain >out 2>&1
	has out "text\+48"
done
