// Many matchers in one call, and masks on logits.
//
// In:  a sequence of Matchers, masks, tokens.  Out: filled rows, what was taken. The GIL is let go while rows are
// filled. Cost: that of the C call and some ten nanoseconds a matcher.
#include "core.h"

#include <string.h>

// Matchers of a sequence: NULL for None. `list` keeps them alive.
struct batch {
	PyObject *list;
	gcdc_matcher **at;
	struct family **families;
	size_t n;
	uint32_t mask_words;  // of the widest
};

static void batch_leave(struct batch *b)
{
	PyMem_Free(b->at);
	PyMem_Free(b->families);
	Py_XDECREF(b->list);
}

static bool batch_take(PyObject *o, struct batch *b)
{
	*b = (struct batch){0};
	b->list = PySequence_Tuple(o);
	if (!b->list) return false;
	b->n = (size_t)PyTuple_Size(b->list);
	b->at = PyMem_Calloc(b->n + 1, sizeof *b->at);
	b->families = PyMem_Calloc(b->n + 1, sizeof *b->families);
	if (!b->at || !b->families) PyErr_NoMemory();
	bool good = b->at && b->families;
	for (size_t i = 0; i < b->n && good; i++) {
		PyObject *x = PyTuple_GetItem(b->list, (Py_ssize_t)i);
		if (x == Py_None) continue;
		Matcher *m = matcher_of(x);
		good = m != NULL;
		if (!m) break;
		b->at[i] = m->at;
		b->families[i] = m->family;
		if (m->artifact->info.mask_words > b->mask_words) b->mask_words = m->artifact->info.mask_words;
	}
	if (!good) batch_leave(b);
	return good;
}

// Between these two the GIL may be let go.
static void batch_enter(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->families[i]) b->families[i]->n++, family_enter(b->families[i]);
}

static void batch_exit(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->families[i]) family_leave(b->families[i]);
	for (size_t i = 0; i < b->n; i++)
		if (b->families[i] && --b->families[i]->n == 0) PyMem_Free(b->families[i]);
}

static PyObject *raise_row(size_t i, gcdc_status status)
{
	char text[300];
	PyOS_snprintf(text, sizeof text, "matcher %lu: %s", (unsigned long)i, gcdc_status_text(status));
	return raise_text(core_error, status, text);
}

// Rows as numbers below the mask's, or i.
static uint32_t *take_rows(PyObject *o, size_t n, size_t limit)
{
	uint32_t *rows;
	size_t n_rows = n;
	if (o && o != Py_None) {
		if (!take_tokens(o, "rows", &rows, &n_rows)) return NULL;
	} else {
		rows = PyMem_Malloc((n + 1) * sizeof *rows);
		if (!rows) return (uint32_t *)PyErr_NoMemory();
		for (size_t i = 0; i < n; i++) rows[i] = (uint32_t)i;
	}
	bool good = n_rows == n;
	if (!good) PyErr_Format(PyExc_ValueError, "%zu rows for %zu matchers", n_rows, n);
	for (size_t i = 0; i < n && good; i++) {
		good = rows[i] < limit;
		if (!good) PyErr_Format(PyExc_IndexError, "row %u of a mask that has %zu", rows[i], limit);
	}
	if (good) return rows;
	PyMem_Free(rows);
	return NULL;
}

static bool is_wide(const struct batch *b, const struct words *w)
{
	if (w->width >= b->mask_words) return true;
	PyErr_Format(PyExc_ValueError, "a mask of %zu words is too short: %u are needed", w->width, b->mask_words);
	return false;
}

PyObject *core_fill_batch(FAST)
{
	static const char *const argument[] = {"matchers", "mask", "rows"};
	PyObject *a[3], *result = NULL;
	struct batch b;
	struct words w;
	(void)self;
	if (!take_arguments("fill_batch", (struct arguments){at, n, names}, argument, 3, 2, a)) return NULL;
	if (!words_take(a[1], &w, true)) return NULL;
	uint32_t *rows = NULL;
	PyObject *sequence = PySequence_Tuple(a[0]);
	if (sequence) rows = take_rows(a[2], (size_t)PyTuple_Size(sequence), w.rows);
	if (rows && batch_take(sequence, &b)) {
		size_t bad = SIZE_MAX;
		bool needs_apply = false;
		gcdc_status first = GCDC_OK;
		bool good = is_wide(&b, &w);
		if (good) {
			batch_enter(&b);
			Py_BEGIN_ALLOW_THREADS;
			for (size_t i = 0; i < b.n; i++) {
				gcdc_fill_info info = {.needs_apply = true};
				if (!b.at[i]) continue;
				gcdc_matcher_enter(b.at[i]);
				gcdc_status status = gcdc_matcher_fill(b.at[i], w.at + rows[i] * w.stride, w.width, &info);
				gcdc_matcher_leave(b.at[i]);
				needs_apply |= info.needs_apply;
				if (status < 0 && bad == SIZE_MAX) bad = i, first = status;
			}
			Py_END_ALLOW_THREADS;
			batch_exit(&b);
			result = bad == SIZE_MAX ? PyBool_FromLong(needs_apply) : raise_row(bad, first);
		}
		batch_leave(&b);
	}
	Py_XDECREF(sequence);
	PyMem_Free(rows);
	words_leave(&w);
	return result;
}

// Which were taken, or an exception of the first in error.
static PyObject *taken_list(const struct batch *b, const gcdc_status *statuses)
{
	size_t bad = 0;
	while (bad < b->n && statuses[bad] >= 0) bad++;
	if (bad < b->n) return raise_row(bad, statuses[bad]);
	PyObject *list = PyList_New((Py_ssize_t)b->n);
	for (size_t i = 0; list && i < b->n; i++)
		if (PyList_SetItem(list, (Py_ssize_t)i, PyBool_FromLong(b->at[i] && statuses[i] == GCDC_OK))) Py_CLEAR(list);
	return list;
}

PyObject *core_accept_batch(FAST)
{
	static const char *const argument[] = {"matchers", "tokens"};
	PyObject *a[2], *result = NULL;
	struct batch b;
	uint32_t *tokens;
	size_t n_tokens;
	(void)self;
	if (!take_arguments("accept_batch", (struct arguments){at, n, names}, argument, 2, 2, a)) return NULL;
	if (!take_tokens(a[1], "tokens", &tokens, &n_tokens)) return NULL;
	if (batch_take(a[0], &b)) {
		gcdc_status *statuses = PyMem_Calloc(b.n + 1, sizeof *statuses);
		if (!statuses) {
			PyErr_NoMemory();
		} else if (n_tokens != b.n) {
			PyErr_Format(PyExc_ValueError, "%zu tokens for %zu matchers", n_tokens, b.n);
		} else {
			batch_enter(&b);
			gcdc_status some;
			Py_BEGIN_ALLOW_THREADS;
			some = gcdc_accept_batch(b.at, tokens, b.n, statuses);
			Py_END_ALLOW_THREADS;
			(void)some;  // each one's is in statuses
			batch_exit(&b);
			result = taken_list(&b, statuses);
		}
		PyMem_Free(statuses);
		batch_leave(&b);
	}
	PyMem_Free(tokens);
	return result;
}

// Drafts of all matchers one behind the other: *drafts, and first[0 .. n].
static bool take_drafts(PyObject *o, size_t n, uint32_t **drafts, size_t *first)
{
	PyObject *list = PySequence_Tuple(o);
	bool good = list && (size_t)PyTuple_Size(list) == n;
	if (list && !good)
		PyErr_Format(PyExc_ValueError, "%zd sequences of drafts for %zu matchers", PyTuple_Size(list), n);
	*drafts = NULL;
	first[0] = 0;
	for (size_t i = 0; i < n && good; i++) {
		uint32_t *some;
		size_t count;
		good = take_tokens(PyTuple_GetItem(list, (Py_ssize_t)i), "drafts", &some, &count);
		if (!good) break;
		uint32_t *more = PyMem_Realloc(*drafts, (first[i] + count + 1) * sizeof **drafts);
		if (more) {
			memcpy(more + first[i], some, count * sizeof *some);
			*drafts = more;
			first[i + 1] = first[i] + count;
		} else {
			PyErr_NoMemory();
			good = false;
		}
		PyMem_Free(some);
	}
	Py_XDECREF(list);
	return good;
}

// The rows of the mask are as wide as masks are, side by side, and enough.
static bool is_for_chains(const struct words *w, size_t n_rows)
{
	if (n_rows > w->rows || w->stride < w->width) {
		PyErr_Format(PyExc_ValueError, "a mask of %zu rows is too short: %zu are needed", w->rows, n_rows);
		return false;
	}
	if (w->stride == w->width || w->rows <= 1) return true;
	PyErr_SetString(PyExc_ValueError, "the rows of the mask must lie side by side");
	return false;
}

// Fills the rows; a list of how many drafts each matcher accepted.
static PyObject *fill_chains(struct batch *b, const gcdc_draft_chains *chains, const struct words *w)
{
	const gcdc_mask_rows rows = {w->at, w->stride, NULL};
	uint32_t *accepted = PyMem_Calloc(b->n + 1, sizeof *accepted);
	gcdc_status *statuses = PyMem_Calloc(b->n + 1, sizeof *statuses), status = GCDC_ERR_MEMORY;
	PyObject *result = NULL;
	if (accepted && statuses) {
		batch_enter(b);
		Py_BEGIN_ALLOW_THREADS;
		status = gcdc_fill_drafts_batch(b->at, b->n, chains, &rows, statuses, accepted);
		Py_END_ALLOW_THREADS;
		batch_exit(b);
	}
	size_t bad = 0;
	while (statuses && bad < b->n && statuses[bad] >= 0) bad++;
	if (status < 0 && statuses && bad < b->n)
		raise_row(bad, statuses[bad]);
	else if (status < 0)
		raise_status(status);
	else
		result = PyList_New((Py_ssize_t)b->n);
	for (size_t i = 0; result && i < b->n; i++)
		if (PyList_SetItem(result, (Py_ssize_t)i, PyLong_FromUnsignedLong(accepted[i]))) Py_CLEAR(result);
	PyMem_Free(accepted);
	PyMem_Free(statuses);
	return result;
}

PyObject *core_fill_drafts_batch(FAST)
{
	static const char *const argument[] = {"matchers", "drafts", "mask"};
	PyObject *a[3], *result = NULL;
	struct batch b;
	struct words w;
	uint32_t *drafts = NULL;
	(void)self;
	if (!take_arguments("fill_drafts_batch", (struct arguments){at, n, names}, argument, 3, 3, a)) return NULL;
	if (!words_take(a[2], &w, true)) return NULL;
	PyObject *sequence = PySequence_Tuple(a[0]);
	size_t count = sequence ? (size_t)PyTuple_Size(sequence) : 0;
	size_t *first = PyMem_Calloc(count + 2, sizeof *first);
	if (sequence && !first) PyErr_NoMemory();
	if (sequence && first && take_drafts(a[1], count, &drafts, first) && batch_take(sequence, &b)) {
		const gcdc_draft_chains chains = {drafts, first};
		if (is_wide(&b, &w) && is_for_chains(&w, first[count] + count)) result = fill_chains(&b, &chains, &w);
		batch_leave(&b);
	}
	PyMem_Free(drafts);
	PyMem_Free(first);
	Py_XDECREF(sequence);
	words_leave(&w);
	return result;
}

static bool take_type(PyObject *o, gcdc_logits_type *type)
{
	static const char *const types[] = {"f32", "f16", "bf16"};
	for (int i = 0; i < 3 && PyUnicode_Check(o); i++)
		if (!PyUnicode_CompareWithASCIIString(o, types[i])) return *type = (gcdc_logits_type)i, true;
	PyErr_SetString(PyExc_ValueError, "the type is 'f32', 'f16' or 'bf16'");
	return false;
}

// Are the rows of logits that n masks go to below n_rows? NULL: mask i goes to row i.
static bool rows_exist(const int64_t *rows, size_t n, size_t n_rows)
{
	if (!rows) return n <= n_rows;
	for (size_t i = 0; i < n; i++)
		if (rows[i] >= (int64_t)n_rows) return false;
	return true;
}

// Branches: one refusal for each of eight arguments that may not fit.
PyObject *core_apply_masks(FAST)
{
	static const char *const argument[] = {"address", "type", "width",      "stride",
	                                       "n_rows",  "mask", "mask_words", "rows"};
	PyObject *a[8];
	size_t number[5], n_rows = 0;
	struct words w;
	int64_t *rows = NULL;
	(void)self;
	if (!take_arguments("apply_masks", (struct arguments){at, n, names}, argument, 8, 7, a)) return NULL;
	static const int numbers[] = {0, 2, 3, 4, 6};
	for (int i = 0; i < 5; i++)
		if (!take_size(a[numbers[i]], argument[numbers[i]], &number[i])) return NULL;
	gcdc_logits_type type;
	if (!take_type(a[1], &type)) return NULL;
	if (a[7] && a[7] != Py_None && !take_int64s(a[7], "rows", &rows, &n_rows)) return NULL;
	if (!words_take(a[5], &w, true)) {
		PyMem_Free(rows);
		return NULL;
	}
	size_t n_masks = rows ? n_rows : w.rows;
	bool good = n_masks <= w.rows && number[4] <= w.width && number[1] <= number[2] && number[0];
	gcdc_status status = GCDC_ERR_ARGUMENT;
	if (good && rows_exist(rows, n_masks, number[3])) {
		const gcdc_logits logits = {(void *)number[0], type, number[1], number[2]};
		Py_BEGIN_ALLOW_THREADS;
		status = gcdc_apply_masks(&logits, w.at, number[4], w.stride, rows, n_masks);
		Py_END_ALLOW_THREADS;
	}
	PyMem_Free(rows);
	words_leave(&w);
	if (status) {
		PyErr_SetString(PyExc_ValueError,
		                "masks and logits do not fit: more rows or words are asked for than there are");
		return NULL;
	}
	Py_RETURN_NONE;
}
