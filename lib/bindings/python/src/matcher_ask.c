// The type gcdc.Matcher: questions about what may come, budgets, ends, canonical modes, drafts.
//
// In:  a Matcher, tokens.  Out: what the C functions of the same names say; the place in the text stays.
// A call costs what the C call does and some 50 ns for its arguments.
#include "core.h"

#include <string.h>

// ---- Questions.
PyObject *matcher_allowed(PyObject *self, PyObject *o)
{
	uint32_t token;
	if (!take_u32(o, "a token", &token)) return NULL;
	MATCHER_BEGIN;
	bool answer = gcdc_matcher_allowed(m->at, token);
	matcher_end(m, turn);
	return PyBool_FromLong(answer);
}

PyObject *matcher_is_terminated(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	bool answer = gcdc_matcher_is_terminated(m->at);
	matcher_end(m, turn);
	return PyBool_FromLong(answer);
}

PyObject *matcher_is_completed(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	bool answer = gcdc_matcher_is_completed(m->at);
	matcher_end(m, turn);
	return PyBool_FromLong(answer);
}

PyObject *matcher_validate(PyObject *self, PyObject *o)
{
	uint32_t *tokens;
	size_t n, accepted;
	if (!take_tokens(o, "tokens", &tokens, &n)) return NULL;
	gcdc_matcher *turn;
	Matcher *m = matcher_begin(self, &turn);
	gcdc_status status = m ? gcdc_matcher_validate(m->at, tokens, n, &accepted) : GCDC_OK;
	if (m) matcher_end(m, turn);
	PyMem_Free(tokens);
	if (!m) return NULL;
	return status < 0 ? raise_status(status) : PyLong_FromSize_t(accepted);
}

#define FORCED_BYTES 4096u
PyObject *matcher_forced_bytes(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	uint8_t bytes[FORCED_BYTES];
	size_t n;
	gcdc_status status = gcdc_matcher_forced_bytes(m->at, bytes, sizeof bytes, &n);
	matcher_end(m, turn);
	return status < 0 ? raise_status(status) : PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)n);
}

PyObject *matcher_forced_tokens(FAST)
{
	static const char *const argument[] = {"cap"};
	PyObject *a[1];
	size_t cap = 64, found;
	if (!take_arguments("forced_tokens", (struct arguments){at, n, names}, argument, 1, 0, a) ||
	    (a[0] && !take_size(a[0], "cap", &cap)))
		return NULL;
	if (cap > 1u << 20) cap = 1u << 20;
	uint32_t *tokens = PyMem_Malloc((cap + 1) * sizeof *tokens);
	if (!tokens) return PyErr_NoMemory();
	gcdc_matcher *turn;
	Matcher *m = matcher_begin(self, &turn);
	gcdc_status status = m ? gcdc_matcher_forced_tokens(m->at, tokens, cap, &found) : GCDC_OK;
	if (m) matcher_end(m, turn);
	PyObject *list = !m ? NULL : status < 0 ? raise_status(status) : list_of(tokens, found);
	PyMem_Free(tokens);
	return list;
}

// ---- Budgets.
PyObject *matcher_set_budget(FAST)
{
	static const char *const argument[] = {"tokens", "count_eos"};
	PyObject *a[2];
	uint32_t tokens = GCDC_NONE, least = 0;
	if (!take_arguments("set_budget", (struct arguments){at, n, names}, argument, 2, 1, a) ||
	    (a[0] != Py_None && !take_u32(a[0], "tokens", &tokens)))
		return NULL;
	int count_eos = a[1] ? PyObject_IsTrue(a[1]) : 1;
	if (count_eos < 0) return NULL;
	MATCHER_BEGIN;
	gcdc_status status = gcdc_matcher_set_budget(m->at, tokens, count_eos, &least);
	matcher_end(m, turn);
	if (status == GCDC_ERR_BUDGET) {
		char text[120];
		PyOS_snprintf(text, sizeof text, "a budget of %lu tokens is too small: the text needs %lu",
		              (unsigned long)tokens, (unsigned long)least);
		return raise_text(core_budget_error, status, text);
	}
	if (status) return raise_status(status);
	m->is_slow = m->is_hard || tokens != GCDC_NONE;
	return PyLong_FromUnsignedLong(least);
}

PyObject *matcher_min_tokens(FAST)
{
	static const char *const argument[] = {"count_eos"};
	PyObject *a[1];
	uint32_t least;
	if (!take_arguments("min_tokens", (struct arguments){at, n, names}, argument, 1, 0, a)) return NULL;
	int count_eos = a[0] ? PyObject_IsTrue(a[0]) : 1;
	if (count_eos < 0) return NULL;
	MATCHER_BEGIN;
	gcdc_status status = gcdc_matcher_min_tokens(m->at, count_eos, &least);
	matcher_end(m, turn);
	return status ? raise_status(status) : PyLong_FromUnsignedLong(least);
}

PyObject *matcher_min_after(PyObject *self, PyObject *o)
{
	uint32_t token, least;
	if (!take_u32(o, "a token", &token)) return NULL;
	MATCHER_BEGIN;
	gcdc_status status = gcdc_matcher_min_after(m->at, token, &least);
	matcher_end(m, turn);
	if (status < 0) return raise_status(status);
	if (status) Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(least);
}

PyObject *matcher_closing(PyObject *self, PyObject *none)
{
	(void)none;
	MATCHER_BEGIN;
	size_t found = 0, cap = 0;
	uint32_t *tokens = NULL;
	gcdc_status status = gcdc_matcher_close(m->at, NULL, 0, &found);
	if (!status) {
		cap = found;
		tokens = PyMem_Malloc((cap + 1) * sizeof *tokens);
		status = tokens ? gcdc_matcher_close(m->at, tokens, cap, &found) : GCDC_ERR_MEMORY;
	}
	matcher_end(m, turn);
	PyObject *list = status ? raise_status(status) : list_of(tokens, found < cap ? found : cap);
	PyMem_Free(tokens);
	return list;
}

// ---- Ends, canonical modes.
PyObject *matcher_set_stop_tokens(PyObject *self, PyObject *o)
{
	uint32_t *tokens;
	size_t n;
	if (!take_tokens(o, "tokens", &tokens, &n)) return NULL;
	gcdc_matcher *turn;
	Matcher *m = matcher_begin(self, &turn);
	gcdc_status status = m ? gcdc_matcher_set_stop_tokens(m->at, tokens, n) : GCDC_OK;
	if (m) matcher_end(m, turn);
	PyMem_Free(tokens);
	if (!m) return NULL;
	if (status == GCDC_ERR_ARGUMENT) {
		PyErr_SetString(PyExc_ValueError, "a stop token is no token of the vocabulary, or the grammar "
		                                  "uses it as text");
		return NULL;
	}
	if (status) return raise_status(status);
	Py_RETURN_NONE;
}

PyObject *matcher_set_canonical(PyObject *self, PyObject *o)
{
	static const char *const modes[] = {"off", "soft", "hard"};
	int mode = 0;
	while (PyUnicode_Check(o) && mode < 3 && PyUnicode_CompareWithASCIIString(o, modes[mode]) != 0) mode++;
	if (!PyUnicode_Check(o) || mode == 3) {
		PyErr_SetString(PyExc_ValueError, "the mode is 'off', 'soft' or 'hard'");
		return NULL;
	}
	MATCHER_BEGIN;
	gcdc_status status = gcdc_matcher_set_canonical(m->at, (gcdc_canonical_mode)mode);
	matcher_end(m, turn);
	if (status == GCDC_ERR_ARGUMENT) {
		PyErr_SetString(PyExc_ValueError, "a mode that the artifact was not compiled with, or there is a budget");
		return NULL;
	}
	if (status) return raise_status(status);
	m->is_hard = m->is_slow = mode == GCDC_CANONICAL_HARD;
	Py_RETURN_NONE;
}

PyObject *matcher_canonical_prompt(PyObject *self, PyObject *o)
{
	uint32_t *tokens;
	size_t n;
	if (!take_tokens(o, "tokens", &tokens, &n)) return NULL;
	gcdc_matcher *turn;
	Matcher *m = matcher_begin(self, &turn);
	gcdc_status status = m ? gcdc_matcher_canonical_prompt(m->at, tokens, n) : GCDC_OK;
	if (m) matcher_end(m, turn);
	PyMem_Free(tokens);
	if (!m) return NULL;
	if (status) return raise_status(status);
	Py_RETURN_NONE;
}

PyObject *matcher_is_canonical_next(PyObject *self, PyObject *o)
{
	uint32_t token;
	if (!take_u32(o, "a token", &token)) return NULL;
	MATCHER_BEGIN;
	bool answer = gcdc_matcher_is_canonical_next(m->at, token);
	matcher_end(m, turn);
	return PyBool_FromLong(answer);
}

// ---- Drafts.
static PyObject *reached_list(const uint8_t *reached, size_t n)
{
	PyObject *list = PyList_New((Py_ssize_t)n);
	for (size_t i = 0; list && i < n; i++)
		if (PyList_SetItem(list, (Py_ssize_t)i, PyBool_FromLong(reached[i]))) Py_CLEAR(list);
	return list;
}

// Rows may be wider apart than they are wide: what lies between is not ours, so such rows are filled beside.
static PyObject *traverse(PyObject *self, const gcdc_draft_tree *tree, const struct words *w)
{
	const bool is_dense = w->stride == w->width;
	uint8_t *reached = PyMem_Calloc(tree->n, 1);
	uint32_t *masks = is_dense ? w->at : PyMem_Malloc(tree->n * w->width * sizeof *masks);
	gcdc_status status = GCDC_ERR_MEMORY;
	PyObject *result = NULL;
	gcdc_matcher *turn;
	Matcher *m = reached && masks ? matcher_begin(self, &turn) : NULL;
	if (m) {
		status = gcdc_matcher_fill_draft_tree(m->at, tree, masks, w->width, reached);
		matcher_end(m, turn);
	}
	for (size_t i = 0; m && status != GCDC_ERR_MEMORY && !is_dense && i < tree->n; i++)
		if (reached[i]) memcpy(w->at + i * w->stride, masks + i * w->width, w->width * sizeof *masks);
	if (status == GCDC_ERR_ARGUMENT)
		PyErr_SetString(PyExc_ValueError, "the links are not a tree with node 0 as its root");
	else if (!PyErr_Occurred())
		result = status < 0 ? raise_status(status) : reached_list(reached, tree->n);
	if (!is_dense) PyMem_Free(masks);
	PyMem_Free(reached);
	return result;
}

PyObject *matcher_traverse(FAST)
{
	static const char *const argument[] = {"next_token", "next_sibling", "tokens", "mask"};
	PyObject *a[4], *result = NULL;
	int64_t *links[3] = {NULL, NULL, NULL};
	size_t count[3];
	struct words w = {0};
	if (!take_arguments("traverse_draft_tree", (struct arguments){at, n, names}, argument, 4, 4, a)) return NULL;
	bool good = true;
	for (int i = 0; i < 3 && good; i++) good = take_int64s(a[i], argument[i], &links[i], &count[i]);
	good = good && words_take(a[3], &w, true);
	Matcher *m = good ? matcher_of(self) : NULL;
	size_t nodes = good ? count[2] : 0;
	if (m && (!nodes || count[0] != nodes || count[1] != nodes || w.rows < nodes ||
	          w.width < m->artifact->info.mask_words)) {
		PyErr_Format(PyExc_ValueError, "a tree of %zu nodes needs as many links, and rows of %u words", nodes,
		             m->artifact->info.mask_words);
		m = NULL;
	}
	if (m) result = traverse(self, &(gcdc_draft_tree){links[0], links[1], links[2], nodes}, &w);
	for (int i = 0; i < 3; i++) PyMem_Free(links[i]);
	words_leave(&w);
	return result;
}
