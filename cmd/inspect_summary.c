// inspect: the summary. What the artifact is, what it costs, what to look out for.
//
// In:  an artifact. Out: a page for people (sections as bars, largest first), or a JSON object with the same in file
// order. Warnings are what a caller of the runtime may trip over. Cost: one pass over parser actions and sets.
#include "inspect.h"
#include "api/provenance.h"

#define BAR 32u  // characters of the longest bar
#define MANY_READINGS 8u

struct warnings {
	struct arena arena;
	VEC(const char *) at;
};
#define warn(w, ...) vec_push(&(w)->at, arena_printf(&(w)->arena, __VA_ARGS__))

static uint32_t count_conflicts(const struct artifact_view *v)
{
	uint32_t n = 0;
	for (uint32_t s = 1; s < v->info->n_lr_states; s++)
		for (uint32_t t = 0; t <= v->info->n_terminals; t++) n += view_is_choice(v, s, t);
	return n;
}

static uint32_t most_tried(const struct artifact_view *v)
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < v->info->n_sets; i++) {
		struct artifact_set s = view_set(v, i);
		uint32_t n = view_set(v, s.maybe).count;
		if (n > most) most = n;
	}
	return most;
}

static void find_warnings(const struct artifact_view *v, uint32_t conflicts, struct warnings *w)
{
	const struct artifact_info *i = v->info;
	if (conflicts)
		warn(w, "a text can have several stacks, and they can grow with the text: past max_stacks a mask is an error "
		        "(GCDC_ERR_STACKS); the table 'conflicts' lists where");
	uint32_t tried = i->n_lines ? most_tried(v) : 0;
	if (tried)
		warn(w, "columns decide about up to %u token%s of one set, which are tried one by one: such masks take longer",
		     tried, cli_s(tried));
	if (i->worst_frames == ARTIFACT_NONE)
		warn(w, "a mask can read the stack down to its bottom: its time grows with the nesting of the text");
	if (i->worst_sets == ARTIFACT_NONE)
		warn(w, "a mask can unite any number of sets: its time grows with the nesting of the text");
	if (i->max_readings > MANY_READINGS)
		warn(w,
		     "a text can have up to %u readings at once, as the end of a lexeme is known late: such masks take longer",
		     i->max_readings);
	if (!(i->flags & INFO_ALL_BYTES))
		warn(w,
		     "not every byte that a text can hold is a token by itself: forced bytes end where a token would be cut");
}

static const char *grouped(char to[32], uint64_t value)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value), at = 0;
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0) to[at++] = ',';
		to[at++] = digits[i];
	}
	to[at] = 0;
	return to;
}

static int compare_stored(const void *a, const void *b)
{
	const struct artifact_section *x = a, *y = b;
	if (x->stored != y->stored) return x->stored < y->stored ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static void print_sections(FILE *out, struct artifact_section *sections, uint32_t n, uint64_t file_size)
{
	if (n) qsort(sections, n, sizeof *sections, compare_stored);
	fprintf(out, "\n%-18s %-12s %12s %12s  share of the file\n", "section", "codec", "stored", "decoded");
	for (uint32_t k = 0; k < n && sections[k].size; k++) {
		const struct artifact_section *s = &sections[k];
		char stored[32], decoded[32];
		fprintf(out, "%-18s %-12s %12s %12s  %5.1f%% ", view_section_name(s->id), view_codec_name(s->codec),
		        grouped(stored, s->stored), grouped(decoded, s->size), 100.0 * (double)s->stored / (double)file_size);
		uint64_t eighths = (s->stored * BAR * 8 + sections[0].stored - 1) / sections[0].stored;
		for (; eighths >= 8; eighths -= 8) fputs("\xE2\x96\x88", out);  // U+2588: a whole block, then eighths of one
		if (eighths) fprintf(out, "\xE2\x96%c", (int)(0x90 - eighths));
		fputc('\n', out);
	}
}

struct count {
	const char *name;
	uint64_t value;
};
struct worst {
	const char *name, *about;
	uint32_t value;
};

// What a summary says beside the artifact's own counts.
struct summary {
	char grammar_hash[33], vocab_hash[33];
	const struct count *counts;
	const struct worst *worst;
	size_t n_counts, n_worst;
	uint32_t conflicts;
	struct warnings warnings;
};

static void print_made(FILE *out, const char *path)
{
	const char *wrong;
	struct arena arena = {0};
	struct provenance made;
	if (provenance_read(path, &arena, &made, &wrong)) {
		fprintf(out, "made      by gcdc %s from", made.version);
		for (uint32_t k = 0; k < made.files.n; k++) fprintf(out, "%s %s", k ? "," : "", made.files.at[k].name);
		fputc('\n', out);
	}
	vec_release(&made.files);
	arena_release(&arena);
}

static void print_people(struct inspect *x, const struct summary *s)
{
	const struct artifact_info *i = x->info;
	FILE *out = x->out;
	gcdc_info info;
	gcdc_artifact_info(x->view.artifact, &info);
	char a[32], b[32];
	uint32_t ignored = 0;
	for (uint32_t t = 0; t < i->n_terminals; t++) ignored += view_is_ignored(&x->view, t);
	fprintf(out, "%s: masks of a grammar for a vocabulary of %s tokens\n\n", x->view.path, grouped(a, i->n_tokens));
	fprintf(out, "grammar   %s\n", s->grammar_hash);
	fprintf(out, "          %u terminal%s (%u ignored), %u nonterminal%s, %u production%s\n", i->n_terminals,
	        cli_s(i->n_terminals), ignored, i->n_nonterminals, cli_s(i->n_nonterminals), i->n_productions,
	        cli_s(i->n_productions));
	fprintf(out, "tokens    %s\n", s->vocab_hash);
	fprintf(out, "          %s tokens of %u byte%s at most, %u end%s a text; a mask has %u words\n",
	        grouped(a, i->n_tokens), i->max_token_len, cli_s(i->max_token_len), i->n_eos, i->n_eos == 1 ? "s" : "",
	        i->mask_words);
	fprintf(out, "lexer     %u state%s, %u byte classes\n", i->n_lex_states - 1, cli_s(i->n_lex_states - 1),
	        i->n_classes);
	fprintf(out, "          %u contexts: sets of terminals of which one can come next\n", i->n_contexts);
	fprintf(out, "          %u obligations: conditions that a finished lexeme puts on the text behind it\n",
	        i->n_obligations);
	fprintf(out, "parser    %u states, ", i->n_lr_states - 1);
	if (s->conflicts)
		fprintf(out, "%u place%s where it goes several ways\n", s->conflicts, cli_s(s->conflicts));
	else
		fputs("no conflicts: one stack\n", out);
	if (i->n_lines)
		fprintf(out, "lines     %u kinds of white space that begin a token, %u parser states behind it, tab %s\n",
		        i->n_blanks, i->n_line_tops,
		        i->tab_rule == ARTIFACT_TAB_REFUSED  ? "refused"
		        : i->tab_rule == ARTIFACT_TAB_COUNTS ? "counts"
		                                             : "to the next stop");
	fprintf(out, "masks     %u starts: pairs of a lexer state and the parser state on the stack's top\n", i->n_starts);
	fprintf(out, "          %u nodes with %u edges: an automaton that reads the stack from there down\n",
	        i->n_nodes - 1, i->n_edges);
	fprintf(out, "          %u sets of tokens: %u whole rows of bits, and lists of %s tokens together\n", i->n_sets,
	        i->n_dense, grouped(a, i->n_sparse));
	const struct artifact_kept_info *kept = gcdc_artifact_section(x->view.artifact, SECTION_KEPT_INFO, NULL);
	if (kept)
		fprintf(out, "budgets   %s steps are kept, made from texts that the compiler was given\n",
		        grouped(a, kept->n_steps));
	fprintf(out, "file      format %u, %s bytes; %s more when opened\n", info.version, grouped(a, info.file_size),
	        grouped(b, info.decoded_size));
	print_made(out, x->view.path);
	fputs("\nat worst\n", out);
	for (size_t k = 0; k < s->n_worst; k++) {
		if (s->worst[k].value == ARTIFACT_NONE)
			fprintf(out, "%10s  %s\n", "unbounded", s->worst[k].about);
		else
			fprintf(out, "%10u  %s\n", s->worst[k].value, s->worst[k].about);
	}
	const char *unenforced;
	for (uint32_t k = 0; (unenforced = gcdc_artifact_unenforced(x->view.artifact, k)); k++)
		fprintf(out, "%snot enforced: %s\n", k ? "" : "\n", unenforced);
	for (uint32_t k = 0; k < s->warnings.at.n; k++)
		fprintf(out, "%swarning: %s\n", k ? "" : "\n", s->warnings.at.at[k]);
	struct artifact_section sections[ARTIFACT_MAX_SECTIONS];
	print_sections(out, sections, view_sections(&x->view, sections), info.file_size);
	fputs("\n'gcdc inspect ARTIFACT TABLE' shows a table; 'gcdc inspect --help' names them.\n"
	      "formats/artifact.md describes the sections and their codecs.\n",
	      out);
}

static void put_json(struct inspect *x, const struct summary *s)
{
	struct json_writer *j = &x->json;
	struct artifact_section sections[ARTIFACT_MAX_SECTIONS];
	uint32_t n_sections = view_sections(&x->view, sections);
	json_object(j);
	json_string_entry(j, "artifact", x->view.path);
	json_string_entry(j, "grammar_hash", s->grammar_hash);
	json_string_entry(j, "vocab_hash", s->vocab_hash);
	for (size_t k = 0; k < s->n_counts; k++) json_uint_entry(j, s->counts[k].name, s->counts[k].value);
	for (size_t k = 0; k < s->n_worst; k++) {
		json_key(j, s->worst[k].name);
		if (s->worst[k].value == ARTIFACT_NONE)
			json_null(j);
		else
			json_uint(j, s->worst[k].value);
	}
	json_key(j, "warnings");
	json_array(j);
	for (uint32_t k = 0; k < s->warnings.at.n; k++) json_string(j, s->warnings.at.at[k]);
	json_close(j);
	json_key(j, "unenforced");
	json_array(j);
	const char *unenforced;
	for (uint32_t k = 0; (unenforced = gcdc_artifact_unenforced(x->view.artifact, k)); k++) json_string(j, unenforced);
	json_close(j);
	json_key(j, "sections");
	json_array(j);
	for (uint32_t k = 0; k < n_sections; k++) {
		const struct artifact_section *row = &sections[k];
		json_object(j);
		json_uint_entry(j, "id", row->id);
		json_string_entry(j, "name", view_section_name(row->id));
		json_string_entry(j, "codec", view_codec_name(row->codec));
		json_uint_entry(j, "stored", row->stored);
		json_uint_entry(j, "decoded", row->size);
		json_close(j);
	}
	json_close(j);
	json_close(j);
}

int inspect_summary(struct inspect *x)
{
	const struct artifact_info *i = x->info;
	gcdc_info info;
	gcdc_artifact_info(x->view.artifact, &info);
	struct summary s = {.conflicts = count_conflicts(&x->view)};
	snprintf(s.grammar_hash, sizeof s.grammar_hash, "%016llx%016llx", (unsigned long long)info.grammar_hash[1],
	         (unsigned long long)info.grammar_hash[0]);
	snprintf(s.vocab_hash, sizeof s.vocab_hash, "%016llx%016llx", (unsigned long long)info.vocab_hash[1],
	         (unsigned long long)info.vocab_hash[0]);
	const struct count counts[] = {{"format_version", info.version},
	                               {"file_bytes", info.file_size},
	                               {"decoded_bytes", info.decoded_size},
	                               {"tokens", i->n_tokens},
	                               {"mask_words", i->mask_words},
	                               {"eos", i->n_eos},
	                               {"max_token_len", i->max_token_len},
	                               {"terminals", i->n_terminals},
	                               {"nonterminals", i->n_nonterminals},
	                               {"productions", i->n_productions},
	                               {"contexts", i->n_contexts},
	                               {"lex_states", i->n_lex_states - 1},
	                               {"byte_classes", i->n_classes},
	                               {"obligations", i->n_obligations},
	                               {"lr_states", i->n_lr_states - 1},
	                               {"conflicts", s.conflicts},
	                               {"starts", i->n_starts},
	                               {"nodes", i->n_nodes - 1},
	                               {"edges", i->n_edges},
	                               {"sets", i->n_sets},
	                               {"set_rows", i->n_dense},
	                               {"set_tokens", i->n_sparse},
	                               {"blanks", i->n_blanks},
	                               {"line_tops", i->n_line_tops},
	                               {"start_lex_state", i->start_lex_state}};
	const struct worst worst[] = {
		{"worst_frames", "stack frames that one mask reads, for each reading", i->worst_frames},
		{"worst_sets", "sets that one mask unites, for each reading", i->worst_sets},
		{"max_readings", "readings of one text alive at once: ways to cut it into lexemes", i->max_readings},
		{"max_pushes", "stack frames that one terminal adds", i->max_pushes}};
	s.counts = counts, s.n_counts = sizeof counts / sizeof *counts;
	s.worst = worst, s.n_worst = sizeof worst / sizeof *worst;
	find_warnings(&x->view, s.conflicts, &s.warnings);
	if (x->is_json)
		put_json(x, &s);
	else
		print_people(x, &s);
	vec_release(&s.warnings.at);
	arena_release(&s.warnings.arena);
	return CODE_OK;
}
