# What a block holds goes with it when realloc moves it: a vector and a string that grow, then a failure that depends on them.
cat >p.c <<'P'
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	long *all = NULL, sum = 0;
	char *text = malloc(16);
	strcpy(text, "fifteen letters");
	for (int i = 0; i < 40; i++) {
		all = realloc(all, (size_t)(i + 1) * sizeof *all);
		all[i] = i * 3;
		if (i % 7 == 0)
			text = realloc(text, strlen(text) + 9 + (size_t)i);
		for (int k = 0; k <= i; k++)
			if (all[k] == k * 3 && text[k % 15] > 'f')
				sum += all[k];
	}
	assert(sum == strlen(text));
}
P
for level in -O0 -O2; do
	rethread cc $level -g p.c -o p
	status 134 rethread record ./p 2>err
	rethread reproduce --budget 60 >out 2>&1 || fail "$level: $(cat out)"
	has out 'reproduced and proven by replay'
done
