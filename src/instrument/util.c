/* Errors, memory, lists and the pointer map of the pass. */
#include "instrument/pass.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pass_die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("rethread: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	/* lld would go on and emit a program. No destructors: its threads still run. */
	fflush(NULL);
	_Exit(1);
}

void pass_warn(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("rethread: warning: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

void *pass_alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);
	if (!p)
		pass_die("out of memory");
	return p;
}

void *pass_grow(void *at, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 64;
	at = realloc(at, *cap * size);
	if (!at)
		pass_die("out of memory");
	return at;
}

void pass_write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		pass_die("cannot write %s: %s", path, strerror(errno));
	bool ok = fwrite(data, 1, size, f) == size;
	if (fclose(f) != 0 || !ok)
		pass_die("cannot write %s: %s", path, strerror(errno));
}

void values_push(struct values *v, LLVMValueRef value)
{
	if (v->n == v->cap)
		v->at = pass_grow(v->at, &v->cap, sizeof *v->at);
	v->at[v->n++] = value;
}

void values_free(struct values *v)
{
	free(v->at);
	*v = (struct values){0};
}

static size_t map_slot(const struct map *m, const void *key)
{
	uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 20) & (m->cap - 1);
	while (m->at[i].key && m->at[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

uint32_t map_get(const struct map *m, const void *key)
{
	return m->cap ? m->at[map_slot(m, key)].number : 0;
}

static void map_resize(struct map *m)
{
	struct map old = *m;
	m->cap = old.cap ? old.cap * 2 : 1024;
	m->at = pass_alloc(m->cap, sizeof *m->at);
	for (size_t i = 0; i < old.cap; i++)
		if (old.at[i].key)
			m->at[map_slot(m, old.at[i].key)] = old.at[i];
	free(old.at);
}

void map_set(struct map *m, const void *key, uint32_t number)
{
	if (m->n * 2 >= m->cap)
		map_resize(m);
	size_t i = map_slot(m, key);
	m->n += !m->at[i].key;
	m->at[i] = (struct map_entry){key, number};
}

void map_clear(struct map *m)
{
	if (m->n)
		memset(m->at, 0, m->cap * sizeof *m->at);
	m->n = 0;
}

void map_free(struct map *m)
{
	free(m->at);
	*m = (struct map){0};
}

size_t function_size(LLVMValueRef f)
{
	size_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	return n;
}

size_t module_size(LLVMModuleRef m)
{
	size_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		n += function_size(f);
	return n;
}
