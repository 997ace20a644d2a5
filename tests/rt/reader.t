# The reader refuses what it cannot read with a sentence, and takes what a cut file still holds.
program p <<'E'
#include "recorded.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *thread(void *arg)
{
	for (int i = 0; i < 3000; i++) { B(i & 1); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	return 0;
}
E
record 0 ./p
log=$(echo trace/log.*)
mkdir other
refused() {
	status 4 "$DUMP" other >out 2>&1
	has out "$1"
}
status 4 "$DUMP" nowhere >out
has out '^error cannot open trace nowhere'
refused 'has no log'
: >other/log.1
refused 'less than its header'
cp /bin/ls other/log.1
refused 'is not a log of rethread'
poke() { printf "$2" | dd of=other/log.1 bs=1 seek="$1" conv=notrunc 2>/dev/null; }
cp "$log" other/log.1 && poke 8 '\x63' && refused 'has format version 99, this rethread reads version'
cp "$log" other/log.1 && poke 12 '\x63' && refused 'instrumentation 99'
cp "$log" other/log.1 && poke 4096 'X' && refused 'no chunk where'
cp "$log" other/log.1 && poke 4100 '\x01' && refused 'impossible size'
cp "$log" other/log.1 && echo '{"program": 3}' >other/meta.json && refused '"program" is not a string'
echo '{"progr' >other/meta.json && refused 'meta.json: line 1'
rm other/meta.json

# Every length: a prefix of the log is a log.
size=$(stat -c %s "$log")
for n in 4096 4097 4160 4200 8192 9000 12288 12289 20000 24000 28671 $((size / 2)) $((size - 1)); do
	head -c "$n" "$log" >other/log.1
	dump other
done

# meta.json says what was run and which log counts.
cp "$log" other/log.2
cat >other/meta.json <<'E'
{"program": "/bin/p", "argv": ["p", "x"], "environment": ["A=1"], "cwd": "/", "fail_if": null, "pid": 2,
 "verdict": {"kind": "exit", "signal": 0, "status": 3, "message": "three", "thread": "1:2"}}
E
dump other
has dump '^failure exit 0 1:2 frames 0 three$' '^flags 4 .*threads 4 '

# A window of the log (trace.h) is followed by the copies of what was in it before; without them it does not count.
program w <<'E2'
#include "recorded.h"
int main(void)
{
	unsigned seed = 1;
	for (int i = 0; i < 5000000; i++) B(rand_r(&seed) & 1);
	return 0;
}
E2
record 0 ./w
dump
has dump '^thread 1 bits 5000000 '
log=$(echo trace/log.*)
size=$(stat -c %s "$log")
rm -f other/*
head -c $((size / 2)) "$log" >other/log.1
dump other
has dump '^thread 1 bits ([1-9][0-9]{5}|[1-4][0-9]{6}) '
