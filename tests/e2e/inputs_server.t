# What servers and tools call besides: pieces of messages, signals and timers as files, names of hosts, positioned vectors,
# files sent and copied, children; given back as they were, and without a word about functions that are not known.
cat >p.c <<'P'
#include "race.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
extern char **environ;
int main(void)
{
	char name[] = "tmpXXXXXX", a[20] = "", b[20] = "", host[100], path[PATH_MAX];
	struct iovec pieces[2] = { { a, 6 }, { b, sizeof b - 1 } };
	int fd = mkostemp(name, O_CLOEXEC), sockets[2], status;
	assert(fd >= 0 && write(fd, "hello 23\nworld 19\n", 18) == 18);
	assert(preadv(fd, pieces, 2, 0) == 18);
	both(atol(b), b[3] % 20);
	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	off_t from = 15;
	assert(sendfile(sockets[0], fd, &from, 3) == 3 && from == 18);
	assert(recv(sockets[1], a, sizeof a, 0) == 3);
	both(atol(a), from);
	loff_t at = 0, to = 30;
	ssize_t copied = copy_file_range(fd, &at, fd, &to, 5, 0);
	both((long)copied + 5, (long)at + 5);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	struct signalfd_siginfo info;
	int signals = signalfd(-1, &set, 0);
	assert(!kill(getpid(), SIGUSR1) && read(signals, &info, sizeof info) == sizeof info);
	both((long)info.ssi_signo, (long)info.ssi_pid % 20);
	struct itimerspec soon = { .it_value = { 0, 1000000 } };
	uint64_t ticks;
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	assert(!timerfd_settime(timer, 0, &soon, NULL) && read(timer, &ticks, 8) == 8 && !timerfd_gettime(timer, &soon));
	struct addrinfo hints = { .ai_family = AF_INET, .ai_flags = AI_NUMERICHOST }, *list;
	assert(!getaddrinfo("127.0.0.1", "80", &hints, &list));
	assert(!getnameinfo(list->ai_addr, list->ai_addrlen, host, sizeof host, NULL, 0, NI_NUMERICHOST));
	freeaddrinfo(list);
	both((long)ticks * 9, (long)strlen(host));
	struct statfs fs;
	struct rlimit limit;
	assert(!fstatfs(fd, &fs) && !prlimit(0, RLIMIT_NOFILE, NULL, &limit) && realpath(name, path));
	both((long)(fs.f_bfree % 30), (long)strlen(path) % 20 + (long)limit.rlim_cur % 7);
	regex_t pattern;
	assert(!regcomp(&pattern, "^w.*9$", REG_EXTENDED | REG_NEWLINE | REG_NOSUB) && !regexec(&pattern, b, 0, NULL, 0));
	regfree(&pattern);
	pid_t child;
	char *arguments[] = { "sh", "-c", "exit 7", NULL };
	struct rusage usage;
	assert(!posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ));
	assert(wait4(child, &status, 0, &usage) == child);
	both(WEXITSTATUS(status), getpwuid(getuid()) != NULL);
	assert(!unlink(name));
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p
! grep 'is not recorded: ' err || fail 'unknown functions'
followed /dev/null ./p
