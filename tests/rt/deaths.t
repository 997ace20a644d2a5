# However the process dies, what was appended is in the log, and the failure when there is one.
program p <<'E'
#include "recorded.h"
static int deep(volatile char *below, int n)
{
	volatile char here[4096];
	here[0] = below ? below[0] : 1;
	return B(n < 0) ? 0 : deep(here, n + 1) + here[0];
}
static void *die(void *how)
{
	const char *s = how;
	B(1), B(1), B(0);
	if (!strcmp(s, "assert")) assert(!"this");
	if (!strcmp(s, "abort")) abort();
	if (!strcmp(s, "segv")) *(volatile int *)16 = 1;
	if (!strcmp(s, "call")) ((void (*)(void))8)();
	if (!strcmp(s, "fpe")) { volatile int zero = 0; zero = getpid() / zero; }
	if (!strcmp(s, "trap")) __builtin_trap();
	if (!strcmp(s, "int3")) __builtin_debugtrap();
	if (!strcmp(s, "overflow")) return (void *)(long)deep(NULL, 0);
	if (!strcmp(s, "kill")) kill(getpid(), SIGKILL);
	if (!strcmp(s, "_exit")) _exit(9);
	if (!strcmp(s, "quick")) quick_exit(9);
	if (!strcmp(s, "term")) raise(SIGTERM);
	if (!strcmp(s, "sent")) kill(getpid(), SIGSEGV);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t;
	pthread_create(&t, NULL, die, argv[1]);
	pthread_join(t, NULL);
	return 0;
}
E
ulimit -c 0
while read -r how code failure; do
	record "$code" ./p "$how" 2>err
	dump
	has dump '^path 1:1 110' "^failure $failure" '^flags 0 ' '^thread 1 bits 0 done [01] ended 0'
done <<'E'
assert 134 assert 6 1:1 frames [1-9][0-9]* p.c:12: void \*die\(void \*\): !"this"$
abort 134 signal 6 1:1 frames [1-9]
segv 139 signal 11 1:1 frames [2-9]
call 139 signal 11 1:1 frames [2-9]
fpe 136 signal 8 1:1 frames [2-9]
trap 132 signal 4 1:1 frames [2-9]
int3 133 signal 5 1:1 frames [2-9]
overflow 139 signal 11 1:1 frames 64
kill 137 none
_exit 9 none
quick 9 none
term 143 none
sent 139 signal 11 1?
E
record 134 ./p assert 2>err
same "$(head -n 1 err)" "p: p.c:12: void *die(void *): Assertion \`!\"this\"' failed."
