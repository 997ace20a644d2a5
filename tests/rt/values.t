# Recorded values of a thread that polls: repetitions are counted. Nothing is lost, twice or another value at whatever instant a SIGKILL comes.
program v <<'P'
#include "recorded.h"
#include <fcntl.h>
#include <sys/mman.h>
static uint32_t hash(uint64_t n)
{
	return (uint32_t)((n + 1) * 0x9e3779b97f4a7c15u >> 33);
}
/* What is polled changes after a while; so do how many values there are to a round, and for how long; some are never the same again. */
static uint32_t value(uint64_t i)
{
	uint64_t part = i / 700, round = part % 5 == 0 ? 1 : part % 5 == 1 ? 2 : part % 5 == 2 ? 7 + part % 100 : 0;
	return part % 5 == 3 ? part / 70 : round ? hash(part / (part % 2 ? 1 : 30) + i % round) : hash(i);
}
static volatile unsigned long *count;
static void *poll(void *arg)
{
	for (uint64_t i = 0;; i++) {
		V(value(i));
		*count = i + 1;
	}
	return arg;
}
int main(int argc, char **argv)
{
	if (argc > 1) {
		uint64_t sum = 14695981039346656037u;
		for (uint64_t i = 0; i < strtoul(argv[1], NULL, 10); i++)
			sum = (sum ^ value(i)) * 1099511628211u;
		printf("%016llx\n", (unsigned long long)sum);
		return 0;
	}
	pthread_t t;
	int fd = open("count", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (ftruncate(fd, 4096)) return 1;
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_create(&t, NULL, poll, NULL);
	pthread_join(t, NULL);
}
P
for i in $(seq 30); do
	rm -rf trace count
	mkdir trace
	RETHREAD_OPTIONS=dir=trace,values=all ./v &
	pid=$!
	sleep "0.00$((RANDOM % 9 + 1))$((RANDOM % 10))"
	kill -KILL $pid
	wait $pid 2>/dev/null || true
	[ -s trace/log.$pid ] && [ "$(head -c 7 trace/log.$pid)" = RTRDLOG ] && [ -s count ] || continue
	count=$(od -An -t u8 -N8 count | tr -d ' ')
	[ "$count" -gt 0 ] || continue
	dump
	read -r _ _ n sum < <(grep '^values 1:1 ' dump)
	[ $((n - count)) = 0 ] || [ $((n - count)) = 1 ] || fail "$n values in the log of $count"
	same "$sum" "$(./v $n)"
	[ $((i % 5)) = 0 ] || continue
	# A file that was cut off has the first ones, and what is left is whole: the reader says no to anything else.
	truncate -s $((4096 + RANDOM * 64 % $(stat -c %s trace/log.$pid))) trace/log.$pid
	dump
	read -r _ _ n sum < <(grep '^values 1:1 ' dump) || continue
	same "$sum" "$(./v $n)"
done
