# A thread's own structure stays its own beside pointers to shared memory, also where a function pointer allocated it; the text that it reads
# byte by byte is recorded, and what it computes of that is not.
cat >p.c <<'E'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct codec {
	const unsigned char *next; /* into memory of others */
	size_t left;
	int *order, *count;
	unsigned char seen[256];
	void *(*get)(size_t);
};
static void *get(size_t n) { return malloc(n); }
static unsigned char text[2000];
static int longest, wins;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct codec *begin(void *(*allocate)(size_t), const unsigned char *from, size_t n)
{
	struct codec *c = allocate(sizeof *c);
	memset(c->seen, 0, sizeof c->seen);
	c->get = allocate;
	c->next = from;
	c->left = n;
	c->order = c->get(n * sizeof *c->order);
	c->count = c->get(256 * sizeof *c->count);
	for (int i = 0; i < 256; i++)
		c->count[i] = 0;
	return c;
}
static __attribute__((noinline)) int fill(struct codec *c)
{
	int n = 0;
	for (; c->left; c->left--) {
		unsigned char byte = *c->next++;
		c->seen[byte] = 1;
		c->count[byte]++;
		c->order[n++] = byte;
	}
	return n;
}
static __attribute__((noinline)) void sort(struct codec *c, int n)
{
	for (int i = 1; i < n; i++) {
		int v = c->order[i], k = i;
		for (; k && c->order[k - 1] > v; k--) /* 45 */
			c->order[k] = c->order[k - 1];
		c->order[k] = v;
	}
}
static void *work(void *arg)
{
	struct codec *c = begin(get, text + (arg ? sizeof text / 2 : 0), sizeof text / 2);
	int n = fill(c), kinds = 0;
	sort(c, n);
	for (int i = 0; i < 256; i++)
		kinds += c->seen[i] && c->count[i] > 3;
	pthread_mutex_lock(&m);
	int best = longest;
	pthread_mutex_unlock(&m);
	if (kinds >= best) { /* bug: somebody else may have won meanwhile */
		pthread_mutex_lock(&m);
		longest = kinds;
		wins++;
		pthread_mutex_unlock(&m);
	}
	free(c->order);
	free(c->count);
	free(c);
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, i ? &t : NULL);
	unsigned v = 1;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (unsigned char)((v = v * 1103515245 + 12345) >> 16); /* bug: while they read it */
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(wins < 2);
	return 0;
}
E
rethread cc -O2 -g -pthread -o p p.c
rethread analyze --json p >out.json
python3 - <<'E'
import json
lines = json.load(open("out.json"))["lines"]
of = lambda function: [l for l in lines if l["function"] == function]
assert not any(l["branches"].get("recorded") for l in of("sort")), of("sort")
assert any(l["branches"].get("known") for l in of("sort")), of("sort")
assert not any(l["saps"] for l in of("sort")), of("sort")
assert any(l["saps"].get("load") for l in of("fill")), of("fill")
E
status 134 rethread record --until-failure --runs 2000 -q ./p
rethread reproduce >out
has out 'reproduced and proven by replay'
rethread replay -n 5 >out
has out '5/5'
