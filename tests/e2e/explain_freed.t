# A block is used after another thread freed it: `explain` begins with the line that failed, says who freed what, and does not take what the allocator
# left there for something that was written. Of a deadlock, locks in blocks have names, and who is blocked has not failed besides.
cat >sessions.c <<'E'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
struct session { int id, refs; struct session *next; };
struct table { pthread_mutex_t lock; struct session *first; };
static void *use(void *a)
{
	struct table *t = a;
	pthread_mutex_lock(&t->lock);
	struct session *s = t->first;
	int id = s ? s->id : 0;
	pthread_mutex_unlock(&t->lock);
	sched_yield();
	if (s && s->id != id)
		abort();
	return NULL;
}
static void *drop(void *a)
{
	struct table *t = a;
	pthread_mutex_lock(&t->lock);
	struct session *s = t->first;
	t->first = s->next;
	pthread_mutex_unlock(&t->lock);
	free(s);
	return NULL;
}
int main(void)
{
	struct table *t = calloc(1, sizeof *t);
	pthread_t a, b;
	pthread_mutex_init(&t->lock, NULL);
	t->first = malloc(sizeof *t->first);
	*t->first = (struct session){7, 1, NULL};
	pthread_create(&a, NULL, use, t);
	pthread_create(&b, NULL, drop, t);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
E
rethread cc -O1 -g -pthread sessions.c -o sessions
status 134 rethread record -q --until-failure --runs 5000 -o freed ./sessions
rethread reproduce freed --engine solve >out 2>err
rethread explain freed >out
sed 3q out >head
has head 'Aborted in thread 1:1' 'sessions.c:15  abort\(\);'
has out 'frees session$' 'reads session.id, freed$' 'sessions.c:15 .*FAILS'
sed -n '/^What was used after it had been freed:$/,/^$/p' out | tr -s ' \n' ' ' >text
same "$(cat text)" 'What was used after it had been freed: thread 1:1 read session.id, in a block of 16 bytes that had been freed sessions.c:14 if (s && s->id != id) freed by thread 1:2 in drop sessions.c:25 free(s); allocated by thread 1 in main sessions.c:33 t->first = malloc(sizeof *t->first); thread 1:1 had taken the pointer from table.first, with table.lock locked, which it has given up since sessions.c:10 struct session *s = t->first; then thread 1:2 wrote something else there sessions.c:23 t->first = s->next; '
! grep 'writes session' out | grep -v ':34' || fail "what free left is shown as written"

# Engine search knows it from the attempt.
rethread reproduce freed --engine search --budget 60 >out 2>&1 || fail "search: $(cat out)"
rethread explain freed >out
sed -n '/^What was used after it had been freed:$/,/^$/p' out | tr -s ' \n' ' ' >text
has text 'thread 1:1 read session.id, in a block of 16 bytes that had been freed sessions.c:14 .* freed by thread 1:2 in drop [^ ]*sessions.c:25 free\(s\); allocated by thread 1 in main [^ ]*sessions.c:33 '

cat >accounts.cpp <<'E'
#include <memory>
#include <mutex>
#include <thread>
struct Account { long balance = 100; std::mutex m; };
static void transfer(Account *from, Account *to)
{
	std::lock_guard<std::mutex> a(from->m);
	std::this_thread::yield();
	std::lock_guard<std::mutex> b(to->m);
	from->balance--;
	to->balance++;
}
int main()
{
	auto one = std::make_unique<Account>(), other = std::make_unique<Account>();
	std::thread a([&] { for (int i = 0; i < 100; i++) transfer(one.get(), other.get()); });
	std::thread b([&] { for (int i = 0; i < 100; i++) transfer(other.get(), one.get()); });
	a.join();
	b.join();
}
E
rethread c++ -O1 -g -pthread accounts.cpp -o accounts
status 124 rethread record -q --until-failure --runs 3000 -o deadlock ./accounts
rethread reproduce deadlock --engine solve >out 2>err
rethread explain deadlock >out
has out 'thread 1:1 waits for Account#[12]\.m:$' 'thread 1:2 waits for Account#[12]\.m:$' 'Account#[12] is a block of' \
	'blocks on Account#1\.m' 'blocks on Account#2\.m'
! grep FAILS out || fail "a thread that is blocked fails"
