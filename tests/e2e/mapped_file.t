# A file that is mapped for reading and written by system calls, through other descriptors: what they write shows in memory, in inference and in a
# replay, which do not touch the file.
cat >journal.c <<'P'
// Bug: the header says how many records there are before the last of them is written.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
enum { RECORDS = 12 };
struct record { uint32_t number, square; };
struct journal { uint64_t count; struct record records[RECORDS]; };
static int file, header;
static const struct journal *map;
static void *append(void *unused)
{
	lseek(file, sizeof map->count, SEEK_SET);
	for (uint32_t i = 0; i < RECORDS; i++) {
		uint64_t count = i + 1;
		struct record r = {i, i * i};
		struct iovec v[] = {{&r.number, 4}, {&r.square, 4}};
		off_t at = sizeof count + i * sizeof r;
		ssize_t n = pwrite(header, &count, sizeof count, 0);
		assert(n == sizeof count);
		usleep(3000);
		n = i % 3 == 0 ? write(file, &r, sizeof r) : i % 3 == 1 ? writev(file, v, 2) : pwritev(file, v, 2, at);
		assert(n == sizeof r);
		if (i % 3 == 2)
			lseek(file, sizeof r, SEEK_CUR);
	}
	return unused;
}
static uint64_t count(void)
{
	return *(const volatile uint64_t *)&map->count;
}
int main(void)
{
	struct journal empty = {0};
	file = open("journal", O_RDWR | O_CREAT | O_TRUNC, 0600);
	header = open("journal", O_RDWR);
	ssize_t n = write(file, &empty, sizeof empty);
	assert(file >= 0 && header >= 0 && n == sizeof empty);
	map = mmap(NULL, sizeof *map, PROT_READ, MAP_SHARED, file, 0);
	assert(map != MAP_FAILED);
	/* Nobody hears of it when a mapping goes: what is written later is not there. */
	void *gone = mmap(NULL, sizeof *map, PROT_READ, MAP_SHARED, header, 0);
	assert(gone != MAP_FAILED && !munmap(gone, sizeof *map));
	pthread_t t;
	pthread_create(&t, NULL, append, NULL);
	for (uint32_t i = 0; i < RECORDS; i++) {
		while (count() <= i)
			usleep(100);
		if (i < RECORDS - 1)
			while (*(const volatile uint32_t *)&map->records[i].square != i * i || map->records[i].number != i)
				usleep(100);
		assert(map->records[i].number == i && map->records[i].square == i * i);
	}
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O1 -g -pthread journal.c -o journal.bin
reproduced /dev/null ./journal.bin
rm -f journal
rethread replay >out 2>&1 || fail "not replayed without the file: $(cat out)"
[ ! -e journal ] || fail "the replay made a file"
