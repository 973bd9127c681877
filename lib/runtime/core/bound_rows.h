// Rows of struct bound from formats/sections.def. Included before each inclusion of that file, which takes the macros
// away; so there is no guard.
#define FIELD(NAME, field, n_field, kind, mask, least, limit, what)                                                    \
	{SECTION_##NAME,                                                                                                   \
	 sizeof(entry_##NAME),                                                                                             \
	 offsetof(entry_##NAME, field),                                                                                    \
	 WIDTH(NAME, field),                                                                                               \
	 offsetof(entry_##NAME, n_field),                                                                                  \
	 kind,                                                                                                             \
	 mask,                                                                                                             \
	 least,                                                                                                            \
	 limit,                                                                                                            \
	 what},
#define WORD(NAME, kind, mask, limit, what)                                                                            \
	{SECTION_##NAME, sizeof(entry_##NAME), 0, sizeof(entry_##NAME), 0, kind, mask, 0, limit, what},
#define BELOW(NAME, field, limit, what) FIELD(NAME, field, field, BOUND_FIELD, UINT32_MAX, 0, limit, what)
#define BELOW_OR_NONE(NAME, field, limit, what) FIELD(NAME, field, field, BOUND_OR_NONE, UINT32_MAX, 0, limit, what)
#define FROM_TO(NAME, field, least, limit, what) FIELD(NAME, field, field, BOUND_FIELD, UINT32_MAX, least, limit, what)
#define WITHIN(NAME, first, n, limit, what)                                                                            \
	FIELD(NAME, first, n, BOUND_PART, UINT32_MAX, 0, (uint64_t)(limit) + 1, what)
#define WORDS_BELOW(NAME, mask, limit, what) WORD(NAME, BOUND_FIELD, mask, limit, what)
#define WORDS_BELOW_OR_NONE(NAME, limit, what) WORD(NAME, BOUND_OR_NONE, UINT32_MAX, limit, what)
