# An audit that adds up accounts stripe by stripe, while money moves from one that it has not seen to one that it has: every access is under its lock, and
# only the exit status tells. Turns of the tellers that have nothing to do with one another are not blamed.
cat >audit.c <<'P'
#include <pthread.h>
#include <sched.h>
enum { ACCOUNTS = 16, STRIPES = 4 };
static struct { long balance; unsigned moves; } account[ACCOUNTS];
static pthread_mutex_t stripe[STRIPES];
static void transfer(int a, int b, long amount)
{
	int s = a % STRIPES < b % STRIPES ? a % STRIPES : b % STRIPES, t = a % STRIPES + b % STRIPES - s;
	pthread_mutex_lock(&stripe[s]);
	if (t != s) pthread_mutex_lock(&stripe[t]);
	if (account[a].balance >= amount) {
		account[a].balance -= amount, account[b].balance += amount;
		account[a].moves++, account[b].moves++;
	}
	if (t != s) pthread_mutex_unlock(&stripe[t]);
	pthread_mutex_unlock(&stripe[s]);
}
static void *teller(void *arg)
{
	unsigned x = (unsigned)(long)arg * 2654435761u + 1;
	for (int i = 0; i < 200; i++) {
		x = x * 1103515245u + 12345u;
		int a = (int)(x >> 20) % ACCOUNTS, b = (int)(x >> 12) % ACCOUNTS;
		if (a != b) transfer(a, b, (x >> 8) % 50);
		if (i % 16 == 0) sched_yield();
	}
	return arg;
}
static long audit(void)
{
	long sum = 0;
	for (int s = 0; s < STRIPES; s++, sched_yield()) { /* bug: not all stripes at once */
		pthread_mutex_lock(&stripe[s]);
		for (int i = s; i < ACCOUNTS; i += STRIPES)
			sum += account[i].balance;
		pthread_mutex_unlock(&stripe[s]);
	}
	return sum;
}
int main(void)
{
	pthread_t t[2];
	int wrong = 0;
	for (int i = 0; i < ACCOUNTS; i++) account[i].balance = 100;
	for (int i = 0; i < STRIPES; i++) pthread_mutex_init(&stripe[i], 0);
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, teller, (void *)(i + 1));
	for (int n = 0; n < 3; n++) wrong += audit() != 100 * ACCOUNTS;
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	return wrong ? 2 : 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread audit.c -o audit
	status 2 rethread record -q --until-failure --runs 2000 ./audit 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	sed -n '/^Who came in between:$/,/^$/p' out | tr -s ' \n' ' ' >text
	has text 'thread 1 read account\[([0-9]+)\].balance: [0-9]+ audit.c:35 [^;]*; then thread (1:[12]) wrote it: [0-9]+ audit.c:12 .* and thread \2 wrote account\[([0-9]+)\].balance: [0-9]+ audit.c:12 .* then thread 1 read account\[\3\].balance: [0-9]+ audit.c:35 .* the one value is from before, the other from after that'
done

# A teller that takes from an account again, which another has filled since, looks and takes in one section: it is no reason why an audit in two sections is wrong.
cat >refilled.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
enum { TICK = 40000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long balance[3] = {100, 100, 100};
static void transfer(int from, int to, long amount)
{
	pthread_mutex_lock(&lock);
	if (balance[from] >= amount)
		balance[from] -= amount, balance[to] += amount;
	pthread_mutex_unlock(&lock);
}
static long of(int account)
{
	pthread_mutex_lock(&lock);
	long is = balance[account];
	pthread_mutex_unlock(&lock);
	return is;
}
static void *first(void *arg)
{
	transfer(0, 1, 90);
	usleep(3 * TICK);
	transfer(0, 1, 60);
	usleep(4 * TICK);
	return arg;
}
static void *second(void *arg)
{
	usleep(TICK);
	transfer(2, 1, 5);
	transfer(2, 0, 80);
	usleep(6 * TICK);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, first, NULL);
	pthread_create(&t[1], NULL, second, NULL);
	usleep(2 * TICK);
	long sum = of(0); /* bug: not all at once */
	usleep(2 * TICK);
	sum += of(1);
	sum += of(2);
	if (sum != 300)
		abort();
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread refilled.c -o refilled
status 134 rethread record -q --until-failure --runs 20 ./refilled 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short:/,/^$/p' out | tr -s ' \n' ' ' >text
has text '^In short: thread 1 read balance\[0\] \(refilled.c:[0-9]+\) before thread 1:1 changed it \(refilled.c:11\), and balance\[1\] \(refilled.c:[0-9]+\) after thread 1:1 had changed that \(refilled.c:11\): the two are of different times\. $'
