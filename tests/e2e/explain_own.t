# Steps inside the headers of the system (std::mutex, std::thread) are shown where the program's own code called them, inlined or not.
cat >own.cpp <<'P'
#include <cstdlib>
#include <mutex>
#include <thread>
static std::mutex mutex;
static int count;
static void work()
{
	std::lock_guard<std::mutex> guard(mutex);
	count++;
}
int main()
{
	std::thread a(work);
	work();
	a.join();
	if (count == 2)
		std::abort();
}
P
for opt in -O0 -O2; do
	rethread c++ $opt -g -pthread -o own own.cpp
	rethread record -q ./own || true
	rethread reproduce >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain --all >out 2>&1
	has out 'own.cpp:8 .* lock mutex' 'own.cpp:13 .* create 1:1' 'own.cpp:15 .*join'
	if grep -E '(gthr|mutex|thread)[^ ]*:[0-9]+ ' out; then fail "$opt: headers of the system: $(cat out)"; fi
done

# Engine search has its places from the pass: where headers were inlined.
cat >filled.cpp <<'P'
#include <cstdlib>
#include <thread>
#include <vector>
int main()
{
	auto *all = new std::vector<int>;
	all->reserve(9);
	std::thread a([=] {
		all->push_back(1);
	});
	a.join();
	all->push_back(2);
	if (all->size() == 2)
		std::abort();
}
P
rethread c++ -O2 -g -pthread -o filled filled.cpp
status 134 rethread record -q ./filled
rethread reproduce --engine search >out 2>&1 || fail "$(cat out)"
rethread explain --all >out 2>&1
has out 'filled.cpp:9 .*writes .*_M_finish' 'filled.cpp:12 .*_M_finish'
if grep -E '(vector|alloc)[^ ]*:[0-9]+ ' out; then fail "headers of the system: $(cat out)"; fi

# A failure that depends on the program's own flag and then on a count of references, in a header: the flag is what is explained.
cat >refs.cpp <<'P'
#include <cstdlib>
#include <memory>
#include <thread>
FLAGS
int main()
{
	auto shared = std::make_shared<int>(3);
	std::thread a([&] {
		auto mine = shared;
		ready = 1;
		while (!over)
			std::this_thread::yield();
	});
	for (;;)
		if (ready && shared.use_count() > 1)
			std::abort();
}
P
# Atomic variables are the program's own, though they are read in a header.
for flags in 'static volatile int ready, over;' '#include <atomic>
static std::atomic<int> ready, over;'; do
	while IFS= read -r line; do
		[ "$line" = FLAGS ] && printf '%s\n' "$flags" || printf '%s\n' "$line"
	done <refs.cpp >flags.cpp
	for opt in -O0 -O2; do
		rethread c++ $opt -g -pthread -o refs flags.cpp
		status 134 rethread record -q ./refs
		rethread reproduce --engine solve >out 2>&1 || fail "$opt: $(cat out)"
		rethread explain >out 2>&1
		has out 'thread 1 read ready' 'it found 1' 'which thread 1:1 had written'
	done
done

# What a thread writes to a block of its own no step tells of: that is no memory that nobody has written.
cat >told.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int ends[2];
static void *tell(void *arg)
{
	return write(ends[1], "cooking", 7) == 7 ? arg : NULL;
}
int main(void)
{
	pthread_t t;
	char text[64];
	if (pipe(ends))
		return 2;
	pthread_create(&t, NULL, tell, NULL);
	ssize_t n = read(ends[0], text, sizeof text - 1);
	char *told = malloc((size_t)n + 1);
	memcpy(told, text, (size_t)n);
	told[n] = '\0';
	if (strstr(told, "cook")) {
		fprintf(stderr, "was told: %s\n", told);
		abort();
	}
	pthread_join(t, NULL);
	free(told);
	return 0;
}
P
rethread cc -O2 -g -pthread -o told told.c
status 134 rethread record -q ./told 2>err
rethread reproduce --engine solve >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out 'In short: no single cause stands out'
! grep 'nobody is known' out || fail "$(cat out)"
