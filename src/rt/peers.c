#include "rt/peers.h"

#include "rt/log.h"
#include "rt/self.h"

#include <string.h>

#define BLOCK 1024u  /* peers per block */
#define BLOCKS 4096u /* four million threads in one run */
#define BUCKETS 1024u

static struct {
	uint32_t lock; /* over the buckets and the list of unused ones */
	uint32_t count;
	struct rt_peer *blocks[BLOCKS];
	struct rt_peer *buckets[BUCKETS];
	struct rt_peer *unused;
} peers;

struct rt_peer *rt_peer(uint32_t number)
{
	struct rt_peer *block;

	if (number >= BLOCK * BLOCKS)
		return NULL;
	block = __atomic_load_n(&peers.blocks[number / BLOCK], __ATOMIC_ACQUIRE);
	return block ? block + number % BLOCK : NULL;
}

uint32_t rt_peer_count(void)
{
	return __atomic_load_n(&peers.count, __ATOMIC_ACQUIRE);
}

static struct rt_peer *take(void)
{
	struct rt_peer *p = peers.unused;
	uint32_t number = peers.count;

	if (p) {
		peers.unused = p->next;
		return p;
	}
	if (number >= BLOCK * BLOCKS)
		return NULL;
	if (!peers.blocks[number / BLOCK])
		__atomic_store_n(&peers.blocks[number / BLOCK], rt_pages(BLOCK * sizeof *p),
				 __ATOMIC_RELEASE);
	p = rt_peer(number);
	if (p) {
		p->number = number;
		peers.count++;
	}
	return p;
}

/* Its place in the log; what was made for a thread that could not be started is used again. */
static void prepare(struct rt_peer *p, uint32_t parent, uint32_t child)
{
	p->parent = parent;
	p->child = child;
	if (p->thread) {
		p->thread->parent = parent;
		p->thread->child = child;
	} else {
		p->thread = rt_self_prepare(p->number, parent, child, &p->batch);
	}
}

struct rt_peer *rt_peer_new(uint32_t parent, uint32_t child)
{
	struct rt_guard saved;
	struct rt_peer *p;

	/* One critical section: the log has thread records in the order of their numbers, without a
	 * gap. */
	rt_guard_lock(&peers.lock, &saved);
	p = take();
	if (p)
		prepare(p, parent, child);
	rt_guard_unlock(&peers.lock, &saved);
	return p;
}

void rt_peer_unused(struct rt_peer *p)
{
	struct rt_guard saved;

	rt_guard_lock(&peers.lock, &saved);
	if (p->thread)
		p->thread->child = 0;
	p->next = peers.unused;
	peers.unused = p;
	rt_guard_unlock(&peers.lock, &saved);
}

/* ------------------------------------------------------------------ handles ----------------- */

static struct rt_peer **bucket(pthread_t handle)
{
	/* Handles are addresses of thread descriptors, page-aligned but for a constant. */
	return &peers.buckets[(handle >> 12) * 0x9e3779b97f4a7c15ull >> 54];
}

/* Where the peer with this handle hangs, or the end of the chain. */
static struct rt_peer **locate(pthread_t handle)
{
	struct rt_peer **at = bucket(handle);

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

void rt_peer_register(struct rt_peer *p, pthread_t handle)
{
	struct rt_guard saved;
	struct rt_peer **at;

	if (__atomic_load_n(&p->registered, __ATOMIC_ACQUIRE))
		return;
	rt_guard_lock(&peers.lock, &saved);
	if (!p->registered) {
		at = locate(handle);
		/* Whoever had this handle before was detached, and is gone. */
		if (*at)
			*at = (*at)->next;
		at = bucket(handle);
		p->handle = handle;
		p->next = *at;
		*at = p;
		__atomic_store_n(&p->registered, true, __ATOMIC_RELEASE);
	}
	rt_guard_unlock(&peers.lock, &saved);
}

struct rt_peer *rt_peer_find(pthread_t handle)
{
	struct rt_guard saved;
	struct rt_peer *p;

	rt_guard_lock(&peers.lock, &saved);
	p = *locate(handle);
	rt_guard_unlock(&peers.lock, &saved);
	return p;
}

void rt_peer_forget(struct rt_peer *p)
{
	struct rt_guard saved;
	struct rt_peer **at;

	rt_guard_lock(&peers.lock, &saved);
	at = locate(p->handle);
	if (*at == p)
		*at = p->next;
	rt_guard_unlock(&peers.lock, &saved);
}

bool rt_peers_are_over(void)
{
	for (uint32_t i = 1; i < peers.count; i++)
		if (!__atomic_load_n(&rt_peer(i)->over, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

void rt_peers_reset(void)
{
	memset(&peers, 0, sizeof peers);
}

/* ------------------------------------------------------------------ names ------------------- */

static size_t put_number(char *text, size_t at, size_t size, uint32_t n)
{
	char digits[12];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + n % 10);
	while (n /= 10);
	while (count && at + 1 < size)
		text[at++] = digits[--count];
	return at;
}

char *rt_peer_name(const struct rt_peer *p, char *text, size_t size)
{
	uint32_t children[64];
	unsigned depth = 0;
	size_t at = 0;

	for (; p && p->number && depth < 64; p = rt_peer(p->parent))
		children[depth++] = p->child;
	at = put_number(text, at, size, 1);
	while (depth && at + 1 < size) {
		text[at++] = ':';
		at = put_number(text, at, size, children[--depth]);
	}
	text[at] = 0;
	return text;
}
