#!/usr/bin/env python3
"""Texts with columns, slowly and obviously: what docs/language.md and formats/grammar.md say, in Python.

    indent_reference.py GRAMMAR [--start RULE] [--indent SETTINGS] [--terminals] FILE...

Says for each file whether it is in the language. Shares nothing with gcdc: Lark (a package) reads the grammar, `re` matches
terminals, an Earley recogniser says which terminals are viable, brackets are counted and columns kept as a list while
the text is read. Not decided here: rule 2's lexemes that no further text can make fail (an open comment at the end of a text).
"""
import argparse
import re
import sys

import lark


class Settings:
    def __init__(self):
        self.newline = self.indent = self.dedent = None
        self.kind = {}  # terminal -> (opens?, is inside?)
        self.scoped = set()
        self.tab, self.rule, self.end_newline = 8, "stops", False


def split_settings(text):
    return dict(re.findall(r'(\w+)=((?:"(?:\\.|[^"])*"|[^\s"])*)', text))


def names(value):
    return re.findall(r'"(?:\\.|[^"])*"|[^,\s]+', value)


class Grammar:
    def __init__(self, text, start, indent):
        s = self.settings = Settings()
        kept, scopes = [], []
        for line in text.split("\n"):
            directive = re.match(r"%indent\b([^#]*?)\s*(//.*)?$", line)
            scope = re.match(r"%ignore\s+(\w+)\s+((?:inside|outside)\b.*)$", line)
            if directive:
                indent = directive[1]
            elif scope:
                scopes.append(scope)
            else:
                kept.append(line)
        given = split_settings(indent) if indent else {}
        declared = [n for n in (given.get("indent"), given.get("dedent")) if n and not re.search(rf"%declare\b.*\b{n}\b", text)]
        # Lark drops terminals that no rule uses; a rule of our own keeps them.
        used = [m[1] for m in scopes]
        mentioned = [m[1] for m in scopes] + [n for m in scopes for n in self.brackets(m[2])]
        mentioned += [n for key in ("open", "close") for n in names(given.get(key, ""))]
        keep = [n for n in mentioned if n[0] == '"' or n in used]
        lines = kept + ["%declare " + n for n in declared] + (["keep_these: " + " ".join(keep)] if keep else [])
        l = lark.Lark("\n".join(lines), start=[start] + ["keep_these"] * bool(keep), parser="earley", lexer="basic")
        self.ignored = set(l.ignore_tokens)
        self.terminals = {t.name: t for t in l.terminals}
        self.order = {t.name: i for i, t in enumerate(l.terminals)}
        self.match = {t.name: re.compile(t.pattern.to_regexp()) for t in l.terminals}
        self.rules = {}
        for r in l.rules:
            lhs = r.origin.name
            self.rules.setdefault(str(getattr(lhs, "value", lhs)), []).append(
                tuple((str(getattr(x.name, "value", x.name)), x.is_term) for x in r.expansion))
        self.start = start
        if given:
            s.newline, s.indent, s.dedent = (self.named(given[k]) for k in ("newline", "indent", "dedent"))
            for key in ("open", "close"):
                for n in names(given.get(key, "")):
                    s.kind[self.named(n)] = (key == "open", True)
                    s.scoped.add(s.newline)
            tab = given.get("tab", "8")
            s.rule = "refused" if tab == "refuse" else "counts" if tab[0] == "+" else "stops"
            s.tab = int(tab.strip("+")) if tab != "refuse" else 8
            s.end_newline = given.get("end") == "newline"
        for m in scopes:
            s.scoped.add(m[1])
            inside = True
            for i, n in enumerate(self.brackets(m[2])):
                if n in ("inside", "outside"):
                    inside, at = n == "inside", 0
                else:
                    s.kind[self.named(n)] = (at % 2 == 0, inside)
                    at += 1
        self.reduce()

    @staticmethod
    def brackets(text):
        return re.findall(r'"(?:\\.|[^"])*"|\w+', text)

    def named(self, n):
        if n[0] != '"':
            return n
        value = n[1:-1].encode().decode("unicode_escape")
        for t in self.terminals.values():
            if t.pattern.type == "str" and t.pattern.value == value:
                return t.name
        sys.exit("no terminal is " + n)

    def reduce(self):
        made = {self.settings.indent, self.settings.dedent}
        alive, changed = set(), True

        def fine(rhs):
            return all((x in self.terminals or x in made) if is_term else x in alive for x, is_term in rhs)

        while changed:
            changed = False
            for lhs, all_rhs in self.rules.items():
                if lhs not in alive and any(map(fine, all_rhs)):
                    alive.add(lhs)
                    changed = True
        self.rules = {lhs: [r for r in all_rhs if fine(r)] for lhs, all_rhs in self.rules.items()}

    def rank(self, name):
        t = self.terminals[name]
        is_ignored = name in self.ignored
        return (-t.priority, is_ignored, t.pattern.type != "str", self.order[name])


class Earley:
    """Sets of items (lhs, rhs, dot, origin); push(terminal) gives the next; None when it is not viable."""

    def __init__(self, grammar):
        self.g = grammar
        self.sets = []
        self.close({("$start", ((grammar.start, False),), 0, 0)})

    def close(self, items):
        at = len(self.sets)
        work, self.by_next = list(items), {}
        wants, empty = {}, set()
        while work:
            item = work.pop()
            lhs, rhs, dot, origin = item
            if dot < len(rhs):
                symbol, is_term = rhs[dot]
                wants.setdefault(symbol, []).append(item)
                if is_term:
                    continue
                new = [(symbol, r, 0, at) for r in self.g.rules.get(symbol, [])]
                if symbol in empty:
                    new.append((lhs, rhs, dot + 1, origin))
            else:
                if origin == at:
                    empty.add(lhs)
                waiting = wants if origin == at else self.sets[origin]
                new = [(a, r, d + 1, o) for a, r, d, o in waiting.get(lhs, [])]
            for x in new:
                if x not in items:
                    items.add(x)
                    work.append(x)
        self.sets.append(wants)
        self.accepting = any(lhs == "$start" and dot == len(rhs) for lhs, rhs, dot, _ in items)

    def viable(self):
        return {s for s, items in self.sets[-1].items() if items[0][1][items[0][2]][1]}

    def push(self, terminal):
        items = {(a, r, d + 1, o) for a, r, d, o in self.sets[-1].get(terminal, [])}
        if not items:
            return False
        self.close(items)
        return True


def width(g, blanks):
    """Columns of the blanks that a line begins with; None: a tab that is refused."""
    k = 0
    for c in blanks:
        if c == " ":
            k += 1
        elif g.settings.rule == "refused":
            return None
        elif g.settings.rule == "counts":
            k += g.settings.tab
        else:
            k += g.settings.tab - k % g.settings.tab
    return k


def matches(pattern, text, at, end):
    """Does the lexeme text[at:end] match, where a lookahead sees what follows it?"""
    if "(?=" not in pattern.pattern and "(?!" not in pattern.pattern:
        return pattern.fullmatch(text, at, end)
    return re.compile(f"(?:{pattern.pattern})(?=[\\s\\S]{{{len(text) - end}}}\\Z)").match(text, at)


def longest(g, names_, text, at):
    """(end, terminal) of the lexeme at `at`, by maximal munch among names_; None: there is none."""
    best = None
    for name in names_:
        m = g.match.get(name)
        # The longest match of a regex is not what Python finds first: every end is tried.
        for end in range(len(text), at, -1) if m else ():
            if best and end < best[0]:
                break
            if matches(m, text, at, end):
                key = (end, [-x for x in g.rank(name)])
                if not best or key > (best[0], best[2]):
                    best = (end, name, [-x for x in g.rank(name)])
                break
    return best and best[:2]


def accepts(g, text, out=None):
    s, e = g.settings, Earley(g)
    columns, brackets, at = [0], [], 0

    def push(t):
        if out is not None:
            out.append(t)
        return e.push(t)

    while at < len(text):
        inside = brackets and brackets[-1]
        viable = e.viable()
        viable = viable | s.scoped if inside else viable
        found = longest(g, viable | g.ignored, text, at)
        if not found:
            return False
        end, t = found
        lexeme, at = text[at:end], end
        if t in g.ignored and t not in viable or inside and t in s.scoped:
            continue
        if not push(t):
            return False
        if t in s.kind:
            opens, is_inside = s.kind[t]
            if opens:
                brackets.append(is_inside)
            else:
                brackets.pop()
        last = re.search(r"\n([ \t]*)\Z", lexeme)
        if t == s.newline and last:
            k = width(g, last[1])
            if k is None:
                return False
            if k > columns[-1]:
                columns.append(k)
                if not push(s.indent):
                    return False
            while k < columns[-1]:
                columns.pop()
                if not push(s.dedent):
                    return False
            if k != columns[-1]:
                return False
    for _ in columns[1:]:
        if not push(s.dedent):
            return False
    return e.accepting


def in_language(g, text):
    return accepts(g, text) or g.settings.end_newline and accepts(g, text + "\n")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("grammar")
    p.add_argument("--start", default="start")
    p.add_argument("--indent")
    p.add_argument("--terminals", action="store_true", help="print them")
    p.add_argument("files", nargs="*")
    a = p.parse_args()
    g = Grammar(open(a.grammar, encoding="utf-8").read(), a.start, a.indent)
    for name in a.files:
        text = open(name, encoding="utf-8", newline="").read()
        print(f"{name}: {'accepted' if in_language(g, text) else 'refused'}")
        if a.terminals:
            out = []
            accepts(g, text, out)
            print(" ".join(out))


if __name__ == "__main__":
    main()
