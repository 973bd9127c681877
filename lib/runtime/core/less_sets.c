// Each told set (formats/artifact.h, struct artifact_less), made when an artifact is opened.
//
// In:  SET, SPARSE and LESS as the file has them. Out: all sets and all that they list, in one block; masks know no
// LESS.
// Proved here, whoever made the file: each set is told from one before it, all lists lie inside what there is, and what
// is made is as much as the counts say; the tokens that are gone ascend and are in the set. So if that one's list
// ascends and its count is right, so are list and count of what is made (artifact_validate.c proves them of SET).
// Cost: what is made, and ARTIFACT_MAX_LESS tokens for each set.
#include "../../shared/set_less.h"
#include "runtime_internal.h"

#define INFO_AT(field) offsetof(struct artifact_info, field)
#define SET_AT(k, field) ((uint64_t)(k) * sizeof(struct artifact_set) + offsetof(struct artifact_set, field))
#define LESS_AT(k, field) ((uint64_t)(k) * sizeof(struct artifact_less) + offsetof(struct artifact_less, field))

#define SPARE (2 * ARTIFACT_MAX_LESS)  // words: a list may be found to be too long when it is there

// What is being made.
struct making {
	struct artifact_set *sets;
	uint32_t *sparse;
	uint32_t n_sets, n_sparse;  // so far
};

// Are they, which ascend, tokens of the set? The set's list is `list`.
static bool are_in(const struct gcdc_artifact *a, const struct artifact_set *x, const uint32_t *list,
                   const uint32_t *gone, uint32_t n)
{
	const uint32_t *row = x->dense == ARTIFACT_NONE ? NULL : &a->dense[(uint64_t)x->dense * a->info.mask_words];
	uint32_t i = 0;
	for (uint32_t k = 0; k < n; k++) {
		while (i < x->n && list[i] < gone[k]) i++;
		const bool is_listed = i < x->n && list[i] == gone[k];
		if (is_listed == (row && row[gone[k] / 32] >> gone[k] % 32 & 1)) return false;
	}
	return true;
}

// The set that tells another one: of SET, or made.
static gcdc_status check_from(const struct gcdc_artifact *a, const struct making *m, uint32_t set, gcdc_refusal *why)
{
	const struct artifact_set *x = &m->sets[set];
	if (x->dense != ARTIFACT_NONE && x->dense >= a->info.n_dense)
		return refuse_number(why, SECTION_SET, SET_AT(set, dense), "row", x->dense, a->info.n_dense);
	if ((uint64_t)x->at + x->n > m->n_sparse)
		return refuse_number(why, SECTION_SET, SET_AT(set, at), "end of the entries", (uint64_t)x->at + x->n,
		                     (uint64_t)m->n_sparse + 1);
	return GCDC_OK;
}

static gcdc_status check_gone(const struct gcdc_artifact *a, uint32_t k, gcdc_refusal *why)
{
	const struct artifact_less *x = &a->less[k];
	const uint32_t n_listed = a->info.n_sparse - a->info.n_less_sparse;
	if ((uint64_t)x->at + x->n > n_listed)
		return refuse_number(why, SECTION_LESS, LESS_AT(k, at), "end of the tokens that are gone",
		                     (uint64_t)x->at + x->n, (uint64_t)n_listed + 1);
	if (x->n > ARTIFACT_MAX_LESS)
		return refuse_number(why, SECTION_LESS, LESS_AT(k, n), "tokens that are gone (ARTIFACT_MAX_LESS)", x->n,
		                     ARTIFACT_MAX_LESS + 1);
	for (uint32_t i = x->at + 1; i < x->at + x->n; i++)
		if (a->sparse[i] <= a->sparse[i - 1])
			return refuse_number(why, SECTION_LESS, LESS_AT(k, at), "tokens that are gone must ascend", a->sparse[i],
			                     a->sparse[i - 1]);
	for (uint32_t i = x->at; i < x->at + x->n; i++)
		if (a->sparse[i] >= a->info.n_tokens)
			return refuse_number(why, SECTION_SPARSE, (uint64_t)i * sizeof *a->sparse, "token", a->sparse[i],
			                     a->info.n_tokens);
	return GCDC_OK;
}

static gcdc_status make_one(const struct gcdc_artifact *a, struct making *m, uint32_t k, gcdc_refusal *why)
{
	const struct artifact_less *x = &a->less[k];
	const uint32_t left = a->info.n_sparse - m->n_sparse;
	if (x->set >= m->n_sets)
		return refuse_number(why, SECTION_LESS, LESS_AT(k, set), "set that tells it", x->set, m->n_sets);
	gcdc_status status = check_gone(a, k, why);
	if (!status) status = check_from(a, m, x->set, why);
	if (status) return status;
	struct artifact_set made = m->sets[x->set];
	const uint32_t *from = m->sparse + made.at, *gone = m->sparse + x->at;
	if (!are_in(a, &made, from, gone, x->n))
		return refuse_number(why, SECTION_LESS, LESS_AT(k, at), "tokens that are gone must be in the set; first", x->at,
		                     0);
	if (made.n > (uint64_t)left + ARTIFACT_MAX_LESS)
		return refuse_number(why, SECTION_LESS, LESS_AT(k, set), "tokens that it lists", made.n, left);
	made.at = m->n_sparse;
	made.n = set_less_list(m->sparse + m->n_sparse, from, made.n, gone, x->n);
	if (made.n > left) return refuse_number(why, SECTION_LESS, LESS_AT(k, set), "tokens that it lists", made.n, left);
	made.count -= x->n;
	m->n_sparse += made.n;
	m->sets[m->n_sets++] = made;
	return GCDC_OK;
}

static gcdc_status make_all(struct gcdc_artifact *a, struct making *m, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	m->n_sets = i->n_sets - i->n_less, m->n_sparse = i->n_sparse - i->n_less_sparse;
	memcpy(m->sets, a->sets, m->n_sets * sizeof *m->sets);
	if (m->n_sparse) memcpy(m->sparse, a->sparse, m->n_sparse * sizeof *m->sparse);
	for (uint32_t k = 0; k < i->n_less; k++) {
		gcdc_status status = make_one(a, m, k, why);
		if (status) return status;
	}
	if (m->n_sparse != i->n_sparse)
		return refuse_number(why, SECTION_INFO, INFO_AT(n_sparse), "tokens listed by sets", i->n_sparse, m->n_sparse);
	return GCDC_OK;
}

gcdc_status less_sets_make(struct gcdc_artifact *a, gcdc_refusal *why)
{
	const struct artifact_info *i = &a->info;
	if (!i->n_less && i->n_less_sparse)
		return refuse_number(why, SECTION_INFO, INFO_AT(n_less_sparse), "tokens listed by no sets", i->n_less_sparse,
		                     0);
	if (!i->n_less) return GCDC_OK;
	const uint64_t of_sets = (uint64_t)i->n_sets * sizeof *a->sets,
				   of_sparse = (uint64_t)i->n_sparse * sizeof *a->sparse;
	const unsigned long long all = of_sets + of_sparse;
	if (all + a->decoded_size > ARTIFACT_MAX_DECODED)
		return refuse(why, GCDC_ERR_LIMIT, SECTION_LESS, 0,
		              "sets that are told from others take %llu bytes, with what is decoded more than %llu "
		              "(ARTIFACT_MAX_DECODED)",
		              all, ARTIFACT_MAX_DECODED);
	struct making m = {.sets = memory_resize(&a->memory, NULL, 1, all + SPARE * sizeof *a->sparse)};
	if (!m.sets) return refuse(why, GCDC_ERR_MEMORY, SECTION_LESS, 0, "no memory for %u sets", i->n_sets);
	a->less_sets = m.sets;
	m.sparse = (uint32_t *)(void *)((uint8_t *)m.sets + of_sets);
	gcdc_status status = make_all(a, &m, why);
	if (status) return status;
	a->sets = m.sets, a->sparse = m.sparse;
	a->section[SECTION_SET] = m.sets, a->section_size[SECTION_SET] = of_sets;
	a->section[SECTION_SPARSE] = m.sparse, a->section_size[SECTION_SPARSE] = of_sparse;
	return GCDC_OK;
}
