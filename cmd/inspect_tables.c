// inspect: the lexer's states, the always-accepted and the context-dependent table, sets, tokens.
//
// In:  an artifact's tables. Out: a row each.
#include "inspect.h"
#include "text_show.h"

// The bytes that lead on in one way, as ranges.
static void put_byte_set(struct inspect *x, const bool set[256])
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	ASSERT(f);
	text_show_byte_set(f, set);
	fclose(f);
	row_string(x, "on", text);
	free(text);
}

static void put_transitions(struct inspect *x, uint32_t q)
{
	const uint32_t *next = x->lex_next + (size_t)q * x->info->n_classes;
	bool done[256] = {0};
	row_list(x, "next");
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t to = next[x->info->class_of[b]];
		if (done[b] || !to) continue;
		bool set[256] = {0};
		for (uint32_t c = b; c < 256; c++)
			if (next[x->info->class_of[c]] == to) set[c] = done[c] = true;
		row_group(x);
		put_byte_set(x, set);
		if (to & LEX_STATE_MASK) row_uint(x, "to", to & LEX_STATE_MASK);
		row_flag(x, "cut", to & LEX_CUT);
		row_close(x, false);
	}
	row_close(x, true);
}

int inspect_lexer(struct inspect *x)
{
	for (uint32_t q = 1; q < x->info->n_lex_states; q++) {
		const struct artifact_lex_state *y = &x->lex_states[q];
		if ((x->row.given && x->row.value != q) || (x->terminal != ARTIFACT_NONE && x->terminal != y->terminal)) continue;
		if (!row_begin(x)) continue;
		row_uint(x, "lex_state", q);
		row_flag(x, "start", q == x->info->start_lex_state);
		if (y->terminal != ARTIFACT_NONE) {
			row_string(x, "terminal", terminal_name(x, y->terminal));
			row_uint(x, "residue", y->residue);
		}
		if (y->also) row_uint(x, "also", y->also);
		row_flag(x, "may_end", y->flags & LEX_MAY_END);
		row_flag(x, "initial", y->flags & LEX_INITIAL);
		row_flag(x, "unfailable", y->flags & LEX_UNFAILABLE);
		row_flag(x, "conditional", y->flags & LEX_CONDITIONAL);
		if (y->guard) row_uint(x, "guard", y->guard);
		row_flag(x, "is_guard", y->flags & LEX_GUARD);
		put_transitions(x, q);
		row_end(x);
	}
	return CODE_OK;
}

static void put_set(struct inspect *x, uint32_t set)
{
	row_uint(x, "set", set);
	row_uint(x, "count", x->sets[set].count);
	row_flag(x, "may_end", x->sets[set].flags & SET_EOS);
}

int inspect_always(struct inspect *x)
{
	for (uint32_t q = 1; q < x->info->n_lex_states; q++) {
		if (x->row.given && x->row.value != q) continue;
		for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
			if (x->lr.given && x->lr.value != s) continue;
			const struct artifact_lr_state *y = &x->lr_states[s];
			uint32_t base = x->start_base[(size_t)q * x->info->n_contexts + y->context];
			if (base == ARTIFACT_NONE) continue;
			const struct artifact_start *start = &x->starts[base + y->rank];
			if (x->token.given && !set_has(x, start->set, (uint32_t)x->token.value)) continue;
			if (!row_begin(x)) continue;
			row_uint(x, "lex_state", q);
			row_uint(x, "lr_state", s);
			put_set(x, start->set);
			row_uint(x, "node", start->node);
			row_set_tokens(x, start->set, INSPECT_SAMPLE);
			row_end(x);
		}
	}
	return CODE_OK;
}

int inspect_dependent(struct inspect *x)
{
	for (uint32_t n = 1; n < x->info->n_nodes; n++) {
		if ((x->row.given && x->row.value != n) || !row_begin(x)) continue;
		row_uint(x, "node", n);
		row_uint(x, "skip", x->nodes[n].skip);
		row_list(x, "edges");
		for (uint32_t i = x->nodes[n].first; i < x->nodes[n].first + x->nodes[n].n; i++) {
			uint32_t s = x->edge_frames[i];
			const struct artifact_target *e = &x->targets[x->edges[i]];
			if (x->lr.given && x->lr.value != s) continue;
			if (x->token.given && !set_has(x, e->set, (uint32_t)x->token.value)) continue;
			row_group(x);
			row_uint(x, "lr_state", s);
			put_set(x, e->set);
			row_uint(x, "next", e->next);
			row_close(x, false);
		}
		row_close(x, true);
		row_list(x, "else");
		row_group(x);
		put_set(x, x->targets[x->nodes[n].other].set);
		row_uint(x, "next", x->targets[x->nodes[n].other].next);
		row_close(x, false);
		row_close(x, true);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_sets(struct inspect *x)
{
	for (uint32_t i = 0; i < x->info->n_sets; i++) {
		if ((x->row.given && x->row.value != i) ||
		    (x->token.given && !set_has(x, i, (uint32_t)x->token.value)))
			continue;
		if (!row_begin(x)) continue;
		put_set(x, i);
		row_id(x, "row", x->sets[i].dense);
		row_uint(x, "listed", x->sets[i].n);
		row_set_tokens(x, i, x->row.given ? 0 : INSPECT_SAMPLE);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_vocabulary(struct inspect *x)
{
	size_t wanted = x->text ? strlen(x->text) : 0;
	for (uint32_t t = 0; t < x->info->n_tokens; t++) {
		uint32_t len;
		const uint8_t *bytes = gcdc_artifact_token(x->artifact, t, &len);
		if ((x->token.given && x->token.value != t) || (x->row.given && x->row.value != t)) continue;
		if (x->text && (len != wanted || memcmp(bytes, x->text, len))) continue;
		if (!row_begin(x)) continue;
		row_uint(x, "token", t);
		row_bytes(x, "text", bytes, len);
		row_flag(x, "not_text", !len);
		row_end(x);
	}
	return CODE_OK;
}

int inspect_eos(struct inspect *x)
{
	uint32_t n;
	const uint32_t *eos = gcdc_artifact_eos(x->artifact, &n);
	for (uint32_t i = 0; i < n; i++) {
		if (!row_begin(x)) continue;
		row_uint(x, "token", eos[i]);
		row_end(x);
	}
	return CODE_OK;
}
