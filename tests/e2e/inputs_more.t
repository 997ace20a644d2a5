# What streams, scanners, directories and files tell by rarer functions: given back as it was.
cat >p.c <<'P'
#define _GNU_SOURCE
#include "race.h"
#include <dirent.h>
#include <pty.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/uio.h>

static int scans(const char *text, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vsscanf(text, format, list);
	va_end(list);
	return n;
}

static void streams(void)
{
	char a[10];
	fpos_t at;
	FILE *f = tmpfile();
	assert(f && fputs("17 x 25\n", f) >= 0);
	long pending = (long)__fpending(f);
	assert(pending == 8 && __fwriting(f) && !__freading(f) && __fwritable(f) && __freadable(f) && !__flbf(f));
	rewind(f);
	assert(__fsetlocking(f, FSETLOCKING_QUERY) == FSETLOCKING_INTERNAL);
	assert(fread(a, 1, 3, f) == 3 && !fgetpos(f, &at) && fread(a + 3, 1, 5, f) == 5 && !fsetpos(f, &at));
	assert(fgetc(f) == 'x' && !(feof_unlocked)(f) && !(ferror_unlocked)(f) && (fileno_unlocked)(f) > 2);
	both(pending, (long)__fbufsize(f) % 13);
	fclose(f);
	int first = 0, second = 0;
	char word[8];
	a[8] = 0;
	assert(scans(a, "%d %7s %d", &first, word, &second) == 3 && !strcmp(word, "x"));
	both(first, second);
}

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static void names(void)
{
	long files = 0;
	DIR *d = opendir(".");
	struct dirent place, *e;
	while (!readdir_r(d, &place, &e) && e) {
		assert(e == &place);
		files += !strncmp(e->d_name, "tmp", 3);
	}
	assert(!e && !closedir(d));
	char *here = canonicalize_file_name("."), *nowhere = canonicalize_file_name("./not/there");
	assert(here && here[0] == '/' && !nowhere);
	both(files * 7, (long)strlen(here) % 20);
	free(here);
}

static void files(void)
{
	char a[4] = "", b[5] = "";
	struct iovec v[2] = {{a, 3}, {b, 4}}, w = {"seventy", 7};
	int fd = memfd_create("x", 0), one, two;
	assert(pwritev2(fd, &w, 1, 0, 0) == 7 && preadv2(fd, v, 2, 0, 0) == 7 && !strcmp(a, "sev") && !strcmp(b, "enty"));
	both((long)strlen(b) * 4, a[0] % 17);
	unsigned char in[1];
	assert(!mincore((void *)((unsigned long)&want & ~4095ul), 1, in));
	if (!openpty(&one, &two, NULL, NULL, NULL)) {
		close(one);
		close(two);
	}
}

int main(void)
{
	streams();
	names();
	files();
	return judge();
}
P
touch tmp_one tmp_two
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p
! grep -q 'from outside' err || fail "$(cat err)"
touch tmp_three
rethread replay -n 2 >out
has out '^reproduced 2/2$'
rm -f tmp_three
followed /dev/null ./p
