// Memory for an offline compiler: an allocation that fails gives the work up (work.h), so that no caller sees it;
// long-lived things live in an arena and are freed together, growing things live in a VEC.
#ifndef GCDC_BASE_MEM_H
#define GCDC_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mem_alloc(size_t size);                       // size 0 is allowed
void *mem_calloc(size_t n, size_t size);            // zeroed, overflow-checked
void *mem_realloc(void *p, size_t n, size_t size);  // n * size bytes, overflow-checked

void *mem_keep(size_t size);  // stays when the work is given up: somebody outside of it frees it
void mem_trim(void);          // what was freed goes back to the system: between phases that take much
void mem_keep_freed(void);    // some of what is freed from now on stays with the process, for what it asks for next
void mem_free(void *p);       // any of these, and libc's; NULL is allowed
// A work knows its blocks, so it must hear of each that is freed.
#define free(p) mem_free(p)

// A stream whose bytes are *text, *len of them and a NUL, once it is closed; the caller frees *text.
FILE *text_stream(char **text, size_t *len);

// An arena: many allocations, one release. Not thread-safe.
struct arena {
	struct arena_chunk *chunk;
	size_t used;  // bytes handed out so far, for --stats
	bool kept;    // by mem_keep
};
void *arena_alloc(struct arena *a, size_t size);                     // 16-aligned, zeroed
void *arena_array(struct arena *a, size_t n, size_t size);           // n * size, overflow-checked, zeroed
void *arena_copy(struct arena *a, const void *bytes, size_t size);   // 16-aligned
char *arena_strndup(struct arena *a, const char *text, size_t len);  // NUL-terminated copy
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_join(struct arena *a, struct arena *taken);  // what is in `taken` belongs to a from now on
void arena_release(struct arena *a);                    // frees everything; a is empty again

// A growing array. `VEC(int) v = {0}; vec_push(&v, 3); v.at[0]; vec_release(&v);`
#define VEC(T)                                                                                                         \
	struct {                                                                                                           \
		T *at;                                                                                                         \
		uint32_t n, cap;                                                                                               \
	}
void vec_grow_(void **at, uint32_t *cap, size_t size, uint64_t want);
void vec_fit_(void **at, uint32_t *cap, size_t size, uint64_t want);
#define vec_reserve(v, want)                                                                                           \
	((want) <= (v)->cap ? (void)0 : vec_grow_((void **)&(v)->at, &(v)->cap, sizeof *(v)->at, (want)))
// Room for so many and no more, where they are all.
#define vec_fit(v, m) ((m) <= (v)->cap ? (void)0 : vec_fit_((void **)&(v)->at, &(v)->cap, sizeof *(v)->at, (m)))
#define vec_push(v, x) (vec_reserve((v), (uint64_t)(v)->n + 1), (v)->at[(v)->n++] = (x))
#define vec_pop(v) ((v)->at[--(v)->n])
#define vec_clear(v) ((v)->n = 0)
#define vec_release(v) (mem_free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

// gcdc is wrong: a broken promise of our own, never of the user's input.
#define ASSERT(c) ((c) ? (void)0 : assert_failed(__FILE__, __LINE__, #c))
_Noreturn void assert_failed(const char *file, int line, const char *condition);

#endif
