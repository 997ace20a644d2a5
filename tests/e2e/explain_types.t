# What `explain` shows is named and typed as in the source: members of variables by the debug information, floating point
# numbers also in the heap, addresses in hexadecimal, several members that are copied at once, locks and semaphores by name.
cat >prog.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
struct account { pthread_mutex_t lock; double money[2]; float rate; bool open; unsigned visits; struct account *next; };
static struct account accounts[3];
static double *heap;
static sem_t turn;
struct pair { int low; short one, two; unsigned all[2]; };
static struct pair copied, source[2];
static void *work(void *a)
{
	struct account *x = &accounts[2];
	pthread_mutex_lock(&x->lock);
	pthread_mutex_unlock(&x->lock);
	x->visits = x->visits + 4294967295;
	sem_wait(&turn);
	sem_post(&turn);
	x->money[1] = x->money[1] + 0.25;
	x->rate = x->rate + 1.5f;
	x->open = !x->open;
	x->next = x;
	__builtin_memcpy(&copied, &source[a != NULL], sizeof copied);
	heap[1] = heap[1] + 2;
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	heap = calloc((size_t)argc + 1, sizeof *heap);
	pthread_mutex_init(&accounts[2].lock, NULL);
	sem_init(&turn, 0, 1);
	source[0] = source[1] = (struct pair){-3, -1, 7, {5, 4000000000}};
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(accounts[2].money[1] < 0 || heap[1] < 0);
	return argv[copied.low + copied.one + copied.two] == NULL || copied.all[0] + copied.all[1];
}
P
rethread cc -O1 -g -pthread prog.c -o prog
status 134 rethread record -o trace ./prog 2>err
rethread reproduce trace --engine solve >out 2>err
rethread explain --all trace >out
has out 'reads accounts\[2\]\.money\[1\] = 0\.0' 'writes accounts\[2\]\.money\[1\] = 0\.25' 'writes accounts\[2\]\.rate = 1\.5' \
	'writes accounts\[2\]\.visits = 4294967295' 'accounts\[2\]\.open = true' 'accounts\[2\]\.next = &accounts\[2\]' 'heap\[1\] = 2\.0' \
	'writes copied = \{\.low = -3, \.one = -1, \.two = 7\}' 'writes copied.all = \{\[0\] = 5, \[1\] = 4000000000\}' 'lock accounts\[2\]\.lock' 'sem_wait turn'
rethread reproduce trace --engine search >out 2>err
rethread explain --all trace >out
has out 'accounts\[2\]\.money\[1\] = 0\.25' 'accounts\[2\]\.rate = 1\.5'
# Stores under a memory model with buffers happen, and become visible.
rethread reproduce trace --engine solve --memory-model tso >out 2>err
rethread explain --all trace >out
has out 'buffers accounts\[2\]\.rate' 'accounts\[2\]\.rate = 1\.5 becomes visible'

# What lies behind the counts of a shared pointer, in one block, is no element of an array.
cat >counts.cpp <<'P'
#include <cstdlib>
#include <memory>
#include <thread>
#include <unistd.h>
struct Settings { int a = 0, b = 0; };
static std::shared_ptr<Settings> current = std::make_shared<Settings>();
int main()
{
	std::thread t([] {
		auto s = current;
		s->a = 1;
		usleep(50000);
		s->b = 1;
	});
	usleep(20000);
	auto s = current;
	if (s->a != s->b)
		std::abort();
	t.join();
}
P
rethread c++ -std=c++17 -O0 -g -pthread counts.cpp -o counts
status 134 rethread record -q --until-failure --runs 50 ./counts 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain --all >out
has out 'reads Settings.a = 1' 'updates .*: 1 -> 2'
! grep -F 'Settings[' out || fail "an array"
