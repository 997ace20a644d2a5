# A hang: one condition variable for two purposes and cnd_signal. Waits that nobody ends are held by the replay.
cat >c11.c <<'P'
/* C11 threads: bounded buffer with one condition for two purposes and cnd_signal: hang. */
#include <stdio.h>
#include <threads.h>
static mtx_t m; static cnd_t c; static int n, total;
static int put(void *a) { (void)a; for (int i = 0; i < 300; i++) { mtx_lock(&m); while (n == 1) cnd_wait(&c, &m); n++; cnd_signal(&c); mtx_unlock(&m); } return 0; }
static int get(void *a) { (void)a; for (int i = 0; i < 300; i++) { mtx_lock(&m); while (n == 0) cnd_wait(&c, &m); n--; total++; cnd_signal(&c); /* bug: may wake another consumer */ mtx_unlock(&m); } return 0; }
int main(void) { mtx_init(&m, mtx_plain); cnd_init(&c); thrd_t t[6]; for (int i = 0; i < 3; i++) { thrd_create(&t[i], put, 0); thrd_create(&t[3 + i], get, 0); } for (int i = 0; i < 6; i++) thrd_join(t[i], 0); printf("%d\n", total); return total != 900; }
P
LIMIT=3 ENGINE=solve proven c11.c
