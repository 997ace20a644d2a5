# A pointer is taken under the lock, the buffers are swapped, and then something is written through the old pointer: into what others look at by now. In the heap and in variables. Who finds
# something half done is told which lock the writer had not given up yet.
cat >frames.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct frame { long number; int pixels[4]; };
static struct frame frames[2], *front, *back;
static pthread_mutex_t swap = PTHREAD_MUTEX_INITIALIZER, draw = PTHREAD_MUTEX_INITIALIZER;
static void *paints(void *p)
{
	for (int n = 1; n < 4; n++) {
		pthread_mutex_lock(&swap);
		struct frame *f = back;
		pthread_mutex_unlock(&swap);
		usleep(n == 3 ? 60000 : 0);
		pthread_mutex_lock(&draw);
		f->number = n;
		for (int i = 0; i < 4; i++)
			f->pixels[i] = n;
		usleep(n == 3 ? 60000 : 0);
		pthread_mutex_unlock(&draw);
	}
	return p;
}
static void *swaps(void *p)
{
	usleep(20000);
	pthread_mutex_lock(&swap);
	struct frame *f = back;
	back = front;
	front = f;
	pthread_mutex_unlock(&swap);
	return p;
}
int main(int argc, char **argv)
{
	pthread_t a, b;
	front = argc > 1 ? calloc(1, sizeof *front) : &frames[0];
	back = argc > 1 ? calloc(1, sizeof *back) : &frames[1];
	pthread_create(&a, NULL, paints, NULL);
	pthread_create(&b, NULL, swaps, NULL);
	usleep(40000);
	pthread_mutex_lock(&swap);
	struct frame *f = front;
	long number = f->number;
	usleep(50000);
	assert(f->number == number);
	pthread_mutex_unlock(&swap);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
through() { # FRAME: what it is called
	status 134 rethread record -q --until-failure --runs 50 ./frames ${2:-} 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	tr -s ' \n' ' ' <out >text
	has text "In short: thread 1:1 wrote $1.number \(frames.c:16\) through an old pointer: it had got that from back \(frames.c:12\), and thread 1:2 had put another one there since \(frames.c:29\)\." \
		"Who came in between: thread 1:1 read back: &$1 frames.c:12 .*then thread 1:2 wrote it: .* frames.c:29 .*then thread 1:1 wrote $1.number: 3 frames.c:16 .*which is where the pointer led that had been replaced thread 1 found that, which had come there by a newer pointer frames.c:46 .*thread 1:1 had swap locked then, and gave it up" \
		'which thread 1:1 had written in paints frames.c:16 f->number = n; thread 1:1 had draw locked for that, and had not given it up yet'
}
rethread cc -O2 -g -pthread frames.c -o frames
through 'frames\[[01]\]'
rethread cc -O0 -g -pthread frames.c -o frames
through 'frame(#[12])?' heap
rethread cc -O2 -g -pthread frames.c -o frames
status 134 rethread record -q --until-failure --runs 50 ./frames 2>err
rethread reproduce --engine search --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'Who came in between: thread 1:1 read back: &frames\[1\] frames.c:12 .*then thread 1:2 wrote it: &frames\[0\] frames.c:29 .*then thread 1:1 wrote frames\[1\].number: 3 frames.c:16 .*thread 1 found that'
