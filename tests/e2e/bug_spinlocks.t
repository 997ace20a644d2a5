# Hangs of threads that try for locks made of atomic operations: what is tried in vain, millions of times, is as good as not there.
cat >flags.c <<'P'
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag stock = ATOMIC_FLAG_INIT; /* exchanged */
static _Atomic int bill;                     /* compared and exchanged */
static long sold, billed;

static void lock_bill(void)
{
	int free = 0;
	unsigned tries = 0;
	while (!atomic_compare_exchange_weak(&bill, &free, 1)) {
		free = 0;
		if (++tries > 100)
			__builtin_ia32_pause();
	}
}

static void *sell(void *p)
{
	for (int i = 0; i < 1500; i++) {
		while (atomic_flag_test_and_set(&stock))
			;
		sold++;
		lock_bill(); /* bug: the other way round below */
		billed++;
		atomic_store(&bill, 0);
		atomic_flag_clear(&stock);
	}
	return p;
}

static void *refund(void *p)
{
	for (int i = 0; i < 1500; i++) {
		lock_bill();
		billed--;
		while (atomic_flag_test_and_set(&stock))
			;
		sold--;
		atomic_flag_clear(&stock);
		atomic_store(&bill, 0);
	}
	return p;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i % 2 ? refund : sell, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
cat >twice.cc <<'P'
// A reader goes round in a lock of its own making that it has already.
#include <atomic>
#include <thread>

class spinlock {
	std::atomic<bool> held{false};
public:
	void lock()
	{
		int tries = 0;
		while (held.exchange(true, std::memory_order_acquire))
			if (++tries == 16) {
				std::this_thread::yield();
				tries = 0;
			}
	}
	void unlock() { held.store(false, std::memory_order_release); }
};

static spinlock guard;
static std::atomic<int> level{0};
static int total;

static void add(int n)
{
	guard.lock();
	if (level.load() > 0) // bug: raised by the other thread between two calls
		add(n - 1);
	total += n;
	guard.unlock();
}

int main()
{
	std::thread other([] { for (int i = 0; i < 100; i++) std::this_thread::yield(); level = 1; });
	for (int i = 0; i < 2000; i++)
		add(i);
	other.join();
	for (int i = 0; i < 2; i++)
		add(i);
}
P
rethread cc -O2 -g -pthread -o flags flags.c
rethread c++ -O2 -g -pthread -o twice twice.cc
for program in flags twice; do
	rethread record -q -o "$program.trace" --until-failure --runs 100 --timeout 1 ./$program >said 2>&1 || true
	rethread info "$program.trace" >info 2>&1 || { echo "NOTE: $program did not hang here"; continue; }
	has info '^failure .*still running after 1 s'
	rethread reproduce --engine solve "$program.trace" >out 2>&1 || fail "$(cat out)"
	has out 'reproduced and proven by replay'
	rethread replay -n 2 "$program.trace" >out
	has out 'reproduced 2/2'
done
