# A log that fills the disk ends, the program goes on, and the trace can be read. Only root can make such a disk.
mkdir small
mount -t tmpfs -o size=180k none small 2>/dev/null || { echo "NOTE: no small disk could be made"; exit 0; }
trap 'umount small' EXIT
cat >p.c <<'P'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char bytes[4096];
	int fd = open("/dev/urandom", O_RDONLY);
	for (int i = 0; i < 200; i++)
		if (read(fd, bytes, sizeof bytes) < 0)
			return 1;
	puts("done");
	return 5;
}
P
rethread cc -O1 p.c -o p
export LARGE=$(printf "%0100000d" 0)
status 5 rethread record -o small/t ./p >out 2>err
same "$(cat out)" done
has err 'the log ends early: the disk is full' 'exit status 5'
same "$(ls small/t | grep -vc '^log')" 1
rethread dump --no-lines --last 2 small/t >out
has out '^failure: exit status 5'
