# A place is asked for before the lock is taken, and used behind it. The failure is noticed much later, by what was done with the place:
# `explain` names who came in between, which two accesses belong together, and which lock one of them went without.
cat >places.c <<'P'
#include <pthread.h>
#include <stdlib.h>
enum { ROUNDS = 12 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int size, used; char text[128]; } table = {128, 0, ""};
static void *fills(void *mark)
{
	for (int i = 0; i < ROUNDS; i++) {
		int at = table.used; /* too early */
		pthread_mutex_lock(&lock);
		table.used += 2;
		pthread_mutex_unlock(&lock);
		table.text[at] = *(char *)mark;
	}
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int n = 0;
	pthread_create(&a, NULL, fills, "a");
	pthread_create(&b, NULL, fills, "b");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < table.size; i++)
		n += table.text[i] != 0;
	if (n < 2 * ROUNDS)
		abort();
}
P
between() {
	rethread reproduce --engine "$1" --budget 60 >out 2>&1 || fail "$opt, $1: $(cat out)"
	rethread explain >out
	sed -n '/^Who came in between:$/,/^$/p' out | tr -s ' \n' ' ' >text
	has text 'thread (1:[12]) read table.used: [0-9]+ places.c:9 int at = table.used; .* then thread (1:[12]) wrote it: [0-9]+ places.c:11 table.used \+= 2; then thread \1 read it: [0-9]+ places.c:11 ' \
		'without lock, which guards it elsewhere, thread 1:[12] read it here places.c:9 ' 'nobody came in between these two'
}
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread places.c -o places
	status 134 rethread record -q --until-failure --runs 3000 ./places
	between solve
	has text 'that lock is used here places.c:10 pthread_mutex_lock\(&lock\);'
	# Engine search does not know what was accessed before a second thread came there: another run, if the failure begins so.
	for i in 1 2 3; do
		rethread reproduce --engine search --budget 60 >out 2>&1 && rethread explain >out
		grep -q '^Who came in between:' out || status 134 rethread record -q --until-failure --runs 3000 ./places
	done
	between search
done

# Each object has a lock of its own, and what they guard with it is all objects'. What was recorded because it decides an address says nothing of which way the thread went.
cat >ids.cpp <<'P'
#include <cassert>
#include <mutex>
#include <thread>
struct Widget {
	std::mutex lock;
	int id = -1;
	static inline int next = 0, owners[40];
	void name() { std::lock_guard<std::mutex> g(lock); id = next; owners[id]++; next = id + 1; }
};
static Widget w[40];
int main()
{
	std::thread a([] { for (int i = 0; i < 40; i += 2) w[i].name(); }), b([] { for (int i = 1; i < 40; i += 2) w[i].name(); });
	a.join();
	b.join();
	assert(Widget::next == 40);
}
P
rethread c++ -std=c++17 -O2 -g -pthread ids.cpp -o ids
status 134 rethread record -q --until-failure --runs 8000 ./ids 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out 'thread 1:[12] had w\[[0-9]+\].lock locked, thread 1:[12] w\[[0-9]+\].lock: different locks do not keep them apart'
tr -s ' \n' ' ' <out >text
has text 'In short: thread (1:[12]) overwrote \(ids.cpp:8\) what thread 1:[12] had written to next \(ids.cpp:8\) without having seen it: it had read it before that \(ids.cpp:8\); the locks that they have are different ones\.'
! grep -E 'guards it elsewhere|another way' out || fail "what is not so"
