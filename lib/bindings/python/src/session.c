// The type gcdc.Session, and turns: matchers that any thread may use.
//
// In:  an Artifact, a number of lanes.  Out: Matchers, each in a lane, that share what masks work out.
// Whoever has the GIL and finds nobody inside a lane has that lane: its calls are short, and nobody enters meanwhile.
// Who lets the GIL go inside, or finds somebody there, takes the lane's turn (gcdc_matcher_enter), and waits for it
// without the GIL. So a turn is held only while its family says so (n_inside), and nobody waits for one with the GIL.
// Cost: a comparison a call where threads do not meet; making a matcher is a look at each lane.
#include "core.h"

// ---- Families.
void family_enter(struct family *f) { f->n_inside++; }

void family_leave(struct family *f)
{
	if (--f->n_inside) return;
	for (struct orphan *x; (x = f->orphans);) {
		f->orphans = x->next;
		gcdc_matcher_free(x->at);
		PyMem_Free(x);
	}
}

void family_drop(struct family *f)
{
	if (f && --f->n == 0) PyMem_Free(f);
}

// ---- Turns.
gcdc_matcher *turn_take(Matcher *m)
{
	gcdc_matcher *at = m->at;
	family_enter(m->family);
	Py_BEGIN_ALLOW_THREADS;
	gcdc_matcher_enter(at);
	Py_END_ALLOW_THREADS;
	return at;
}

Matcher *matcher_begin(PyObject *o, gcdc_matcher **turn)
{
	Matcher *m = matcher_of(o);
	*turn = NULL;
	if (!m || !m->family->n_inside) return m;
	*turn = turn_take(m);
	if (m->at) return m;
	matcher_end(m, *turn);
	return matcher_of(o);  // which says that it was closed while this call waited
}

void matcher_end(Matcher *m, gcdc_matcher *turn)
{
	if (!turn) return;
	gcdc_matcher_leave(turn);
	family_leave(m->family);
}

// ---- Sessions.
typedef struct {
	PyObject_HEAD gcdc_session *at;  // NULL: closed
	Artifact *artifact;
	struct family **lanes;
	uint32_t n_lanes, n_inside;  // calls that make a matcher, without the GIL
	bool is_closing;             // when these have ended
} Session;

static void session_close(Session *s)
{
	s->is_closing = s->n_inside > 0;
	if (s->is_closing) return;
	gcdc_session_free(s->at);  // its matchers go on
	s->at = NULL;
	for (uint32_t i = 0; s->lanes && i < s->n_lanes; i++) family_drop(s->lanes[i]);
	PyMem_Free(s->lanes);
	s->lanes = NULL;
}

static bool make_lanes(Session *s, uint32_t n)
{
	s->lanes = PyMem_Calloc(n, sizeof *s->lanes);
	for (bool good = s->lanes; good && s->n_lanes < n; s->n_lanes += good) {
		struct family *f = s->lanes[s->n_lanes] = PyMem_Calloc(1, sizeof *f);
		good = f != NULL;
		if (f) *f = (struct family){.n = 1, .is_lane = true};
	}
	return s->n_lanes == n;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"artifact", "lanes", "max_rollback", "max_depth", "max_stacks", "max_work", NULL};
	PyObject *given;
	gcdc_matcher_options o = {0};
	uint32_t lanes = GCDC_DEFAULT_LANES;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O&O&O&O&O&:Session", names, &given, as_u32, &lanes, as_u32,
	                                 &o.max_rollback, as_u32, &o.max_depth, as_u32, &o.max_stacks, as_u32, &o.max_work))
		return NULL;
	if (!lanes || lanes > GCDC_MAX_LANES) {
		PyErr_Format(PyExc_ValueError, "lanes must be from 1 to %u", GCDC_MAX_LANES);
		return NULL;
	}
	Artifact *artifact = artifact_of(given);
	Session *s = artifact ? (Session *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0) : NULL;
	if (!s) return NULL;
	Py_INCREF((PyObject *)artifact);
	s->artifact = artifact;
	gcdc_status status = make_lanes(s, lanes) ? gcdc_session_new(artifact->at, &o, lanes, &s->at) : GCDC_ERR_MEMORY;
	if (!status) return (PyObject *)s;
	Py_DECREF((PyObject *)s);
	return raise_status(status);
}

static void session_dealloc(PyObject *self)
{
	Session *s = (Session *)self;
	PyTypeObject *type = Py_TYPE(self);
	session_close(s);
	Py_XDECREF((PyObject *)s->artifact);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static Session *session_of(PyObject *self)
{
	Session *s = (Session *)self;
	if (s->at && !s->is_closing) return s;
	PyErr_SetString(PyExc_ValueError, "the session is closed");
	return NULL;
}

static PyObject *session_matcher(PyObject *self, PyObject *none)
{
	(void)none;
	Session *s = session_of(self);
	if (!s) return NULL;
	gcdc_matcher *at;
	gcdc_status status;
	s->n_inside++;
	for (uint32_t i = 0; i < s->n_lanes; i++) family_enter(s->lanes[i]);  // it may be any
	Py_BEGIN_ALLOW_THREADS;
	status = gcdc_session_matcher(s->at, &at);
	Py_END_ALLOW_THREADS;
	for (uint32_t i = 0; i < s->n_lanes; i++) family_leave(s->lanes[i]);
	PyObject *m = status ? raise_status(status)
	                     : matcher_around(core_matcher_type, s->artifact, at, s->lanes[gcdc_matcher_lane(at)]);
	if (!--s->n_inside && s->is_closing) session_close(s);
	return m;
}

static PyObject *session_close_method(PyObject *self, PyObject *none)
{
	(void)none;
	session_close((Session *)self);
	Py_RETURN_NONE;
}

static PyObject *session_enter(PyObject *self, PyObject *none)
{
	(void)none;
	return session_of(self) ? Py_NewRef(self) : NULL;
}

static PyObject *session_exit(PyObject *self, PyObject *args)
{
	(void)args;
	return session_close_method(self, NULL);
}

static PyObject *get_artifact(PyObject *self, void *none)
{
	(void)none;
	return Py_NewRef((PyObject *)((Session *)self)->artifact);
}

static PyObject *get_lanes(PyObject *self, void *none)
{
	(void)none;
	return PyLong_FromUnsignedLong(((Session *)self)->n_lanes);
}

static PyObject *get_closed(PyObject *self, void *none)
{
	(void)none;
	return PyBool_FromLong(!((Session *)self)->at || ((Session *)self)->is_closing);
}

static PyGetSetDef properties[] = {{"artifact", get_artifact, NULL, "The Artifact.", NULL},
                                   {"lanes", get_lanes, NULL, "The number of lanes.", NULL},
                                   {"closed", get_closed, NULL, "True when close() was called.", NULL},
                                   {0}};

static PyMethodDef methods[] = {
	{"matcher", session_matcher, METH_NOARGS,
     "matcher() -> Matcher\n--\n\nA matcher at the beginning of a text, in the lane that has the fewest. Any thread. "
     "Its "
     "forks are of its\nlane, its clones of no session. ValueError: the session is closed. Some microseconds."},
	{"close", session_close_method, METH_NOARGS,
     "close()\n--\n\nEnds the session: it makes no more matchers, and those that it has made "
     "go on."},
	{"__enter__", session_enter, METH_NOARGS, NULL},
	{"__exit__", session_exit, METH_VARARGS, NULL},
	{0}};

static PyType_Slot slots[] = {
	{Py_tp_new, session_new},
	{Py_tp_dealloc, session_dealloc},
	{Py_tp_methods, methods},
	{Py_tp_getset, properties},
	{Py_tp_doc,
     "Session(artifact, *, lanes=8, max_rollback=256, max_depth=1048576, max_stacks=65536, max_work=60000000)\n--\n\n"
     "Matchers that any thread may use, and that share what masks under budgets and canonical masks work out: what "
     "one\n"
     "text has met first, the next finds. Each matcher is in one of `lanes` groups; what is kept is kept a lane (16 "
     "MiB "
     "at\nmost for budgets). A call waits, without the GIL, only while another thread is inside a call on a matcher of "
     "the\nsame lane: as many lanes as threads, or twice as many, make that rare; one lane keeps everything once."},
	{0, NULL}};
PyType_Spec core_session_spec = {"gcdc.Session", sizeof(Session), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
