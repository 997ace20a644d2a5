# The C library marks a block that it gets back only while there is room in the thread's own list: of the eighth the second word stays, and
# whoever still uses it goes on, while the others have their marks.
cat >nodes.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { long key; struct node *volatile peer; int value; };
static struct node *volatile nodes[10];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *drop(void *arg)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 8; i++)
		free(nodes[i]);
	pthread_mutex_unlock(&lock);
	return arg;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 10; i++) {
		nodes[i] = malloc(sizeof *nodes[i]);
		nodes[i]->value = i;
		nodes[i]->peer = i ? nodes[0] : NULL;
	}
	nodes[7]->peer = nodes[9];
	pthread_create(&t, NULL, drop, NULL);
	pthread_join(t, NULL);
	assert(nodes[3]->peer == nodes[0] || nodes[7]->peer->value != 9);
	return 0;
}
C
ENGINE=solve proven nodes.c
