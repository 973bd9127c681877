// The type gcdc.Vocab, and compiling in the process.
//
// In:  a tokenizer, a grammar's text or file, limits.  Out: the artifact's bytes and the warnings.
// The GIL is let go; Ctrl-C cancels. What is refused is a CompileError with the text that the program prints.
#include "core.h"

#include <string.h>

typedef struct {
	PyObject_HEAD gcdc_vocab *at;
} Vocab;

static PyObject *diagnostics_list(const gcdc_diagnostics *d)
{
	static const char *const severities[] = {"error", "warning", "note"};
	PyObject *list = PyList_New(0);
	gcdc_diagnostic x;
	for (size_t i = 0; list && gcdc_diagnostics_get(d, i, &x); i++) {
		PyObject *one = Py_BuildValue("{s:s,s:s,s:s,s:I,s:I,s:s,s:s,s:s}", "severity", severities[x.severity % 3],
		                              "code", x.code, "path", x.path, "line", x.line, "column", x.column, "message",
		                              x.message, "hint", x.hint, "rendered", x.rendered);
		if (!one || PyList_Append(list, one)) Py_CLEAR(list);
		Py_XDECREF(one);
	}
	return list;
}

// An exception with the diagnostics, which are freed.
static PyObject *raise_diagnostics(gcdc_status status, gcdc_diagnostics *d)
{
	const char *text = d ? gcdc_diagnostics_text(d) : "";
	PyObject *list = diagnostics_list(d);
	PyObject *e =
		list ? PyObject_CallFunction(core_compile_error, "s", text[0] ? text : gcdc_status_text(status)) : NULL;
	PyObject *number = e ? PyLong_FromLong(status) : NULL;
	if (number && !PyObject_SetAttrString(e, "status", number) && !PyObject_SetAttrString(e, "diagnostics", list))
		PyErr_SetObject(core_compile_error, e);
	Py_XDECREF(number);
	Py_XDECREF(e);
	Py_XDECREF(list);
	gcdc_diagnostics_free(d);
	return NULL;
}

// ---- Vocabularies.
static PyObject *vocab_around(PyTypeObject *type, gcdc_vocab *at)
{
	Vocab *v = (Vocab *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
	if (v)
		v->at = at;
	else
		gcdc_vocab_close(at);
	return (PyObject *)v;
}

// eos: None, False (none), or a list of ids and names. Names point into *held.
static bool take_eos(PyObject *o, gcdc_vocab_options *options, PyObject **held)
{
	*held = NULL;
	if (!o || o == Py_None) return true;
	if (o == Py_False) return options->no_eos = true;
	*held = PySequence_Tuple(o);
	if (!*held) return false;
	size_t n = (size_t)PyTuple_Size(*held);
	uint32_t *ids = PyMem_Calloc(n + 1, sizeof *ids);
	const char **all = PyMem_Calloc(n + 1, sizeof *all);
	options->eos = ids, options->eos_names = all;
	if (!ids || !all) return PyErr_NoMemory(), false;
	for (size_t i = 0; i < n; i++) {
		PyObject *x = PyTuple_GetItem(*held, (Py_ssize_t)i);
		if (PyUnicode_Check(x)) {
			if (!(all[options->n_eos_names++] = PyUnicode_AsUTF8AndSize(x, NULL))) return false;
		} else if (!take_u32(x, "eos", &ids[options->n_eos++])) {
			return false;
		}
	}
	return true;
}

static void release_eos(gcdc_vocab_options *options, PyObject *held)
{
	PyMem_Free((void *)(uintptr_t)options->eos);
	PyMem_Free((void *)(uintptr_t)options->eos_names);
	Py_XDECREF(held);
}

static PyObject *vocab_done(PyObject *type, gcdc_status status, gcdc_vocab *at, gcdc_diagnostics *d)
{
	if (status) return raise_diagnostics(status, d);
	gcdc_diagnostics_free(d);
	return vocab_around((PyTypeObject *)type, at);
}

static PyObject *vocab_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"path", "eos", "vocab_size", "canonical", NULL};
	PyObject *given = Py_None, *path = NULL, *eos = NULL, *held = NULL, *result = NULL;
	gcdc_vocab_options options = {0};
	int canonical = 0;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O$OO&p:Vocab", names, &given, &eos, as_u32, &options.vocab_size,
	                                 &canonical))
		return NULL;
	if (given != Py_None && !PyUnicode_FSConverter(given, &path)) return NULL;
	options.canonical = canonical;
	if (take_eos(eos, &options, &held)) {
		gcdc_vocab *at;
		gcdc_diagnostics *d = NULL;
		gcdc_status status;
		const char *file = path ? PyBytes_AsString(path) : NULL;
		Py_BEGIN_ALLOW_THREADS;
		status = gcdc_vocab_open(file, &options, &at, &d);
		Py_END_ALLOW_THREADS;
		result = vocab_done((PyObject *)type, status, at, d);
	}
	release_eos(&options, held);
	Py_XDECREF(path);
	return result;
}

static PyObject *vocab_from_json(PyObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"data", "eos", "vocab_size", "canonical", "config", NULL};
	PyObject *data, *eos = NULL, *held = NULL, *result = NULL;
	gcdc_vocab_options options = {0};
	const char *config = NULL;
	Py_ssize_t config_len = 0;
	int canonical = 0;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OO&pz#:from_json", names, &data, &eos, as_u32,
	                                 &options.vocab_size, &canonical, &config, &config_len))
		return NULL;
	PyObject *text = PyUnicode_Check(data) ? PyUnicode_AsUTF8String(data) : Py_NewRef(data);
	char *bytes;
	Py_ssize_t len;
	if (!text || PyBytes_AsStringAndSize(text, &bytes, &len)) {
		Py_XDECREF(text);
		return NULL;
	}
	options.canonical = canonical;
	options.config = config, options.config_len = (size_t)config_len;
	if (take_eos(eos, &options, &held)) {
		gcdc_vocab *at;
		gcdc_diagnostics *d = NULL;
		gcdc_status status;
		Py_BEGIN_ALLOW_THREADS;
		status = gcdc_vocab_open_memory(bytes, (size_t)len, &options, &at, &d);
		Py_END_ALLOW_THREADS;
		result = vocab_done(type, status, at, d);
	}
	release_eos(&options, held);
	Py_DECREF(text);
	return result;
}

static PyObject *vocab_from_tokens(PyObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"tokens", "eos", "vocab_size", NULL};
	PyObject *given, *eos = NULL, *held = NULL, *result = NULL;
	gcdc_vocab_options options = {0};
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$OO&:from_tokens", names, &given, &eos, as_u32,
	                                 &options.vocab_size))
		return NULL;
	PyObject *list = PySequence_Tuple(given);
	if (!list) return NULL;
	size_t n = (size_t)PyTuple_Size(list);
	gcdc_token *tokens = PyMem_Calloc(n + 1, sizeof *tokens);
	bool good = tokens != NULL;
	if (!good) PyErr_NoMemory();
	for (size_t i = 0; i < n && good; i++) {
		PyObject *x = PyTuple_GetItem(list, (Py_ssize_t)i);
		char *bytes;
		Py_ssize_t len;
		tokens[i].kind = GCDC_TOKEN_CONTROL;
		if (x == Py_None) continue;
		good = PyBytes_AsStringAndSize(x, &bytes, &len) == 0;
		if (good) tokens[i] = (gcdc_token){bytes, (size_t)len, GCDC_TOKEN_TEXT};
	}
	if (good && take_eos(eos, &options, &held)) {
		gcdc_vocab *at;
		gcdc_diagnostics *d = NULL;
		gcdc_status status;
		Py_BEGIN_ALLOW_THREADS;
		status = gcdc_vocab_from_tokens(tokens, n, &options, &at, &d);
		Py_END_ALLOW_THREADS;
		result = vocab_done(type, status, at, d);
	}
	release_eos(&options, held);
	PyMem_Free(tokens);
	Py_DECREF(list);
	return result;
}

static void vocab_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	gcdc_vocab_close(((Vocab *)self)->at);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static PyObject *vocab_token(PyObject *self, PyObject *o)
{
	uint32_t token, len;
	if (!take_u32(o, "a token", &token)) return NULL;
	const uint8_t *bytes = gcdc_vocab_token(((Vocab *)self)->at, token, &len);
	if (bytes) return PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)len);
	PyErr_Format(PyExc_IndexError, "token %u of a vocabulary of %u", token, gcdc_vocab_size(((Vocab *)self)->at));
	return NULL;
}

static PyObject *vocab_find(PyObject *self, PyObject *name)
{
	if (!PyUnicode_Check(name)) {
		PyErr_SetString(PyExc_TypeError, "a name is a str");
		return NULL;
	}
	PyObject *bytes = PyUnicode_AsUTF8String(name);
	if (!bytes) return NULL;
	uint32_t token = 0;
	const char *text = PyBytes_AsString(bytes);
	bool whole = (Py_ssize_t)strlen(text) == PyBytes_Size(bytes);  // no NUL inside, which no name has
	gcdc_status status = whole ? gcdc_vocab_find(((Vocab *)self)->at, text, &token) : GCDC_ERR_VOCAB;
	Py_DECREF(bytes);
	if (!status) return PyLong_FromUnsignedLong(token);
	PyErr_SetObject(PyExc_KeyError, name);
	return NULL;
}

static PyObject *vocab_write(PyObject *self, PyObject *given)
{
	PyObject *path;
	gcdc_diagnostics *d = NULL;
	if (!PyUnicode_FSConverter(given, &path)) return NULL;
	gcdc_status status = gcdc_vocab_write(((Vocab *)self)->at, PyBytes_AsString(path), &d);
	Py_DECREF(path);
	if (status) return raise_diagnostics(status, d);
	gcdc_diagnostics_free(d);
	Py_RETURN_NONE;
}

static PyObject *get_size(PyObject *self, void *none)
{
	(void)none;
	return PyLong_FromUnsignedLong(gcdc_vocab_size(((Vocab *)self)->at));
}

static PyObject *get_eos(PyObject *self, void *none)
{
	(void)none;
	uint32_t n;
	const uint32_t *eos = gcdc_vocab_eos(((Vocab *)self)->at, &n);
	PyObject *list = PyList_New(n);
	for (uint32_t i = 0; list && i < n; i++)
		if (PyList_SetItem(list, i, PyLong_FromUnsignedLong(eos[i]))) Py_CLEAR(list);
	return list;
}

static PyObject *get_hash(PyObject *self, void *none)
{
	(void)none;
	uint64_t hash[2];
	char text[40];
	gcdc_vocab_hash(((Vocab *)self)->at, hash);
	PyOS_snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash[1], (unsigned long long)hash[0]);
	return PyUnicode_FromString(text);
}

static PyGetSetDef vocab_properties[] = {
	{"size", get_size, NULL, "V, the number of ids.", NULL},
	{"eos", get_eos, NULL, "The ids that end a text, ascending.", NULL},
	{"hash", get_hash, NULL, "The hash of the vocabulary: Artifact.vocab_hash of artifacts that are compiled with it.",
     NULL},
	{0}};

static PyMethodDef vocab_methods[] = {
	{"from_json", (PyCFunction)(void (*)(void))vocab_from_json, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_json(data, *, eos=None, vocab_size=0, canonical=False, config=None) -> "
     "Vocab\n--\n\nMakes a vocabulary of the text of a tokenizer.json (config: that of the "
     "tokenizer_config.json beside it), or of the bytes of a compiled vocabulary."},
	{"from_tokens", (PyCFunction)(void (*)(void))vocab_from_tokens, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "from_tokens(tokens, *, eos, vocab_size=0) -> Vocab\n--\n\nMakes a vocabulary of a live "
     "tokenizer: tokens[id] holds the bytes that the token adds to a text, None for a control "
     "token or an id that is not used."},
	{"token", vocab_token, METH_O, "token(id) -> bytes\n--\n\nThe bytes of a token."},
	{"find", vocab_find, METH_O,
     "find(name) -> int\n--\n\nFinds the id of a control or added token by its name, as the "
     "tokenizer spells it (\"<|eot_id|>\"), for Matcher.set_stop_tokens. KeyError: there is "
     "no such token, or names are not known (from_tokens)."},
	{"write", vocab_write, METH_O, "write(path)\n--\n\nWrites a compiled vocabulary (.gcdv), atomically."},
	{0}};

static PyType_Slot vocab_slots[] = {
	{Py_tp_new, vocab_new},
	{Py_tp_dealloc, vocab_dealloc},
	{Py_tp_methods, vocab_methods},
	{Py_tp_getset, vocab_properties},
	{Py_tp_doc,
     "Vocab(path=None, *, eos=None, vocab_size=0, canonical=False)\n--\n\n"
     "A tokenizer, ready for compilations: a tokenizer.json, a folder that holds one, or a compiled vocabulary\n"
     "(.gcdv); without a path the small built-in one. eos: ids or names of the tokens that end a text (None: what\n"
     "the files say, False: none does); vocab_size: the width of the model's logits; canonical: with the tables\n"
     "that canonical modes need. Never changes: any thread may use it. CompileError: it is refused."},
	{0, NULL}};
PyType_Spec core_vocab_spec = {"gcdc.Vocab", sizeof(Vocab), 0, Py_TPFLAGS_DEFAULT, vocab_slots};

// ---- Compiling.
// Ctrl-C: asked for as progress is told, by whatever thread tells it; signals are seen in Python's main thread.
static bool go_on(const gcdc_progress *progress, void *user)
{
	(void)progress;
	PyGILState_STATE state = PyGILState_Ensure();
	bool stop = PyErr_CheckSignals() != 0;
	if (stop) {
		PyErr_Clear();
		*(bool *)user = true;
	}
	PyGILState_Release(state);
	return !stop;
}

static const char *text_as(PyObject *o, const char *what, Py_ssize_t *len)  // NULL: none, after an exception
{
	if (PyUnicode_Check(o)) return PyUnicode_AsUTF8AndSize(o, len);
	PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", what, (PyObject *)Py_TYPE(o));
	return NULL;
}

static const char *text_of(PyObject *o, const char *what)  // NULL for None
{
	return o && o != Py_None ? text_as(o, what, NULL) : NULL;
}

// settings: a dictionary of texts.
static gcdc_setting *take_settings(PyObject *o, PyObject **held, size_t *n)
{
	*n = 0;
	*held = o && o != Py_None ? PyMapping_Items(o) : PyList_New(0);
	if (!*held) return NULL;
	size_t count = (size_t)PyList_Size(*held);
	gcdc_setting *all = PyMem_Calloc(count + 1, sizeof *all);
	if (!all) PyErr_NoMemory();
	for (size_t i = 0; all && i < count; i++) {
		PyObject *item = PyList_GetItem(*held, (Py_ssize_t)i);
		all[i].name = text_as(PyTuple_GetItem(item, 0), "the name of a setting", NULL);
		all[i].value = all[i].name ? text_as(PyTuple_GetItem(item, 1), all[i].name, NULL) : NULL;
		if (all[i].value) continue;
		PyMem_Free(all);
		all = NULL;
	}
	*n = count;
	return all;
}

static bool given(PyObject *o) { return o && o != Py_None; }

// The place of the text among n names; NULL: `*at` stays. False: it is none of them.
static bool take_choice(const char *text, const char *const *names, int n, int *at)
{
	for (int i = 0; text && i < n; i++)
		if (!strcmp(text, names[i])) return *at = i, true;
	return !text;
}

enum {
	VOCAB,
	KIND,
	TEXT,
	PATH,
	SETTINGS,
	MAX_SECONDS,
	MAX_MEMORY,
	THREADS,
	COSTS,
	CANONICAL,
	RAW,
	NO_VOCAB,
	N_ARGUMENTS
};

static bool take_modes(PyObject *const *a, gcdc_compile_options *o)
{
	static const char *const modes[] = {"off", "soft", "hard"}, *const costs[] = {"best", "aligned", "off", "exact"};
	int mode = 0, cost = 0;
	const char *canonical = text_of(a[CANONICAL], "canonical");
	const char *wanted = PyErr_Occurred() ? NULL : text_of(a[COSTS], "costs");
	if (PyErr_Occurred()) return false;
	if (!take_choice(canonical, modes, 3, &mode) || !take_choice(wanted, costs, 4, &cost)) {
		PyErr_SetString(PyExc_ValueError, "canonical is 'off', 'soft' or 'hard'; costs are 'best', "
		                                  "'aligned', 'off' or 'exact'");
		return false;
	}
	o->canonical = (gcdc_canonical_mode)mode, o->costs = (gcdc_costs)cost;
	int raw = a[RAW] ? PyObject_IsTrue(a[RAW]) : 0, bare = a[NO_VOCAB] ? PyObject_IsTrue(a[NO_VOCAB]) : 0;
	o->raw = raw > 0, o->no_vocab = bare > 0;
	return raw >= 0 && bare >= 0;
}

static bool take_limits(PyObject *const *a, gcdc_compile_options *o)
{
	size_t memory = 0, threads = 0;
	if (given(a[MAX_SECONDS])) o->max_seconds = PyFloat_AsDouble(a[MAX_SECONDS]);
	if (PyErr_Occurred()) return false;
	if (!(o->max_seconds >= 0)) {
		PyErr_SetString(PyExc_ValueError, "max_seconds must be a number from 0 on");
		return false;
	}
	if (given(a[MAX_MEMORY]) && !take_size(a[MAX_MEMORY], "max_memory", &memory)) return false;
	if (given(a[THREADS]) && !take_size(a[THREADS], "threads", &threads)) return false;
	o->max_memory = memory;
	o->threads = threads > 1024 ? 1024 : (uint32_t)threads;
	return true;
}

static bool no_kind(const char *kind)
{
	PyObject *known = PyUnicode_FromString("");
	for (size_t i = 0; known && gcdc_kind_at(i) != GCDC_KIND_AUTO; i++) {
		PyObject *more = PyUnicode_FromFormat("%U%s%s", known, i ? ", " : "", gcdc_kind_name(gcdc_kind_at(i)));
		Py_DECREF(known);
		known = more;
	}
	if (known) PyErr_Format(PyExc_ValueError, "there is no kind '%s'; kinds are %U", kind, known);
	Py_XDECREF(known);
	return false;
}

// Where the grammar comes from, and of what kind it is.
static bool take_input(PyObject *const *a, gcdc_input *input)
{
	Py_ssize_t len = 0;
	const char *kind = text_of(a[KIND], "kind");
	if (PyErr_Occurred()) return false;
	input->path = text_of(a[PATH], "path");
	if (PyErr_Occurred()) return false;
	if (given(a[TEXT]) && !(input->text = text_as(a[TEXT], "text", &len))) return false;
	input->len = (size_t)len;
	if (!input->text && !input->path) {
		PyErr_SetString(PyExc_TypeError, "compile() needs a text or a path");
		return false;
	}
	input->kind = gcdc_kind_named(kind ? kind : "auto");
	if (!kind || !strcmp(kind, "auto") || input->kind != GCDC_KIND_AUTO) return true;
	return no_kind(kind);
}

// (the artifact's bytes, the list of diagnostics); takes d over.
static PyObject *compiled_result(const gcdc_compiled *compiled, gcdc_diagnostics *d)
{
	size_t size;
	const void *bytes = gcdc_compiled_bytes(compiled, &size);
	PyObject *result = NULL, *list = diagnostics_list(d);
	PyObject *data = list ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size) : NULL;
	if (data) result = PyTuple_Pack(2, data, list);
	Py_XDECREF(data);
	Py_XDECREF(list);
	gcdc_diagnostics_free(d);
	return result;
}

static PyObject *compile(const gcdc_vocab *vocab, const gcdc_input *input, gcdc_compile_options *options)
{
	gcdc_compiled *compiled = NULL;
	gcdc_diagnostics *d = NULL;
	gcdc_status status;
	bool interrupted = false;
	options->progress = go_on, options->user = &interrupted;
	Py_BEGIN_ALLOW_THREADS;
	status = gcdc_compile(vocab, input, options, &compiled, &d);
	Py_END_ALLOW_THREADS;
	if (!interrupted && status && status != GCDC_ERR_MEMORY) return raise_diagnostics(status, d);
	if (!interrupted && !status) {
		PyObject *result = compiled_result(compiled, d);
		gcdc_compiled_free(compiled);
		return result;
	}
	if (interrupted)
		PyErr_SetNone(PyExc_KeyboardInterrupt);
	else
		PyErr_NoMemory();
	gcdc_diagnostics_free(d);
	gcdc_compiled_free(compiled);
	return NULL;
}

PyObject *core_compile(FAST)
{
	static const char *const argument[N_ARGUMENTS] = {[VOCAB] = "vocab",
	                                                  [KIND] = "kind",
	                                                  [TEXT] = "text",
	                                                  [PATH] = "path",
	                                                  [SETTINGS] = "settings",
	                                                  [MAX_SECONDS] = "max_seconds",
	                                                  [MAX_MEMORY] = "max_memory",
	                                                  [THREADS] = "threads",
	                                                  [COSTS] = "costs",
	                                                  [CANONICAL] = "canonical",
	                                                  [RAW] = "raw",
	                                                  [NO_VOCAB] = "no_vocab"};
	PyObject *a[N_ARGUMENTS], *held = NULL, *result = NULL;
	gcdc_input input = {0};
	gcdc_compile_options options = {0};
	(void)self;
	if (!take_arguments("compile", (struct arguments){at, n, names}, argument, N_ARGUMENTS, 2, a)) return NULL;
	if (Py_TYPE(a[VOCAB]) != core_vocab_type) {
		PyErr_Format(PyExc_TypeError, "expected a gcdc.Vocab, not %R", (PyObject *)Py_TYPE(a[VOCAB]));
		return NULL;
	}
	if (!take_input(a, &input) || !take_limits(a, &options) || !take_modes(a, &options)) return NULL;
	gcdc_setting *settings = take_settings(a[SETTINGS], &held, &input.n_settings);
	input.settings = settings;
	if (settings) result = compile(((Vocab *)a[VOCAB])->at, &input, &options);
	PyMem_Free(settings);
	Py_XDECREF(held);
	return result;
}
