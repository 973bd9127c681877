// What must be true of the text that follows, and which lookbehinds hold: the logic behind lookaround and maximal
// munch.
//
// In:  the program of patterns (pattern.c), bytes. Out: *formulas* over the rest of the text, stepped byte by byte:
//        AHEAD(S)    some beginning of the rest is matched by a lookahead's body, its machine being in S
//        SCAN(t, q)  terminal t, whose scan is at q, matches a longer piece than so far
//      under not, and, or (derivatives: Brzozowski 1964). A *view* says which lookbehinds hold here. A *scan* of a
//      terminal with looks is a set of threads (instruction, what must hold of the rest).
// Formulas are interned and simplified a little; equal ones may differ in form, which costs the search, not the truth.
// Rule 2 of the contract: a scan that no text can make fail counts as one that matches more.
// Cost: toys; real grammars have two or three such terminals.
#include "../oracle.h"

enum kind { IS_FALSE, IS_TRUE, IS_NOT, IS_AND, IS_OR, IS_AHEAD, IS_SCAN };

#define UNFAILABLE_MAX 4000  // (formula, view) looked at; beyond it a scan is taken to be failable, and that is counted

static formula intern_formula(struct oracle *o, const uint32_t *key, uint32_t n)
{
	return intern_add(&o->formulas, key, n * sizeof *key, NULL);
}

static const uint32_t *formula_key(const struct oracle *o, formula f, uint32_t *n)
{
	uint32_t len;
	const uint32_t *key = intern_get(&o->formulas, f, &len);
	*n = len / sizeof *key;
	return key;
}

void looking_init(struct oracle *o)
{
	uint32_t key[] = {IS_FALSE, IS_TRUE};
	formula f = intern_formula(o, &key[0], 1), t = intern_formula(o, &key[1], 1);
	ASSERT(f == F_FALSE && t == F_TRUE);
}

formula f_not(struct oracle *o, formula x)
{
	if (x <= F_TRUE) return x == F_TRUE ? F_FALSE : F_TRUE;
	uint32_t n;
	const uint32_t *key = formula_key(o, x, &n);
	if (key[0] == IS_NOT) return key[1];
	if (key[0] == IS_OR || key[0] == IS_AND) {
		formula *kids = mem_alloc(n * sizeof *kids);
		memcpy(kids, key + 1, (n - 1) * sizeof *kids);
		bool was_or = key[0] == IS_OR;
		for (uint32_t i = 0; i + 1 < n; i++) kids[i] = f_not(o, kids[i]);
		formula out = was_or ? f_and(o, kids, n - 1) : f_or(o, kids, n - 1);
		free(kids);
		return out;
	}
	return intern_formula(o, (uint32_t[]){IS_NOT, x}, 2);
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static formula join(struct oracle *o, enum kind kind, const formula *kids, uint32_t n)
{
	formula nothing = kind == IS_AND ? F_TRUE : F_FALSE, decided = kind == IS_AND ? F_FALSE : F_TRUE;
	VEC(uint32_t) key = {0};
	vec_push(&key, kind);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t m;
		const uint32_t *of = formula_key(o, kids[i], &m);
		if (of[0] == (uint32_t)kind)
			for (uint32_t k = 1; k < m; k++) vec_push(&key, of[k]);
		else if (kids[i] != nothing)
			vec_push(&key, kids[i]);
	}
	qsort(key.at + 1, key.n - 1, sizeof *key.at, by_id);
	uint32_t kept = 1;
	for (uint32_t i = 1; i < key.n; i++)
		if (kept == 1 || key.at[kept - 1] != key.at[i]) key.at[kept++] = key.at[i];
	key.n = kept;
	formula out = PATTERN_NONE;
	for (uint32_t i = 1; i < key.n && out == PATTERN_NONE; i++) {
		if (key.at[i] == decided) out = decided;
		uint32_t m;
		const uint32_t *of = formula_key(o, key.at[i], &m);
		for (uint32_t k = 1; of[0] == IS_NOT && k < key.n; k++)
			if (key.at[k] == of[1]) out = decided;
	}
	if (out == PATTERN_NONE) out = key.n == 1 ? nothing : key.n == 2 ? key.at[1] : intern_formula(o, key.at, key.n);
	vec_release(&key);
	return out;
}

formula f_and(struct oracle *o, const formula *kids, uint32_t n) { return join(o, IS_AND, kids, n); }
formula f_or(struct oracle *o, const formula *kids, uint32_t n) { return join(o, IS_OR, kids, n); }

formula f_and2(struct oracle *o, formula a, formula b)
{
	if (a == b || a == F_FALSE || b == F_TRUE) return a;
	return b == F_FALSE || a == F_TRUE ? b : f_and(o, (formula[]){a, b}, 2);
}

formula f_or2(struct oracle *o, formula a, formula b)
{
	if (a == b || a == F_TRUE || b == F_FALSE) return a;
	return b == F_TRUE || a == F_FALSE ? b : f_or(o, (formula[]){a, b}, 2);
}

// ---- machines without looks inside: bodies ----

typedef VEC(uint32_t) places;

// Adds the SETs that `from` reaches without reading; true when it reaches MATCH.
static bool close_body(const struct program *p, uint32_t from, uint8_t *seen, places *sets)
{
	places work = {0};
	bool matched = false;
	vec_push(&work, from);
	while (work.n) {
		uint32_t at = vec_pop(&work);
		if (seen[at]) continue;
		seen[at] = 1;
		const struct inst *i = &p->code.at[at];
		if (i->op == OP_MATCH)
			matched = true;
		else if (i->op == OP_SPLIT) {
			vec_push(&work, i->to);
			vec_push(&work, i->or_to);
		} else
			vec_push(sets, at);
	}
	vec_release(&work);
	return matched;
}

static uint32_t intern_places(struct oracle *o, places *s)
{
	if (s->n) qsort(s->at, s->n, sizeof *s->at, by_id);
	return intern_add(&o->place_sets, s->at ? s->at : (uint32_t[]){0}, s->n * sizeof *s->at, NULL);
}

// One code point more; `also`: an instruction where a match may begin here (lookbehind), or PATTERN_NONE.
static uint32_t step_places(struct oracle *o, uint32_t set, uint32_t cp, uint32_t also, bool *matched)
{
	const struct program *p = &o->program;
	uint8_t *seen = mem_calloc(p->code.n, 1);
	places out = {0};
	uint32_t n;
	const uint32_t *at = intern_get(&o->place_sets, set, &n);
	*matched = false;
	for (uint32_t i = 0; i < n / sizeof *at; i++)
		if (program_has(p, p->code.at[at[i]].set, cp)) *matched |= close_body(p, p->code.at[at[i]].to, seen, &out);
	if (also != PATTERN_NONE) *matched |= close_body(p, also, seen, &out);
	uint32_t id = intern_places(o, &out);
	vec_release(&out);
	free(seen);
	return id;
}

static formula ahead(struct oracle *o, uint32_t set, bool matched)
{
	if (matched) return F_TRUE;
	uint32_t n;
	intern_get(&o->place_sets, set, &n);
	return n ? intern_formula(o, (uint32_t[]){IS_AHEAD, set}, 2) : F_FALSE;
}

static formula ahead_from(struct oracle *o, uint32_t start)
{
	uint8_t *seen = mem_calloc(o->program.code.n, 1);
	places out = {0};
	bool matched = close_body(&o->program, start, seen, &out);
	uint32_t set = intern_places(o, &out);
	vec_release(&out);
	free(seen);
	return ahead(o, set, matched);
}

// ---- views: (places, holds) of each lookbehind ----

uint32_t view_start(struct oracle *o)
{
	VEC(uint32_t) key = {0};
	uint32_t none = intern_add(&o->place_sets, "", 0, NULL);
	for (uint32_t k = 0; k < o->program.looks.n; k++) {
		bool matched = false;
		uint32_t set = none;
		if (o->program.looks.at[k].behind) {
			uint8_t *seen = mem_calloc(o->program.code.n, 1);
			places out = {0};
			matched = close_body(&o->program, o->program.looks.at[k].start, seen, &out);
			set = intern_places(o, &out);
			vec_release(&out);
			free(seen);
		}
		vec_push(&key, set);
		vec_push(&key, matched);
	}
	uint32_t id = intern_add(&o->views, key.at ? key.at : (uint32_t[]){0}, key.n * sizeof *key.at, NULL);
	vec_release(&key);
	return id;
}

uint32_t view_step(struct oracle *o, uint32_t view, uint32_t cp)
{
	if (cp == PATTERN_NONE || !o->program.looks.n) return view;
	uint32_t step[2] = {view, cp};
	bool is_new;
	uint32_t known = intern_add(&o->view_steps, step, sizeof step, &is_new);
	if (!is_new) return o->view_to.at[known];
	uint32_t n = 2 * o->program.looks.n, *key = mem_alloc(n * sizeof *key);
	memcpy(key, intern_get(&o->views, view, NULL), n * sizeof *key);
	for (uint32_t k = 0; k < o->program.looks.n; k++) {
		bool matched;
		if (!o->program.looks.at[k].behind) continue;
		key[2 * k] = step_places(o, key[2 * k], cp, o->program.looks.at[k].start, &matched);
		key[2 * k + 1] = matched;
	}
	uint32_t id = intern_add(&o->views, key, n * sizeof *key, NULL);
	free(key);
	vec_push(&o->view_to, id);
	return id;
}

// ---- scans of terminals with looks ----

// A thread stands before a SET, or inside a CUT, whose own scan it then carries; f must hold of the rest.
struct thread {
	uint32_t at, inner;
	formula f;
};

// A scan under construction: threads with distinct (at, inner), and what must hold for a match here.
struct front {
	VEC(struct thread) threads;
	formula match;
};

static uint32_t begin(struct oracle *o, uint32_t start, bool is_cut, uint32_t view, formula *match);

static void add_thread(struct oracle *o, struct front *w, uint32_t at, uint32_t inner, formula f)
{
	for (uint32_t i = 0; i < w->threads.n; i++)
		if (w->threads.at[i].at == at && w->threads.at[i].inner == inner) {
			w->threads.at[i].f = f_or2(o, w->threads.at[i].f, f);
			return;
		}
	vec_push(&w->threads, ((struct thread){at, inner, f}));
}

// Follows a thread without reading; what is known of each instruction on the way is kept apart.
static void close_thread(struct oracle *o, struct front *w, uint32_t start, formula f, uint32_t view)
{
	const struct program *p = &o->program;
	VEC(struct thread) work = {0}, done = {0};
	vec_push(&work, ((struct thread){start, SCAN_NONE, f}));
	while (work.n) {
		struct thread x = vec_pop(&work);
		uint32_t k = 0;
		while (k < done.n && done.at[k].at != x.at) k++;
		if (k == done.n) vec_push(&done, ((struct thread){x.at, SCAN_NONE, F_FALSE}));
		formula both = f_or2(o, done.at[k].f, x.f);
		if (both == done.at[k].f) continue;
		done.at[k].f = both;
		const struct inst *i = &p->code.at[x.at];
		switch (i->op) {
		case OP_SET: add_thread(o, w, x.at, SCAN_NONE, x.f); break;
		case OP_MATCH: w->match = f_or2(o, w->match, x.f); break;
		case OP_SPLIT:
			vec_push(&work, ((struct thread){i->to, SCAN_NONE, x.f}));
			vec_push(&work, ((struct thread){i->or_to, SCAN_NONE, x.f}));
			break;
		case OP_CUT: {
			formula match;
			uint32_t inner = begin(o, i->body, true, view, &match);
			if (inner != SCAN_NONE) add_thread(o, w, x.at, inner, x.f);
			match = f_and2(o, match, x.f);
			if (match != F_FALSE) vec_push(&work, ((struct thread){i->to, SCAN_NONE, match}));
			break;
		}
		case OP_LOOK: {
			const uint32_t *of_view = intern_get(&o->views, view, NULL);
			formula what = p->looks.at[i->look].behind ? (of_view[2 * i->look + 1] ? F_TRUE : F_FALSE)
			                                           : ahead_from(o, p->looks.at[i->look].start);
			if (i->negative) what = f_not(o, what);
			what = f_and2(o, what, x.f);
			if (what != F_FALSE) vec_push(&work, ((struct thread){i->to, SCAN_NONE, what}));
		}
		}
	}
	vec_release(&work);
	vec_release(&done);
}

static int by_place(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	if (x->at != y->at) return x->at < y->at ? -1 : 1;
	return x->inner < y->inner ? -1 : x->inner > y->inner;
}

// Interns and empties. What ends at its first match goes on only where it does not match here.
static uint32_t gather(struct oracle *o, bool is_cut, struct front *w)
{
	VEC(uint32_t) key = {0};
	vec_push(&key, is_cut);
	formula rest = is_cut ? f_not(o, w->match) : F_TRUE;
	if (w->threads.n) qsort(w->threads.at, w->threads.n, sizeof *w->threads.at, by_place);
	for (uint32_t i = 0; i < w->threads.n; i++) {
		formula f = f_and2(o, w->threads.at[i].f, rest);
		if (f == F_FALSE) continue;
		vec_push(&key, w->threads.at[i].at);
		vec_push(&key, w->threads.at[i].inner);
		vec_push(&key, f);
	}
	uint32_t id = key.n == 1 ? SCAN_NONE : intern_add(&o->scans, key.at, key.n * sizeof *key.at, NULL);
	vec_release(&key);
	vec_release(&w->threads);
	return id;
}

static uint32_t begin(struct oracle *o, uint32_t start, bool is_cut, uint32_t view, formula *match)
{
	struct front w = {.match = F_FALSE};
	close_thread(o, &w, start, F_TRUE, view);
	*match = w.match;
	return gather(o, is_cut, &w);
}

uint32_t scan_begin(struct oracle *o, terminal_id t, uint32_t view)
{
	formula match;
	return begin(o, o->program.of[t].start, false, view, &match);
}

uint32_t scan_step(struct oracle *o, uint32_t scan, const struct moment *now, formula *match)
{
	*match = F_FALSE;
	if (now->cp == PATTERN_NONE) return scan;
	const struct program *p = &o->program;
	uint32_t step[4] = {scan, now->cp, now->view, o->is_raw}, n;
	bool is_new;
	uint32_t known = intern_add(&o->scan_steps, step, sizeof step, &is_new);
	if (!is_new) {
		*match = o->scan_to.at[known].match;
		return o->scan_to.at[known].scan;
	}
	vec_push(&o->scan_to, ((struct scan_result){SCAN_NONE, F_FALSE}));
	const uint32_t *key = intern_get(&o->scans, scan, &n);
	n /= sizeof *key;
	struct front w = {.match = F_FALSE};
	for (uint32_t i = 1; i < n; i += 3) {
		const struct inst *at = &p->code.at[key[i]];
		if (at->op == OP_SET && !program_has(p, at->set, now->cp)) continue;
		formula f = formula_step(o, key[i + 2], now);
		if (f == F_FALSE) continue;
		if (at->op == OP_CUT) {
			formula ends;
			uint32_t inner = scan_step(o, key[i + 1], now, &ends);
			if (inner != SCAN_NONE) add_thread(o, &w, key[i], inner, f);
			f = f_and2(o, f, ends);
		}
		if (f != F_FALSE) close_thread(o, &w, at->to, f, now->view);
	}
	*match = w.match;
	uint32_t id = gather(o, key[0], &w);
	o->scan_to.at[known] = (struct scan_result){id, *match};
	return id;
}

// ---- stepping ----

formula f_scan_now(struct oracle *o, terminal_id t, uint32_t q)
{
	return intern_formula(o, (uint32_t[]){IS_SCAN, t, q}, 3);
}

static bool is_unfailable(struct oracle *o, terminal_id t, uint32_t scan, uint32_t view);

formula f_scan(struct oracle *o, terminal_id t, uint32_t q, uint32_t view)
{
	if (o->program.of[t].looks) {
		if (!o->is_raw && is_unfailable(o, t, q, view)) return F_TRUE;
	} else if (o->unfailable[t][q])
		return F_TRUE;
	return f_scan_now(o, t, q);
}

formula formula_step(struct oracle *o, formula f, const struct moment *now)
{
	if (f <= F_TRUE) return f;
	uint32_t n;
	const uint32_t *key = formula_key(o, f, &n);
	switch (key[0]) {
	case IS_NOT: return f_not(o, formula_step(o, key[1], now));
	case IS_AHEAD: {
		if (now->cp == PATTERN_NONE) return f;
		bool matched;
		uint32_t set = step_places(o, key[1], now->cp, PATTERN_NONE, &matched);
		return ahead(o, set, matched);
	}
	case IS_SCAN: {
		terminal_id t = key[1];
		if (o->program.of[t].looks) {
			formula match;
			if (now->cp == PATTERN_NONE) return f;
			uint32_t scan = scan_step(o, key[2], now, &match);
			return scan == SCAN_NONE || match == F_TRUE ? match : f_or2(o, match, f_scan(o, t, scan, now->view));
		}
		uint32_t q = dfa_step(&o->dfa[t], key[2], now->byte);
		if (q == DFA_DEAD) return F_FALSE;
		return o->dfa[t].accept[q] ? F_TRUE : f_scan(o, t, q, now->view);
	}
	default: {
		formula *kids = mem_alloc(n * sizeof *kids);
		enum kind kind = (enum kind)key[0];
		memcpy(kids, key + 1, (n - 1) * sizeof *kids);
		for (uint32_t i = 0; i + 1 < n; i++) kids[i] = formula_step(o, kids[i], now);
		formula out = join(o, kind, kids, n - 1);
		free(kids);
		return out;
	}
	}
}

// Is it true when the text ends here? Nothing positive is, while it still waits for text.
bool formula_at_end(const struct oracle *o, formula f)
{
	uint32_t n;
	const uint32_t *key = formula_key(o, f, &n);
	switch (key[0]) {
	case IS_TRUE: return true;
	case IS_NOT: return !formula_at_end(o, key[1]);
	case IS_AND:
		for (uint32_t i = 1; i < n; i++)
			if (!formula_at_end(o, key[i])) return false;
		return true;
	case IS_OR:
		for (uint32_t i = 1; i < n; i++)
			if (formula_at_end(o, key[i])) return true;
		return false;
	default: return false;
	}
}

// ---- unfailable: no text makes the scan fail ----

// By looking at everything that code points lead to: fails when some of it can never become true.
static bool is_unfailable(struct oracle *o, terminal_id t, uint32_t scan, uint32_t view)
{
	uint32_t key[2] = {scan, view};
	bool is_new;
	uint32_t known = intern_add(&o->judged, key, sizeof key, &is_new);
	if (!is_new) return o->judgements.at[known];
	vec_push(&o->judgements, false);
	struct intern nodes = {0};
	VEC(uint32_t) edges = {0};  // pairs from, to
	bool was_raw = o->is_raw, fails = false;
	o->is_raw = true;
	uint32_t first[2] = {f_scan_now(o, t, scan), view};
	intern_add(&nodes, first, sizeof first, NULL);
	for (uint32_t i = 0; i < nodes.entries.n && !fails; i++) {
		const uint32_t *node = intern_get(&nodes, i, NULL);
		formula f = node[0];
		uint32_t from_view = node[1];
		if (f == F_TRUE) continue;
		if (f == F_FALSE) fails = true;
		if (nodes.entries.n > UNFAILABLE_MAX) o->n_given_up++, fails = true;
		for (uint32_t c = 0; c < o->program.letters.n && !fails; c++) {
			struct moment now = {.cp = o->program.letters.at[c]};
			now.view = view_step(o, from_view, now.cp);
			uint32_t next[2] = {formula_step(o, f, &now), now.view};
			vec_push(&edges, i);
			vec_push(&edges, intern_add(&nodes, next, sizeof next, NULL));
		}
	}
	uint32_t n = nodes.entries.n;
	uint8_t *hopes = mem_calloc(n, 1);
	for (uint32_t i = 0; i < n; i++) hopes[i] = formula_at_end(o, *(const uint32_t *)intern_get(&nodes, i, NULL));
	for (bool again = !fails; again;) {
		again = false;
		for (uint32_t k = 0; k < edges.n; k += 2)
			if (hopes[edges.at[k + 1]] && !hopes[edges.at[k]]) hopes[edges.at[k]] = 1, again = true;
	}
	for (uint32_t i = 0; i < n && !fails; i++) fails = !hopes[i];
	free(hopes);
	vec_release(&edges);
	intern_release(&nodes);
	o->is_raw = was_raw;
	o->judgements.at[known] = !fails;
	return !fails;
}
