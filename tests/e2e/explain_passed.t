# Each section has its lock, and nothing races: a thread takes a number in the one, and is passed by another thread before it comes to the next; or it takes something in the
# one, and says so only in the next, when another thread has looked at both. `explain` tells of both places.
short() { # OPTION PROGRAM PATTERN...: what is said first of a failing run
	rethread cc $1 -g -pthread $2.c -o $2
	status 134 rethread record -q --until-failure --runs 5000 ./$2 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$2 $1: $(cat out)"
	rethread explain >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >text
	has text "${@:3}"
}
cat >draw.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER, board = PTHREAD_MUTEX_INITIALIZER;
static int drawn = 40, shown;
static void *draws(void *p)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&counter);
		int n = drawn++;
		pthread_mutex_unlock(&counter);
		if (i % 7 == 6)
			sched_yield();
		pthread_mutex_lock(&board);
		if (shown > n)
			abort();
		shown = n;
		pthread_mutex_unlock(&board);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, draws, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
for opt in -O0 -O2; do
	short $opt draw 'In short: thread (1:[123]) wrote drawn = [0-9]+ \(draw.c:10\) before thread (1:[123]) did \([0-9]+\), but came to shown \(draw.c:15\) after it: thread \2 had already written [0-9]+ there \(draw.c:17\); thread \1 had given up counter in between\. $'
	has out 'thread 1:[123] was at the first before thread 1:[123], and at the second after it'
done

cat >pool.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, crew = PTHREAD_MUTEX_INITIALIZER;
static int waiting = 1, busy, over;
static int is_idle(void)
{
	pthread_mutex_lock(&crew);
	int none = busy == 0;
	pthread_mutex_unlock(&crew);
	return none;
}
static void add_busy(int n)
{
	pthread_mutex_lock(&crew);
	busy += n;
	pthread_mutex_unlock(&crew);
}
static void *works(void *p)
{
	for (int n = 0; n < 400;) {
		pthread_mutex_lock(&queue);
		if (!waiting && is_idle())
			over = 1;
		int had = waiting, ends = over;
		waiting -= had > 0;
		pthread_mutex_unlock(&queue);
		if (ends)
			return p;
		if (!had) {
			sched_yield();
			continue;
		}
		add_busy(1);
		n++;
		pthread_mutex_lock(&queue);
		if (over)
			abort();
		waiting++;
		pthread_mutex_unlock(&queue);
		add_busy(-1);
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, works, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
short -O1 pool 'In short: thread (1:[12]) let others see waiting \(pool.c:26\) before it wrote busy \(pool.c:16\), which thread (1:[12]) read in between \(pool.c:9\) and then wrote over \(pool.c:24\); thread \1 had given up queue by then'

# What a thread had read in the one section is no longer true in the next: it writes a copy of it, or finds what was changed with it.
cat >orders.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t prices = PTHREAD_MUTEX_INITIALIZER, books = PTHREAD_MUTEX_INITIALIZER;
static int price = 100, book[64], orders;
static void *orders_things(void *p)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&prices);
		int now = price;
		pthread_mutex_unlock(&prices);
		if (i % 5 == 4)
			sched_yield();
		pthread_mutex_lock(&books);
		book[orders++] = now;
		pthread_mutex_unlock(&books);
	}
	return p;
}
static void *raises_price(void *p)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&prices);
		price++;
		pthread_mutex_lock(&books);
		for (int k = 0; k < orders; k++)
			book[k] = price;
		pthread_mutex_unlock(&books);
		pthread_mutex_unlock(&prices);
		sched_yield();
		pthread_mutex_lock(&prices);
		pthread_mutex_lock(&books);
		for (int k = 0; k < orders; k++)
			if (book[k] != price)
				abort();
		pthread_mutex_unlock(&books);
		pthread_mutex_unlock(&prices);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? orders_things : raises_price, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
short -O1 orders 'In short: thread (1:[12]) wrote book\[[0-9]+\] = (1[0-9]+) \(orders.c:15\), which it had read in price \(orders.c:10\) before thread 1:3 changed that to [0-9]+ \(orders.c:24\)\. $'
has out 'thread 1:[12] had prices locked then, and gave it up before it came to the second'
# Engine search has it from the attempt, also what was done at a place before a second thread came there.
rethread reproduce --engine search --budget 60 >out 2>&1 || fail "search: $(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >text
has text 'In short: thread (1:[12]) wrote book\[[0-9]+\] = (1[0-9]+) \(orders.c:15\), which it had read in price \(orders.c:10\) before thread 1:3 changed that to [0-9]+ \(orders.c:24\)\. $'

cat >shop.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t doors = PTHREAD_MUTEX_INITIALIZER, tills = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, days, is_counted, sold;
static void *buys(void *p)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&doors);
		int may = is_open;
		pthread_mutex_unlock(&doors);
		sched_yield();
		if (!may)
			continue;
		pthread_mutex_lock(&tills);
		if (is_counted)
			abort();
		sold++;
		pthread_mutex_unlock(&tills);
	}
	return p;
}
static void *closes(void *p)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&tills);
		is_counted = 0;
		pthread_mutex_unlock(&tills);
		pthread_mutex_lock(&doors);
		is_open = ++days;
		pthread_mutex_unlock(&doors);
		sched_yield();
		pthread_mutex_lock(&doors);
		is_open = 0;
		pthread_mutex_unlock(&doors);
		pthread_mutex_lock(&tills);
		is_counted = sold + 1;
		pthread_mutex_unlock(&tills);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, buys, NULL);
	pthread_create(&b, NULL, closes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
short -O1 shop 'In short: thread 1:1 went by what it had read in is_open \(shop.c:10\) when it read is_counted \(shop.c:16\); in between thread 1:2 had changed the one \(shop.c:34\) and the other \(shop.c:37\); thread 1:1 had given up doors by then\. $'

# A number is drawn in one section, and what has it is put into the next element of a log in another: which elements two threads got is not in the order of their numbers, which is found by
# comparing each with the one before.
cat >wal.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
struct record { int number, value; }; /* written at once */
static pthread_mutex_t numbers = PTHREAD_MUTEX_INITIALIZER, appends = PTHREAD_MUTEX_INITIALIZER;
static int next = 1;
static struct record records[400];
static int n;
static int draw(void)
{
	pthread_mutex_lock(&numbers);
	int number = next++;
	pthread_mutex_unlock(&numbers);
	return number;
}
static void append(int value)
{
	struct record r = {draw(), value};
	sched_yield();
	pthread_mutex_lock(&appends);
	records[n++] = r;
	pthread_mutex_unlock(&appends);
}
static void *run(void *arg)
{
	for (int i = 0; i < 100; i++)
		append(i);
	return arg;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	int last = 0;
	for (int i = 0; i < n; i++) {
		assert(records[i].number > last);
		last = records[i].number;
	}
}
P
for opt in -O0 -O2; do
	short $opt wal 'In short: thread (1:[123]) wrote next = [0-9]+ \(wal.c:12\) before thread (1:[123]) did \([0-9]+\), but came to records\[[0-9]+\](.number)? \(wal.c:21\) after it: thread 1:[123] had already written ([0-9]+|\{.number = [0-9]+, .value = [0-9]+\}) to records\[[0-9]+\](.number)? \(wal.c:21\); thread \1 had given up numbers in between\. $'
done
