# C11 atomics, function pointers, a thread pool: a reference count is tested by a second load.
cat >pool.c <<'P'
/* Thread pool with function-pointer jobs; a job object is refcounted with C11 atomics, but release tests a second load. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct job { atomic_int refs; int freed; void (*run)(struct job *, int); char name[16]; long result; };
struct queue { pthread_mutex_t m; pthread_cond_t c; struct job *items[64]; int head, tail, closed; } q = { .m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER };
static atomic_long done;
static void release(struct job *j) {
  atomic_fetch_sub(&j->refs, 1);
  if (j->name[1] == '3') sched_yield();  /* also fails where the cores are busy */
  if (atomic_load(&j->refs) == 0) {      /* bug: both of the last two may see 0 */
    assert(!j->freed && "released twice");
    j->freed = 1;
    atomic_fetch_add(&done, 1);
  }
}
static void sum(struct job *j, int k) { for (int i = 0; i < 20; i++) j->result += i * k; }
static void twist(struct job *j, int k) { j->result ^= (long)k << (j->name[1] & 7); }
static void push(struct job *j) { pthread_mutex_lock(&q.m); q.items[q.tail++ % 64] = j; pthread_cond_signal(&q.c); pthread_mutex_unlock(&q.m); }
static void *worker(void *a) {
  int id = (int)(long)a;
  for (;;) {
    pthread_mutex_lock(&q.m);
    while (q.head == q.tail && !q.closed) pthread_cond_wait(&q.c, &q.m);
    if (q.head == q.tail) { pthread_mutex_unlock(&q.m); return NULL; }
    struct job *j = q.items[q.head++ % 64];
    pthread_mutex_unlock(&q.m);
    j->run(j, id + 1);
    release(j);
  }
}
int main(void) {
  pthread_t t[2];
  struct job *all[200];
  for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  for (int i = 0; i < 200; i++) {
    struct job *j = calloc(1, sizeof *j);
    snprintf(j->name, sizeof j->name, "j%d", i);
    j->run = i % 3 ? sum : twist;
    atomic_store(&j->refs, 2);
    all[i] = j;
    push(j);
    for (volatile int w = 0; w < 150; w++);
    release(j);
  }
  pthread_mutex_lock(&q.m); q.closed = 1; pthread_cond_broadcast(&q.c); pthread_mutex_unlock(&q.m);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  printf("%ld done %ld\n", all[7]->result, atomic_load(&done));
  return 0;
}
P
proven pool.c
