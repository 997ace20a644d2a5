# What inputs bring is in the log, and the executor is given it: a parser of its own input records next to nothing, and the path is the true one: that of the
# same program with every branch recorded. Also where lines have zeros in them, where the log ends early, and where words that are read may be addresses.
cat >p.c <<'P'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
static int total;
static __thread unsigned digest;
static __attribute__((noinline)) void turn(unsigned n) { digest = digest * 31 + n; }
static inline __attribute__((always_inline)) void look(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == ' ' || p[i] == '\n') /* 16 */
			turn(1);
		if (p[i] & 4) /* 18 */
			turn(2);
	}
}
static void *by_line(void *path)
{
	char line[100];
	memset(line, 'x', sizeof line);
	FILE *f = fopen(path, "r");
	while (fgets(line, sizeof line, f)) {
		look(line, strlen(line));
		look(line, sizeof line); /* behind a zero there may be more */
	}
	fclose(f);
	total += digest;
	return NULL;
}
static void *by_block(void *path)
{
	char *block = malloc(700);
	size_t got;
	FILE *f = fopen(path, "r");
	while ((got = fread(block, 1, 700, f)) > 0) /* 40 */
		look(block, got);
	fclose(f);
	free(block);
	total += digest;
	return NULL;
}
static void *by_read(void *path)
{
	char block[333];
	ssize_t got;
	int fd = open(path, O_RDONLY);
	struct stat st;
	if (!fstat(fd, &st) && st.st_size % 2) /* 53 */
		turn(3);
	while ((got = read(fd, block, sizeof block)) > 0) /* 55 */
		look(block, (size_t)got);
	close(fd);
	total += digest;
	return NULL;
}
static void *by_character(void *path)
{
	int c;
	FILE *f = fopen(path, "r");
	while ((c = getc(f)) != EOF) /* 65 */
		turn(c & 1 ? 4 : 5); /* 66 */
	fclose(f);
	total += digest;
	return NULL;
}
/* Of a datagram that is too long the rest is lost; it does not go behind the buffer. */
static void *by_message(void *unused)
{
	int fd[2];
	struct { char text[8]; void *behind; } m = {.behind = &m};
	socketpair(AF_UNIX, SOCK_DGRAM, 0, fd);
	send(fd[0], "twenty-three characters", 23, 0);
	if (recv(fd[1], m.text, sizeof m.text, MSG_TRUNC) == 23) /* 78 */
		turn(6);
	look(m.text, sizeof m.text);
	if (m.behind == &m)
		turn(7);
	close(fd[0]);
	close(fd[1]);
	total += digest;
	return unused;
}
int main(int argc, char **argv)
{
	void *(*ways[])(void *) = {by_line, by_block, by_read, by_character, by_message};
	pthread_t t[5];
	for (int i = 0; i < 5; i++)
		pthread_create(&t[i], NULL, ways[i], argv[1]);
	for (int i = 0; i < 5; i++)
		pthread_join(t[i], NULL);
	assert(total == argc);
	return 0;
}
P
for i in 1 2 3 4 5 6 7 8; do
	printf 'a line of text\nand one\0 with a zero\n\0\nand one that is longer than the buffer is, which is why it is read in two parts: one hundred %d\n' $i
done >text
lines() { sed -nE 's/^(thread [0-9:]+):.*/\1/p; /^  line |so far from|lines passed/p' "$1" >"$1.lines"; }
for o in -O0 -O2; do
	rethread cc $o -g -pthread p.c -o p
	RETHREAD_PASS_ALL_BRANCHES=1 rethread cc $o -g -pthread p.c -o every
	for p in p every; do
		rm -rf $p.trace
		status 134 rethread record -q -o $p.trace ./$p text
		rethread dump --lines all $p.trace >$p.dump 2>$p.warnings
		[ ! -s $p.warnings ] || fail "$o: the path of $p is not sure: $(cat $p.warnings)"
		lines $p.dump
	done
	diff every.dump.lines p.dump.lines >differences || fail "$o: the path is another one: $(head -n 5 differences)"
	has every.dump '^thread 1:2: [0-9]{4} branches' '^thread 1:3: [0-9]{4} branches' '^thread 1:4: [0-9]{3,4} branches'
	[ $o = -O0 ] || has p.dump '^thread 1:2: 0 branches' '^thread 1:3: 0 branches' '^thread 1:4: 0 branches' '^thread 1:1: [0-9]{1,2} branches'
	rethread reproduce p.trace >out
	has out 'reproduced and proven by replay'
done
rethread analyze --why p >out
has out '^ +40  by_block .*branches: 1 known' '^ +53  by_read .*branches: [12] known' '^ +55  by_read .*branches: 1 known' '^ +65  by_character .*branches: 1 known'
! grep -E 'what (fgets|fread|read|recv|getc) may have written|what (fread|read|recv|getc) returned' out

# The log ends early: what is left of it is followed, and nothing is invented.
for i in 1 2 3 4 5 6 7 8 9; do cat text text text; done >long
status 134 rethread record -q --max-log 64K -o short.trace ./p long
rethread dump --lines all short.trace >short.dump 2>warnings
# Where a path rests on how two threads raced, which a cut log need not tell, dump says so.
same "$(grep -v 'the lines may end early or be wrong' warnings)" "rethread: warning: the log ends early: --max-log was reached"
# Mostly that is enough. Where a thread's end is not in it, that is said.
rethread reproduce --engine solve --budget 60 short.trace >out 2>&1 || true
has out 'reproduced and proven by replay|the log ends before the failure \(--max-log was reached\)'

# A program that sends itself addresses may be given others than it had: nothing that it reads is known, but how much.
cat >q.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct message { void *from; int kind; };
static int fd[2], total;
static __attribute__((noinline)) int odd(void) { static volatile int seen; return seen = 1; }
static void *work(void *x)
{
	struct message m = {malloc(8), 1 + (x != NULL)};
	write(fd[1], &m, sizeof m);
	total++; /* bug */
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	unsigned char bytes[64];
	int ones = 0;
	pipe(fd);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, i ? &t : NULL);
	for (int i = 0; i < 2; i++) {
		ssize_t n = read(fd[0], bytes, sizeof(struct message)); /* 24 */
		if (n == sizeof(struct message)) /* 25 */
			ones += bytes[8] & 1 ? odd() : 3;
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(total == ones);
}
P
rethread cc -O1 -g -pthread q.c -o q
rethread analyze --why q >out
has out '^ +25  main .*branches: 1 known' 'recorded: what read may have written \(line 24\)'
status 134 rethread record -q ./q
rethread reproduce >out
has out 'reproduced and proven by replay'
