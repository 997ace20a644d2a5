# Reference counts dropped outside of the lock: tens of thousands of racy reads of one counter.
cat >refs.c <<'P'
/* Reference counts without atomics, object used after its last reference went: glib style. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int refs; char *name; void (*destroy)(void *); } object;
static object *shared; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void gone(void *p) { object *o = p; free(o->name); o->name = NULL; o->destroy = NULL; }
static object *ref(object *o) { o->refs++; return o; }
static void unref(object *o) { if (--o->refs == 0) o->destroy(o); }
static void *user(void *a) { size_t n = 0; for (int i = 0; i < 20000; i++) { pthread_mutex_lock(&lock); object *o = shared ? ref(shared) : NULL; pthread_mutex_unlock(&lock); if (!o) break; n += strlen(o->name); unref(o); /* bug: not under the lock */ } (void)a; return (void *)n; }
int main(void) { object *o = calloc(1, sizeof *o); o->refs = 1; o->name = strdup("a shared object"); o->destroy = gone; shared = o;
  pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, user, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0); if (o->refs != 1) { fprintf(stderr, "refs %d\n", o->refs); abort(); } return 0; }
P
ENGINE=solve proven refs.c
