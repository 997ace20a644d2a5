# A lock-free stack where every pointer races: values read through assumed addresses are not enough (src/sym/guess.c).
cat >stack.c <<'P'
/* Treiber-like stack with plain loads: pop races, node freed twice or used after free. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int value; int taken; };
static struct node *top;
static void push(struct node *n) { n->next = top; top = n; }
static struct node *pop(void) { struct node *n = top; if (n) top = n->next; return n; }
static void *taker(void *arg) {
  long got = 0; (void)arg;
  for (;;) { struct node *n = pop(); if (!n) break; assert(!n->taken && "node taken twice"); n->taken = 1; got += n->value; }
  return (void *)got;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300;
  for (int i = 0; i < n; i++) { struct node *x = calloc(1, sizeof *x); x->value = i; push(x); }
  pthread_t t[3]; long sum = 0;
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, taker, NULL);
  for (int i = 0; i < 3; i++) { void *r; pthread_join(t[i], &r); sum += (long)r; }
  printf("%ld\n", sum);
}
P
ENGINE=solve proven stack.c
