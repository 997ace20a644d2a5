# What a thread does to a piece of work is known once it is known which piece: the number comes from an atomic counter, the text was written by sprintf before there were
# threads, the ends of what is looked at are pointers into it, and a bound is read anew in each round, from where another thread changes it now and then.
cat >pieces.cpp <<'P'
#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
enum { PIECES = 400, SIZE = 256 };
struct limits { int most; };
static std::vector<int> weights; // an object that is destroyed at the end
static char *text;
static std::atomic<int> next;
static limits *shared_limits;
static long sums[2];
__attribute__((noinline)) static void note(std::vector<long> &v, long n) { v.push_back(n); }
static long read_piece(const char *at, const char *end, std::vector<long> &notes)
{
	long sum = 0;
	for (const char *p = at; p < end;) {
		if (*p >= '0' && *p <= '9') {
			long n = 0;
			while (p < end && *p >= '0' && *p <= '9')
				n = n * 10 + *p++ - '0';
			sum += n * weights[(size_t)n % weights.size()];
		} else {
			p += *p == '"' ? 2 : 1;
		}
	}
	for (int i = 0; i < shared_limits->most; i++)
		note(notes, sum % (i + 1));
	return sum;
}
static void work(int me)
{
	std::vector<long> notes;
	int i;
	while ((i = next++) < PIECES) {
		sums[me] += read_piece(text + i * SIZE, text + (i + 1) * SIZE, notes);
		if (i == PIECES / 2)
			shared_limits->most = 30;
	}
}
int main(int argc, char **argv)
{
	long all = 0;
	(void)argv;
	shared_limits = new limits{20 + argc};
	for (int i = 0; i < 7; i++)
		weights.push_back(i * argc);
	text = (char *)calloc(PIECES + 1, SIZE);
	for (int i = 0; i < PIECES; i++)
		for (int k = 0; k < SIZE - 32; k += (int)strlen(text + i * SIZE + k))
			sprintf(text + i * SIZE + k, "%d, \"%s\" ", i * k + 1, k % 3 ? "a" : "bcd");
	std::thread a(work, 0), b(work, 1);
	a.join();
	b.join();
	all = sums[0] + sums[1];
	printf("%ld\n", all);
	assert(all % 2 == 5); // always
}
P
rethread c++ -O2 -g -pthread pieces.cpp -o pieces
status 134 rethread record -q -o trace ./pieces >recorded 2>err
rethread info trace >out
bits=$(sed -n 's/^branches *\([0-9]*\) bits$/\1/p' out)
test "$bits" -lt 120000 || fail "$bits bits for 90000 characters"
rethread reproduce --engine solve --budget 60 trace >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 5 trace >out 2>err || fail "$(cat out err)"
has out '^reproduced 5/5$'
