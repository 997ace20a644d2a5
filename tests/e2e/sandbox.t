# A program that forbids itself system calls (seccomp) goes on as without us: its log ends there, which is said, and the twin, which needs
# them, does not do it.
cat >p.c <<'P'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static const int allowed[] = {SYS_read, SYS_write, SYS_exit, SYS_exit_group};
enum { N = sizeof allowed / sizeof *allowed };
static unsigned number = 1, odd;
static void work(void)
{
	for (int i = 0; i < 1000000; i++) {
		number = number * 1103515245 + 12345;
		if (number >> 16 & 1)
			odd++;
	}
}
int main(int n, char **v)
{
	char name[16] = "";
	prctl(PR_SET_NAME, "quiet");
	prctl(PR_GET_NAME, name);
	number += (unsigned)name[0] + (unsigned)n;
	work();
	if (!strcmp(v[1], "strict")) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		work();
		write(1, name, strlen(name));
		syscall(SYS_exit, 7);
	}
	struct sock_filter f[2 * N + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	for (int i = 0; i < N; i++) {
		f[2 * i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
		f[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	f[2 * N + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	struct sock_fprog program = {2 * N + 2, f};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(v[1], "filter") ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
				   : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 9;
	work();
	write(1, name, strlen(name));
	return 7;
}
P
rethread cc -O2 -g -w -pthread p.c -o p
for how in filter syscall strict; do
	status 7 rethread record ./p $how >out 2>err
	same "$(cat out)" quiet
	has err 'the log ends early: the program forbade' 'exit status 7'
	rethread dump --no-lines --last 1 >out 2>err
	has out '^failure: exit status 7'
	has err 'forbade the system calls'
done
status 7 rethread record --scheme rw ./p filter >out 2>err
same "$(cat out)" quiet
