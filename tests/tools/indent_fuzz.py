#!/usr/bin/env python3
"""Random grammars with scopes and indentation, random texts: `gcdc check` against indent_reference.py.

    indent_fuzz.py GCDC [--seed N] [--grammars N] [--texts N] [--scopes-only]

Prints the seed, and for each difference the grammar, the text and both answers; exit status 1 when there is one. A grammar that gcdc
refuses (its limits) is counted. Texts are walks through the reference's viable terminals, and mutations of them.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import indent_reference as reference

PAIRS = [("(", ")"), ("[", "]"), ("{", "}")]


def sequence(r, names, depth):
    out = []
    for _ in range(r.choice([1, 1, 2, 2, 3])):
        k = r.random()
        if k < 0.3 and depth:
            o, c = r.choice(PAIRS)
            out.append(f'"{o}" {alternatives(r, names, depth - 1)} "{c}"')
        elif k < 0.65:
            out.append(r.choice(names))
        else:
            out.append(r.choice(['"x"', '"y"', "NAME", '","', '"+"']))
        if r.random() < 0.2:
            out[-1] = f"({out[-1]}){r.choice('?*+')}"
    return " ".join(out)


def alternatives(r, names, depth):
    return "(" + " | ".join(sequence(r, names, depth) for _ in range(r.choice([1, 1, 2]))) + ")"


def random_grammar(r, scopes_only):
    names = ["e", "f"]
    lines = [f"e: {sequence(r, names + ['NAME'] * 4, 2)} | NAME", f"f: {sequence(r, names, 1)} | \"y\""]
    brackets = r.sample(PAIRS, r.choice([1, 2, 3]))
    nl = r.choice(["/(\\n[ \\t]*)+/", "/(\\r?\\n[ \\t]*)+/", "/(\\n[ \\t]*(#[^\\n]*)?)+/", "/( *(#[a-z]*)?\\n[ \\t]*)+/"])
    if scopes_only:
        nl = r.choice(["/\\n/", "/\\n+/", nl])
        again = r.sample([p for p in PAIRS if p not in brackets], 0 if len(brackets) == 3 else r.choice([0, 1]))
        inside = "inside " + " ".join(f'"{o}" "{c}"' for o, c in brackets)
        inside += " outside " + " ".join(f'"{o}" "{c}"' for o, c in again) if again else ""
        lines += ["start: s*", "s: e NL" + r.choice(["", ' | "{" s* "}"', ' | "x" e? NL'])]
        lines += ["NL: " + nl, "%ignore NL " + inside]
    else:
        block = r.choice(["NL I s+ D", "NL I s+ D | e NL", "NL I s+ D", "NL I t NL D"])
        lines += ["start: " + r.choice(["s*", "NL? s*", "(s | NL)*"]), 'b: ":" (' + block + ")"]
        lines += ["s: e NL | NAME b" + r.choice(["", ' | e b ("z" b)?', ' | "w" b', " | s2"]), "t: e | NAME b", 's2: "w" e NL b?']
        lines += ["NL: " + nl]
        o, c = ",".join(f'"{o}"' for o, _ in brackets), ",".join(f'"{c}"' for _, c in brackets)
        settings = "newline=NL indent=I dedent=D " + r.choice(["", f"open={o} close={c}"])
        lines += ["%indent " + settings + r.choice(["", " tab=4", " tab=+4", " tab=refuse"]) + r.choice(["", " end=newline"])]
    lines += ["NAME: /[a-d]+/", "%ignore / +/"]
    text = "\n".join(lines) + "\n"
    for p in PAIRS:  # a bracket that no rule uses cannot be named
        if f'"{p[0]}"' in text:
            text += f'brackets_{"abc"[PAIRS.index(p)]}: "{p[0]}" "{p[1]}"\n'
    return text


def spell(r, g, name, columns):
    t = g.terminals[name]
    if t.pattern.type == "str":
        return t.pattern.value
    if name == "NAME":
        return r.choice(["a", "b", "cd"])
    if name == "NL":
        blank = r.choice(["", "", "", "\n", "  \n", " # c" if "#" in t.pattern.value else ""])
        k = r.choice(columns + columns + [columns[-1] + 1, columns[-1] + r.choice([2, 4, 8])])
        tabs = r.choice([0, 0, 0, k // 4])
        return r.choice(["\n", "\n", blank + "\n"]) + "\t" * tabs + " " * max(0, k - 4 * tabs)
    return " "


def random_text(r, g):
    e, out, columns = reference.Earley(g), "", [0]
    for _ in range(r.randrange(1, 25)):
        viable = sorted(n for n in e.viable() if n in g.terminals)
        if not viable or e.accepting and r.random() < 0.1:
            break
        name = r.choice(viable)
        text = spell(r, g, name, columns)
        e.push(name)
        if name == g.settings.newline:
            k = reference.width(g, text[text.rfind("\n") + 1:])
            if k is None:
                continue
            if k > columns[-1] and e.push(g.settings.indent):
                columns.append(k)
            while k < columns[-1] and e.push(g.settings.dedent):
                columns.pop()
        out += text + r.choice(["", "", " ", "\n" if g.settings.scoped and r.random() < 0.3 else ""])
    return out


def mutate(r, text):
    for _ in range(r.choice([0, 0, 0, 1, 1, 2])):
        at = r.randrange(len(text) + 1)
        k = r.randrange(4)
        if k == 0:
            text = text[:at] + text[at + 1:]
        elif k == 1:
            text = text[:at] + r.choice(["\n", " ", "\n ", "\n  ", "\t", "a", "(", ")", "]", "x", ":", ","]) + text[at:]
        elif k == 2:
            text = text[:at]
        else:
            text = text + r.choice(["\n", "\n", "a\n", " "])
    return text


def records(value):
    """The objects with a file's name, wherever they are."""
    if isinstance(value, dict) and "file" in value:
        yield value
    for x in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from records(x)


def gcdc_answers(gcdc, grammar, texts, folder, cut):
    folder.mkdir()
    (folder / "g.lark").write_text(grammar)
    p = subprocess.run([gcdc, "compile", folder / "g.lark", "--quiet", "-o", folder / "g.gcdc"], capture_output=True, text=True, timeout=60)
    if p.returncode:
        if p.returncode not in (65,):
            sys.exit(f"compile: {p.returncode}\n{grammar}\n{p.stderr}")
        return p.stderr, None
    files = []
    for i, text in enumerate(texts):
        (folder / f"{i}.txt").write_bytes(text.encode())
        files.append(folder / f"{i}.txt")
    p = subprocess.run([gcdc, "check", folder / "g.gcdc", "--json", *cut, *files], capture_output=True, text=True, timeout=120)
    if p.returncode not in (0, 1) or "Sanitizer" in p.stderr:
        sys.exit(f"check: {p.returncode}\n{grammar}\n{p.stdout}\n{p.stderr}")
    seen = {x["file"]: x["accepted"] for x in records(json.loads(p.stdout))}
    return None, [seen[str(f)] for f in files]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("gcdc")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--grammars", type=int, default=20)
    p.add_argument("--texts", type=int, default=40)
    p.add_argument("--scopes-only", action="store_true")
    a = p.parse_args()
    print("seed", a.seed)
    wrong = refused = accepted = total = 0
    for n in range(a.grammars):
        r = random.Random(f"{a.seed}/{n}")
        grammar = random_grammar(r, a.scopes_only)
        g = reference.Grammar(grammar, "start", None)
        if "start" not in g.rules or not g.rules["start"]:
            continue
        texts = sorted({mutate(r, random_text(r, g)) for _ in range(a.texts)})
        cut = r.choice([["--bytes"], ["--greedy"], ["--random-splits", str(n + 1)]])
        with tempfile.TemporaryDirectory() as folder:
            why, answers = gcdc_answers(a.gcdc, grammar, texts, pathlib.Path(folder) / "x", cut)
        if why:
            refused += 1
            print(f"grammar {n} is refused: {why.splitlines()[0]}")
            continue
        for text, answer in zip(texts, answers):
            expected = reference.in_language(g, text)
            total, accepted = total + 1, accepted + expected
            if answer != expected:
                wrong += 1
                print(f"--- grammar {n} {cut}\n{grammar}text {text!r}: reference {expected}, gcdc {answer}")
    print(f"{total} texts, {accepted} in their language, {refused} grammars refused, {wrong} differences")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
