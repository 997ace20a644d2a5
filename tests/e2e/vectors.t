# A tray that is full is emptied in the middle of loops that have vectors, floats and masks in registers: all of them are kept, with and without AVX
# and AVX-512, also in functions that are for another processor than the rest.
cat >p.c <<'C'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
enum { N = 40000, LANES = WIDTH / 8 };
typedef double lanes __attribute__((vector_size(WIDTH)));
typedef long choice __attribute__((vector_size(WIDTH)));
static int table[N];
static double sums[2];
/* Eleven vectors and four numbers stay in registers while branches on what threads share are recorded. */
OTHER static double mix(const int *t, double seed) {
	lanes v[11];
	double a = seed, b = 1, c = 2, d = 3;
	choice less = {0};
	for (int i = 0; i < 11; i++)
		for (int l = 0; l < LANES; l++)
			v[i][l] = seed + i + l;
	for (int n = 0; n < N; n++) {
		if (t[n] & 1) {
			for (int i = 0; i < 11; i++)
				v[i] = v[i] * 0.5 + (double)(i + 1);
			a = a * 0.75 + 1;
		} else if (t[n] & 2) {
			less = v[0] < v[1];
			b = b * 0.25 + 2;
		} else {
			v[2] = (lanes)((choice)v[2] & ~less) + 0.125;
			c = c * 0.5 + d;
		}
		__asm__ volatile("" ::: "memory");
	}
	for (int i = 0; i < 11; i++)
		for (int l = 0; l < LANES; l++)
			a += v[i][l];
	return a + b + c + d;
}
static void *works(void *x) {
	sums[(long)x] = mix(table, (double)(long)x);
	table[(long)x]++;
	return 0;
}
int main(void) {
	pthread_t t[2];
	for (unsigned i = 0, r = 1; i < N; i++)
		table[i] = (int)((r = r * 1103515245 + 12345) >> 16 & 3);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, works, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%a %a\n", sums[0], sums[1]);
}
C
# ways of clang, bytes of a vector, what the processor has to have, and whether only the one function may use it
while IFS=: read -r options width feature only; do
	[ -z "$feature" ] || grep -qw "$feature" /proc/cpuinfo || continue
	set -- -O2 -Wno-psabi $options -DWIDTH=$width -DOTHER="${only:+__attribute__((noinline, target(\"$only\")))}" -pthread p.c
	clang-19 "$@" -o native
	rethread cc "$@" -o p
	./native >expected
	rethread record -o trace ./p >out 2>err || fail "$options: $(cat err)"
	same "$options $(cat out)" "$options $(cat expected)"
	# Trays were full, many times.
	rethread dump --no-lines --json trace >dump.json
	python3 -c 'if 1:
		import json
		for t in json.load(open("dump.json"))["threads"][1:]: assert t["branches"] > 10000, t["branches"]'
	rm -rf trace
done <<'WAYS'
:16::
-mavx2:32:avx2:
-mavx512f:64:avx512f:
-mavx512bw -mavx512vl:64:avx512bw:
-Wall:32:avx2:avx2
WAYS
