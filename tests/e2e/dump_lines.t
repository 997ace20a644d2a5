# dump walks every thread's path: the lines it prints are those that the program itself noted, also past branches
# that are not recorded; and where each thread was left.
cat >p.c <<'P'
#include "notes.h"
#include <setjmp.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) int fib(int k) {
	if (k < 2) {
		L;
		return k;
	}
	L;
	return fib(k - 1) + fib(k - 2);
}
static int by_value(const void *a, const void *b) {
	if (*(const int *)a < *(const int *)b) {
		L;
		return -1;
	}
	L;
	return 1;
}
static void even(void) {
	L;
}
static void odd(void) {
	L;
}
static void (*const handlers[])(void) = {even, odd};
static jmp_buf back;
static __attribute__((noinline)) void jumps(int deep) {
	if (!deep) {
		L;
		longjmp(back, 1);
	}
	L;
	jumps(deep - 1);
	L;
}
static void *work(void *x) {
	int values[] = {3, 1, 2, 5, 4};
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&m);
		L;
		handlers[i % 2]();
		switch (i) {
		case 1:
			L;
			break;
		case 3:
			L;
			__attribute__((fallthrough));
		case 2:
			L;
			break;
		default:
			L;
		}
		for (int j = 0; j < 3; j++)
			for (int k = 0; k <= i; k++)
				if (values[j] > k)
					L;
		pthread_mutex_unlock(&m);
	}
	fib(6);
	qsort(values, 5, sizeof *values, by_value);
	if (!setjmp(back)) {
		L;
		jumps(3);
	}
	L;
	say("1:1");
	return x;
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t;
	L;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	if (argc > 1) {
		L;
		say("1");
		abort();
	}
	L;
	say("1");
	return 0;
}
P
for opt in -O0 -O1 -O2 -O3; do
	rethread cc $opt -g -pthread -I"$ROOT/tests/e2e" p.c -o p
	for argument in "" x; do
		rethread record -q ./p $argument 2>/dev/null || [ "$argument" ]
		lines_agree p.c 40
	done
done
# The last run aborted: main was left in its call of abort, 1:1 ended.
rethread dump >out
has out '^thread 1:1: ' '^  line work at p.c:' '^       so far from line [0-9]+ of ' '^  left at #0 main at p.c:[0-9]+'
! grep -q 'path 0' out || fail "bits where there are lines"
rethread dump --bits --thread 1 >out
has out '^thread 1: ' '^  path 0 '
! grep -q '^thread 1:1' out || fail "--thread"
rethread dump --lines 3 --thread 1:1 >out
has out 'the last of them'
status 2 rethread dump --thread 9 2>err
# Without the program, also the one that the trace keeps, the log is still read.
mv p gone
rm "$(latest)/program"
rethread dump >out 2>err
has err 'paths are bits, not source lines, the last of them \(--bits: all\): cannot read .*/p'
has out '^thread 1:1: ' '^  path [0-9]+ '
# A long path is not shown from its begin, unless that is asked for.
cat >long.c <<'C'
volatile unsigned number = 1, odd;
int main(void)
{
	for (int i = 0; i < 5000; i++) {
		number = number * 1103515245 + 12345;
		if (number >> 16 & 1)
			odd++;
	}
	return 1;
}
C
rethread cc -O0 -g long.c -o long
rethread record -q ./long || true
mv long gone
rm "$(latest)/program"
rethread dump >out 2>err
has out '^  path [1-9][0-9]+ '
! grep -q '^  path 0 ' out || fail "from its begin"
rethread dump --bits >out 2>err
has out '^  path 0 '
# Repetitions in repetitions: what a number counts is what stands before it, so that two stretches may look alike and be different.
cat >nested.c <<'C'
#include <stdio.h>
static FILE *f;
static __attribute__((noinline)) void note(int c) { putc(c, f); }
int main(int n, char **v)
{
	f = fopen("noted", "w");
	for (const char *p = v[n - 1]; *p; p++) {
		if (*p == 'a')
			note('a');
		else if (*p == 'b')
			note('b');
		else
			note('c');
	}
	return fclose(f);
}
C
rethread cc -O0 -g nested.c -o nested
for text in bcbccbcbcb cacabaabaabaaaacacabaabaabaaaabbbbbbcacabaabaabaaaacacabaabaabaaaabbbbbb; do
	rethread record -q ./nested $text
	rethread dump --lines all --json >json
	python3 - <<'P' || fail "decoded wrongly: $text"
import json
source, out, starts = open("nested.c").read().split("\n"), [], []
for e in json.load(open("json"))["threads"][0]["lines"]["lines"]:
	if "repeat" in e:
		out += out[starts[-e["repeat"]]:] * (e["times"] - 1)
	starts.append(len(out))
	if e.get("file", "").endswith("nested.c") and "note('" in source[e["line"] - 1]:
		out.append(source[e["line"] - 1].strip()[6])
assert "".join(out) == open("noted").read(), "".join(out)
P
done
