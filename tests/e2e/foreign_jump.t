# Test frameworks and image libraries: foreign code that leaves a callback by its own longjmp, and that jumps to where the program called setjmp.
cat >framework.c <<'P'
#include <setjmp.h>
static jmp_buf out;
static int failures;
void fail_test(void) { failures++; longjmp(out, 1); }
int run_test(void (*test)(void)) { if (!setjmp(out)) test(); return failures; }
void give_up(jmp_buf where, int why) { longjmp(where, why); }
P
cat >tests.c <<'P'
#include "race.h"
#include <setjmp.h>
void fail_test(void);
int run_test(void (*test)(void));
void give_up(jmp_buf where, int why);

static void nested(void) { fail_test(); }
static void counts(void)
{
	int here[64];
	for (int i = 0; i < 64; i++)
		here[i] = i;
	both(300, 300);
	if (total != want + here[0])
		nested();
}

static void library_fails(void)
{
	jmp_buf here;
	volatile int tries = 0;
	int why = setjmp(here);
	if (why != 3) {
		tries++;
		give_up(here, tries);
	}
	if (tries != 3)
		fail_test();
}

int main(void)
{
	int failed = run_test(library_fails);
	if (failed)
		return 2;
	failed = run_test(counts);
	printf("%d failed\n", failed);
	return failed;
}
P
clang-19 -O1 -c framework.c
for level in 0 2; do
	rethread cc -O$level -g -pthread -I "$ROOT/tests/e2e" tests.c framework.o -o p
	got=0
	rethread record --until-failure --runs 3000 -- ./p >recorded 2>err || got=$?
	[ "$got" = 1 ] || fail "status $got: $(cat err)"
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
	rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 20/20$'
done
