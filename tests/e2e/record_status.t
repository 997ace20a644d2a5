# The exit status, the signal and the output are the program's own; the trace is kept and named.
cat >p.c <<'E'
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int n, char **v) {
	char line[80] = "";
	if (fgets(line, sizeof line, stdin)) printf("read %s", line);
	fflush(stdout);
	if (!strcmp(v[1], "exit")) return atoi(v[2]);
	if (!strcmp(v[1], "abort")) abort();
	if (!strcmp(v[1], "assert")) assert(n > 10);
	if (!strcmp(v[1], "segv")) *(volatile int *)8 = n;
	if (!strcmp(v[1], "kill")) kill(getpid(), SIGKILL);
	if (!strcmp(v[1], "_exit")) _exit(9);
	return 0;
}
E
rethread cc -O1 -g p.c -o p
check() { # STATUS KIND ARGUMENTS...
	local want=$1 kind=$2
	shift 2
	echo data | status "$want" rethread record ./p "$@" >out 2>err
	same "$(cat out)" "read data"
	has "$(latest)/meta.json" "\"kind\": \"$kind\""
	has err "trace: $(latest)"
}
check 0 none exit 0
check 5 exit exit 5
check 9 exit _exit
check 134 signal abort
check 134 assert assert
check 139 signal segv
check 137 signal kill
same "$(stat -c %a "$(latest)")" 700
same "$(find "$(latest)/" -type f ! -name program -exec stat -c %a {} + | sort -u)" 600
# ... under any umask, and the program has its own.
cat >mask.c <<'P'
#include <stdio.h>
#include <sys/stat.h>
int main(void) { printf("%o\n", umask(0)); return 0; }
P
rethread cc mask.c -o mask
same "$(umask 0367 && rethread record -o masked ./mask 2>/dev/null)" 367
same "$(stat -c %a masked)" 700
same "$(find masked -type f ! -name program -exec stat -c %a {} + | sort -u)" 600
same "$(umask 026 && rethread record -q --fail-if 'umask >mask; false' ./mask && cat mask)" "$(printf '26\n0026')"
