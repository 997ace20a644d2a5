# Threads that poll for ever, one of which never saw the moment in which it could have gone on. In a replay it must not look again while the other is on its way.
cat >door.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int door, entered;
static volatile int work;
static void *guest(void *x) {
	for (int looks = 0; !atomic_load(&door); looks++)
		if (looks < 8) usleep(3000);
	atomic_store(&entered, 1);
	return x;
}
static void *porter(void *x) {
	usleep(5000);
	atomic_store(&door, 1);
	for (int i = 0; i < 1000000; i++) work = i;
	atomic_store(&door, 0); /* bug: does not ask whether somebody has come in */
	while (!atomic_load(&entered)) {
		if (work < 0) break;
	}
	return x;
}
int main(void) {
	pthread_t t[2];
	pthread_create(&t[0], 0, guest, 0);
	pthread_create(&t[1], 0, porter, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	return work < 0;
}
P
rethread cc -O2 -g -pthread door.c -o door
status 124 rethread record -q --timeout 1 --until-failure --runs 50 ./door 2>err
for how in "" --no-time; do
	rethread reproduce --engine solve --budget 50 $how >out 2>&1 || fail "$how: $(cat out)"
	has out 'proven by replay'
	! grep 'does not replay' out || fail "$how: $(cat out)"
	rethread replay -n 3 >out 2>&1 || fail "$how: $(cat out)"
	has out '^reproduced 3/3$'
done
