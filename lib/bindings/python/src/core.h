// What the files of the extension module gcdc._core share.
//
// Objects. An Artifact holds a gcdc_artifact (and, when it came from bytes, these bytes); a Matcher holds its Artifact.
// Threads. Calls hold the GIL unless they are long (compiling, opening, batches, searching masks). Matchers that are
// forks of one another share memory and may not be used at the same time: they share a struct family, which says so
// while the GIL is let go. Whoever comes in between gets an exception, or waits for its turn where the family is a lane
// of a session; a matcher that dies in between is freed later.
#ifndef GCDC_PYTHON_CORE_H
#define GCDC_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <gcdc/compile.h>
#include <gcdc/runtime.h>

#include <stdbool.h>
#include <stdint.h>

extern PyObject *core_error, *core_compile_error, *core_budget_error;
extern PyTypeObject *core_artifact_type, *core_matcher_type, *core_session_type, *core_vocab_type;

// ---- Errors. All return NULL (or -1), an exception being set.
PyObject *raise_status(gcdc_status status);
PyObject *raise_text(PyObject *type, gcdc_status status, const char *text);

// ---- Artifacts.
typedef struct {
	PyObject_HEAD gcdc_artifact *at;  // NULL: closed
	PyObject *bytes;                  // what it was opened from, or NULL
	gcdc_info info;
} Artifact;
Artifact *artifact_of(PyObject *o);  // NULL: not one, or closed

// ---- Matchers.
struct family {
	Py_ssize_t n;       // matchers, and the session
	uint32_t n_inside;  // calls that work without the GIL, or have a turn
	bool is_lane;       // of a session
	struct orphan {
		struct orphan *next;
		gcdc_matcher *at;
	} * orphans;  // died while somebody was inside
};
typedef struct {
	PyObject_HEAD gcdc_matcher *at;  // NULL: closed
	Artifact *artifact;
	struct family *family;
	bool is_hard;  // hard canonical masks
	bool is_slow;  // its masks may take long (hard, or under a budget): fill lets the GIL go
} Matcher;
Matcher *matcher_of(PyObject *o);  // NULL: not one, closed, or busy in another thread
// A matcher around `at`, which it takes, in a family (NULL: a new one).
PyObject *matcher_around(PyTypeObject *type, Artifact *artifact, gcdc_matcher *at, struct family *family);
void family_enter(struct family *f);
void family_leave(struct family *f);
void family_drop(struct family *f);
// matcher_of, and the lane's turn if others are inside: C calls on m->at are safe until matcher_end, to which no Python
// may run. *turn: what was entered, or NULL. It is the call's own: another call on this matcher may have one, too.
Matcher *matcher_begin(PyObject *o, gcdc_matcher **turn);
void matcher_end(Matcher *m, gcdc_matcher *turn);
gcdc_matcher *turn_take(Matcher *m);  // in any case; while it waits, m may be closed
#define MATCHER_BEGIN                                                                                                  \
	gcdc_matcher *turn;                                                                                                \
	Matcher *m = matcher_begin(self, &turn);                                                                           \
	if (!m) return NULL

// ---- Arguments.
struct arguments {
	PyObject *const *at;
	Py_ssize_t n;
	PyObject *names;  // of keywords, or NULL
};
// Puts arguments into out[0 .. n) by the names, the first `required` of them required; others stay NULL.
bool take_arguments(const char *function, struct arguments a, const char *const *names, int n, int required,
                    PyObject **out);
#define FAST PyObject *self, PyObject *const *at, Py_ssize_t n, PyObject *names
bool take_u32(PyObject *o, const char *what, uint32_t *out);
bool take_size(PyObject *o, const char *what, size_t *out);
int as_u32(PyObject *o, void *out);  // for O& of PyArg_Parse: a number below 2^32

// Numbers of a list, tuple, or buffer of 32- or 64-bit integers: *out of *n, to be freed with PyMem_Free.
bool take_tokens(PyObject *o, const char *what, uint32_t **out, size_t *n);
bool take_int64s(PyObject *o, const char *what, int64_t **out, size_t *n);

PyObject *list_of(const uint32_t *tokens, size_t n);

// A writable matrix of 32-bit words: a NumPy array, any buffer of 4-byte integers, a torch tensor in the CPU's memory.
struct words {
	Py_buffer view;
	uint32_t *at;
	size_t rows, stride, width;  // in words
	bool is_held;
};
// hold: for a call that lets the GIL go; else valid as long as the GIL is kept.
bool words_take(PyObject *o, struct words *w, bool hold);
void words_leave(struct words *w);

// ---- Methods of the matcher that change nothing but its settings (matcher_ask.c).
PyObject *matcher_allowed(PyObject *self, PyObject *o);
PyObject *matcher_is_terminated(PyObject *self, PyObject *none);
PyObject *matcher_is_completed(PyObject *self, PyObject *none);
PyObject *matcher_validate(PyObject *self, PyObject *o);
PyObject *matcher_forced_bytes(PyObject *self, PyObject *none);
PyObject *matcher_forced_tokens(FAST);
PyObject *matcher_set_budget(FAST);
PyObject *matcher_min_tokens(FAST);
PyObject *matcher_min_after(PyObject *self, PyObject *o);
PyObject *matcher_closing(PyObject *self, PyObject *none);
PyObject *matcher_set_stop_tokens(PyObject *self, PyObject *o);
PyObject *matcher_set_canonical(PyObject *self, PyObject *o);
PyObject *matcher_canonical_prompt(PyObject *self, PyObject *o);
PyObject *matcher_is_canonical_next(PyObject *self, PyObject *o);
PyObject *matcher_traverse(FAST);

// ---- Functions of the module.
PyObject *core_fill_batch(FAST);
PyObject *core_accept_batch(FAST);
PyObject *core_fill_drafts_batch(FAST);
PyObject *core_apply_masks(FAST);
PyObject *core_vocab_check(FAST);
PyObject *core_head(PyObject *self, PyObject *path);
PyObject *core_compile(FAST);

extern PyType_Spec core_artifact_spec, core_matcher_spec, core_session_spec, core_vocab_spec;

#endif
