# Comparisons and distances of pointers into a thread's own memory are the same in every run: loops over its vectors are not recorded.
cat >p.cpp <<'P'
#include <cassert>
#include <pthread.h>
#include <vector>
static int given;
__attribute__((noinline)) static int find(const std::vector<int> &v, int what) {
	int at = 0;
	for (auto i = v.begin(); i != v.end(); ++i) {
		if (*i == what)
			return at;
		at++;
	}
	return -1;
}
static void *work(void *) {
	std::vector<int> own;
	for (int i = 0; i < 300; i++)
		own.push_back(i * i % 101);
	int odd = 0;
	for (unsigned i = 0; i < own.size(); i++)
		if (own[i] % 2)
			odd++;
	int seen = given; /* races */
	assert(odd + find(own, 36) + seen < 0);
	return 0;
}
static void *give(void *) {
	given = 2;
	return 0;
}
int main() {
	pthread_t t[2];
	pthread_create(&t[0], 0, work, 0);
	pthread_create(&t[1], 0, give, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
}
P
# Whether realloc moved a block, which of two blocks comes first and whether there is one: recorded.
cat >q.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *work(void *x) {
	char *old = malloc(16), *other = malloc(16);
	char *more = realloc(old, 2000);
	if (more != old)
		puts("moved");
	if (more - old == 32)
		puts("by 32");
	if (other < more)
		puts("before");
	if (!other)
		puts("none");
	return x;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	return pthread_join(t, 0);
}
P
for o in -O0 -O2; do
	rethread cc $o -g -pthread q.c -o q
	rethread analyze --why q >out
	has out '^ +7  work +branches: 1 recorded$' '^ +9  work +branches: 1 recorded$' '^ +11  work +branches: 1 recorded$' \
		'^ +13  work +branches: 1 recorded$'
	rethread record -o trace -- ./q >shown || fail "the recorded program: $?"
	rethread dump trace >dump || fail "the path does not decode"
	rm -rf trace
done
rethread c++ -O2 -g -pthread p.cpp -o p
rethread analyze p >out
has out '^ +7  find +branches: [0-9]+ known$' '^ +19  work +branches: [0-9]+ known$'
reproduced /dev/null ./p
