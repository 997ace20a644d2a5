# A text is chosen by a racy number: which one was chosen is a branch of the path, so that inference need not find the very same number.
cat >choice.c <<'P'
#include <pthread.h>
#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>
static long sum;
static void *work(void *p)
{
	for (long i = 0; i < 300; i++) {
		long seen = sum;
		if (i % 20 == 0)
			usleep(1);
		sum = seen + (i * 7919 + (long)p * 31) % 1000;
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	long expected = 0;
	for (long k = 0; k < 3; k++)
		for (long i = 0; i < 300; i++)
			expected += (i * 7919 + k * 31) % 1000;
	for (long k = 0; k < 3; k++)
		pthread_create(&t[k], NULL, work, (void *)k);
	for (int k = 0; k < 3; k++)
		pthread_join(t[k], NULL);
	puts(sum == expected ? "fine" : "LOST");
	return 0;
}
P
for opt in -O1 -O2; do
	rethread cc $opt -g -pthread -o choice choice.c
	rethread record -q --until-failure --runs 500 --fail-if 'grep -q LOST' ./choice >/dev/null 2>err || true
	rethread reproduce --engine solve --explain-formula --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	has out 'choice.c:27 .* \(s[0-9]+ == [0-9]+\) == 0'
	rethread replay -n 10 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 10/10$'
done
