/*
 * ticketorder: IBM ConTest's ticket sale, in which one seat is sold twice.
 *
 * Three sellers take orders. Choosing the seat and writing it into the order book are two steps,
 * and only the second one is locked.
 *
 * Bad interleaving: seller A reads that seat 17 is next; seller B reads that seat 17 is next; both
 * advance the number to 18 and enter an order for seat 17.
 * Symptom: the assertion that the seat is free.
 * Fix: choose the seat under the order book's lock.
 * Paper: SIMBA, table 1 (TicketOrder: 4 threads, 6 shared variables, about 550 variables).
 *
 * fails: assert
 * threads: 4
 * args: 20
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SELLERS = 3, SEATS_MAX = 1000, CUSTOMER = 1000 };

static volatile int next_seat; /* the first seat that has not been offered */

static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	bool sold[SEATS_MAX];
	int seller[SEATS_MAX]; /* who sold it */
	int orders;
	int income;
} book; /* under book_lock */

static int sales = 20; /* per seller */

/* Talking with a customer, some longer than others; touches nothing shared. */
static void serve_customer(int seller, int customer)
{
	int length = CUSTOMER + (seller * 7 + customer * 5) % 16 * 100;
	for (volatile int i = 0; i < length; i++)
		;
}

static int choose_seat(void)
{
	int seat = next_seat;
	next_seat = seat + 1;
	return seat;
}

static void enter_order(int seller, int seat)
{
	assert(!book.sold[seat] && "the seat has been sold already");
	book.sold[seat] = true;
	book.seller[seat] = seller;
	book.orders++;
	book.income += 50;
}

static void *sell(void *arg)
{
	int seller = (int)(long)arg;
	for (int i = 0; i < sales; i++) {
		serve_customer(seller, i);
#ifdef FIXED
		pthread_mutex_lock(&book_lock);
		int seat = choose_seat();
#else
		int seat = choose_seat();
		pthread_mutex_lock(&book_lock);
#endif
		enter_order(seller, seat);
		pthread_mutex_unlock(&book_lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		sales = atoi(argv[1]);
	if (sales < 0 || SELLERS * sales >= SEATS_MAX)
		return 2;
	next_seat = 1; /* there is no seat 0 */

	pthread_t sellers[SELLERS];
	for (long i = 0; i < SELLERS; i++)
		pthread_create(&sellers[i], NULL, sell, (void *)i);
	for (int i = 0; i < SELLERS; i++)
		pthread_join(sellers[i], NULL);
	assert(book.orders == SELLERS * sales && book.income == 50 * book.orders);
	return 0;
}
