// The type gcdc.Artifact, heads of files, and the comparison with a live tokenizer.
//
// In:  a path or bytes.  Out: an opened artifact, its figures, tokens and EOS ids.
#include "core.h"

#include <string.h>

Artifact *artifact_of(PyObject *o)
{
	if (Py_TYPE(o) != core_artifact_type && !PyType_IsSubtype(Py_TYPE(o), core_artifact_type)) {
		PyErr_Format(PyExc_TypeError, "expected a gcdc.Artifact, not %R", (PyObject *)Py_TYPE(o));
		return NULL;
	}
	if (((Artifact *)o)->at) return (Artifact *)o;
	PyErr_SetString(PyExc_ValueError, "the artifact is closed");
	return NULL;
}

static PyObject *artifact_around(PyTypeObject *type, gcdc_artifact *at, PyObject *bytes)
{
	Artifact *a = (Artifact *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
	if (!a) {
		gcdc_artifact_close(at);
		return NULL;
	}
	a->at = at;
	a->bytes = Py_XNewRef(bytes);
	gcdc_artifact_info(at, &a->info);
	return (PyObject *)a;
}

static PyObject *raise_refusal(gcdc_status status, const char *path, const gcdc_refusal *why)
{
	char text[sizeof why->what + 260];
	PyOS_snprintf(text, sizeof text, "%.250s%s%s", path ? path : "", path ? ": " : "", why->what);
	return raise_text(core_error, status, text);
}

static PyObject *open_any(PyTypeObject *type, PyObject *bytes, const char *path, const char *vocab, bool trusted,
                          int threads)
{
	gcdc_open_options options = {.vocab_path = vocab, .trusted = trusted, .threads = (uint32_t)threads};
	gcdc_artifact *at;
	gcdc_refusal why;
	gcdc_status status;
	char *text = NULL;
	Py_ssize_t len = 0;
	if (threads < 0) {
		PyErr_Format(PyExc_ValueError, "threads is %d; 0 or more was expected", threads);
		return NULL;
	}
	if (bytes && PyBytes_AsStringAndSize(bytes, &text, &len)) return NULL;
	Py_BEGIN_ALLOW_THREADS;
	status = bytes ? gcdc_artifact_open_memory(text, (size_t)len, &options, &at, &why)
	               : gcdc_artifact_open(path, &options, &at, &why);
	Py_END_ALLOW_THREADS;
	if (status == GCDC_ERR_IO) {
		PyErr_SetString(PyExc_OSError, why.what);
		return NULL;
	}
	if (status) return raise_refusal(status, path, &why);
	return artifact_around(type, at, bytes);
}

static PyObject *artifact_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"path", "vocab", "trusted", "threads", NULL};
	PyObject *path = NULL, *vocab = NULL, *given = Py_None;
	int trusted = 0, threads = 0;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&|O$pi:Artifact", names, PyUnicode_FSConverter, &path, &given,
	                                 &trusted, &threads))
		return NULL;
	PyObject *a = NULL;
	if (given == Py_None || PyUnicode_FSConverter(given, &vocab))
		a = open_any(type, NULL, PyBytes_AsString(path), vocab ? PyBytes_AsString(vocab) : NULL, trusted, threads);
	Py_XDECREF(vocab);
	Py_DECREF(path);
	return a;
}

static PyObject *artifact_from(PyObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"data", "vocab", "trusted", "threads", NULL};
	PyObject *bytes, *vocab = NULL, *given = Py_None;
	int trusted = 0, threads = 0;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "S|O$pi:from_bytes", names, &bytes, &given, &trusted, &threads))
		return NULL;
	if (given != Py_None && !PyUnicode_FSConverter(given, &vocab)) return NULL;
	PyObject *a = open_any((PyTypeObject *)type, bytes, NULL, vocab ? PyBytes_AsString(vocab) : NULL, trusted, threads);
	Py_XDECREF(vocab);
	return a;
}

static void artifact_dealloc(PyObject *self)
{
	Artifact *a = (Artifact *)self;
	PyTypeObject *type = Py_TYPE(self);
	gcdc_artifact_close(a->at);
	Py_XDECREF(a->bytes);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *artifact_close(PyObject *self, PyObject *none)
{
	(void)none;
	Artifact *a = (Artifact *)self;
	gcdc_artifact_close(a->at);  // its matchers hold it, too
	a->at = NULL;
	Py_RETURN_NONE;
}

static PyObject *artifact_token(PyObject *self, PyObject *o)
{
	Artifact *a = artifact_of(self);
	uint32_t token, len;
	if (!a || !take_u32(o, "a token", &token) || !(a = artifact_of(self))) return NULL;
	const uint8_t *bytes = gcdc_artifact_token(a->at, token, &len);
	if (bytes) return PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)len);
	PyErr_Format(PyExc_IndexError, "token %u of a vocabulary of %u", token, a->info.n_tokens);
	return NULL;
}

static PyObject *artifact_enter(PyObject *self, PyObject *none)
{
	(void)none;
	return Py_NewRef(self);
}

static PyObject *artifact_exit(PyObject *self, PyObject *args)
{
	(void)args;
	return artifact_close(self, NULL);
}

static PyObject *hash_text(const uint64_t hash[2])
{
	char text[40];
	PyOS_snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash[1], (unsigned long long)hash[0]);
	return PyUnicode_FromString(text);
}

enum figure {
	N_TOKENS,
	MASK_WORDS,
	FILE_SIZE,
	DECODED_SIZE,
	VERSION,
	HAS_CHOICES,
	GRAMMAR_HASH,
	VOCAB_HASH,
	COSTS,
	MODE
};
static const char *const cost_names[] = {"none", "aligned", "exact"}, *const mode_names[] = {"off", "soft", "hard"};

static PyObject *get_figure(PyObject *self, void *which)
{
	Artifact *a = (Artifact *)self;
	switch ((enum figure)(intptr_t)which) {
	case N_TOKENS: return PyLong_FromUnsignedLong(a->info.n_tokens);
	case MASK_WORDS: return PyLong_FromUnsignedLong(a->info.mask_words);
	case FILE_SIZE: return PyLong_FromUnsignedLongLong(a->info.file_size);
	case DECODED_SIZE: return PyLong_FromUnsignedLongLong(a->info.decoded_size);
	case VERSION: return PyLong_FromUnsignedLong(a->info.version);
	case HAS_CHOICES: return PyBool_FromLong(a->info.has_choices);
	case GRAMMAR_HASH: return hash_text(a->info.grammar_hash);
	case VOCAB_HASH: return hash_text(a->info.vocab_hash);
	case COSTS: return artifact_of(self) ? PyUnicode_FromString(cost_names[gcdc_artifact_costs(a->at)]) : NULL;
	case MODE: return artifact_of(self) ? PyUnicode_FromString(mode_names[gcdc_artifact_canonical(a->at)]) : NULL;
	}
	return NULL;
}

static PyObject *get_eos(PyObject *self, void *none)
{
	(void)none;
	Artifact *a = artifact_of(self);
	uint32_t n = 0;
	const uint32_t *eos = a ? gcdc_artifact_eos(a->at, &n) : NULL;
	PyObject *list = a ? PyList_New(n) : NULL;
	for (uint32_t i = 0; list && i < n; i++) {
		PyObject *number = PyLong_FromUnsignedLong(eos[i]);
		if (!number || PyList_SetItem(list, i, number)) Py_CLEAR(list);
	}
	return list;
}

static PyObject *get_unenforced(PyObject *self, void *none)
{
	(void)none;
	Artifact *a = artifact_of(self);
	PyObject *list = a ? PyList_New(0) : NULL;
	const char *text;
	for (uint32_t i = 0; list && (text = gcdc_artifact_unenforced(a->at, i)); i++) {
		PyObject *one = PyUnicode_FromString(text);
		if (!one || PyList_Append(list, one)) Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

static PyObject *get_closed(PyObject *self, void *none)
{
	(void)none;
	return PyBool_FromLong(!((Artifact *)self)->at);
}

#define FIGURE(name, which, text)                                                                                      \
	{                                                                                                                  \
		name, get_figure, NULL, text, (void *)(intptr_t)(which)                                                        \
	}
static PyGetSetDef properties[] = {
	FIGURE("n_tokens", N_TOKENS, "V, the number of ids."),
	FIGURE("mask_words", MASK_WORDS, "Words of a mask: (V + 31) // 32."),
	FIGURE("file_size", FILE_SIZE, "The size of the file in bytes."),
	FIGURE("decoded_size", DECODED_SIZE, "Bytes of memory that decompression took."),
	FIGURE("version", VERSION, "The version of the file's format."),
	FIGURE("has_choices", HAS_CHOICES, "True when a text can have several parses."),
	FIGURE("grammar_hash", GRAMMAR_HASH, "32 hexadecimal digits."),
	FIGURE("vocab_hash", VOCAB_HASH, "32 hexadecimal digits."),
	FIGURE("costs", COSTS, "The tables for budgets: 'none', 'aligned' or 'exact'."),
	FIGURE("canonical", MODE, "The mode of a new matcher: 'off', 'soft' or 'hard'."),
	{"eos", get_eos, NULL, "The ids that end a text, ascending.", NULL},
	{"unenforced", get_unenforced, NULL,
     "The keywords of the JSON Schema that masks do not enforce, each as 'KEYWORD POINTER'.", NULL},
	{"closed", get_closed, NULL, "True when close() was called.", NULL},
	{0}};

static PyMethodDef methods[] = {
	{"from_bytes", (PyCFunction)(void (*)(void))artifact_from, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_bytes(data, vocab=None, *, trusted=False, threads=0) -> Artifact\n--\n\nOpens an artifact that is in "
     "memory."},
	{"token", artifact_token, METH_O,
     "token(id) -> bytes\n--\n\nThe bytes of a token; empty for control tokens and ids that "
     "are not used."},
	{"close", artifact_close, METH_NOARGS, "close()\n--\n\nCloses the artifact. Matchers that were made of it go on."},
	{"__enter__", artifact_enter, METH_NOARGS, NULL},
	{"__exit__", artifact_exit, METH_VARARGS, NULL},
	{0}};

static PyType_Slot slots[] = {
	{Py_tp_new, artifact_new},
	{Py_tp_dealloc, artifact_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_getset, properties},
	{Py_tp_doc, "Artifact(path, vocab=None, *, trusted=False, threads=0)\n--\n\nAn opened artifact (.gcdc). vocab: "
                "the compiled vocabulary (.gcdv), for an artifact without its tokens inside.\ntrusted: "
                "checksums and indices are not checked. threads: so many open it, 4 at most.\nIt never changes: any "
                "thread may use it. "
                "OSError: the file\ncannot be read; gcdc.Error: it is no artifact, or a damaged one."},
	{0, NULL}};
PyType_Spec core_artifact_spec = {"gcdc.Artifact", sizeof(Artifact), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                  slots};

// ---- Heads.
PyObject *core_head(PyObject *self, PyObject *given)
{
	(void)self;
	PyObject *path;
	gcdc_head h;
	gcdc_refusal why;
	if (!PyUnicode_FSConverter(given, &path)) return NULL;
	gcdc_status status = gcdc_artifact_head(PyBytes_AsString(path), &h, &why);
	if (status == GCDC_ERR_IO)
		PyErr_SetString(PyExc_OSError, why.what);
	else if (status)
		raise_refusal(status, PyBytes_AsString(path), &why);
	Py_DECREF(path);
	if (status) return NULL;
	PyObject *grammar = hash_text(h.grammar_hash), *vocab = hash_text(h.vocab_hash), *head = NULL;
	if (grammar && vocab)
		head = Py_BuildValue("{s:I,s:I,s:I,s:I,s:s,s:s,s:O,s:O,s:K,s:O,s:O}", "version", h.version, "n_tokens",
		                     h.n_tokens, "mask_words", h.mask_words, "n_eos", h.n_eos, "costs", cost_names[h.costs],
		                     "canonical", mode_names[h.canonical], "has_vocab", h.has_vocab ? Py_True : Py_False,
		                     "has_choices", h.has_choices ? Py_True : Py_False, "file_size",
		                     (unsigned long long)h.file_size, "grammar_hash", grammar, "vocab_hash", vocab);
	Py_XDECREF(grammar);
	Py_XDECREF(vocab);
	return head;
}

// ---- A live tokenizer.
// tokens: a list of bytes and None. What is taken is released with PyMem_Free in any case.
static bool take_texts(PyObject *list, uint8_t **bytes, uint64_t **offsets, size_t n)
{
	size_t len = 0;
	*offsets = PyMem_Calloc(n + 1, sizeof **offsets);
	for (size_t i = 0; i < n && *offsets; i++) {
		PyObject *token = PyList_GetItem(list, (Py_ssize_t)i);
		if (token != Py_None && !PyBytes_Check(token)) {
			PyErr_Format(PyExc_TypeError, "tokens[%zu] must be bytes or None", i);
			return false;
		}
		len += token == Py_None ? 0 : (size_t)PyBytes_Size(token);
		(*offsets)[i + 1] = len;
	}
	*bytes = *offsets ? PyMem_Malloc(len + 1) : NULL;
	if (!*bytes) return PyErr_NoMemory(), false;
	for (size_t i = 0; i < n; i++) {
		size_t at = (*offsets)[i], size = (*offsets)[i + 1] - at;
		if (size) memcpy(*bytes + at, PyBytes_AsString(PyList_GetItem(list, (Py_ssize_t)i)), size);
	}
	return true;
}

// (how many differ, the first of their ids)
static PyObject *differences(const uint32_t *differ, size_t shown, size_t found)
{
	PyObject *ids = PyList_New((Py_ssize_t)shown);
	for (size_t i = 0; ids && i < shown; i++) {
		PyObject *number = PyLong_FromUnsignedLong(differ[i]);
		if (!number || PyList_SetItem(ids, (Py_ssize_t)i, number)) Py_CLEAR(ids);
	}
	return ids ? Py_BuildValue("(nN)", (Py_ssize_t)found, ids) : NULL;
}

PyObject *core_vocab_check(FAST)
{
	static const char *const argument[] = {"artifact", "tokens", "cap"};
	PyObject *a[3], *result = NULL;
	size_t cap = 16, found = 0;
	(void)self;
	if (!take_arguments("vocab_check", (struct arguments){at, n, names}, argument, 3, 2, a) ||
	    (a[2] && !take_size(a[2], "cap", &cap)))
		return NULL;
	if (cap > 1u << 20) cap = 1u << 20;
	PyObject *list = PySequence_List(a[1]);
	if (!list) return NULL;
	uint8_t *bytes = NULL;
	uint64_t *offsets = NULL;
	const size_t n_tokens = (size_t)PyList_Size(list);
	uint32_t *differ = PyMem_Calloc(cap + 1, sizeof *differ);
	if (!differ) PyErr_NoMemory();
	Artifact *artifact = differ && take_texts(list, &bytes, &offsets, n_tokens) ? artifact_of(a[0]) : NULL;
	if (artifact) {
		const gcdc_token_texts texts = {bytes, offsets, n_tokens};
		gcdc_status status = gcdc_vocab_check(artifact->at, &texts, differ, cap, &found);
		if (status && status != GCDC_ERR_VOCAB)
			raise_status(status);
		else
			result = differences(differ, found < cap ? found : cap, found);
	}
	PyMem_Free(bytes);
	PyMem_Free(offsets);
	PyMem_Free(differ);
	Py_DECREF(list);
	return result;
}
