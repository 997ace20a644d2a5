#!/usr/bin/env python3
"""usage: generate.py SEED [FEATURE...]: a random multithreaded C program that ends with abort().

Threads race on words of all widths, on halves of words, packed structs, unions, bit fields, copies of structs, pointers
and what is made of them, and take locks here and there; what they see decides how they go on. The run as it was
recorded explains its own log, so an inference that says that nothing explains it is wrong.

With features named, only these are used (see FEATURES at the end of this file for their names)."""
import random
import sys

HEAD = """\
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
enum { CELLS = 8, NODES = 6, THREADS = %d };

static volatile u8 bytes[CELLS];
static volatile u16 shorts[CELLS];
static volatile u32 words[CELLS];
static volatile u64 longs[CELLS];
static volatile int number = 1;
static u32 plain[CELLS];
static union { u64 whole; struct { u32 low, high; } half; u16 quarter[4]; u8 byte[8]; } both[2];
static struct __attribute__((packed)) { u8 a; u32 b; u64 c; u16 d; } packed[2];
static struct { unsigned a : 3, b : 13, c : 16; u64 d : 40, e : 24; } fields;
static struct block { u64 first; u32 second; u16 third[3]; u8 fourth; } blocks[3];
static volatile float single = 1;
static volatile double real = 1;
static _Atomic u32 atom;
static _Atomic u64 wide_atom;
static struct node { struct node *volatile next; volatile u64 pay; u32 key; } *volatile head, *volatile nodes[NODES];
static volatile uintptr_t tagged;
static u64 *volatile escaped[THREADS];
static volatile unsigned turn;
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static u64 guarded, progress; /* by mutex[0] */
static unsigned arrived;      /* likewise */
static sem_t tokens;
static char texts[3][16] = {"first", "12", "e"};
static unsigned __int128 huge;
static struct pair { u64 x, y; } pairs[2];
static __thread u32 own;
static _Atomic unsigned begun;
static pthread_barrier_t begin, end;
static struct node *table[CELLS]; /* by address */

static u64 mix(u64 a, u64 b) { return (a ^ b) * 0x9e3779b97f4a7c15u; }
static struct pair swapped(struct pair p) { return (struct pair){p.y, p.x}; }
static u64 one(u64 a) { return a + words[0]; }
static u64 two(u64 a) { words[1]++; return a ^ 5; }
static u64 three(u64 a) { return a * 3 + number; }
static u64 (*volatile action)(u64) = one;
static u64 (*const actions[])(u64) = {one, two, three};
/* What was seen goes into the path. */
static void note(u64 v)
{
	for (unsigned i = 0; i < 5; i++, v >>= 1)
		if (v & 1)
			own++;
}
static void initialise(void) { guarded = 3; }
static struct node *fresh(u64 pay)
{
	struct node *n = calloc(1, sizeof *n);
	n->pay = pay;
	n->key = (u32)pay;
	return n;
}
"""


class Program:
    def __init__(self, seed, features):
        self.r = random.Random(seed)
        self.features = features
        self.threads = self.r.choice([2, 2, 2, 2, 3, 4])
        self.depth = 0
        self.count = 0
        self.rests = self.r.choice([0, 2, 2, 3, 5])  # one rest in so many operations, so that others come between
        self.lines = []
        self.indent = 1

    def put(self, text):
        for line in text.strip().split("\n"):
            self.lines.append("\t" * self.indent + line.strip())

    def n(self, most):
        return self.r.randrange(most)

    def small(self):
        return self.r.choice(["a", "a", "b", "i", str(self.n(9)), "own"])

    def index(self, size):
        return self.r.choice([str(self.n(size)), f"a % {size}", f"b % {size}", f"i % {size}",
                              f"number % {size}u", f"words[{self.n(8)}] % {size}", f"(u32)longs[{self.n(8)}] % {size}"])

    # ---- operations: each reads or writes something that is shared ----

    def op_words(self):
        name = self.r.choice(["bytes", "shorts", "words", "words", "plain"])
        i = self.index(8)
        self.put(self.r.choice([
            f"{name}[{i}] += (u8){self.small()};", f"{name}[{i}] = {self.small()};", f"a = mix(a, {name}[{i}]);",
            f"b = {name}[{i}];", f"b += {name}[{i}]++;", f"a ^= {name}[{i}]; {name}[{i}] = a;", "number += 3;",
            "number = number * 5 + i;", "b = number;", f"own += {name}[{i}];"]))

    def op_longs(self):
        i = self.index(8)
        self.put(self.r.choice([
            f"longs[{i}] += (1ull << 32) + {self.small()};", f"b = longs[{i}];", f"a = mix(a, longs[{i}]);",
            f"longs[{i}] = a;", f"longs[{i}] = {self.small()};", f"words[longs[{i}] % CELLS]++;",
            f"longs[{i}] -= 7;", f"longs[{self.n(8)}] = (u64)words[{self.n(8)}] << 32 | {self.n(100)};",
            f"b = longs[{i}] >> 32; words[b % CELLS] = b;", f"b = longs[longs[{i}] >> 32 & 7];"]))

    def op_halves(self):
        k = self.n(2)
        self.put(self.r.choice([
            f"both[{k}].half.low++;", f"both[{k}].half.high += {self.small()};", f"both[{k}].whole = a;",
            f"b = both[{k}].whole;", f"a = mix(a, both[{k}].quarter[{self.n(4)}]);", f"both[{k}].byte[{self.n(8)}] = (u8)a;",
            f"both[0] = both[1];", f"words[both[{k}].half.high % CELLS]++;", f"b = both[{k}].half.low;",
            f"words[(both[{k}].whole >> 32) % CELLS] += (u32)both[{k}].whole;"]))

    def op_packed(self):
        k, f = self.n(2), self.r.choice("abcd")
        self.put(self.r.choice([
            f"packed[{k}].{f}++;", f"packed[{k}].{f} = {self.small()};", f"a = mix(a, packed[{k}].{f});",
            f"b = packed[{k}].{f};", "packed[0] = packed[1];", f"words[packed[{k}].{f} % CELLS]++;"]))

    def op_fields(self):
        f = self.r.choice("abcde")
        self.put(self.r.choice([
            f"fields.{f}++;", f"fields.{f} = {self.small()};", f"a = mix(a, fields.{f});", f"b = fields.{f};",
            f"words[fields.{f} % CELLS] ^= 1;"]))

    def op_blocks(self):
        k, l = self.n(3), self.n(3)
        f = self.r.choice(["first", "second", "third[1]", "third[b % 3]", "fourth"])
        self.put(self.r.choice([
            f"memcpy(&blocks[{k}], &blocks[{(k + 1) % 3}], sizeof *blocks);", f"blocks[{k}].{f} += {self.small()};",
            f"b = blocks[{k}].{f};", f"blocks[{k}] = (struct block){{a, (u32)b, {{1, 2, 3}}, 4}};",
            f"memset(&blocks[{k}], i, sizeof *blocks);", f"a = mix(a, blocks[{l}].{f});",
            f"{{ struct block s = blocks[{k}]; s.second++; blocks[{l}] = s; b ^= s.first; }}",
            f"a += memcmp(&blocks[{k}], &blocks[{l}], sizeof *blocks) == 0;",
            f"memmove((char *)&blocks[{k}] + {self.n(9)}, (char *)&blocks[{l}] + {self.n(9)}, {self.n(15) + 1});"]))

    def op_floats(self):
        self.put(self.r.choice([
            "single += 0.5f;", "real = real * 1.25 + (double)(i % 7);", "if (real > 30) real = single;",
            "b = single > 4 ? 3 : 1;", "a = mix(a, (u64)(int)single);", "single = (float)real;", "words[(unsigned)single % CELLS]++;"]))

    def op_atomics(self):
        self.put(self.r.choice([
            "b = atomic_fetch_add(&atom, 3);", "atomic_fetch_xor(&wide_atom, a);", "a = mix(a, atomic_load(&wide_atom));",
            "b = atomic_exchange(&wide_atom, (u64)i << 33 | 5);", "words[atomic_fetch_add(&wide_atom, 1) % CELLS]++;",
            "{ u32 old = atomic_load(&atom); while (!atomic_compare_exchange_weak(&atom, &old, old * 3 + 1)) b++; }",
            "{ u64 old = wide_atom; b ^= atomic_compare_exchange_strong(&wide_atom, &old, old + (1ull << 32) + 1); a = mix(a, old); }",
            "atomic_store_explicit(&atom, a, memory_order_relaxed);",
            "b += atomic_load_explicit(&atom, memory_order_acquire);"]))

    def op_nodes(self):
        k = self.index(6)
        self.put(self.r.choice([
            f"head = nodes[{k}];", "{ struct node *n = head; n->pay++; head = n->next ? n->next : n; }",
            f"nodes[{k}]->pay += {self.small()};", f"b = nodes[{k}]->pay;", f"nodes[{k}] = fresh(a);",
            f"nodes[{k}] = nodes[{self.index(6)}];", f"nodes[{k}]->next = nodes[{self.index(6)}];",
            "b += head == nodes[1];", "{ struct node *n = head; for (int k = 0; n && k < 3; k++) { b += n->key; n = n->next; } }",
            f"{{ struct node *n = fresh(b); n->next = head; head = n; }}", f"a = mix(a, head->key);"]))

    def op_tagged(self):
        k = self.n(6)
        self.put(self.r.choice([
            f"tagged = (uintptr_t)nodes[{k}] | (a & 7);", "{ struct node *n = (struct node *)(tagged & ~(uintptr_t)7); if (n) b += n->pay; }",
            "b = tagged & 7;", "tagged ^= 1;", "{ uintptr_t t = tagged; if (t & 1) b++; else if (t) ((struct node *)(t & ~(uintptr_t)7))->pay += 2; }",
            f"longs[{k}] = tagged & 7;", f"if (tagged == (uintptr_t)nodes[{k}]) b++;"]))

    def op_escapes(self):
        self.put(self.r.choice([
            "escaped[me] = &local;", f"{{ u64 *p = escaped[{self.n(self.threads)}]; if (p) *p += a % 5; }}",
            f"{{ u64 *p = escaped[{self.n(self.threads)}]; if (p) b = *p; }}", "local++;", "a = mix(a, local);",
            "escaped[me] = &array[b % 4];", "array[i % 4] += 3;",
            f"b += escaped[{self.n(self.threads)}] == &local;"]))

    def op_calls(self):
        self.put(self.r.choice([
            "a = action(a);", f"action = actions[{self.index(3)}];", "b = actions[number % 3u](b);",
            "if (action == two) b++;"]))

    def op_strings(self):
        k = self.n(3)
        self.put(self.r.choice([
            f"strcpy(texts[{k}], i & 1 ? \"one\" : \"second\");", f"b = strlen(texts[{k}]);", f"texts[{k}][b % 6] = 'a' + (char)(a % 20);",
            f"b += strcmp(texts[{k}], texts[{(k + 1) % 3}]) < 0;", f"snprintf(texts[{k}], sizeof *texts, \"%u\", (unsigned)words[{k}] % 1000);",
            f"b = strtoul(texts[{k}], NULL, 10);", f"memcpy(texts[{k}], texts[{(k + 1) % 3}], 8);", f"a = mix(a, (u8)texts[{k}][b % 6]);",
            f"{{ char *c = strchr(texts[{k}], 'e'); if (c) b += c - texts[{k}]; }}"]))

    def op_wide(self):
        self.put(self.r.choice([
            "{ unsigned __int128 w = huge; huge = w * 3 + a % 7; b ^= (u64)(w >> 64); }", "huge += (unsigned __int128)1 << 64;",
            "{ struct pair p = pairs[i % 2]; pairs[!(i % 2)] = (struct pair){p.y, p.x + 1}; b = p.x; }",
            "for (int k = 0; k < 8; k++) plain[k] += (u32)longs[k];", "for (int k = 0; k < 8; k++) b += plain[k];",
            "{ u32 copy[CELLS]; memcpy(copy, plain, sizeof copy); b = copy[a % 8]; }", "b = swapped(pairs[0]).x;"]))

    def op_searches(self):
        """Loops that look for something: their rounds are counted in the log."""
        name = "plain"
        self.put(self.r.choice([
            f"plain[{self.index(8)}] = a % 300;", f"plain[{self.index(8)}] = {self.n(90)};",
            f"{{ int k = 0; while (k < 8 && {name}[k] != {self.n(5)}) k++; b += k; }}",
            f"{{ int k = 7; for (; k >= 0; k--) if ({name}[k] > a % 9 || plain[k] & 1) break; own += k; }}",
            f"{{ u32 n = 0; for (u32 k = 0; k < words[{self.n(8)}] % 300; k++) {{ if ({name}[k % 8] == 77) break; n ^= k; }} a = mix(a, n); }}",
            f"{{ int low = 0, high = 8; while (low < high) {{ int middle = (low + high) / 2; if ({name}[middle] < 3) low = middle + 1; else high = middle; }} b += low; }}",
            f"{{ u32 local_max = 0; for (int k = 0; k < 8; k++) {{ if ({name}[k] > 200) goto found{self.count}; if ({name}[k] > local_max) local_max = {name}[k]; }} found{self.count}: b ^= local_max; }}"]))
        self.count += 1

    def op_addresses(self):
        """What is made of the bits of an address: another run has others."""
        k = self.n(6)
        self.put(self.r.choice([
            f"b = (u32)(uintptr_t)nodes[{k}] >> 4;", f"words[{k}] = (u32)(uintptr_t)nodes[{k}];",
            f"if (nodes[{k}] < nodes[{(k + 1) % 6}]) b++;", f"longs[{k}] = (uintptr_t)head;",
            f"table[mix(0, (uintptr_t)head) >> 61] = head;", f"{{ struct node *n = table[mix(0, (uintptr_t)nodes[{k}]) >> 61]; if (n) b += n->key; }}",
            f"number = (int)(intptr_t)head;", f"b += (u32)(uintptr_t)head == words[{k}];",
            f"longs[{k}] ^= (uintptr_t)&local;", f"words[{k}] = (u32)((uintptr_t)escaped[me] >> 12);",
            f"shorts[{k}] = (u16)((uintptr_t)nodes[{k}] >> 4);", f"b = words[words[{k}] % CELLS];"]))

    # ---- synchronization and control ----

    def locked(self):
        which = self.n(3)
        if which < 2:
            self.put(f"pthread_mutex_lock(&mutex[{which}]);")
        else:
            self.put(f"pthread_rwlock_{self.r.choice(['rd', 'wr'])}lock(&rwlock);")
        self.body(2)
        if which == 0:
            self.put(self.r.choice(["guarded += a % 11;", "b += guarded;", "progress++; pthread_cond_broadcast(&changed);"]))
        self.put(f"pthread_mutex_unlock(&mutex[{which}]);" if which < 2 else "pthread_rwlock_unlock(&rwlock);")

    def waits(self):
        """For what every thread does before it ends, or has done already."""
        self.put(self.r.choice([
            "pthread_once(&once, initialise);",
            "if (!pthread_mutex_trylock(&mutex[1])) { b++; pthread_mutex_unlock(&mutex[1]); }",
            "pthread_mutex_lock(&mutex[0]); progress++; pthread_cond_signal(&changed); pthread_mutex_unlock(&mutex[0]);",
            "sem_post(&tokens);", "if (!sem_trywait(&tokens)) b += 3;"]))

    def branch(self):
        seen = self.r.choice(["a & 1", "a >> 61 > 3", "b % 3 == 1", "(b & 7) > i % 5", "b > a % 100", "own & 1",
                              f"words[{self.n(8)}] > {self.n(6)}", f"longs[{self.n(8)}] & 3", f"longs[{self.n(8)}] >> 32 > {self.n(4)}",
                              f"longs[{self.n(8)}] == a", "number & 2", f"bytes[{self.n(8)}] > 4"])
        self.put(f"if ({seen}) {{")
        self.inner(2)
        if self.n(2):
            self.put("} else {")
            self.inner(2)
        self.put("}")

    def loop(self):
        self.put(f"for (unsigned k{self.depth} = 0; k{self.depth} < {self.r.choice(['2', '3', 'b % 4', 'words[2] % 3'])}; k{self.depth}++) {{")
        self.inner(2)
        self.put("}")

    def switch(self):
        self.put(f"switch ({self.r.choice(['a', 'b', 'number', 'longs[1]'])} % 4) {{")
        for case in range(3):
            self.put(f"case {case}:" if case < 2 else "default:")
            self.inner(1)
            self.indent += 1
            self.put("break;")
            self.indent -= 1
        self.put("}")

    def inner(self, n):
        self.indent += 1
        self.depth += 1
        self.body(n)
        self.depth -= 1
        self.indent -= 1

    def body(self, n):
        for _ in range(1 + self.n(n)):
            kind = self.n(12)
            if self.rests and not self.n(self.rests):
                self.put("usleep(1);")
            if kind < 2 and self.depth < 3:
                self.branch()
            elif kind == 2 and self.depth < 2:
                self.loop()
            elif kind == 3 and self.depth < 2:
                self.switch()
            elif kind == 4 and "locks" in self.features and not self.held:
                self.held = True
                self.locked()
                self.held = False
            elif kind == 5 and "locks" in self.features and not self.held:
                self.waits()
            elif kind < 8:
                self.put(f"note({self.r.choice(['a', 'a >> 40', 'b', 'b', 'b >> 32', 'own'])});")
            else:
                getattr(self, "op_" + self.r.choice([f for f in self.features if f != "locks"]))()

    def function(self, number):
        self.held = False
        self.lines.append(f"static __attribute__((noinline)) void work{number}(unsigned me, u64 a, u64 b)\n{{")
        self.put("u64 local = me, array[4] = {0};")
        if "locks" in self.features and self.n(2):
            self.put("""pthread_mutex_lock(&mutex[0]);
                arrived++;
                pthread_cond_broadcast(&changed);
                while (arrived < THREADS)
                \tpthread_cond_wait(&changed, &mutex[0]);
                pthread_mutex_unlock(&mutex[0]);""")
        elif "locks" in self.features:
            self.put("""pthread_mutex_lock(&mutex[0]);
                arrived++;
                pthread_cond_broadcast(&changed);
                pthread_mutex_unlock(&mutex[0]);""")
        self.put(f"for (unsigned i = 0; i < {self.r.choice([1, 1, 2, 3, 5])}; i++) {{")
        self.indent += 1
        self.body(3)
        self.body(3)
        self.indent -= 1
        self.put("}")
        self.put("pthread_barrier_wait(&end);")
        self.put("words[me] ^= (u32)(a ^ b ^ local ^ array[1]) & 1;")
        self.lines.append("}\n")

    def main(self):
        self.lines.append("static void *run(void *p)\n{")
        self.put("unsigned me = (unsigned)(uintptr_t)p;\npthread_barrier_wait(&begin);\nbegun++;\nfor (unsigned k = 0; k < 3000 && begun < THREADS; k++)\n\t;")
        for t in range(self.threads):
            self.put(f"{'else ' if t else ''}if (me == {t})")
            self.indent += 1
            self.put(f"work{t % self.functions}(me, {self.n(1000)}, {self.n(10)});")
            self.indent -= 1
        self.put("return NULL;")
        self.lines.append("}\n\nint main(void)\n{")
        self.put("""pthread_t t[THREADS];
            sem_init(&tokens, 0, 1);
            pthread_barrier_init(&begin, NULL, THREADS);
            pthread_barrier_init(&end, NULL, THREADS);
            for (unsigned i = 0; i < NODES; i++) {
            \tnodes[i] = fresh(i);
            \tif (i) nodes[i]->next = nodes[i - 1];
            }
            head = nodes[5];
            for (unsigned i = 0; i < CELLS; i++) {
            \tbytes[i] = (u8)(3 * i);
            \tshorts[i] = (u16)(i << 7);
            \twords[i] = plain[i] = i;
            \tlongs[i] = (u64)i << 32 | (7 - i);
            \tboth[i % 2].quarter[i % 4] = (u16)(i + 1);
            }
            memset(blocks, 5, sizeof blocks);
            memset(packed, 3, sizeof packed);
            memset(&fields, 0x55, sizeof fields);
            for (unsigned i = 0; i < THREADS; i++)
            \tpthread_create(&t[i], NULL, run, (void *)(uintptr_t)i);
            for (unsigned i = 0; i < THREADS; i++)
            \tpthread_join(t[i], NULL);
            abort();""")
        self.lines.append("}")

    def text(self):
        self.functions = 1 + self.n(self.threads)
        for f in range(self.functions):
            self.function(f)
        self.main()
        return HEAD % self.threads + "\n".join(self.lines) + "\n"


FEATURES = ["words", "longs", "halves", "packed", "fields", "blocks", "floats", "atomics", "nodes", "tagged", "escapes",
            "calls", "strings", "wide", "searches", "locks", "addresses"]


def chosen(seed):
    r = random.Random(-seed)
    few = r.sample(FEATURES[:-2], 1 + r.randrange(5))
    if r.randrange(3) == 0:
        few.append("locks")
    if r.randrange(6) == 0:
        few.append("addresses")
    return few


def main():
    seed = int(sys.argv[1])
    features = sys.argv[2:] or chosen(seed)
    print(f"/* seed {seed}: {' '.join(features)} */")
    print(Program(seed, features).text(), end="")


main()
