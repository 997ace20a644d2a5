# One long copy is one step of a replay. Who reads it half done is inferred, and said not to be replayed for certain.
cat >half.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <string.h>
enum { SIZE = 16 << 20 };
static char page[SIZE], image[SIZE];
static void *copies(void *p)
{
	memcpy(page, image, SIZE);
	return p;
}
int main(void)
{
	pthread_t t;
	memset(image, 1, SIZE);
	pthread_create(&t, NULL, copies, NULL);
	volatile char *one = &page[SIZE / 4], *other = &page[SIZE / 4 * 3];
	while (!*one && !*other) /* which of them comes first is the processor's affair */
		;
	int both = *one && *other;
	pthread_join(t, NULL);
	assert(both);
	return 0;
}
P
rethread cc -O2 -g -pthread -o half half.c
status 134 rethread record --until-failure --runs 1000 ./half 2>err
rethread infer -v >out 2>err || fail "$(cat err)"
has err '^the interleaving needs [0-9]+ orders? inside of single copies or calls, which replay cannot part$'
rethread infer >out 2>err || fail "$(cat err)"
! grep 'cannot part' err
