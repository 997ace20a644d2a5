/*
 * clap_fig2: the worked example of the CLAP paper, with its line numbers.
 *
 *     Thread 1                       Thread 2
 *      1  a = x                      10  b = y
 *      2  x = 1                      11  y = 2
 *      3  if (y > 0)                 12  if (x > 0)
 *      4    y = a + 1                13    x = b + 2
 *      5    x = a + 1                14    y = b + 2
 *      6  else                       15  else
 *      7    y = 0                    16    x = 1
 *      8    x = 0                    17    y = 1
 *      9  (1) assert(x == y)         18  (2) assert(x <= y)
 *
 * Both variables are 0 at the start. The argument says which assertion is active:
 *
 * 1   Assertion (1), in thread 1. Fails under SC, for instance in the order of the figure,
 *     1-10-2-11-3-12-13-4-5-14-9.
 * 2   Assertion (2), in thread 2, where the figure has it. The paper gives an order in which it
 *     fails under PSO, because the store of line 4 is delayed past that of line 5:
 *     1-10-2-11-3-12-5-13-14-4-18. It also says that (2) never fails under SC. As printed it does,
 *     when line 18 comes between lines 4 and 5: 1-10-2-11-3-12-13-14-4-18.
 * 3   Assertion (2), on the values that are left when both threads are through lines 3-5 and
 *     12-14. This is what the paper's argument is about: for x to end as 2 and y as 1, line 5
 *     must precede 13 and line 14 must precede 4, a circle unless 4 and 5 are exchanged. Fails
 *     under PSO only, hence never on x86 hardware.
 *
 * Bad interleaving: see above.
 * Symptom: the assertion.
 * Fix: each thread holds a lock from its first line to its assertion.
 * Paper: CLAP, section 2, figures 2 to 4.
 *
 * fails: assert
 * threads: 3
 * args: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static volatile int x, y;
static int active = 1;  /* the assertion; see above */
static int pace = 2000; /* work before each line, in steps of about half a nanosecond */

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK()
#define UNLOCK()
#endif

/* Work that touches nothing shared, so that threads created one after the other overlap. */
static void work(void)
{
	for (volatile int i = 0; i < pace; i++)
		;
}

/* Both threads return whether they took the first branch of their `if`. */

static void *thread_1(void *unused)
{
	(void)unused;
	bool first_branch = false;
	LOCK();
	int a = x; /* 1 */
	work();
	x = 1; /* 2 */
	work();
	if (y > 0) { /* 3 */
		first_branch = true;
		work();
		y = a + 1; /* 4 */
		work();
		x = a + 1; /* 5 */
	} else {
		work();
		y = 0; /* 7 */
		work();
		x = 0; /* 8 */
	}
	work();
	if (active == 1)
		assert(x == y); /* 9 */
	UNLOCK();
	return (void *)(long)first_branch;
}

static void *thread_2(void *unused)
{
	(void)unused;
	bool first_branch = false;
	LOCK();
	int b = y; /* 10 */
	work();
	y = 2; /* 11 */
	work();
	if (x > 0) { /* 12 */
		first_branch = true;
		work();
		x = b + 2; /* 13 */
		work();
		y = b + 2; /* 14 */
	} else {
		work();
		x = 1; /* 16 */
		work();
		y = 1; /* 17 */
	}
	work();
	if (active == 2)
		assert(x <= y); /* 18 */
	UNLOCK();
	return (void *)(long)first_branch;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		active = atoi(argv[1]);
	if (argc > 2)
		pace = atoi(argv[2]);

	pthread_t t1, t2;
	void *first_branch_1, *first_branch_2;
	pthread_create(&t1, NULL, thread_1, NULL);
	pthread_create(&t2, NULL, thread_2, NULL);
	pthread_join(t1, &first_branch_1);
	pthread_join(t2, &first_branch_2);
	if (active == 3 && first_branch_1 && first_branch_2)
		assert(x <= y); /* 18, by which time nothing else happens */
	return 0;
}
