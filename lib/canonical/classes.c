// Which tokens may come in which set of states; tries over added tokens and over what must not fill a piece.
//
// In:  characters, sets of states and their steps, what merges make of each token. Out: CLASS, ALLOW, ADDED, SPLIT,
// BAD,
//      MARK.
// A token is judged by the groups of its characters and, when it ends inside a character, by the groups that this may
// become; equal judgements in all sets are one class. An added token's text must not be spelled by other tokens; tokens
// that would complete one from a node of the trie are listed there. Tokens that begin with a character that may join
// the one before are listed for each row of such. Cost: sets x different strings of groups, some 10 ms.
#include "classes.h"

#include "../base/bitset.h"
#include "../base/intern.h"
#include "../base/map64.h"
#include "characters.h"
#include "../shared/utf8.h"

#define GROUP_WORDS (CHARACTERS_MAX_GROUPS / 64)
#define VOCAB_KEY_MAX (MERGES_MAX_SYMBOLS + 2)

typedef VEC(uint32_t) id_list;

struct character_end {
	bits group[GROUP_WORDS];
};  // groups that a character can be of, by its first bytes

struct classifier {
	const struct encoder_model *model;
	const struct merges *m;
	const struct vocab *v;
	struct canonical *out;
	uint8_t *is_added;                  // [n_tokens]
	struct intern spellings, verdicts;  // groups and ending; column of ALLOW
	VEC(uint16_t) class_of_spelling;
	struct intern begun;  // first bytes of a character
	VEC(struct character_end) endings;
	id_list marks;
};

// The code points that begin with these n < length bytes: [*from, *to). False: none.
static bool begun_range(const uint8_t *s, uint32_t n, uint32_t *from, uint32_t *to)
{
	uint32_t len = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
	if (n >= len) return false;
	uint32_t c = s[0] & (0x7Fu >> len);
	for (uint32_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80) return false;
		c = c << 6 | (s[i] & 63u);
	}
	uint32_t shift = 6 * (len - n), least = len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;
	*from = c << shift, *to = (c + 1) << shift;
	if (*from < least) *from = least;
	if (*to > 0x110000) *to = 0x110000;
	if (*from >= 0xD800 && *to <= 0xE000) return false;
	return *from < *to;
}

// UINT32_MAX: not the beginning of a character.
static uint32_t ending_of(struct classifier *x, const uint8_t *s, uint32_t n)
{
	bool is_new;
	uint32_t from, to, id;
	if (!begun_range(s, n, &from, &to)) return UINT32_MAX;
	id = intern_add(&x->begun, s, n, &is_new);
	if (!is_new) return id;
	struct character_end e = {0};
	for (uint32_t c = from; c < to; c++) {
		const struct artifact_canon_kind *k = character_kind(x->out, c);
		if (!(k->flags & CANON_KIND_NEVER)) bits_set(e.group, k->group);
	}
	vec_push(&x->endings, e);
	return id;
}

static uint32_t step(const struct canonical *c, uint32_t set, uint32_t group, uint32_t how)
{
	return c->steps[(set * c->info.n_groups + group) * CANON_STEPS + how];
}

// May a text with these groups and this ending come in this set, as the first of a piece or as a later one?
static bool may_come(const struct classifier *x, uint32_t set, const uint16_t *group, uint32_t n, uint32_t ending,
                     uint32_t how)
{
	for (uint32_t i = 0; i < n && set; i++, how = CANON_STEP_ON) set = step(x->out, set, group[i], how);
	if (ending == UINT32_MAX || !set) return set;
	const bits *may = x->endings.at[ending].group;
	for (uint32_t g = bits_next(may, GROUP_WORDS, 0); g != UINT32_MAX; g = bits_next(may, GROUP_WORDS, g + 1))
		if (step(x->out, set, g, how)) return true;
	return false;
}

static uint16_t class_of_spelling(struct classifier *x, const uint16_t *group, uint32_t n, uint32_t ending)
{
	uint16_t key[VOCAB_KEY_MAX];
	bool is_new;
	memcpy(key, group, n * sizeof *key);
	key[n] = (uint16_t)ending, key[n + 1] = (uint16_t)(ending >> 16);
	uint32_t id = intern_add(&x->spellings, key, (n + 2) * sizeof *key, &is_new);
	if (!is_new) return x->class_of_spelling.at[id];
	uint32_t n_sets = x->out->info.n_sets;
	uint8_t verdict[CANON_MAX_SETS] = {0}, any = 0;
	for (uint32_t s = 1; s < n_sets; s++) {
		verdict[s] = (may_come(x, s, group, n, ending, CANON_STEP_BEGIN) ? CANON_BEGINS : 0) |
		             (may_come(x, s, group, n, ending, CANON_STEP_ON) ? CANON_GOES_ON : 0);
		any |= verdict[s];
	}
	uint32_t class = any ? CANON_CLASS_PLAIN + intern_add(&x->verdicts, verdict, n_sets, NULL) : CANON_CLASS_NEVER;
	ASSERT(class < 65536);
	vec_push(&x->class_of_spelling, (uint16_t) class);
	return (uint16_t) class;
}

// --- added tokens ------------------------------------------------------------------------------------------------
typedef VEC(struct artifact_canon_node) node_list;

static uint32_t added_child(const struct artifact_canon_node *nodes, uint32_t node, uint8_t byte)
{
	for (uint32_t c = nodes[node].child; c; c = nodes[c].next)
		if (nodes[c].byte == byte) return c;
	return 0;
}

static void put_added(node_list *nodes, const char *text, uint32_t len)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < len; i++) {
		uint32_t child = added_child(nodes->at, at, (uint8_t)text[i]);
		if (!child) {
			child = nodes->n;
			struct artifact_canon_node n = {.next = nodes->at[at].child, .byte = (uint8_t)text[i]};
			vec_push(nodes, n);
			nodes->at[at].child = child;
		}
		at = child;
	}
	nodes->at[at].ends = 1;
}

// Tokens below `word` of the vocabulary's trie that complete an added token from `node` on.
static void list_completing(const struct vocab *v, const struct artifact_canon_node *nodes, uint32_t node,
                            trie_node word, id_list *bad)
{
	for (trie_node w = word + 1; w < v->trie.end[word]; w = v->trie.end[w]) {
		uint32_t child = added_child(nodes, node, v->trie.byte[w]);
		if (!child) continue;
		if (!nodes[child].ends)
			list_completing(v, nodes, child, w, bad);
		else
			for (uint32_t r = v->trie.rank[w]; r < v->trie.rank[v->trie.end[w]]; r++) vec_push(bad, v->token_of[r]);
	}
}

static bool holds_added(const struct canonical *c, const uint8_t *s, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		for (uint32_t k = i, node = 0; k < len && (node = added_child(c->added, node, s[k])); k++)
			if (c->added[node].ends) return true;
	return false;
}

// Special tokens are of the added ones, too: a grammar may name them, and has no text of theirs.
static void build_added(struct classifier *x, id_list *bad)
{
	node_list nodes = {0};
	vec_push(&nodes, ((struct artifact_canon_node){0}));
	for (uint32_t i = 0; i < x->model->added.n; i++) {
		const struct encoder_added *a = &x->model->added.at[i];
		put_added(&nodes, a->text, a->len);
		// Only if its text is what it is read as: Gemma's runs of U+2581 are runs of spaces, which merges make.
		const struct vocab *v = x->v;
		bool is_text = a->id < v->n_tokens && v->offset[a->id + 1] - v->offset[a->id] == a->len &&
		               !memcmp(v->bytes + v->offset[a->id], a->text, a->len);
		bool is_control = a->id < v->n_tokens && v->kind[a->id] == TOKEN_CONTROL;
		if (a->special ? is_control && !a->lstrip && !a->rstrip : is_text) x->is_added[a->id] = 1;
	}
	struct intern lists = {0};  // equal ones once
	VEC(uint32_t) first = {0};
	id_list list = {0};
	for (uint32_t i = 1; i < nodes.n; i++) {
		bool is_new;
		vec_clear(&list);
		list_completing(x->v, nodes.at, i, 0, &list);
		uint32_t id = intern_add(&lists, list.at, list.n * sizeof *list.at, &is_new);
		if (is_new) vec_push(&first, bad->n);
		for (uint32_t k = 0; k < list.n && is_new; k++) vec_push(bad, list.at[k]);
		nodes.at[i].bad = first.at[id], nodes.at[i].n_bad = list.n;
	}
	intern_release(&lists);
	vec_release(&first), vec_release(&list);
	struct artifact_canon_node *all = arena_array(&x->out->arena, nodes.n, sizeof *all);
	memcpy(all, nodes.at, nodes.n * sizeof *all);
	x->out->added = all, x->out->info.n_added = nodes.n;
	vec_release(&nodes);
}

// --- tokens ------------------------------------------------------------------------------------------------------
// What the characters of a token are.
struct spelling {
	uint32_t n, ending;  // whole characters; what the last one may become (UINT32_MAX: the token ends with a character)
	uint16_t group[VOCAB_KEY_MAX];
	bool is_inside;  // it begins inside a character
	bool is_mark;    // its first character may join the one before
};

// False: no text that the tokenizer gives back has these characters.
static bool read_spelling(struct classifier *x, const uint8_t *s, uint32_t len, struct spelling *out)
{
	struct joining j = {0};
	uint32_t i = 0;
	out->n = 0, out->ending = UINT32_MAX, out->is_mark = false;
	out->is_inside = (s[0] & 0xC0) == 0x80;
	while (out->is_inside && i < len && i < 3 && (s[i] & 0xC0) == 0x80) i++;
	while (i < len) {
		uint32_t size = utf8_size(s[i]);
		if (!size) return false;
		if (size > len - i) return (out->ending = ending_of(x, s + i, len - i)) != UINT32_MAX;
		uint32_t c = utf8_get(s + i, size);
		if (c == UTF8_NONE) return false;
		const struct artifact_canon_kind *k = character_kind(x->out, c);
		if (k->flags || !joining_step(x->out, &j, k)) return false;
		out->is_mark |= !out->n && !out->is_inside && (k->right || k->combining);
		out->group[out->n++] = k->group;
		i += size;
	}
	return true;
}

static bool is_made(const struct classifier *x, enum merged_kind merged)
{
	return merged != MERGED_NO && (merged != MERGED_OTHERWISE || x->model->ignore_merges);
}

// Branches: one rule for each class of tokens, in the order in which they win.
static uint16_t classify(struct classifier *x, uint32_t t)
{
	const struct vocab *v = x->v;
	const struct encoder_model *m = x->model;
	const uint8_t *s = v->bytes + v->offset[t];
	uint32_t len = v->offset[t + 1] - v->offset[t];
	if (x->is_added[t]) return CANON_CLASS_ADDED;
	if (v->kind[t] != TOKEN_TEXT || !len) return CANON_CLASS_NEVER;
	if (m->byte_fallback && len == 1 && m->byte_id[s[0]] == t) return CANON_CLASS_BYTE;
	enum merged_kind merged = t < x->m->n_tokens ? x->m->kind[t] : MERGED_NO;
	struct spelling spelling;
	if (!is_made(x, merged) || len > MERGES_MAX_SYMBOLS || holds_added(x->out, s, len)) return CANON_CLASS_NEVER;
	if (!read_spelling(x, s, len, &spelling)) return CANON_CLASS_NEVER;
	if (spelling.is_inside) return merged == MERGED_OTHERWISE ? CANON_CLASS_NEVER : CANON_CLASS_INSIDE;
	uint16_t class = class_of_spelling(x, spelling.group, spelling.n, spelling.ending);
	if (spelling.is_mark && class) vec_push(&x->marks, t);
	return class;
}

struct split_draft {
	struct artifact_canon_split node;
	uint32_t first, next;
};  // children as a list

static int by_token(const void *a, const void *b)
{
	const struct split_draft *x = a, *y = b;
	return (x->node.token > y->node.token) - (x->node.token < y->node.token);
}

// A token that merges do not make must not be spelled by what they make instead, where that would be a whole piece.
static void build_splits(struct classifier *x)
{
	VEC(struct split_draft) nodes = {0};
	vec_push(&nodes, ((struct split_draft){0}));
	const struct merges *m = x->m;
	for (uint32_t t = 0; t < m->n_tokens && x->model->ignore_merges; t++) {
		if (m->kind[t] != MERGED_OTHERWISE) continue;
		uint32_t at = 0;
		for (uint32_t k = m->first_part[t]; k < m->first_part[t + 1]; k++) {
			uint32_t child = nodes.at[at].first;
			while (child && nodes.at[child].node.token != m->parts.at[k]) child = nodes.at[child].next;
			if (!child) {
				child = nodes.n;
				struct split_draft n = {.node.token = m->parts.at[k], .next = nodes.at[at].first};
				vec_push(&nodes, n);
				nodes.at[at].first = child;
			}
			at = child;
		}
		nodes.at[at].node.ends = 1;
	}
	// In order of depth, so that children stand together.
	struct split_draft *order = mem_calloc(nodes.n, sizeof *order);
	order[0] = nodes.at[0];
	for (uint32_t i = 0, n = 1; i < n; i++) {
		order[i].node.child = n;
		for (uint32_t c = order[i].first; c; c = nodes.at[c].next) order[n++] = nodes.at[c];
		order[i].node.n = n - order[i].node.child;
		if (order[i].node.n) qsort(order + order[i].node.child, order[i].node.n, sizeof *order, by_token);
	}
	struct artifact_canon_split *all = arena_array(&x->out->arena, nodes.n, sizeof *all);
	for (uint32_t i = 0; i < nodes.n; i++) all[i] = order[i].node;
	x->out->splits = all, x->out->info.n_splits = nodes.n;
	free(order);
	vec_release(&nodes);
}

// Does the token, behind a character of this row, join it or stand in a wrong order?
static bool breaks_form(const struct classifier *x, uint32_t t, uint32_t left)
{
	struct joining j = {.left = (uint16_t)left};
	const uint8_t *s = x->v->bytes + x->v->offset[t];
	uint32_t len = x->v->offset[t + 1] - x->v->offset[t];
	for (uint32_t i = 0, size; i < len; i += size) {
		size = s[i] < 0x80 ? 1 : s[i] < 0xE0 ? 2 : s[i] < 0xF0 ? 3 : 4;
		if (size > len - i) return false;
		uint32_t c = size == 1 ? s[i] : s[i] & (0x7Fu >> size);
		for (uint32_t k = 1; k < size; k++) c = c << 6 | (s[i + k] & 63u);
		const struct artifact_canon_kind *k = character_kind(x->out, c);
		if (!k->right && !k->combining) return false;
		if (!joining_step(x->out, &j, k)) return true;
	}
	return false;
}

static void build_marks(struct classifier *x, id_list *bad)
{
	struct artifact_canon_list *rows = arena_array(&x->out->arena, x->out->info.n_left, sizeof *rows);
	for (uint32_t left = 1; left < x->out->info.n_left; left++) {
		rows[left].first = bad->n;
		for (uint32_t i = 0; i < x->marks.n; i++)
			if (breaks_form(x, x->marks.at[i], left)) vec_push(bad, x->marks.at[i]);
		rows[left].n = bad->n - rows[left].first;
	}
	x->out->marks = rows;
	x->out->info.first_mark = bad->n, x->out->info.n_marks = x->marks.n;
	for (uint32_t i = 0; i < x->marks.n; i++) vec_push(bad, x->marks.at[i]);
}

bool classes_build(const struct encoder_model *model, const struct merges *m, const struct vocab *v, struct diag *d,
                   struct canonical *out)
{
	(void)d;
	struct classifier *x = mem_calloc(1, sizeof *x);
	*x = (struct classifier){.model = model, .m = m, .v = v, .out = out, .is_added = mem_calloc(v->n_tokens + 1, 1)};
	id_list bad = {0};
	build_added(x, &bad);
	uint16_t *class_of = arena_array(&out->arena, v->n_tokens, 2);
	for (uint32_t t = 0; t < v->n_tokens; t++) class_of[t] = classify(x, t);
	uint32_t n_classes = CANON_CLASS_PLAIN + x->verdicts.entries.n, n_sets = out->info.n_sets;
	uint8_t *allow = arena_array(&out->arena, (size_t)n_sets * n_classes, 1);
	for (uint32_t k = 0; k < x->verdicts.entries.n; k++) {
		const uint8_t *verdict = intern_get(&x->verdicts, k, NULL);
		for (uint32_t s = 0; s < n_sets; s++) allow[(size_t)s * n_classes + CANON_CLASS_PLAIN + k] = verdict[s];
	}
	out->class_of = class_of, out->allow = allow, out->info.n_classes = n_classes;
	build_splits(x);
	build_marks(x, &bad);
	uint32_t *all = arena_array(&out->arena, bad.n, 4);
	if (bad.n) memcpy(all, bad.at, bad.n * 4ull);
	out->bad = all, out->info.n_bad = bad.n;
	intern_release(&x->spellings), intern_release(&x->verdicts), intern_release(&x->begun);
	vec_release(&x->class_of_spelling), vec_release(&x->endings), vec_release(&x->marks), vec_release(&bad);
	free(x->is_added), free(x);
	return true;
}
