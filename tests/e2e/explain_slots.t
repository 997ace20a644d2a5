# A worker writes the result of a job into the slot that another job has by then. What both workers did to other slots before, in the same line, does not tell who
# was to come first there.
cat >slots.c <<'P'
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct job {
  int used, serial, result;
};
static struct job slots[4];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int req[2], done[2], tfd;
static int cancelled, finished;

static void *worker(void *arg) {
  (void)arg;
  int slot;
  while (read(req[0], &slot, sizeof slot) == sizeof slot) {
    pthread_mutex_lock(&m);
    int serial = slots[slot].serial;
    pthread_mutex_unlock(&m);
    volatile int x = 0;
    for (int i = 0; i < (serial * 7919) % 3000; i++)
      x += i;
    pthread_mutex_lock(&m);
    slots[slot].result = serial;
    pthread_mutex_unlock(&m);
    if (write(done[1], &slot, sizeof slot) != sizeof slot)
      abort();
  }
  return NULL;
}

static int submit(int serial) {
  for (int s = 0; s < 4; s++) {
    pthread_mutex_lock(&m);
    if (!slots[s].used) {
      slots[s] = (struct job){1, serial, -1};
      pthread_mutex_unlock(&m);
      if (write(req[1], &s, sizeof s) != sizeof s)
        abort();
      return s;
    }
    pthread_mutex_unlock(&m);
  }
  return -1;
}

int main(void) {
  if (pipe(req) || pipe(done))
    return 9;
  tfd = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec its = {{0, 30000}, {0, 30000}};
  timerfd_settime(tfd, 0, &its, NULL);
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, worker, NULL);
  int serial = 0;
  while (finished + cancelled < 300) {
    while (serial < 300 && submit(serial) >= 0)
      serial++;
    struct pollfd p[2] = {{done[0], POLLIN, 0}, {tfd, POLLIN, 0}};
    poll(p, 2, -1);
    if (p[0].revents & POLLIN) {
      int s;
      if (read(done[0], &s, sizeof s) != sizeof s)
        abort();
      pthread_mutex_lock(&m);
      if (slots[s].used) {
        if (slots[s].result >= 0)
          assert(slots[s].result == slots[s].serial);
        slots[s].used = 0;
        finished++;
      }
      pthread_mutex_unlock(&m);
    }
    if (p[1].revents & POLLIN) {
      uint64_t n;
      if (read(tfd, &n, sizeof n) != sizeof n)
        abort();
      pthread_mutex_lock(&m); /* time out the oldest */
      int old = -1;
      for (int s = 0; s < 4; s++)
        if (slots[s].used && slots[s].result < 0 && (old < 0 || slots[s].serial < slots[old].serial))
          old = s;
      if (old >= 0) {
        slots[old].used = 0;
        cancelled++;
      }
      pthread_mutex_unlock(&m);
    }
  }
  close(req[1]);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  puts("ok");
  return 0;
}
P
rethread cc -O2 -g -pthread slots.c -o slots
for i in 1 2 3 4; do
	rethread record --until-failure --runs 500 -- ./slots 2>err || true
	has err '^rethread: trace: '
	rethread reproduce --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
	rethread explain | tr -s ' \n' ' ' >text
	! grep -q 'but came to' text || fail "$(cat text)"
	cat text >>all
	echo >>all
done
has all 'In short: thread (1:[12]) wrote slots\[[0-9]\].result = [0-9]+ \(slots.c:[0-9]+\), which it had read in slots\[[0-9]\].serial \(slots.c:[0-9]+\) before thread 1 changed that'
