// inspect --dot: automata for Graphviz.
//
// In:  an artifact, one of the tables lexer, stacks, dependent, automaton, perhaps --state and --limit. Out: a digraph.
// Edges with the same ends are one, labelled with all that leads there. With --state only this node and where it leads;
// past
// --limit nodes are left out, and a note says so.
// Cost: O(nodes * out-degree).
#include "inspect_automaton.h"
#include "base/text_show.h"

#define MAX_LABEL 48u  // code points of an edge's label

struct label {
	char *text;
	size_t size;
	FILE *out;
};

static void label_open(struct label *l) { l->out = text_stream(&l->text, &l->size); }

// In quotes for DOT, cut at MAX_LABEL.
static void label_put(struct label *l, FILE *out)
{
	fclose(l->out);
	fputc('"', out);
	uint32_t n = 0;
	for (size_t i = 0; i < l->size; i++) {
		unsigned char c = (unsigned char)l->text[i];
		if ((c & 0xC0) != 0x80 && n++ == MAX_LABEL) {
			fputs("\xE2\x80\xA6", out);
			break;
		}
		if (c == '"' || c == '\\') fputc('\\', out);
		fputc(c, out);
	}
	fputc('"', out);
	free(l->text);
}

static bool is_shown(struct inspect *x, uint32_t i)
{
	if (x->row.given) return i == x->row.value;
	x->n_rows++;
	if (x->limit.value && x->n_shown >= x->limit.value) return false;
	x->n_shown++;
	return true;
}

static void put_node(struct inspect *x, uint32_t i, const char *shape, const char *more, const char *name)
{
	struct label l;
	label_open(&l);
	if (name) fputs(name, l.out);
	fprintf(x->out, "  n%u [shape=%s%s, xlabel=\"%u\", label=", i, shape, more, i);
	label_put(&l, x->out);
	fputs("];\n", x->out);
}

static void dot_lexer(struct inspect *x)
{
	for (uint32_t q = 1; q < x->info->n_lex_states; q++) {
		if (!is_shown(x, q)) continue;
		const struct artifact_lex_state *y = view_lex_state(&x->view, q);
		bool done[256] = {0}, is_start = q == x->info->start_lex_state;
		put_node(x, q, y->terminal != ARTIFACT_NONE ? "doublecircle" : "circle",
		         is_start ? ", style=filled, fillcolor=\"#e8eef7\"" : "",
		         y->terminal != ARTIFACT_NONE ? view_terminal_name(&x->view, y->terminal) : "");
		for (uint32_t b = 0; b < 256; b++) {
			uint32_t to = view_lex_next(&x->view, q, (uint8_t)b) & LEX_STATE_MASK;
			if (done[b] || !to) continue;
			bool set[256] = {0};
			for (uint32_t c = b; c < 256; c++)
				if ((view_lex_next(&x->view, q, (uint8_t)c) & LEX_STATE_MASK) == to) set[c] = done[c] = true;
			struct label l;
			label_open(&l);
			text_show_byte_set(l.out, set);
			fprintf(x->out, "  n%u -> n%u [label=", q, to);
			label_put(&l, x->out);
			fputs("];\n", x->out);
		}
	}
}

// Branches: terminals may lead several ways and nonterminals one, and edges to one state share a label.
static void dot_stacks(struct inspect *x)
{
	const struct artifact_view *v = &x->view;
	uint32_t n_symbols = x->info->n_terminals + x->info->n_nonterminals;
	VEC(uint32_t) to = {0};  // pairs: symbol, where it leads; several of a symbol where there is a choice
	for (uint32_t s = 1; s < x->info->n_lr_states; s++) {
		if (!is_shown(x, s)) continue;
		bool forks = false, accepts = false;
		const uint32_t *actions;
		vec_clear(&to);
		for (uint32_t symbol = 0; symbol < n_symbols; symbol++) {
			bool is_terminal = symbol < x->info->n_terminals;
			uint32_t n = is_terminal ? view_actions(v, s, symbol, &actions) : 1;
			forks |= is_terminal && n > 1;
			for (uint32_t i = 0; i < n; i++) {
				uint32_t next = is_terminal ? (ACTION_IS_SHIFT(actions[i]) ? actions[i] >> 1 : 0)
				                            : view_goto(v, s, symbol - x->info->n_terminals);
				if (!next) continue;
				vec_push(&to, symbol);
				vec_push(&to, next);
			}
		}
		if (view_actions(v, s, x->info->n_terminals, &actions)) accepts = *actions == ACTION_ACCEPT;
		put_node(x, s, accepts ? "doublecircle" : "circle", forks ? ", style=filled, fillcolor=\"#fbe3c8\"" : "", "");
		for (uint32_t i = 0; i < to.n; i += 2) {
			struct label l;
			bool is_first = true;
			for (uint32_t k = 0; k < i; k += 2) is_first &= to.at[k + 1] != to.at[i + 1];
			if (!is_first) continue;
			label_open(&l);
			for (uint32_t k = i; k < to.n; k += 2)
				if (to.at[k + 1] == to.at[i + 1])
					fprintf(l.out, "%s%s", k == i ? "" : " ", view_symbol_name(v, to.at[k]));
			fprintf(x->out, "  n%u -> n%u [label=", s, to.at[i + 1]);
			label_put(&l, x->out);
			fputs("];\n", x->out);
		}
	}
	vec_release(&to);
}

// Branches: edges to one target share a label, and the last one stands for all other states.
static void dot_dependent(struct inspect *x)
{
	const struct artifact_view *v = &x->view;
	for (uint32_t i = 1; i < x->info->n_nodes; i++) {
		if (!is_shown(x, i)) continue;
		struct view_node node = view_node(v, i);
		put_node(x, i, "box", node.skip ? ", peripheries=2" : "", node.skip ? "skips" : "");
		for (uint32_t k = 0; k <= node.n_edges; k++) {
			struct artifact_target to = k < node.n_edges ? view_edge(v, i, k).to : node.other;
			bool is_first = true;
			for (uint32_t m = 0; m < k && k < node.n_edges; m++) {
				struct artifact_target other = view_edge(v, i, m).to;
				is_first &= other.set != to.set || other.next != to.next;
			}
			if (!is_first) continue;
			struct label l;
			label_open(&l);
			for (uint32_t m = k; m < node.n_edges; m++) {
				struct view_edge e = view_edge(v, i, m);
				if (e.to.set == to.set && e.to.next == to.next) fprintf(l.out, "%u ", e.lr_state);
			}
			fprintf(l.out, "%s/ %u", k < node.n_edges ? "" : "else ", view_set(v, to.set).count);
			if (to.next)
				fprintf(x->out, "  n%u -> n%u [label=", i, to.next);
			else
				fprintf(x->out, "  e%u_%u [shape=point, label=\"\"];\n  n%u -> e%u_%u [label=", i, k, i, i, k);
			label_put(&l, x->out);
			fputs("];\n", x->out);
		}
	}
}

// A ring inside: the text may end; filled: the start, dashed: inside a character.
static bool dot_automaton_node(struct inspect *x, uint32_t i, const struct product_node_view *n)
{
	char name[32];
	if (!is_shown(x, i)) return false;
	snprintf(name, sizeof name, "%u", n->n_lasts);
	put_node(x, i, n->ends ? "doublecircle" : "circle",
	         !i          ? ", style=filled, fillcolor=\"#e8eef7\""
	         : n->inside ? ", style=dashed"
	                     : "",
	         name);
	return true;
}

static void dot_automaton_edge(struct inspect *x, uint32_t from, uint32_t to, uint32_t n, const uint32_t *tokens)
{
	struct label l;
	label_open(&l);
	for (uint32_t i = 0; i < n && i < INSPECT_SAMPLE; i++) {
		if (i) fputc(' ', l.out);
		inspect_show_token(x, l.out, tokens[i], 12);
	}
	if (n > INSPECT_SAMPLE) fprintf(l.out, " (%u)", n);
	fprintf(x->out, "  n%u -> n%u [label=", from, to);
	label_put(&l, x->out);
	fputs("];\n", x->out);
}

static void dot_automaton(struct inspect *x) { inspect_automaton_edges(x, dot_automaton_node, dot_automaton_edge); }

int inspect_dot(struct inspect *x, const struct inspect_table *table)
{
	void (*draw)(struct inspect *) = !table                            ? NULL
	                                 : table->run == inspect_lexer     ? dot_lexer
	                                 : table->run == inspect_stacks    ? dot_stacks
	                                 : table->run == inspect_dependent ? dot_dependent
	                                 : table->run == inspect_automaton ? dot_automaton
	                                                                   : NULL;
	if (!draw) return cli_error(CODE_USAGE, "inspect", "--dot draws the tables lexer, stacks, dependent, automaton");
	fprintf(x->out,
	        "digraph %s {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];\n"
	        "  edge [fontname=\"monospace\", fontsize=9];\n",
	        table->name);
	draw(x);
	fputs("}\n", x->out);
	if (table->run == inspect_automaton && !gcdc_artifact_section(x->view.artifact, SECTION_CANON_MARK, NULL))
		cli_note("inspect", "this artifact has no table automaton: there is nothing to draw");
	if (x->n_shown < x->n_rows)
		cli_note("inspect", "%llu of %llu nodes are drawn; --limit 0 draws all", (unsigned long long)x->n_shown,
		         (unsigned long long)x->n_rows);
	return CODE_OK;
}
