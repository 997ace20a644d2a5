/* Jobs that threads hand to one another on a stack without locks; how many were done is counted under a spin lock. Exits 1 when some are lost or done twice. */
#include <ck_pr.h>
#include <ck_spinlock.h>
#include <ck_stack.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, JOBS = 300 };

struct job {
	ck_stack_entry_t entry;
	unsigned done;
};

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_spinlock_t lock = CK_SPINLOCK_INITIALIZER;
static struct job jobs[THREADS][JOBS];
static unsigned done, handed;

static void take_all(void)
{
	ck_stack_entry_t *e = ck_stack_batch_pop_upmc(&stack), *next;
	for (; e; e = next) {
		next = e->next;
		((struct job *)e)->done++;
		ck_spinlock_lock(&lock);
		done++;
		ck_spinlock_unlock(&lock);
	}
}

static void *works(void *mine)
{
	struct job *job = mine;
	for (int i = 0; i < JOBS; i++) {
		ck_stack_push_upmc(&stack, &job[i].entry);
		ck_pr_inc_uint(&handed);
		if (i % 3 == 0)
			take_all();
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	unsigned once = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, works, jobs[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	take_all();
	for (int i = 0; i < THREADS * JOBS; i++)
		once += jobs[i / JOBS][i % JOBS].done == 1;
	printf("%u jobs handed over, %u done, %u of them once\n", handed, done, once);
	return done != handed || once != handed;
}
