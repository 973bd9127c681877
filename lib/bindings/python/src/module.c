// The extension module gcdc._core: its functions, exceptions, and how arguments are read.
//
// In:  Python objects.  Out: C values, or an exception that says what was expected.
// Functions take their arguments as a vector (METH_FASTCALL): no tuple, no dictionary, no format string a call.
#include "core.h"

#include <string.h>

PyObject *core_error, *core_compile_error, *core_budget_error;
PyTypeObject *core_artifact_type, *core_matcher_type, *core_session_type, *core_vocab_type;

PyObject *raise_text(PyObject *type, gcdc_status status, const char *text)
{
	PyObject *e = PyObject_CallFunction(type, "s", text);
	PyObject *number = e ? PyLong_FromLong(status) : NULL;
	if (number && PyObject_SetAttrString(e, "status", number) == 0) PyErr_SetObject(type, e);
	Py_XDECREF(number);
	Py_XDECREF(e);
	return NULL;
}

PyObject *raise_status(gcdc_status status)
{
	if (status == GCDC_ERR_MEMORY) return PyErr_NoMemory();
	if (status == GCDC_ERR_ARGUMENT) {
		PyErr_SetString(PyExc_ValueError, gcdc_status_text(status));
		return NULL;
	}
	return raise_text(status == GCDC_ERR_BUDGET || status == GCDC_ERR_COSTS ? core_budget_error : core_error, status,
	                  gcdc_status_text(status));
}

bool take_arguments(const char *function, struct arguments a, const char *const *names, int n, int required,
                    PyObject **out)
{
	for (int i = 0; i < n; i++) out[i] = NULL;
	if (a.n > n) {
		PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments, %zd given", function, n, a.n);
		return false;
	}
	for (Py_ssize_t i = 0; i < a.n; i++) out[i] = a.at[i];
	Py_ssize_t n_names = a.names ? PyTuple_Size(a.names) : 0;
	for (Py_ssize_t k = 0; k < n_names; k++) {
		PyObject *name = PyTuple_GetItem(a.names, k);
		int i = 0;
		while (i < n && PyUnicode_CompareWithASCIIString(name, names[i]) != 0) i++;
		if (i == n || out[i]) {
			PyErr_Format(PyExc_TypeError, "%s() %s argument '%U'", function,
			             i == n ? "has no" : "got more than one value for", name);
			return false;
		}
		out[i] = a.at[a.n + k];
	}
	for (int i = 0; i < required; i++) {
		if (out[i]) continue;
		PyErr_Format(PyExc_TypeError, "%s() is missing the argument '%s'", function, names[i]);
		return false;
	}
	return true;
}

bool take_u32(PyObject *o, const char *what, uint32_t *out)
{
	size_t value;
	if (!take_size(o, what, &value)) return false;
	if (value > UINT32_MAX) {
		PyErr_Format(PyExc_ValueError, "%s must be below 2^32", what);
		return false;
	}
	*out = (uint32_t)value;
	return true;
}

int as_u32(PyObject *o, void *out) { return take_u32(o, "a number", out); }

bool take_size(PyObject *o, const char *what, size_t *out)
{
	PyObject *number = PyNumber_Index(o);
	if (!number) return false;
	*out = PyLong_AsSize_t(number);
	Py_DECREF(number);
	if (*out != (size_t)-1 || !PyErr_Occurred()) return true;
	PyErr_Clear();
	PyErr_Format(PyExc_ValueError, "%s must be a number from 0 on", what);
	return false;
}

// A buffer of integers: their size in bytes, and whether they are that.
static bool is_integers(const Py_buffer *v)
{
	const char *f = v->format ? v->format : "B";
	if (*f == '@' || *f == '=' || *f == '<') f++;
	return f[0] && !f[1] && strchr("iIlLqQ", f[0]) && (v->itemsize == 4 || v->itemsize == 8);
}

static bool int64s_of_buffer(PyObject *o, const char *what, int64_t **out, size_t *n)
{
	Py_buffer v;
	if (PyObject_GetBuffer(o, &v, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) return false;
	bool good = is_integers(&v) && v.ndim <= 1;
	if (!good) PyErr_Format(PyExc_TypeError, "%s must be one row of 32- or 64-bit integers", what);
	*n = good ? (size_t)v.len / (size_t)v.itemsize : 0;
	*out = good ? PyMem_Malloc((*n + 1) * sizeof **out) : NULL;
	if (good && !*out) PyErr_NoMemory();
	bool is_signed = v.format && strchr("ilq", v.format[strlen(v.format) - 1]);
	for (size_t i = 0; *out && i < *n; i++) {
		if (v.itemsize == 8)
			(*out)[i] = ((const int64_t *)v.buf)[i];
		else
			(*out)[i] = is_signed ? ((const int32_t *)v.buf)[i] : (int64_t)((const uint32_t *)v.buf)[i];
	}
	PyBuffer_Release(&v);
	return *out != NULL;
}

bool take_int64s(PyObject *o, const char *what, int64_t **out, size_t *n)
{
	*out = NULL, *n = 0;
	if (PyObject_CheckBuffer(o)) return int64s_of_buffer(o, what, out, n);
	PyObject *list = PySequence_List(o);
	if (!list) return false;
	*n = (size_t)PyList_Size(list);
	*out = PyMem_Malloc((*n + 1) * sizeof **out);
	if (!*out) PyErr_NoMemory();
	for (size_t i = 0; *out && i < *n; i++) {
		PyObject *number = i < (size_t)PyList_Size(list) ? PyNumber_Index(PyList_GetItem(list, (Py_ssize_t)i)) : NULL;
		(*out)[i] = number ? PyLong_AsLongLong(number) : -1;
		Py_XDECREF(number);
		if (!PyErr_Occurred() && number) continue;
		if (!PyErr_Occurred()) PyErr_Format(PyExc_RuntimeError, "%s changed while it was read", what);
		PyMem_Free(*out);
		*out = NULL;
	}
	Py_DECREF(list);
	return *out != NULL;
}

bool take_tokens(PyObject *o, const char *what, uint32_t **out, size_t *n)
{
	int64_t *wide;
	if (!take_int64s(o, what, &wide, n)) return false;
	*out = (uint32_t *)wide;  // in place: each is read before its room is written
	for (size_t i = 0; i < *n; i++) {
		int64_t value = wide[i];
		if (value < 0 || value > UINT32_MAX) {
			PyErr_Format(PyExc_ValueError, "%s: %lld is no token id", what, (long long)value);
			PyMem_Free(wide);
			return false;
		}
		memcpy((char *)wide + i * 4, &(uint32_t){(uint32_t)value}, 4);
	}
	return true;
}

PyObject *list_of(const uint32_t *tokens, size_t n)
{
	PyObject *list = PyList_New((Py_ssize_t)n);
	for (size_t i = 0; list && i < n; i++) {
		PyObject *number = PyLong_FromUnsignedLong(tokens[i]);
		if (!number || PyList_SetItem(list, (Py_ssize_t)i, number)) Py_CLEAR(list);
	}
	return list;
}

// ---- Words.
// A tensor's buffer is NumPy's view of it, which pins the tensor's memory. Taking that view costs more than a mask, so
// that of the last tensor is kept; its address is asked for each time.
static struct {
	PyObject *tensor;
	struct words words;
} last;

static bool words_of_view(struct words *w)
{
	const Py_buffer *v = &w->view;
	if (!is_integers(v) || v->itemsize != 4 || v->ndim < 1 || v->ndim > 2) {
		PyErr_SetString(PyExc_TypeError, "a mask must be a row, or rows, of 32-bit integers");
		return false;
	}
	w->at = v->buf;
	w->width = (size_t)v->shape[v->ndim - 1];
	w->rows = v->ndim == 2 ? (size_t)v->shape[0] : 1;
	Py_ssize_t step = v->strides[v->ndim - 1], row = v->ndim == 2 ? v->strides[0] : (Py_ssize_t)w->width * 4;
	if ((w->width > 1 && step != 4) || (w->rows > 1 && (row < (Py_ssize_t)w->width * 4 || row % 4)) ||
	    (uintptr_t)v->buf % 4) {
		PyErr_SetString(PyExc_ValueError, "the words of a mask must lie side by side");
		return false;
	}
	w->stride = w->rows > 1 ? (size_t)row / 4 : w->width;
	return true;
}

static bool words_of_buffer(PyObject *o, struct words *w)
{
	w->is_held = false;
	if (PyObject_GetBuffer(o, &w->view, PyBUF_WRITABLE | PyBUF_STRIDES | PyBUF_FORMAT)) return false;
	w->is_held = true;
	if (words_of_view(w)) return true;
	words_leave(w);
	return false;
}

static void *address_of(PyObject *tensor, PyObject *name)
{
	PyObject *number = PyObject_CallMethodObjArgs(tensor, name, NULL);
	void *at = number ? PyLong_AsVoidPtr(number) : NULL;
	Py_XDECREF(number);
	return at;
}

// Branches: buffers, tensors seen before and tensors seen first are told apart, and each reference that is taken is
// given back.
bool words_take(PyObject *o, struct words *w, bool hold)
{
	static PyObject *data_ptr, *numpy;
	if (PyObject_CheckBuffer(o)) return words_of_buffer(o, w);
	if (!data_ptr) data_ptr = PyUnicode_InternFromString("data_ptr");
	if (!numpy) numpy = PyUnicode_InternFromString("numpy");
	if (!data_ptr || !numpy) return false;
	if (o == last.tensor && !hold) {
		void *at = address_of(o, data_ptr);
		if (!at && PyErr_Occurred()) return false;
		if (at == last.words.at) {
			*w = last.words;
			w->is_held = false;
			return true;
		}
	}
	if (!PyObject_HasAttr(o, data_ptr) || !PyObject_HasAttr(o, numpy)) {
		PyErr_Format(PyExc_TypeError, "a mask is a buffer of 32-bit integers or a torch tensor, not %R",
		             (PyObject *)Py_TYPE(o));
		return false;
	}
	PyObject *array = PyObject_CallMethodObjArgs(o, numpy, NULL);
	if (!array) return false;
	struct words taken = {0};
	bool good = words_of_buffer(array, &taken);  // holds the array, which holds the tensor
	Py_DECREF(array);
	if (hold) *w = taken;
	if (!good || hold) return good;
	PyObject *old = last.tensor;
	struct words old_words = last.words;
	Py_INCREF(o);
	last.tensor = o;
	last.words = *w = taken;
	w->is_held = false;
	if (old) words_leave(&old_words);
	Py_XDECREF(old);
	return true;
}

void words_leave(struct words *w)
{
	if (w->is_held) PyBuffer_Release(&w->view);
	w->is_held = false;
}

static PyObject *forget_tensor(PyObject *self, PyObject *none)
{
	(void)self, (void)none;
	PyObject *old = last.tensor;
	last.tensor = NULL;
	if (old) words_leave(&last.words);
	Py_XDECREF(old);
	Py_RETURN_NONE;
}

// ---- The module.
#define METHOD(name, function, flags, text)                                                                            \
	{                                                                                                                  \
		name, (PyCFunction)(void (*)(void))(function), flags, text                                                     \
	}
static PyMethodDef functions[] = {
	METHOD("fill_batch", core_fill_batch, METH_FASTCALL | METH_KEYWORDS,
           "fill_batch(matchers, mask, rows=None) -> bool\n--\n\nWrites the mask of matchers[i] "
           "into row rows[i] of mask (without rows: row i); None leaves a row alone.\nTrue when "
           "some row forbids a token. The GIL is released. gcdc.Error names the first row that "
           "failed; the others\nare filled all the same."),
	METHOD("accept_batch", core_accept_batch, METH_FASTCALL | METH_KEYWORDS,
           "accept_batch(matchers, tokens) -> list[bool]\n--\n\nmatchers[i] accepts tokens[i]; "
           "False where its mask forbids the token. The GIL is released."),
	METHOD("fill_drafts_batch", core_fill_drafts_batch, METH_FASTCALL | METH_KEYWORDS,
           "fill_drafts_batch(matchers, drafts, mask) -> list[int]\n--\n\ndrafts[i]: a sequence of draft tokens for "
           "matchers[i]. Its rows, one more than drafts,\n"
           "stand one behind the other, those of each matcher behind those of the one before; behind a refused draft "
           "the last\n"
           "row is repeated. Returns how many drafts each mask allows. Nothing moves."),
	METHOD("apply_masks", core_apply_masks, METH_FASTCALL | METH_KEYWORDS,
           "apply_masks(address, type, width, stride, n_rows, mask, mask_words, rows=None)\n--\n\nMakes forbidden "
           "logits minus infinity. address: of row 0; type: 'f32', 'f16', 'bf16'; width, stride:\n"
           "logits in a row, from row to row; mask: words; rows: the row of logits of each mask. The caller vouches "
           "for the\n"
           "address: gcdc.apply_mask does that for arrays and tensors."),
	METHOD("vocab_check", core_vocab_check, METH_FASTCALL | METH_KEYWORDS,
           "vocab_check(artifact, tokens, cap=16) -> tuple[int, list[int]]\n--\n\nCompares a live "
           "tokenizer with the artifact's. tokens[id] holds the bytes of a token, empty or None for "
           "control\ntokens and ids that are not used. Returns how many ids differ, and the first "
           "of them."),
	METHOD("head", core_head, METH_O,
           "head(path) -> dict\n--\n\nReads the beginning of a file, without opening it: hashes, "
           "sizes, the tables that it has."),
	METHOD("compile", core_compile, METH_FASTCALL | METH_KEYWORDS,
           "compile(vocab, kind, text=None, path=None, settings=None, ...) -> tuple[bytes, "
           "list[dict]]\n--\n\nCompiles a grammar. Returns the artifact's bytes and the warnings. "
           "gcdc.compile is simpler to use."),
	METHOD("forget_tensor", forget_tensor, METH_NOARGS,
           "forget_tensor()\n--\n\nLets go of the torch tensor that was filled last, which is kept to "
           "be recognised."),
	{0}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "gcdc._core", .m_size = -1,
                                    .m_methods = functions};

static PyTypeObject *add_type(PyObject *m, PyType_Spec *spec, const char *name)
{
	PyObject *type = PyType_FromSpec(spec);
	if (type && PyModule_AddObjectRef(m, name, type) == 0) return (PyTypeObject *)type;
	Py_XDECREF(type);
	return NULL;
}

static PyObject *add_error(PyObject *m, const char *full, const char *name, const char *text, PyObject *base)
{
	PyObject *e = PyErr_NewExceptionWithDoc(full, text, base, NULL);
	if (e && PyModule_AddObjectRef(m, name, e) == 0) return e;
	Py_XDECREF(e);
	return NULL;
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	PyObject *m = PyModule_Create(&module);
	if (!m) return NULL;
	core_error = add_error(m, "gcdc.Error", "Error",
	                       "gcdc has refused something. status: the gcdc_status of the C interface, a number.",
	                       PyExc_RuntimeError);
	core_compile_error =
		core_error
			? add_error(
				  m, "gcdc.CompileError", "CompileError",
				  "A grammar or tokenizer is refused, or a limit was met. The text has place, line, caret and hint; "
				  "diagnostics: a list of dictionaries.",
				  core_error)
			: NULL;
	core_budget_error =
		core_error ? add_error(m, "gcdc.BudgetError", "BudgetError",
	                           "A budget has fewer tokens than the text still needs, or the artifact has no tables of "
	                           "costs.",
	                           core_error)
				   : NULL;
	if (core_compile_error && core_budget_error &&
	    (core_artifact_type = add_type(m, &core_artifact_spec, "Artifact")) &&
	    (core_matcher_type = add_type(m, &core_matcher_spec, "Matcher")) &&
	    (core_session_type = add_type(m, &core_session_spec, "Session")) &&
	    (core_vocab_type = add_type(m, &core_vocab_spec, "Vocab")))
		return m;
	Py_DECREF(m);
	return NULL;
}
