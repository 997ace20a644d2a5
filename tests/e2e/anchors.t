# Numbers that come seldom and bound loops are recorded themselves, so that the loops' branches need not be.
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct job { long id, rounds; };
static void *work(void *x) {
	struct job *j = x;
	unsigned sum = 1;
	for (int i = 0; i < 1000; i++) {
#pragma clang loop unroll(disable)
		for (long k = j->rounds; k > 0; k--)
			sum = sum % 7 > 2 ? sum * 3 + 1 : sum ^ (unsigned)k;
		pthread_mutex_lock(&m);
		j->id += sum;
		pthread_mutex_unlock(&m);
	}
	return x;
}
int main(int argc, char **argv) {
	pthread_t t[2];
	struct job jobs[2];
	(void)argv;
	for (int i = 0; i < 2; i++) {
		jobs[i] = (struct job){i, argc * 100};
		pthread_create(&t[i], 0, work, &jobs[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return jobs[0].id == jobs[1].id + 1;
}
P
rethread cc -O2 -g -pthread p.c -o p
rethread analyze p >out
has out '^ +10  work +1 load; branches: 1 recorded, 2 known$' # whether it is as it was the time before

rethread record -o trace -- ./p || fail "the recorded program: $?"
rethread dump trace >/dev/null
rethread info trace >out
test "$(sed -n 's/^branches *\([0-9]*\) bits$/\1/p' out)" -lt 3000

# A search that ends soon is not taken for long because it was unrolled: what is looked for, which comes often, is not recorded itself.
cat >search.c <<'P'
#include <pthread.h>
#include <stdlib.h>
enum { LENGTH = 4096 };
static unsigned char *data;
static void *work(void *unused) {
	unsigned char order[256];
	for (int i = 0; i < 256; i++)
		order[i] = (unsigned char)i;
#pragma clang loop unroll(disable)
	for (int round = 0; round < 50; round++)
		for (int i = 0; i < LENGTH; i++) {
			unsigned char wanted = data[i], last = order[0], *at = order;
			while (wanted != last) {
				unsigned char moved = last;
				last = *++at;
				*at = moved;
			}
			order[0] = last;
		}
	return unused;
}
int main(void) {
	pthread_t t[2];
	data = calloc(1, LENGTH);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < LENGTH; i++)
		data[i] = i % 3;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
P
rethread cc -O2 -g -pthread search.c -o search
rethread analyze search >out
has out '^ +13  work +branches: 10 recorded$'
! grep -q 'rethread\.anchor' out || fail "an anchor in a search that ends soon"

# Nor is a number in a function that is called often, if only by its address.
cat >calls.c <<'P'
#include <pthread.h>
#include <stdlib.h>
struct job { long id, rounds; };
typedef unsigned sum_function(const struct job *j, unsigned sum);
static unsigned sum_up(const struct job *j, unsigned sum) {
#pragma clang loop unroll(disable)
	for (long k = j->rounds; k > 0; k--)
		sum = sum % 7 > 2 ? sum * 3 + 1 : sum ^ (unsigned)k;
	return sum;
}
static unsigned sum_down(const struct job *j, unsigned sum) {
	return sum - (unsigned)j->rounds;
}
static sum_function *volatile by_name[] = {sum_up, sum_down};
static void *work(void *x) {
	struct job *j = x;
	unsigned sum = 1;
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 100; k++)
			sum = by_name[(i + k) % 2](j, sum);
		j->rounds = i % 3;
	}
	j->id += sum;
	return x;
}
int main(void) {
	pthread_t t[2];
	struct job jobs[2] = {{0, 1}, {1, 1}};
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, &jobs[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return jobs[0].id != jobs[1].id - 1;
}
P
rethread cc -O2 -g -pthread calls.c -o calls
rethread analyze calls >out
has out '^ +7  sum_up +1 load; branches: 2 recorded$'

# Nor is one that decides only branches which show how far a thread came.
cat >fill.c <<'P'
#include <pthread.h>
#include <stdlib.h>
struct job { unsigned long *keys; long n; };
/* What threads share is written in each round, so each round is recorded: that n is known gains nothing. */
static void *fill(void *x)
{
	struct job *j = x;
	for (int times = 0; times < 100; times++) {
		long n = j->n;
#pragma clang loop unroll(disable) vectorize(disable)
		for (long i = 0; i < n; i++)
			j->keys[i] = (unsigned long)(i * times) << 40;
	}
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	struct job job = {calloc(1000, sizeof *job.keys), argc * 10};
	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, fill, &job);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
P
rethread cc -O2 -g -pthread fill.c -o fill
rethread analyze fill >out
! grep -q 'rethread\.anchor' out || fail "an anchor that gains nothing"

# Nor is what memcmp returns: only its sign is the same everywhere.
cat >compare.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char text[16] = "WEBP, and more";
static void *work(void *x)
{
	unsigned long sum = 0;
	int c = memcmp(text, x, 12);
#pragma clang loop unroll(disable) vectorize(disable)
	for (int i = 0; i < 1000; i++)
		if (c < i * 3)
			sum = sum * 7 + (sum % 5 ? 3 : (unsigned)i);
	return (void *)sum;
}
int main(int argc, char **argv)
{
	pthread_t t;
	char own[16] = "VP8X, and more";
	own[2] += (char)argc;
	(void)argv;
	pthread_create(&t, 0, work, own);
	text[0] = 'V';
	pthread_join(t, 0);
	return 0;
}
P
rethread cc -O2 -g -pthread compare.c -o compare
rethread analyze compare >out
! grep -q 'rethread\.anchor' out || fail "an anchor of what memcmp returned"

# Bytes of a text that threads share, which one of them sorts in memory of its own: the bytes are recorded, each by its eight bits, and
# nothing of what is done to them. All 256 of them come, and what the sorting makes of them decides how the run fails.
cat >text.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { LENGTH = 1024, LAST = (LENGTH - 1) * 37 % 256 };
static unsigned char *text;
static void *work(void *unused) {
	unsigned char own[LENGTH];
	unsigned sum = 0;
#pragma clang loop vectorize(disable) unroll(disable)
	for (int i = 0; i < LENGTH; i++)
		own[LENGTH - 1 - i] = text[i];
	for (int i = 1; i < LENGTH; i++)
		for (int k = i; k && own[k] < own[k - 1]; k--) {
			unsigned char t = own[k];
			own[k] = own[k - 1], own[k - 1] = t;
		}
	for (int i = 0; i < LENGTH; i++)
		sum += own[i];
	assert(sum != 4 * (255 * 256 / 2) - LAST);
	return unused;
}
int main(void) {
	pthread_t t;
	text = calloc(1, LENGTH);
	for (int i = 0; i < LENGTH - 1; i++)
		text[i] = (unsigned char)(i * 37);
	pthread_create(&t, 0, work, 0);
	text[LENGTH - 1] = LAST;
	pthread_join(t, 0);
	return 0;
}
P
rethread cc -O2 -g -pthread text.c -o text
rethread analyze text >out
has out 'rethread\.anchor\.byte'
has out '^ +13  work +branches: [0-9]+ known$'
rethread record -o text.trace --until-failure --runs 3000 -- ./text >/dev/null 2>&1 && fail "it never failed"
rethread reproduce --engine solve text.trace >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 text.trace >out
has out 'reproduced 5/5'
