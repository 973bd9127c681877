// A trap: a small grammar, a vocabulary, a prefix, and the tokens that are allowed after it by docs/language.md.
#ifndef GCDC_TESTS_TRAP_H
#define GCDC_TESTS_TRAP_H

#include <stdbool.h>

#define EOS "</s>"
#define LIST(...)                                                                                                      \
	(const char *const[]) { __VA_ARGS__, NULL }

// Token 0 is EOS, the others are the list; `allowed` are all that the mask has. The oracle must say so, and the engine.
#define EXPECT(grammar, tokens, prefix, allowed) expect_at(__LINE__, grammar, tokens, prefix, allowed)
void expect_at(int line, const char *grammar, const char *const *tokens, const char *prefix,
               const char *const *allowed);
// The compiler says that no text is in the language.
#define EXPECT_EMPTY(grammar, tokens) expect_empty_at(__LINE__, grammar, tokens)
void expect_empty_at(int line, const char *grammar, const char *const *tokens);
// Does the grammar keep conflicts? Else a case says nothing about several parses.
#define EXPECT_CONFLICTS(grammar, stay) expect_conflicts_at(__LINE__, grammar, stay)
void expect_conflicts_at(int line, const char *grammar, bool stay);

#endif
