# Inputs short and long, packed and not, in windows and in chunks of their own: the log has what the program saw, whole and up to the last, also when
# it is killed at any instant, in threads, and in the child of a fork.
program p <<'P'
#include "recorded.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

/* Seen by whoever looks after the death: the sum of the inputs so far, and of those before the last. */
static struct {
	volatile uint64_t count, sum[2];
} *noted;
static uint64_t sum = 14695981039346656037u, count;
static FILE *f;
static int asks; /* the call does not find all in the stream's buffer: its record has the stream's marks of end and error, too */

static void add(const void *bytes, long n)
{
	for (long i = 0; i < n; i++)
		sum = (sum ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void note(long result, const void *bytes, long n)
{
	sum = (sum ^ (uint8_t)result) * 1099511628211u;
	add(bytes, n);
	if (asks)
		add(&(int){f->_flags & 0x30}, sizeof(int));
	asks = 0;
	count++;
	if (!noted)
		return;
	noted->sum[count % 2] = sum;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	noted->count = count;
}

static char big[400000];
static int fd;

static size_t buffered(void) { return (size_t)(f->_IO_read_end - f->_IO_read_ptr); }
static int has_line(size_t n) { return buffered() && (buffered() >= n || memchr(f->_IO_read_ptr, '\n', buffered())); }

static void input(unsigned kind)
{
	static const int sizes[] = {1, 7, 100, 480, 509, 512, 600, 5000, 66000, 131000, 300000};
	struct timeval t;
	int n = sizes[kind % 11];
	long r;
	switch (kind / 11 % 8) {
	case 0: asks = !buffered(), r = getc(f), note(r, 0, 0); break;
	case 1: asks = !has_line((size_t)(n % 700)), r = !!fgets(big, 1 + n % 700, f), note(r ? (long)big : 0, big, r ? (long)strlen(big) + 1 : 0); break;
	case 2: asks = buffered() < (size_t)n, r = (long)fread(big, 1, (size_t)n, f), note(r, big, r); break;
	case 3: r = read(fd, big, (size_t)n), note(r, big, r); break;
	case 4: r = pread(fd, big, (size_t)n, n), note(r, big, r); break;
	case 5: r = rand(), note(r, 0, 0); break;
	case 6: r = gettimeofday(&t, NULL), note(r, &t, sizeof t); break;
	default: r = read(-1, big, 10), note(r, 0, 0); break; /* errno changes */
	}
	if (kind / 11 % 8 < 3 && (r == 0 || r == EOF))
		r = fseek(f, 0, SEEK_SET), asks = 1, note(r, 0, 0);
	else if (kind / 11 % 8 == 3 && r == 0)
		r = lseek(fd, 0, SEEK_SET), note(r, 0, 0);
}

int main(int argc, char **argv)
{
	long most = argc > 1 ? atol(argv[1]) : 0;
	unsigned random = argc > 2 ? (unsigned)atol(argv[2]) : 1;
	int out = open("noted", O_RDWR | O_CREAT, 0600);
	note(out, 0, 0);
	note(ftruncate(out, 4096), 0, 0);
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, out, 0);
	note((long)p, p, 4096); /* what the file held */
	noted = p;
	fd = open("text", O_RDONLY), note(fd, 0, 0);
	f = fopen("text", "r"), note((long)f, 0, 0);
	for (long i = 0; !most || i < most; i++) {
		random = random * 1664525 + 1013904223;
		/* Mostly the short ones, in long rows of the same. */
		unsigned kind = random >> 28 ? random >> 25 & 1 ? random >> 9 : i / 200 * 11 + (random >> 16) % 3 : random >> 8;
		input(kind % (random >> 27 ? 88 : 880));
	}
	if (most == 777) {
		/* It goes on in the child, whose log begins as this one. */
		pid_t child = fork();
		if (child)
			_exit(wait(NULL) != child);
		note(child, 0, 0);
		for (int i = 0; i < 3000; i++)
			input((unsigned)i);
	}
	_exit(0);
}
P
for i in $(seq 60000); do echo "line $i $((i * i))"; done >text

# check DIR: its inputs are those that were noted, or one more.
check() {
	dump "$1"
	read -r _ _ n sum before timed < <(grep '^inputs 1 ' dump)
	set -- $(od -An -v -w8 -t u8 -N8 noted) $(od -An -v -w8 -t x8 -j8 -N16 noted)
	local noted=$2
	[ $(($1 % 2)) = 0 ] || noted=$3
	more=$((n - $1))
	{ [ $more = 0 ] && [ "$sum" = "$noted" ]; } || { [ $more = 1 ] && [ "$before" = "$noted" ]; } ||
		fail "log: $n $sum $before, noted: $1 $noted"
}

for i in 1 2 3; do
	rm -f noted
	record 0 ./p 20000 $i
	check trace
	same $more 0
done

rm -rf trace noted
mkdir trace child
RETHREAD_OPTIONS=dir=trace ./p 777 &
wait $!
mv trace/log.$! parent
mv trace/log.* child
check child
same $more 0
has dump '^flags 16 '

for i in $(seq 40); do
	rm -rf trace noted
	mkdir trace
	RETHREAD_OPTIONS=dir=trace ./p 0 $i &
	sleep "0.0$((RANDOM % 60 + 20))"
	kill -KILL $!
	wait $! 2>/dev/null || true
	[ "$(stat -c %s noted 2>/dev/null)" = 4096 ] && [ "$(od -An -t u8 -N8 noted | tr -d ' ')" != 0 ] || continue
	check trace
done

# Only where the kernel was asked is it worth knowing when; and short inputs take few bytes.
program q <<'P'
#include "recorded.h"
int main(void)
{
	char line[100];
	int n = 0;
	while (getc(stdin) != '#')
		n++;
	while (fgets(line, sizeof line, stdin))
		n++;
	printf("%d\n", n);
	return 0;
}
P
{ yes | head -c 400000; echo '#'; yes line | head -n 8000; } >text
record 0 ./q <text >n
same "$(cat n)" 408001
dump
read -r _ _ n sum before timed < <(grep '^inputs 1 ' dump)
[ "$timed" -ge 100 ] && [ "$timed" -le 120 ] || fail "$timed inputs have times"
[ "$(stat -c %s trace/log.*)" -lt 1100000 ] || fail "$(stat -c %s trace/log.*) bytes of log"
# A byte at a time, each of which may be what another thread wrote.
record 0 ./q < <(for i in $(seq 50); do echo -n x; sleep 0.002; done; echo '#') >n
dump
read -r _ _ n sum before timed < <(grep '^inputs 1 ' dump)
[ "$timed" -ge 20 ] || fail "$timed inputs have times"
