# Time, chance, ids, files, directories, mappings: given back as they were. A replay changes nothing outside.
cat >p.c <<'P'
#include "race.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
int main(void)
{
	char name[] = "tmpXXXXXX", line[50];
	struct stat st;
	struct timeval tv;
	struct timespec ts;
	long files = 0;
	int fd = mkstemp(name);
	assert(fd >= 0 && write(fd, "hello 23\nworld 19\n", 18) == 18);
	assert(!fstat(fd, &st) && st.st_size == 18 && lseek(fd, 0, SEEK_SET) == 0);
	char *m = mmap(0, 18, PROT_READ, MAP_PRIVATE, fd, 0);
	assert(m != MAP_FAILED);
	both(atol(m + 6), m[0] % 20);
	munmap(m, 18);
	FILE *in = fdopen(dup(fd), "r");
	while (fgets(line, sizeof line, in))
		both(atol(line + 6), (long)strlen(line));
	fclose(in);
	close(fd);
	DIR *d = opendir(".");
	for (struct dirent *e; (e = readdir(d));)
		files += !strncmp(e->d_name, "tmp", 3);
	closedir(d);
	both(files * 7, 9);
	struct utsname u;
	char *where = getcwd(NULL, 0), here[4096];
	assert(where && getcwd(here, sizeof here) == here && !strcmp(here, where) && !uname(&u));
	both((long)strlen(where) % 30, (long)strlen(u.release) + (long)umask(022) % 7);
	free(where);
	assert(!mkdir("deep", 0700) && !chdir("deep") && getcwd(here, sizeof here) && strstr(here, "/deep") && !chdir("..") && !rmdir("deep"));
	assert(!unlink(name) && access(name, F_OK) < 0);
	srand((unsigned)time(NULL) ^ (unsigned)getpid());
	gettimeofday(&tv, 0);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	both(tv.tv_usec % 30, ts.tv_nsec % 30);
	both(sysconf(_SC_NPROCESSORS_ONLN) % 10 * 2 + rand() % 10, (long)(drand48() * 30));
	both(PTHREAD_STACK_MIN % 31, 1); /* a call, too */
	cpu_set_t cpus;
	assert(!pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus) && !sched_setaffinity(gettid(), sizeof cpus, &cpus));
	both(CPU_COUNT(&cpus), sched_getscheduler(gettid()) + 3);
	FILE *out = fopen("written", "a");
	assert(out && fprintf(out, "%ld\n", total) > 0 && !fclose(out));
	printf("process %d\n", getpid());
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p
! grep 'is not recorded' err || fail "$(cat err)"
lines=$(wc -l <written)
touch tmp_one_more tmp_two_more
rethread replay -n 2 >out
has out '^reproduced 2/2$'
same "$(wc -l <written)" "$lines"
rm written
rethread replay -n 1 >out
[ ! -e written ] || fail "the replay wrote a file"
rm -f tmp_*
followed /dev/null ./p
