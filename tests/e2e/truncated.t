# A trace that was not copied whole is read as far as it goes, and that something is missing is said. The log of a process that
# was killed is whole.
cat >p.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *death)
{
	char byte = 1;
	int ends[2];
	for (int i = 0; i < 3000 && !pipe(ends); i++) {
		if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			abort();
		close(ends[0]);
		close(ends[1]);
	}
	if (death)
		raise(SIGKILL);
	return NULL;
}
int main(int n, char **v)
{
	pthread_t t[4];
	(void)v;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, n > 1 ? &t : NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O1 -g p.c -o p
whole() { # TRACE: nothing is said to be missing
	rethread dump --no-lines "$1" >out 2>err
	if grep -q 'ends early' out err; then fail "$1: $(grep 'ends early' out err)"; fi
}
rethread record -q -o trace ./p
whole trace
for i in 1 2 3 4 5; do
	status 137 rethread record -q -o killed$i ./p death
	whole killed$i
done
log=$(echo trace/log.*)
size=$(stat -c %s "$log")
for part in 1 3 5 7 9; do
	truncate -s $((size * part / 10)) "$log.part"
	dd if="$log" of="$log.part" bs=$((size * part / 10)) count=1 conv=notrunc status=none
	mkdir part
	cp trace/meta.json part
	mv "$log.part" "part/$(basename "$log")"
	rethread dump --no-lines --last 1 part >out 2>err
	has err 'the log ends early: its file was cut off, or not copied whole'
	has out 'incomplete: the log ends early'
	rethread info part >out
	has out '^incomplete .*cut off'
	rm -r part
done
