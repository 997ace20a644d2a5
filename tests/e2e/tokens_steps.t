# strtok looks at its text up to the next token's end, character by character: what another thread does to the rest of the text meanwhile is no concern of that call,
# and nothing has to be taken for granted of it.
cat >list.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
static char list[] = "one,two,three,four";
static void *edit(void *arg)
{
	usleep(20000);
	memcpy(list + 4, "TWO", 3);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, edit, NULL);
	char *first = strtok(list, ",");
	usleep(60000);
	char *second = strtok(NULL, ",");
	assert(first != list || second[0] != 'T');
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread list.c -o list
status 134 rethread record ./list 2>err
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "$(cat out)"
has out ' 0 assumptions'
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
