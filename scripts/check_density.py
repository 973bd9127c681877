#!/usr/bin/env python3
"""How much a function holds: branches and parameters, counted; none is added beyond those there are.

    scripts/check_density.py             more than allowed? (a test: tree.density)
    scripts/check_density.py --list      the functions over a limit, worst first
    scripts/check_density.py --write     lower the numbers in scripts/density.txt to what there is
    scripts/check_density.py --selftest

A function of lib/ or cmd/ is over a limit with a cyclomatic complexity (McCabe 1976: 1, and 1 for each if, for, while,
case, &&, || and ?) above 15, or with more than 6 parameters. scripts/density.txt says how many of 1,000 functions may be:
so new code may be no denser than the old, and a folder may move. These numbers only go down.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
ALLOWED = TOP / "scripts/density.txt"
MOST_BRANCHES, MOST_PARAMETERS = 15, 6
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
HEAD = re.compile(r"([A-Za-z_]\w*)\s*\(((?:[^()]|\([^()]*\))*)\)\s*$", re.S)
NO_FUNCTION = {"if", "for", "while", "switch", "defined", "sizeof", "__attribute__"}


def functions(text):
    """[(name, line, complexity, parameters)] of a C file."""
    text = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    found, depth, begin, head = [], 0, 0, 0
    for m in re.finditer(r"[{};]", text):
        c, at = m.group(0), m.start()
        if c == "{":
            if depth == 0:
                h = HEAD.search(text[head:at])
                name = h.group(1) if h and h.group(1) not in NO_FUNCTION and "=" not in text[head:at] else None
                begin, parameters = at, h.group(2) if name else ""
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                if name:
                    body = text[begin:at]
                    n = 0 if parameters.strip() in ("", "void") else top_commas(parameters) + 1
                    found.append((name, text.count("\n", 0, begin) + 1, 1 + len(BRANCH.findall(body)), n))
                head = at + 1
        elif depth == 0:
            head = at + 1
    return found


def top_commas(parameters):
    depth = n = 0
    for c in parameters:
        depth += (c == "(") - (c == ")")
        n += c == "," and depth == 0
    return n


def survey(top):
    """The number of functions, and {what: [(value, place)]} of those over a limit."""
    over, n = {"complex": [], "parameters": []}, 0
    for path in sorted([*top.glob("lib/**/*.[ch]"), *top.glob("cmd/*.[ch]")]):
        for function, line, branches, parameters in functions(path.read_text()):
            place = f"{path.relative_to(top)}:{line} {function}"
            n += 1
            if branches > MOST_BRANCHES:
                over["complex"].append((branches, place))
            if parameters > MOST_PARAMETERS:
                over["parameters"].append((parameters, place))
    return n, {what: sorted(rows, reverse=True) for what, rows in over.items()}


def read_allowed():
    rows = (line.split() for line in ALLOWED.read_text().splitlines() if line and not line.startswith("#"))
    return {what: int(share) for what, share in rows}


def write_allowed(shares):
    lines = ["# Of 1,000 functions those over a limit (scripts/check_density.py --write). These numbers only go down."]
    ALLOWED.write_text("\n".join(lines + [f"{what} {share}" for what, share in shares.items()]) + "\n")


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
void none(void) { }
'''
    assert functions(sample) == [("f", 6, 5, 3), ("none", 14, 1, 0)], functions(sample)


def main():
    if "--selftest" in sys.argv:
        return selftest()
    n, over = survey(TOP)
    if "--list" in sys.argv:
        for what, rows in over.items():
            print("\n".join(f"{value:4} {what:10} {place}" for value, place in rows))
        return 0
    shares = {what: -(-1000 * len(rows) // n) for what, rows in over.items()}   # rounded up
    allowed = read_allowed() if ALLOWED.exists() else shares
    if "--write" in sys.argv:
        allowed = {what: min(share, allowed[what]) for what, share in shares.items()}
        write_allowed(allowed)
    wrong = [what for what in shares if shares[what] > allowed[what]]
    for what in wrong:
        print(f"{what}: {len(over[what])} of {n} functions, {shares[what]} of 1,000; {allowed[what]} are allowed. The worst:")
        print("\n".join(f"    {value:4} {place}" for value, place in over[what][:12]))
    print(f"check_density: of {n} functions {len(over['complex'])} with more than {MOST_BRANCHES} branches, "
          f"{len(over['parameters'])} with more than {MOST_PARAMETERS} parameters")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
