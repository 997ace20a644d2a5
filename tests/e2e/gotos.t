# Interpreters that go from instruction to instruction by the addresses of labels, and by differences between two of them.
cat >vm.c <<'P'
#include <assert.h>
#include <pthread.h>

enum { PUSH, ADD_TO, DOWN, AGAIN, HALT };
static const int code[] = {PUSH, 3000, PUSH, 1, ADD_TO, 0, PUSH, 1, ADD_TO, 1, DOWN, AGAIN, 2, HALT};
static volatile long heap[2];

static void *by_address(void *a)
{
	static void *const labels[] = {&&push, &&add_to, &&down, &&again, &&halt};
	const int *pc = code;
	long stack[8];
	int n = 0;
	goto *labels[*pc++];
push:	stack[n++] = *pc++;
	goto *labels[*pc++];
add_to:	heap[*pc] = heap[*pc] + stack[--n];
	pc++;
	goto *labels[*pc++];
down:	stack[n - 1]--;
	goto *labels[*pc++];
again:	pc = stack[n - 1] ? code + *pc : pc + 1;
	goto *labels[*pc++];
halt:	return a;
}

static void *by_difference(void *a)
{
	static const int labels[] = {&&push - &&push, &&add_to - &&push, &&down - &&push, &&again - &&push, &&halt - &&push};
	const int *pc = code;
	long stack[8];
	int n = 0;
	goto *(&&push + labels[*pc++]);
push:	stack[n++] = *pc++;
	goto *(&&push + labels[*pc++]);
add_to:	heap[*pc] = heap[*pc] + stack[--n];
	pc++;
	goto *(&&push + labels[*pc++]);
down:	stack[n - 1]--;
	goto *(&&push + labels[*pc++]);
again:	pc = stack[n - 1] ? code + *pc : pc + 1;
	goto *(&&push + labels[*pc++]);
halt:	return a;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, by_address, NULL);
	pthread_create(&t[1], NULL, by_difference, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(heap[0] == 6000 && heap[1] == 6000);
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -o vm vm.c 2>err
	same "$(cat err)" ""
	rethread record -q --until-failure ./vm >/dev/null 2>err || true
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 10/10$'
done
