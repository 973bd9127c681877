// Allocation that gives the work up where it fails, arenas, growing arrays. See mem.h.
#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "work.h"

#undef free  // libc's own, here

void *mem_keep(size_t size)
{
	void *p = work_must_fail() ? NULL : malloc(size ? size : 1);
	if (!p) work_out_of_memory(size);
	return p;
}

static void *get(size_t size, bool zero)
{
	if (!size) size = 1;
	work_expect(size);
	void *p = work_must_fail() ? NULL : zero ? calloc(size, 1) : malloc(size);
	if (!p) work_out_of_memory(size);
	if (work_own(work_here(), p, size)) return p;
	free(p);
	work_out_of_memory(size);
}

void *mem_alloc(size_t size) { return get(size, false); }

void *mem_calloc(size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) work_out_of_memory(SIZE_MAX);
	return get(bytes, true);
}

// It stays whose it was: kept, or of a work around.
void *mem_realloc(void *old, size_t n, size_t size)
{
	size_t bytes, before = 0;
	if (__builtin_mul_overflow(n, size, &bytes)) work_out_of_memory(SIZE_MAX);
	if (!old) return get(bytes, false);
	if (!bytes) bytes = 1;
	work_expect(bytes);
	struct work_place *owner = work_take(old, &before);
	void *p = work_must_fail() ? NULL : realloc(old, bytes);
	work_put_back(owner, p ? p : old, p ? bytes : before, before);
	if (!p) work_out_of_memory(bytes);
	return p;
}

void mem_free(void *p)
{
	work_disown(p);
	free(p);
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

#define FREED_BYTES ((size_t)16 << 20)

// glibc keeps twice the largest block that was ever freed, at most 64 MB, and 128 KB until then: each compilation would
// ask the system for its memory page by page.
void mem_keep_freed(void)
{
#ifdef __GLIBC__
	void *volatile block = malloc(FREED_BYTES);
	free(block);
#endif
}

struct arena_chunk {
	struct arena_chunk *older;
	size_t size, used;  // of the bytes that follow
};

// Many arenas hold little, and sanitizers fill what is allocated: chunks double from small ones on.
#define CHUNK_BYTES_MIN ((size_t)1 << 10)
#define CHUNK_BYTES_MAX ((size_t)64 << 10)
#define CHUNK_HEADER ((sizeof(struct arena_chunk) + 15) & ~(size_t)15)

// size: a multiple of 16.
static void *arena_take(struct arena *a, size_t size)
{
	work_check();
	if (!a->chunk || a->chunk->size - a->chunk->used < size) {
		size_t room = a->chunk ? 2 * a->chunk->size : CHUNK_BYTES_MIN;
		if (room > CHUNK_BYTES_MAX) room = CHUNK_BYTES_MAX;
		if (room < size) room = size;
		struct arena_chunk *c = a->kept ? mem_keep(CHUNK_HEADER + room) : mem_alloc(CHUNK_HEADER + room);
		*c = (struct arena_chunk){.older = a->chunk, .size = room};
		a->chunk = c;
	}
	void *p = (char *)a->chunk + CHUNK_HEADER + a->chunk->used;
	a->chunk->used += size;
	a->used += size;
	return p;
}

static size_t round_up(size_t size)
{
	if (size > SIZE_MAX - 64) work_out_of_memory(size);
	return (size + 15) & ~(size_t)15;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size = round_up(size);
	return memset(arena_take(a, size), 0, size);
}

void *arena_copy(struct arena *a, const void *bytes, size_t size)
{
	void *p = arena_take(a, round_up(size));
	return size ? memcpy(p, bytes, size) : p;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) work_out_of_memory(SIZE_MAX);
	return arena_alloc(a, bytes);
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
	char *p = arena_alloc(a, len + 1);
	if (len) memcpy(p, text, len);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	ASSERT(len >= 0);
	char *p = arena_alloc(a, (size_t)len + 1);
	vsnprintf(p, (size_t)len + 1, fmt, again);
	va_end(again);
	return p;
}

void arena_join(struct arena *a, struct arena *taken)
{
	struct arena_chunk **end = a->chunk ? &a->chunk->older : &a->chunk, *before = *end;
	*end = taken->chunk;
	while (*end) end = &(*end)->older;
	*end = before;
	a->used += taken->used;
	*taken = (struct arena){.kept = taken->kept};
}

void arena_release(struct arena *a)
{
	for (struct arena_chunk *c = a->chunk, *older; c; c = older) {
		older = c->older;
		mem_free(c);
	}
	*a = (struct arena){.kept = a->kept};
}

void vec_grow_(void **at, uint32_t *cap, size_t size, uint64_t want)
{
	uint64_t n = *cap ? *cap : 8;
	while (n < want) n *= 2;
	if (n > UINT32_MAX) n = UINT32_MAX;
	vec_fit_(at, cap, size, n < want ? want : n);
}

void vec_fit_(void **at, uint32_t *cap, size_t size, uint64_t want)
{
	if (want > UINT32_MAX) work_out_of_memory(SIZE_MAX);
	*at = mem_realloc(*at, want, size);
	*cap = (uint32_t)want;
}

void assert_failed(const char *file, int line, const char *condition)
{
	work_bug(file, line, condition);
	fprintf(stderr, "gcdc: internal error at %s:%d: %s\nThis is a bug in gcdc, not in your input.\n", file, line,
	        condition);
	abort();
}

FILE *text_stream(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);
	if (!f) work_out_of_memory(0);
	return f;
}
