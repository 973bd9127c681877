#!/usr/bin/env python3
"""How much a function holds: branches and parameters, counted. A function with many branches says why.

    scripts/check_density.py             is any function over a limit and does not say why? (a test: tree.density)
    scripts/check_density.py --reasons   the functions over 15 branches that say why, with their reasons
    scripts/check_density.py --selftest

A function of lib/ or cmd/ is over a limit with a cyclomatic complexity (McCabe 1976: 1, and 1 for each if, for, while,
case, &&, || and ?) above 15, or with more than 6 parameters. Above 15 branches the comment before the function says why
they stand in one place, in this form, as a sentence of its own:

    // Branches: one case for each opcode.

A reason has at least four words. It is refused where the function does not need it, and where another function gives the
same one. For parameters no reason counts: what belongs together is a struct.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
MOST_BRANCHES, MOST_PARAMETERS = 15, 6
# Public functions that programs call in this form already; each has another form that takes a struct.
PUBLISHED = {"gcdc_fill_batch", "gcdc_matcher_traverse_draft_tree"}
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
HEAD = re.compile(r"([A-Za-z_]\w*)\s*\(((?:[^()]|\([^()]*\))*)\)\s*$", re.S)
REASON = re.compile(r"^//.*?\bBranches: ([^\n]*(?:\n//[^\n]*)*)", re.M)
NO_FUNCTION = {"if", "for", "while", "switch", "defined", "sizeof", "__attribute__"}


def functions(text):
    """[(name, line, complexity, parameters, reason)] of a C file."""
    whole, text = text, NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    found, depth, begin, head = [], 0, 0, 0
    for m in re.finditer(r"[{};]", text):
        c, at = m.group(0), m.start()
        if c == "{":
            if depth == 0:
                h = HEAD.search(text[head:at])
                name = h.group(1) if h and h.group(1) not in NO_FUNCTION and "=" not in text[head:at] else None
                begin, parameters = at, h.group(2) if name else ""
                reason = reason_in(whole[head:at])
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                if name:
                    body = text[begin:at]
                    n = 0 if parameters.strip() in ("", "void") else top_commas(parameters) + 1
                    found.append((name, text.count("\n", 0, begin) + 1, 1 + len(BRANCH.findall(body)), n, reason))
                head = at + 1
        elif depth == 0:
            head = at + 1
    return found


def reason_in(comment):
    """What stands behind "Branches:" there, on one line; None: nothing does."""
    m = REASON.search(comment)
    return " ".join(re.sub(r"\n//", " ", m.group(1)).split()) if m else None


def top_commas(parameters):
    depth = n = 0
    for c in parameters:
        depth += (c == "(") - (c == ")")
        n += c == "," and depth == 0
    return n


def survey(top):
    """The number of functions, {what: [(value, place)]} of those over a limit, [(place, reason)], and what is wrong with these."""
    over, n, reasons, wrong = {"complex": [], "parameters": []}, 0, [], []
    for path in sorted([*top.glob("lib/**/*.[ch]"), *top.glob("cmd/*.[ch]")]):
        for function, line, branches, parameters, reason in functions(path.read_text()):
            place = f"{path.relative_to(top)}:{line} {function}"
            n += 1
            if reason is not None:
                wrong += [f"{place}: {what}" for what in wrong_with(reason, branches, [r for _, r in reasons])]
                reasons.append((place, reason))
            elif branches > MOST_BRANCHES:
                over["complex"].append((branches, place))
            if parameters > MOST_PARAMETERS and function not in PUBLISHED:
                over["parameters"].append((parameters, place))
    return n, {what: sorted(rows, reverse=True) for what, rows in over.items()}, reasons, wrong


def wrong_with(reason, branches, others):
    """Why a reason is none."""
    if branches <= MOST_BRANCHES:
        yield f'it has {branches} branches and needs no "Branches:"'
    if len(reason.split()) < 4 or not reason.endswith("."):
        yield f'"Branches: {reason}" is no sentence that says why: four words or more, and a full stop'
    if reason in others:
        yield f'"Branches: {reason}" stands at another function, too: say what this one decides'


def selftest():
    sample = '''// if (a && b)
#define M(x) if (x) for (;;)
static const int t[] = {1, 2};
struct s { int a; };
int f(int a, void (*g)(int, int), const char *s)
{
	if (a && s[0] == '?') return 1;  // while
	switch (a) {
	case 1: return a ? 2 : 3;
	}
	return 0;
}
enum { A, B };
// Nothing. Branches: one for
// each day.
static void none(void)
{ }
'''
    assert functions(sample) == [("f", 6, 5, 3, None), ("none", 17, 1, 0, "one for each day.")], functions(sample)
    assert not list(wrong_with("one for each day.", 16, []))
    assert len(list(wrong_with("one for each day.", 15, []))) == 1
    assert len(list(wrong_with("one for each day.", 16, ["one for each day."]))) == 1
    assert len(list(wrong_with("it is so.", 16, []))) == 1


def main():
    if "--selftest" in sys.argv:
        return selftest()
    n, over, reasons, wrong = survey(TOP)
    if "--reasons" in sys.argv:
        print("\n".join(f"{place}: {reason}" for place, reason in reasons))
        return 0
    wrong += [f'{place} has {value} branches: cut it, or say why ("// Branches: ...") before it' for value, place in over["complex"]]
    wrong += [f"{place} has {value} parameters, {MOST_PARAMETERS} at most: make a struct" for value, place in over["parameters"]]
    print("".join(row + "\n" for row in wrong), end="")
    print(f"check_density: of {n} functions {len(reasons)} have more than {MOST_BRANCHES} branches and say why; "
          f"{len(wrong)} places are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
