# A small server over sockets: a reaper frees a connection that a worker still answers.
cat >server.c <<'P'
/* A small server: one thread polls connections, two work, a reaper frees idle ones while a worker still answers. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#define N 6
struct conn { int fd; int magic; volatile int busy, idle; char name[16]; long served; };
static struct conn *volatile conns[N]; static struct conn *q[64]; static unsigned qi, qo; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static volatile int stop; static int cli[N];
static void *worker(void *a) { (void)a; for (;;) { pthread_mutex_lock(&m); while (qi == qo && !stop) pthread_cond_wait(&c, &m); if (qi == qo) { pthread_mutex_unlock(&m); return 0; } struct conn *k = q[qo++ % 64]; pthread_mutex_unlock(&m);
    char b[32]; ssize_t n = read(k->fd, b, sizeof b); for (volatile int i = 0; i < 300; i++) {} if (n > 0) { char o[64]; int l = snprintf(o, sizeof o, "%s:%.*s", k->name, (int)n, b); if (write(k->fd, o, (size_t)l) != l) abort(); k->served++; }
    assert(k->magic == 0x600d && "connection used after it was freed"); k->idle = 1; k->busy = 0; } }
static void *reaper(void *a) { (void)a; for (int r = 0; r < 4000 && !stop; r++) { for (int i = 0; i < N; i++) { struct conn *k = conns[i]; if (k && k->idle) { /* bug: busy may be set in between */ conns[i] = NULL; k->magic = 0xdead; } } } return 0; }
static void *client(void *a) { int fd = *(int *)a; char b[64]; for (int i = 0; i < 3; i++) { if (write(fd, "hello", 5) != 5) return 0; struct pollfd p = {fd, POLLIN, 0}; if (poll(&p, 1, 200) <= 0 || read(fd, b, sizeof b) <= 0) break; } close(fd); return 0; }
int main(void) { pthread_t w[2], rp, ct[N]; for (int i = 0; i < N; i++) { int s[2]; if (socketpair(AF_UNIX, SOCK_STREAM, 0, s)) return 2; struct conn *k = calloc(1, sizeof *k); k->fd = s[0]; k->magic = 0x600d; snprintf(k->name, sizeof k->name, "c%d", i); conns[i] = k; cli[i] = s[1]; }
  for (int i = 0; i < 2; i++) pthread_create(&w[i], 0, worker, 0); pthread_create(&rp, 0, reaper, 0); for (int i = 0; i < N; i++) pthread_create(&ct[i], 0, client, &cli[i]);
  for (int round = 0; round < 400; round++) { struct pollfd p[N]; int n = 0; struct conn *who[N]; for (int i = 0; i < N; i++) { struct conn *k = conns[i]; if (k && !k->busy) { who[n] = k; p[n].fd = k->fd; p[n++].events = POLLIN; } } if (!n) break; if (poll(p, (nfds_t)n, 5) <= 0) continue; for (int i = 0; i < n; i++) if (p[i].revents & POLLIN) { who[i]->busy = 1; who[i]->idle = 0; pthread_mutex_lock(&m); q[qi++ % 64] = who[i]; pthread_cond_signal(&c); pthread_mutex_unlock(&m); } }
  pthread_mutex_lock(&m); stop = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); for (int i = 0; i < 2; i++) pthread_join(w[i], 0); pthread_join(rp, 0); for (int i = 0; i < N; i++) pthread_join(ct[i], 0); puts("bye"); return 0; }
P
ENGINE=solve proven server.c
