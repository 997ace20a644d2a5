# A constant without a name of its own that holds an address, and that functions use by address: once taken for an entry
# of the global offset table, and left out.
cat >a.c <<'P'
#include <stdio.h>
#include <stdlib.h>
struct node {
	struct node *next;
	long key;
	void *value;
};
void *find(struct node *, long);
extern void *nothing;
int main(int argc, char **argv)
{
	struct node *all = NULL;
	int missing = 0;
	for (long i = 0; i < 40; i++) {
		if (find(all, i % 17) == nothing) {
			struct node *n = malloc(sizeof *n);
			*n = (struct node){ all, i % 17, argv };
			all = n;
			missing++;
		}
	}
	printf("%d\n", missing);
	return argc + 2;
}
P
cat >b.c <<'P'
struct node {
	struct node *next;
	long key;
	void *value;
};
void *nothing = (void *)"nothing";
void *find(struct node *n, long key)
{
	for (; n; n = n->next)
		if (n->key == key)
			return n->value;
	return nothing;
}
P
rethread cc -O2 -g a.c b.c -o p 2>err
same "$(cat err)" ""
recordable p
status 3 ./p >out
same "$(cat out)" 17
