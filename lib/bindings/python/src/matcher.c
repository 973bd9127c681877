// The type gcdc.Matcher: the place in one text.
//
// In:  an Artifact; tokens, bytes, masks to fill.  Out: what the C functions of the same names say.
// Here: making, masks, moving, the table of methods; questions and settings are in matcher_ask.c.
// A call costs what the C call does and some 50 ns for its arguments.
#include "core.h"

#include <string.h>

static void matcher_close(Matcher *m)
{
	gcdc_matcher *at = m->at;
	m->at = NULL;
	if (!at) return;
	if (m->family->n_inside) {
		struct orphan *x = PyMem_Malloc(sizeof *x);
		if (!x) return;  // leaked rather than freed under another thread
		*x = (struct orphan){m->family->orphans, at};
		m->family->orphans = x;
		return;
	}
	gcdc_matcher_free(at);
}

Matcher *matcher_of(PyObject *o)
{
	if (Py_TYPE(o) != core_matcher_type && !PyType_IsSubtype(Py_TYPE(o), core_matcher_type)) {
		PyErr_Format(PyExc_TypeError, "expected a gcdc.Matcher, not %R", (PyObject *)Py_TYPE(o));
		return NULL;
	}
	Matcher *m = (Matcher *)o;
	if (m->at && (!m->family->n_inside || m->family->is_lane)) return m;
	if (m->at)
		PyErr_SetString(PyExc_RuntimeError,
		                "the matcher, or a fork of it, is used by another thread (a clone may be used)");
	else
		PyErr_SetString(PyExc_ValueError, "the matcher is closed");
	return NULL;
}
PyObject *matcher_around(PyTypeObject *type, Artifact *artifact, gcdc_matcher *at, struct family *family)
{
	allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
	struct family *own = family ? family : PyMem_Calloc(1, sizeof *own);
	Matcher *m = own ? (Matcher *)alloc(type, 0) : NULL;
	if (!m) {
		if (!own) PyErr_NoMemory();
		if (own && !family) PyMem_Free(own);
		gcdc_matcher_free(at);
		return NULL;
	}
	m->at = at;
	m->family = own;
	own->n++;
	Py_INCREF((PyObject *)artifact);
	m->artifact = artifact;
	m->is_hard = m->is_slow = gcdc_artifact_canonical(artifact->at) == GCDC_CANONICAL_HARD;
	return (PyObject *)m;
}

static PyObject *matcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"artifact", "max_rollback", "max_depth", "max_stacks", "max_work", NULL};
	PyObject *given;
	gcdc_matcher_options o = {0};
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O&O&O&O&:Matcher", names, &given, as_u32, &o.max_rollback,
	                                 as_u32, &o.max_depth, as_u32, &o.max_stacks, as_u32, &o.max_work))
		return NULL;
	Artifact *artifact = artifact_of(given);
	if (!artifact) return NULL;
	gcdc_matcher *at;
	gcdc_status status = gcdc_matcher_new(artifact->at, &o, &at);
	return status ? raise_status(status) : matcher_around(type, artifact, at, NULL);
}

static void matcher_dealloc(PyObject *self)
{
	Matcher *m = (Matcher *)self;
	PyTypeObject *type = Py_TYPE(self);
	matcher_close(m);
	family_drop(m->family);
	Py_XDECREF((PyObject *)m->artifact);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

// An orphan's family must outlive it: the busy call holds matchers of the family, so n is above 0 until it leaves.

// ---- Masks.
// may_wait: the mask stays where it is without the GIL.
static gcdc_status fill(Matcher *m, uint32_t *mask, size_t words, gcdc_fill_info *info, bool may_wait)
{
	if (!m->is_slow || !may_wait) return gcdc_matcher_fill(m->at, mask, words, info);
	gcdc_status status;
	struct family *f = m->family;
	f->n++;
	family_enter(f);
	gcdc_matcher *at = m->at;
	Py_BEGIN_ALLOW_THREADS;
	gcdc_matcher_enter(at);
	status = gcdc_matcher_fill(at, mask, words, info);
	gcdc_matcher_leave(at);
	Py_END_ALLOW_THREADS;
	family_leave(f);
	family_drop(f);
	return status;
}

static PyObject *filled(gcdc_status status, const gcdc_fill_info *info)
{
	return status < 0 ? raise_status(status) : PyBool_FromLong(info->needs_apply);
}

static PyObject *matcher_fill(FAST)
{
	static const char *const argument[] = {"mask", "row"};
	PyObject *a[2];
	Matcher *m = matcher_of(self);
	if (!m) return NULL;
	if (names || n < 1 || n > 2) {
		if (!take_arguments("fill", (struct arguments){at, n, names}, argument, 2, 1, a)) return NULL;
	} else {
		a[0] = at[0], a[1] = n > 1 ? at[1] : NULL;
	}
	size_t row = 0;
	if (a[1] && !take_size(a[1], "row", &row)) return NULL;
	struct words w;
	gcdc_matcher *turn;
	const bool hold = m->is_slow || m->family->is_lane;
	if (!words_take(a[0], &w, hold)) return NULL;
	gcdc_fill_info info = {.needs_apply = true};
	gcdc_status status = GCDC_OK;
	bool good = false;
	if (row >= w.rows)
		PyErr_Format(PyExc_IndexError, "row %zu of a mask that has %zu", row, w.rows);
	else if (w.width < m->artifact->info.mask_words)
		PyErr_Format(PyExc_ValueError, "a mask of %zu words is too short: %u tokens need %u", w.width,
		             m->artifact->info.n_tokens, m->artifact->info.mask_words);
	else if (matcher_begin(self, &turn))  // taking a view may have run Python
		status = fill(m, w.at + row * w.stride, w.width, &info, hold), matcher_end(m, turn), good = true;
	words_leave(&w);
	return good ? filled(status, &info) : NULL;
}

static PyObject *matcher_fill_ptr(FAST)
{
	static const char *const argument[] = {"address", "n_words"};
	PyObject *a[2];
	size_t address, words;
	if (!take_arguments("fill_ptr", (struct arguments){at, n, names}, argument, 2, 2, a) ||
	    !take_size(a[0], "address", &address) || !take_size(a[1], "n_words", &words))
		return NULL;
	Matcher *m = matcher_of(self);
	if (!m) return NULL;
	if (!address || address % 4 || words < m->artifact->info.mask_words) {
		PyErr_Format(PyExc_ValueError, "the address must have room for at least %u words",
		             m->artifact->info.mask_words);
		return NULL;
	}
	gcdc_matcher *turn;
	if (!(m = matcher_begin(self, &turn))) return NULL;
	gcdc_fill_info info = {.needs_apply = true};
	gcdc_status status = fill(m, (uint32_t *)address, words, &info, true);
	matcher_end(m, turn);
	return filled(status, &info);
}

// ---- Moving.
static PyObject *matcher_accept(PyObject *self, PyObject *o)
{
	uint32_t token;
	long value = PyLong_CheckExact(o) ? PyLong_AsLong(o) : -1;
	if (value < 0 || value > UINT32_MAX) {
		PyErr_Clear();
		if (!take_u32(o, "a token", &token)) return NULL;
	} else {
		token = (uint32_t)value;
	}
	MATCHER_BEGIN;  // __index__ may have closed it
	gcdc_status status = gcdc_matcher_accept(m->at, token);
	matcher_end(m, turn);
	return status < 0 ? raise_status(status) : PyBool_FromLong(status == GCDC_OK);
}

static PyObject *matcher_accept_tokens(PyObject *self, PyObject *o)
{
	uint32_t *tokens;
	size_t n, accepted;
	if (!take_tokens(o, "tokens", &tokens, &n)) return NULL;
	gcdc_matcher *turn;
	Matcher *m = matcher_begin(self, &turn);
	gcdc_status status = m ? gcdc_matcher_accept_tokens(m->at, tokens, n, &accepted) : GCDC_OK;
	if (m) matcher_end(m, turn);
	PyMem_Free(tokens);
	if (!m) return NULL;
	return status < 0 ? raise_status(status) : PyLong_FromSize_t(accepted);
}

static PyObject *matcher_accept_bytes(PyObject *self, PyObject *o)
{
	Py_buffer v;
	PyObject *text = PyUnicode_Check(o) ? PyUnicode_AsUTF8String(o) : NULL;
	if (PyErr_Occurred() || PyObject_GetBuffer(text ? text : o, &v, PyBUF_SIMPLE)) {
		Py_XDECREF(text);
		return NULL;
	}
	gcdc_matcher *turn;
	Matcher *m = matcher_begin(self, &turn);
	gcdc_status status = m ? gcdc_matcher_accept_bytes(m->at, v.buf, (size_t)v.len) : GCDC_OK;
	if (m) matcher_end(m, turn);
	PyBuffer_Release(&v);
	Py_XDECREF(text);
	if (!m) return NULL;
	return status < 0 ? raise_status(status) : PyBool_FromLong(status == GCDC_OK);
}

static PyObject *matcher_rollback(FAST)
{
	static const char *const argument[] = {"n"};
	PyObject *a[1];
	uint32_t steps = 1;
	if (!take_arguments("rollback", (struct arguments){at, n, names}, argument, 1, 0, a) ||
	    (a[0] && !take_u32(a[0], "n", &steps)))
		return NULL;
	MATCHER_BEGIN;
	gcdc_status status = gcdc_matcher_rollback(m->at, steps);
	matcher_end(m, turn);
	if (status) return raise_status(status);
	Py_RETURN_NONE;
}

static PyObject *matcher_reset(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	gcdc_matcher_reset(m->at);
	matcher_end(m, turn);
	Py_RETURN_NONE;
}

static void go_as(Matcher *m, const Matcher *from)
{
	m->is_hard = from->is_hard;
	m->is_slow = from->is_slow;
}

static PyObject *matcher_fork(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	gcdc_matcher *at;
	gcdc_status status = gcdc_matcher_fork(m->at, &at);
	matcher_end(m, turn);
	if (status) return raise_status(status);
	PyObject *fork = matcher_around(Py_TYPE(self), m->artifact, at, m->family);
	if (fork) go_as((Matcher *)fork, m);
	return fork;
}

static PyObject *matcher_clone(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	gcdc_matcher *at;
	gcdc_status status = gcdc_matcher_clone(m->at, &at);
	matcher_end(m, turn);
	if (status) return raise_status(status);
	PyObject *clone = matcher_around(Py_TYPE(self), m->artifact, at, NULL);
	if (clone) go_as((Matcher *)clone, m);
	return clone;
}

// The turns of two matchers, if anybody is inside: that of the lower address first, so that no two threads wait for
// each other.
static bool begin_both(Matcher *a, Matcher *b, gcdc_matcher *turns[2])
{
	turns[0] = turns[1] = NULL;
	if (!a->family->n_inside && !b->family->n_inside) return true;
	const bool is_first = (uintptr_t)a->family <= (uintptr_t)b->family;
	turns[!is_first] = turn_take(is_first ? a : b);
	bool good = matcher_of((PyObject *)(is_first ? b : a));  // while this call waited, another thread may have come
	if (good && a->family != b->family) turns[is_first] = turn_take(is_first ? b : a);
	if (good && a->at && b->at) return true;
	matcher_end(a, turns[0]);
	matcher_end(b, turns[1]);
	if (good) matcher_of((PyObject *)(a->at ? b : a));  // which says that it is closed
	return false;
}

static PyObject *matcher_copy_from(PyObject *self, PyObject *o)
{
	Matcher *from = matcher_of(o), *m = from ? matcher_of(self) : NULL;
	gcdc_matcher *turns[2];
	if (!m) return NULL;
	bool leaves = m->family != from->family && !m->family->is_lane;
	struct family *own = leaves ? PyMem_Calloc(1, sizeof *own) : NULL;
	if (leaves && !own) return PyErr_NoMemory();
	if (!begin_both(m, from, turns)) {
		PyMem_Free(own);
		return NULL;
	}
	gcdc_status status = gcdc_matcher_copy(m->at, from->at);
	if (!status) go_as(m, from);
	matcher_end(m, turns[0]);
	matcher_end(from, turns[1]);
	if (own && !status) {
		family_drop(m->family);
		m->family = own;
		own->n = 1;
	} else {
		PyMem_Free(own);
	}
	if (status == GCDC_ERR_ARGUMENT) {
		PyErr_SetString(PyExc_ValueError, "both matchers must be of one artifact and made with the same options");
		return NULL;
	}
	if (status) return raise_status(status);
	Py_RETURN_NONE;
}

static PyObject *matcher_close_method(PyObject *self, PyObject *none)
{
	(void)none;
	matcher_close((Matcher *)self);
	Py_RETURN_NONE;
}

// ---- Properties.
static PyObject *get_artifact(PyObject *self, void *none)
{
	(void)none;
	Artifact *a = ((Matcher *)self)->artifact;
	return Py_NewRef((PyObject *)a);
}
static PyObject *get_steps(PyObject *self, void *none)
{
	(void)none;
	MATCHER_BEGIN;
	uint32_t n = gcdc_matcher_steps(m->at);
	matcher_end(m, turn);
	return PyLong_FromUnsignedLong(n);
}
static PyObject *get_budget(PyObject *self, void *none)
{
	(void)none;
	MATCHER_BEGIN;
	uint32_t left = gcdc_matcher_budget(m->at);
	matcher_end(m, turn);
	if (left == GCDC_NONE) Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(left);
}
static PyObject *get_stops(PyObject *self, void *none)
{
	(void)none;
	MATCHER_BEGIN;
	uint32_t n;
	const uint32_t *stops = gcdc_matcher_stop_tokens(m->at, &n);
	uint32_t *copy = PyMem_Malloc((n + 1) * sizeof *copy);
	if (copy && n) memcpy(copy, stops, n * sizeof *copy);
	matcher_end(m, turn);
	PyObject *list = copy ? list_of(copy, n) : PyErr_NoMemory();
	PyMem_Free(copy);
	return list;
}
static PyObject *get_relaxations(PyObject *self, void *none)
{
	(void)none;
	MATCHER_BEGIN;
	uint64_t n = gcdc_matcher_relaxations(m->at);
	matcher_end(m, turn);
	return PyLong_FromUnsignedLongLong(n);
}
static PyObject *get_closed(PyObject *self, void *none)
{
	(void)none;
	return PyBool_FromLong(!((Matcher *)self)->at);
}

static PyObject *get_lane(PyObject *self, void *none)
{
	(void)none;
	MATCHER_BEGIN;
	uint32_t lane = gcdc_matcher_lane(m->at);
	matcher_end(m, turn);
	if (lane == GCDC_NONE) Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(lane);
}

static PyObject *get_family(PyObject *self, void *none)
{
	(void)none;
	return PyLong_FromVoidPtr(((Matcher *)self)->family);
}

static PyGetSetDef properties[] = {
	{"family", get_family, NULL, "A number that a matcher and its forks share.", NULL},
	{"lane", get_lane, NULL, "The number of its lane in its session; None: it is of no session.", NULL},
	{"artifact", get_artifact, NULL, "The Artifact.", NULL},
	{"steps", get_steps, NULL, "The number of accepting calls that rollback could take back.", NULL},
	{"budget", get_budget, NULL, "Tokens of the budget that are left; None: there is none.", NULL},
	{"stop_tokens", get_stops, NULL, "Ids set by set_stop_tokens that are not EOS ids of the file.", NULL},
	{"relaxations", get_relaxations, NULL, "Tokens accepted in soft canonical mode that were not canonical.", NULL},
	{"closed", get_closed, NULL, "True when close() was called.", NULL},
	{0}};

#define FASTCALL METH_FASTCALL | METH_KEYWORDS
#define METHOD(name, function, flags, text)                                                                            \
	{                                                                                                                  \
		name, (PyCFunction)(void (*)(void))(function), flags, text                                                     \
	}
static PyMethodDef methods[] = {
	METHOD(
		"fill", matcher_fill, FASTCALL,
		"fill(mask, row=0) -> bool\n--\n\nWrites the mask of the tokens that may come next into row `row` of mask: "
		"int32 or uint32, [words] or\n"
		"[rows, words], words >= artifact.mask_words, a NumPy array, another buffer, or a torch tensor in the CPU's\n"
		"memory; bit t % 32 of word t // 32 is token t. False: every token is allowed. A terminated matcher allows "
		"the\n"
		"EOS ids alone. ValueError, IndexError, TypeError: not such a mask; gcdc.Error: there is no mask."),
	METHOD("fill_ptr", matcher_fill_ptr, FASTCALL,
           "fill_ptr(address, n_words) -> bool\n--\n\nWrites the mask into n_words words at an "
           "address of the CPU's memory. The caller sees to it that the memory is there."),
	METHOD("accept", matcher_accept, METH_O,
           "accept(token) -> bool\n--\n\nAccepts a token. False, and nothing changed: its bit in "
           "the mask is 0, or the text has ended."),
	METHOD("accept_tokens", matcher_accept_tokens, METH_O,
           "accept_tokens(tokens) -> int\n--\n\nAccepts tokens one after the other, until one is "
           "refused or ends the text. Returns how many were accepted."),
	METHOD("accept_bytes", matcher_accept_bytes, METH_O,
           "accept_bytes(text) -> bool\n--\n\nAccepts text that did not come from tokens (str as "
           "UTF-8). False, and nothing changed: no text of the grammar goes on so."),
	METHOD("rollback", matcher_rollback, FASTCALL,
           "rollback(n=1)\n--\n\nTakes back the last n accepting calls, the end included. gcdc.Error when there are "
           "fewer."),
	METHOD("reset", matcher_reset, METH_NOARGS,
           "reset()\n--\n\nGoes back to the beginning of a text, without a budget. Nothing can be "
           "rolled back afterwards."),
	METHOD("fork", matcher_fork, METH_NOARGS,
           "fork() -> Matcher\n--\n\nMakes a second matcher at the same place. They share memory, "
           "so both belong to one thread (of a session: to any). Cost: a microsecond."),
	METHOD("clone", matcher_clone, METH_NOARGS,
           "clone() -> Matcher\n--\n\nMakes a second matcher at the same place that shares nothing: "
           "it may go to another thread."),
	METHOD("copy_from", matcher_copy_from, METH_O,
           "copy_from(other)\n--\n\nGoes to the place where another matcher of the artifact is, with "
           "its steps, budget "
           "and stop tokens."),
	METHOD("close", matcher_close_method, METH_NOARGS,
           "close()\n--\n\nFrees the matcher now; any later call raises ValueError."),
	METHOD("allowed", matcher_allowed, METH_O,
           "allowed(token) -> bool\n--\n\nThe token's bit in the mask, found without writing the "
           "mask."),
	METHOD("is_terminated", matcher_is_terminated, METH_NOARGS,
           "is_terminated() -> bool\n--\n\nTrue when a token that ends the text was accepted."),
	METHOD("is_completed", matcher_is_completed, METH_NOARGS,
           "is_completed() -> bool\n--\n\nTrue when the text may end here."),
	METHOD("validate", matcher_validate, METH_O,
           "validate(tokens) -> int\n--\n\nReturns how many of the tokens, from the first on, would "
           "be accepted. Moves nothing."),
	METHOD("forced_bytes", matcher_forced_bytes, METH_NOARGS,
           "forced_bytes() -> bytes\n--\n\nFinds the bytes that every continuation begins with, at "
           "most 4096. Moves nothing."),
	METHOD("forced_tokens", matcher_forced_tokens, FASTCALL,
           "forced_tokens(cap=64) -> list[int]\n--\n\nFinds the tokens that must come, at most cap: "
           "with canonical tables those that the tokenizer itself would\nwrite, else those that are "
           "alone in their masks. Moves nothing."),
	METHOD("set_budget", matcher_set_budget, FASTCALL,
           "set_budget(tokens, count_eos=True) -> int\n--\n\nSets the budget: from now on at most "
           "so many tokens are accepted, and the text ends complete within them.\nNone: no budget. "
           "Returns the fewest tokens that complete the text. BudgetError, and nothing changed: "
           "tokens\nis less than that, or the artifact has no tables of costs."),
	METHOD("min_tokens", matcher_min_tokens, FASTCALL,
           "min_tokens(count_eos=True) -> int\n--\n\nFinds the fewest tokens that complete the text "
           "from here."),
	METHOD("min_after", matcher_min_after, METH_O,
           "min_after(token) -> int | None\n--\n\nFinds the fewest tokens that complete the text "
           "after one more token; None: the token is not allowed."),
	METHOD("closing", matcher_closing, METH_NOARGS,
           "closing() -> list[int]\n--\n\nFinds tokens that complete the text, without EOS. Moves "
           "nothing."),
	METHOD("set_stop_tokens", matcher_set_stop_tokens, METH_O,
           "set_stop_tokens(tokens)\n--\n\nMakes these tokens end the text, beside the EOS ids of "
           "the file. ValueError: the grammar uses one as text."),
	METHOD("set_canonical", matcher_set_canonical, METH_O,
           "set_canonical(mode)\n--\n\nSets the mode of canonical masks, 'off', 'soft' or 'hard': "
           "at most the artifact's. Not under a budget."),
	METHOD("canonical_prompt", matcher_canonical_prompt, METH_O,
           "canonical_prompt(tokens)\n--\n\nSays which tokens stand before the text, for canonical "
           "masks. Only at the text's beginning."),
	METHOD("is_canonical_next", matcher_is_canonical_next, METH_O,
           "is_canonical_next(token) -> bool\n--\n\nTrue when the tokens so far, with this one, "
           "still begin a sequence that the tokenizer writes."),
	METHOD("traverse_draft_tree", matcher_traverse, FASTCALL,
           "traverse_draft_tree(next_token, next_sibling, tokens, mask) -> list[bool]\n--\n\nWrites "
           "the masks of a tree of draft tokens. The three lists or integer arrays have each node's "
           "first child,\nnext sibling (-1: none) and token; node 0 is the root, whose token has "
           "been accepted. Row i of mask becomes\nthe mask after node i. Returns which rows were "
           "written. Moves nothing."),
	{0}};

static PyType_Slot slots[] = {
	{Py_tp_new, matcher_new},
	{Py_tp_dealloc, matcher_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_getset, properties},
	{Py_tp_doc,
     "Matcher(artifact, *, max_rollback=256, max_depth=1048576, max_stacks=65536, max_work=60000000)\n--\n\nA "
     "place in one text, at first its beginning. A matcher and its forks belong to one thread "
     "at a time: a second\nthread gets RuntimeError, never a wrong mask. Matchers of "
     "Session.matcher may be used by any thread."},
	{0, NULL}};
PyType_Spec core_matcher_spec = {"gcdc.Matcher", sizeof(Matcher), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
