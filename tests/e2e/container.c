/* container COMMAND...: runs it like in a container: what Docker does not let a process ask of the kernel fails here, too. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* The next instruction only if what was loaded is (not) that. */
#define IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1)
#define IF_NOT(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0)

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		LOAD(nr),
		IF(SYS_ptrace), REFUSE,
		IF(SYS_process_vm_readv), REFUSE,
		IF(SYS_process_vm_writev), REFUSE,
		IF(SYS_perf_event_open), REFUSE,
		IF(SYS_userfaultfd), REFUSE,
		IF(SYS_kcmp), REFUSE,
		IF(SYS_bpf), REFUSE,
		IF(SYS_io_uring_setup), REFUSE,
		IF_NOT(SYS_personality), ALLOW,
		LOAD(args[0]),
		IF(PER_LINUX), ALLOW,
		IF(PER_LINUX32), ALLOW,
		IF(0xffffffff), ALLOW,
		REFUSE,
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("container");
		return 125;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
