// Encodes an artifact image and writes it to a file.
//
// In:  struct artifact_image, options.  Out: the bytes of formats/artifact.md, in memory or in a file.
// Each section is stored as one zstd frame, or as it is where that is not longer; tables of small numbers by
// planes of bytes, token offsets as differences. The parameters of zstd are fixed and it runs in one thread, so the
// bytes depend on the image and zstd's version alone. Cost: zstd's; about 10 ms for a vocabulary of 128,000 tokens at
// the default level.
#include "artifact_image.h"

#include "../base/file.h"

#include <zstd.h>
#include <zstd_errors.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define ALIGN_UP(n) (((n) + (ARTIFACT_ALIGN - 1)) & ~(uint64_t)(ARTIFACT_ALIGN - 1))

struct part {
	uint32_t id;
	const void *bytes;
	uint64_t size;
	enum artifact_codec codec;  // to try
};

struct encoder_state {
	VEC(uint8_t) out;
	ZSTD_CCtx *zstd;
	VEC(uint8_t) planes;
};

// Every byte that the lexer goes on with somewhere is a token of its own.
static bool has_all_bytes(const struct artifact_image *m)
{
	const struct artifact_info *i = &m->info;
	bool single[256] = {false}, live[256] = {false};
	for (uint32_t t = 0; t < i->n_tokens; t++)
		if (m->token_offset[t + 1] - m->token_offset[t] == 1) single[m->token_bytes[m->token_offset[t]]] = true;
	for (uint32_t q = 0; q < i->n_lex_states; q++)
		for (uint32_t c = 0; c < i->n_classes; c++)
			live[c] |= (m->lex_next[(size_t)q * i->n_classes + c] & LEX_STATE_MASK) != 0;
	for (uint32_t b = 0; b < 256; b++)
		if (live[i->class_of[b]] && !single[b]) return false;
	return true;
}

static bool has_choices(const struct artifact_image *m)
{
	uint64_t n = m->info.n_action_rows * ((uint64_t)m->info.n_terminals + 1);
	for (uint64_t k = 0; k < n; k++)
		if (ACTION_IS_CHOICE(m->lr_action[k])) return true;
	return false;
}

static void reserve(struct encoder_state *e, uint64_t more)
{
	uint64_t want = e->out.n + more;
	ASSERT(want < UINT32_MAX);  // ARTIFACT_MAX_DECODED was checked
	vec_reserve(&e->out, want);
}

static size_t compress(struct encoder_state *e, const void *bytes, uint64_t size)
{
	size_t bound = ZSTD_compressBound(size);
	reserve(e, bound);
	size_t n = ZSTD_compress2(e->zstd, e->out.at + e->out.n, bound, bytes, size);
	if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation) work_out_of_memory(0);
	ASSERT(!ZSTD_isError(n));  // the room is enough
	return n;
}

// The bytes of 32-bit words, or of their differences, by significance: small numbers leave three planes of zeros.
static const uint8_t *split_planes(struct encoder_state *e, const struct part *p)
{
	const uint32_t *w = p->bytes;
	size_t n = p->size / 4;
	vec_reserve(&e->planes, p->size);
	uint8_t *a = e->planes.at, *b = a + n, *c = b + n, *d = c + n;
	uint32_t before = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t x = w[i] - before;
		if (p->codec == ARTIFACT_ZSTD_DELTA) before = w[i];
		a[i] = (uint8_t)x, b[i] = (uint8_t)(x >> 8), c[i] = (uint8_t)(x >> 16), d[i] = (uint8_t)(x >> 24);
	}
	return e->planes.at;
}

// Appends a section, aligned; fills its row of the table.
static void put_section(struct encoder_state *e, const struct part *p, struct artifact_section *row)
{
	uint32_t pad = (uint32_t)(ALIGN_UP(e->out.n) - e->out.n);
	reserve(e, pad);
	memset(e->out.at + e->out.n, 0, pad);
	e->out.n += pad;
	*row = (struct artifact_section){.id = p->id,
	                                 .codec = p->codec,
	                                 .offset = e->out.n,
	                                 .size = p->size,
	                                 .check = XXH3_64bits(p->size ? p->bytes : "", p->size)};
	if (row->codec != ARTIFACT_RAW) {
		const void *from = p->codec == ARTIFACT_ZSTD ? p->bytes : split_planes(e, p);
		row->stored = compress(e, from, p->size);
		if (row->stored >= p->size) row->codec = ARTIFACT_RAW;
	}
	if (row->codec == ARTIFACT_RAW) {
		row->stored = p->size;
		reserve(e, p->size);
		if (p->size) memcpy(e->out.at + e->out.n, p->bytes, p->size);
	}
	e->out.n += (uint32_t)row->stored;
}

static uint32_t list_parts(const struct artifact_image *m, const struct artifact_info *i, bool vocab,
                           struct part *parts)
{
	uint64_t context_words = ((uint64_t)i->n_terminals + 31) / 32;
	const enum artifact_codec z = ARTIFACT_ZSTD, planes = ARTIFACT_ZSTD_PLANES;
	const struct part all[] = {
		{SECTION_INFO, i, sizeof *i, z},
		{SECTION_STRINGS, m->strings, i->n_strings, z},
		{SECTION_TERMINAL, m->terminals, i->n_terminals * sizeof *m->terminals, z},
		{SECTION_NONTERMINAL, m->nonterminals, i->n_nonterminals * 4ull, z},
		{SECTION_PRODUCTION, m->productions, i->n_productions * sizeof *m->productions, planes},
		{SECTION_SYMBOL, m->symbols, i->n_symbols * 4ull, planes},
		{SECTION_LEX_NEXT, m->lex_next, (uint64_t)i->n_lex_states * i->n_classes * 4, planes},
		{SECTION_LEX_STATE, m->lex_states, i->n_lex_states * sizeof *m->lex_states, planes},
		{SECTION_LEX_START, m->lex_start, (uint64_t)i->n_residues * i->n_contexts * 4, planes},
		{SECTION_CONTEXT, m->contexts, i->n_contexts * context_words * 4, z},
		{SECTION_LR_STATE, m->lr_states, i->n_lr_states * sizeof *m->lr_states, planes},
		{SECTION_LR_ACTION, m->lr_action, i->n_action_rows * ((uint64_t)i->n_terminals + 1) * 4, planes},
		{SECTION_LR_GOTO, m->lr_goto, (uint64_t)i->n_goto_rows * i->n_nonterminals * 4, planes},
		{SECTION_CHOICE, m->choice, i->n_choice * 4ull, planes},
		{SECTION_START_BASE, m->start_base, (uint64_t)i->n_lex_states * i->n_contexts * 4, planes},
		{SECTION_START, m->starts, i->n_starts * sizeof *m->starts, planes},
		{SECTION_NODE, m->nodes, i->n_nodes * sizeof *m->nodes, planes},
		{SECTION_EDGE_FRAME, m->edge_frames, i->n_edges * sizeof *m->edge_frames, z},
		{SECTION_EDGE, m->edges, i->n_edges * sizeof *m->edges, planes},
		{SECTION_TARGET, m->targets, i->n_targets * sizeof *m->targets, planes},
		{SECTION_SET, m->sets, i->n_sets * sizeof *m->sets, z},
		{SECTION_DENSE, m->dense, (uint64_t)i->n_dense * i->mask_words * 4, z},
		{SECTION_SPARSE, m->sparse, i->n_sparse * sizeof *m->sparse, z},
		{SECTION_BLANK, m->blanks, i->n_blanks * sizeof *m->blanks, planes},
		{SECTION_LINE_TOP, m->line_tops, i->n_lines ? i->n_lr_states * 4ull : 0, planes},
		{SECTION_EOS, m->eos, i->n_eos * 4ull, z},
		{SECTION_TOKEN_OFFSET, m->token_offset, ((uint64_t)i->n_tokens + 1) * 4, ARTIFACT_ZSTD_DELTA},
		{SECTION_TOKEN_BYTES, m->token_bytes, m->token_offset[i->n_tokens], z},
	};
	uint32_t n = sizeof all / sizeof *all - (vocab ? 0 : 2);
	memcpy(parts, all, n * sizeof *all);
	const struct artifact_cost_info *c = &m->cost_info;
	const struct part costs[] = {
		{SECTION_COST_INFO, c, sizeof *c, z},
		{SECTION_COST_ROW_OF, m->cost_row_of, i->n_lex_states * 4ull, planes},
		{SECTION_COST_ROW, m->cost_rows, (c->n_rows + 1ull) * 4, ARTIFACT_ZSTD_DELTA},
		{SECTION_COST_EMIT, m->cost_emits, c->n_emits * sizeof *m->cost_emits, planes},
		{SECTION_COST_ASK_AT, m->cost_ask_at, (i->n_lr_states + 1ull) * 4, ARTIFACT_ZSTD_DELTA},
		{SECTION_COST_ASK, m->cost_asks, c->n_asks * sizeof *m->cost_asks, planes},
		{SECTION_COST_LIST, m->cost_lists, c->n_lists * sizeof *m->cost_lists, planes},
		{SECTION_COST_STEP, m->cost_steps, c->n_steps * sizeof *m->cost_steps, planes},
		{SECTION_COST_BLANK, m->cost_blanks, c->n_blanks * 4ull, planes},
		{SECTION_COST_MOST, m->cost_most, i->n_lex_states * 4ull, planes},
		{SECTION_COST_RESIDUE, m->cost_residues, c->n_rests * 4ull, planes},
		{SECTION_COST_WAY_AT, m->cost_way_at, (i->n_lex_states + 1ull) * 4, ARTIFACT_ZSTD_DELTA},
		{SECTION_COST_WAY, m->cost_ways, c->n_ways * sizeof *m->cost_ways, planes},
		{SECTION_COST_OUTCOME, m->cost_outcomes, c->n_outcomes * sizeof *m->cost_outcomes, planes},
		{SECTION_COST_STAY, m->cost_stays, c->n_stays * sizeof *m->cost_stays, planes},
		{SECTION_COST_CUT, m->cost_cuts, c->n_cuts * sizeof *m->cost_cuts, planes},
		{SECTION_COST_DEAREST, m->cost_dearest, i->n_lr_states * 4ull, planes},
		{SECTION_COST_LINE, m->cost_lines, (uint64_t)i->n_lines * i->n_blanks * 4, planes},
		{SECTION_COST_NARROW, m->cost_narrow, c->n_narrow * sizeof *m->cost_narrow, planes},
	};
	if (c->model) {
		memcpy(parts + n, costs, sizeof costs);
		n += sizeof costs / sizeof *costs;
	}
	for (uint32_t k = 0; k < m->n_canonical && (vocab || !k); k++)
		parts[n++] =
			(struct part){m->canonical[k].id, m->canonical[k].bytes, m->canonical[k].size, m->canonical[k].codec};
	const struct part asks[] = {
		{SECTION_CANON_WIDE, m->canon_wide, i->n_lex_states * sizeof *m->canon_wide, z},
		{SECTION_CANON_ASK_AT, m->canon_ask_at, i->n_lex_states * sizeof *m->canon_ask_at, planes},
		{SECTION_CANON_ASK, m->canon_asks, m->n_canon_asks * 4ull, planes},
		{SECTION_CANON_NODE, m->canon_nodes, 2ull * i->n_nodes * sizeof *m->canon_nodes, z},
	};
	for (uint32_t k = 0; k < sizeof asks / sizeof *asks && m->n_canonical; k++) parts[n++] = asks[k];
	for (uint32_t k = 0; k < m->n_regex; k++)
		parts[n++] = (struct part){m->regex[k].id, m->regex[k].bytes, m->regex[k].size, m->regex[k].codec};
	const struct part more[] = {
		{SECTION_CANON_BYTES, m->canon_bytes, i->n_lex_states * sizeof *m->canon_bytes, z},
		{SECTION_CANON_CALM, m->canon_calm, m->n_canon_sets, ARTIFACT_RAW},
		{SECTION_CANON_ASK_CALM, m->canon_ask_calm, i->n_lex_states * sizeof *m->canon_ask_calm, planes},
	};
	for (uint32_t k = 0; k < sizeof more / sizeof *more && m->n_canonical; k++) parts[n++] = more[k];
	if (m->provenance)
		parts[n++] = (struct part){SECTION_PROVENANCE, m->provenance, strlen(m->provenance), ARTIFACT_RAW};
	return n;
}

static bool encode(const struct artifact_image *m, const struct artifact_write_options *o, struct diag *d,
                   struct encoder_state *e)
{
	struct part parts[ARTIFACT_MAX_SECTIONS];
	struct artifact_section table[ARTIFACT_MAX_SECTIONS];
	struct artifact_info info = m->info;
	info.flags = (has_all_bytes(m) ? INFO_ALL_BYTES : 0u) | (has_choices(m) ? INFO_CHOICES : 0u);
	uint32_t n = list_parts(m, &info, !o->no_vocab, parts);
	uint64_t total = 0;
	for (uint32_t i = 0; i < n; i++) {
		total += parts[i].size;
		if (o->raw) parts[i].codec = ARTIFACT_RAW;
		if (parts[i].size > ARTIFACT_MAX_DECODED || total > ARTIFACT_MAX_DECODED) {
			diag_error(d, (struct loc){0}, "the artifact's tables need more than %llu bytes (ARTIFACT_MAX_DECODED)",
			           (unsigned long long)ARTIFACT_MAX_DECODED);
			return false;
		}
	}
	int level = o->level ? o->level : total < ARTIFACT_LARGE_BYTES ? ARTIFACT_DEFAULT_LEVEL : ARTIFACT_LARGE_LEVEL;
	ZSTD_CCtx_setParameter(e->zstd, ZSTD_c_compressionLevel, level);
	struct artifact_header h = {
		.version = ARTIFACT_VERSION,
		.flags = o->no_vocab ? 0 : ARTIFACT_HAS_VOCAB,
		.n_sections = n,
		.grammar_hash = {m->grammar_hash[0], m->grammar_hash[1]},
		.vocab_hash = {m->vocab_hash[0], m->vocab_hash[1]},
		.options_hash = m->options_hash,
	};
	memcpy(h.magic, ARTIFACT_MAGIC, sizeof h.magic);
	size_t head = sizeof h + n * sizeof *table;
	reserve(e, head);
	e->out.n = (uint32_t)head;
	for (uint32_t i = 0; i < n; i++) put_section(e, &parts[i], &table[i]);
	h.file_size = e->out.n;
	memcpy(e->out.at, &h, sizeof h);
	memcpy(e->out.at + sizeof h, table, n * sizeof *table);
	h.table_check = XXH3_64bits(e->out.at, head);
	memcpy(e->out.at, &h, sizeof h);
	return true;
}

static void free_zstd(void *zstd) { ZSTD_freeCCtx(zstd); }

struct encoding {
	const struct artifact_image *m;
	const struct artifact_write_options *o;
	struct diag *d;
	uint8_t *bytes;
	size_t len;
	bool ok;
};

static void run_encode(void *context)
{
	struct encoding *x = context;
	work_stage("write");
	const char *broken = artifact_check(x->m);
	if (broken) {
		diag_error(x->d, (struct loc){0}, "internal error: the tables break a rule of the artifact format: %s", broken);
		return;
	}
	struct encoder_state e = {.zstd = ZSTD_createCCtx()};
	struct work_cleanup c;
	if (!e.zstd) work_out_of_memory(0);
	work_cleanup(&c, free_zstd, e.zstd);
	ZSTD_CCtx_setParameter(e.zstd, ZSTD_c_contentSizeFlag, 1);
	ZSTD_CCtx_setParameter(e.zstd, ZSTD_c_checksumFlag, 0);
	x->ok = encode(x->m, x->o, x->d, &e);
	work_cleanup_end(&c);
	ZSTD_freeCCtx(e.zstd);
	vec_release(&e.planes);
	if (x->ok)
		x->bytes = e.out.at, x->len = e.out.n;
	else
		vec_release(&e.out);
}

bool artifact_encode(const struct artifact_image *m, const struct artifact_write_options *o, struct diag *d,
                     uint8_t **bytes, size_t *len)
{
	static const struct artifact_write_options defaults = {0};
	struct encoding x = {.m = m, .o = o ? o : &defaults, .d = d};
	struct work_result r;
	*bytes = NULL;
	*len = 0;
	if (!work_run(NULL, run_encode, &x, &r)) {
		diag_given_up(d, &r, NULL);
		return false;
	}
	*bytes = x.bytes, *len = x.len;
	return x.ok;
}

const char *artifact_zstd_version(void) { return ZSTD_versionString(); }

bool artifact_write(const struct artifact_image *m, const char *path, const struct artifact_write_options *o,
                    struct diag *d)
{
	uint8_t *bytes;
	size_t len;
	if (!artifact_encode(m, o, d, &bytes, &len)) return false;
	bool ok = file_replace(path, bytes, len, d);
	free(bytes);
	return ok;
}
