# More inputs than a window of the log has room for, short and long: inferred and replayed in order, and by scheme rw.
cat >p.c <<'P'
#include "race.h"
#include <fcntl.h>
static char big[200000];
int main(int argc, char **argv)
{
	(void)argc;
	FILE *f = fopen(argv[1], "r");
	int fd = open(argv[1], O_RDONLY);
	long sum = 0;
	char line[64];
	for (int i = 0; i < 20000; i++)
		sum = sum * 31 + getc(f);
	assert(read(fd, big, sizeof big) == sizeof big);
	for (int i = 0; i < 5000; i++)
		sum = sum * 31 + (fgets(line, sizeof line, f) ? line[i % 4] : 0);
	for (int i = 0; i < 3; i++)
		sum += read(fd, big, 60000) == 60000 ? big[i * 1000] : 0;
	both(20 + sum % 7, 15 + big[5] % 8);
	fclose(f);
	return judge();
}
P
for i in $(seq 60000); do echo "line $i"; done >text
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p text
followed /dev/null ./p text
