#!/usr/bin/env python3
"""Do gcdc and a notation's own engine accept the same texts? Files, and random grammars; prints what differs.

The engines: llama.cpp's grammar code (--llama: a program that reads a grammar's path and texts in hex, one a line, and
prints "ok" or "refused", then 1 or 0 a text; docs/notations.md says how to build it), and PyPI's xgrammar (--xgrammar).
Texts of a file's grammar are sampled by gcdc, then changed at random; of a random grammar they are also sampled from
its tree, which needs neither engine. --syntax writes grammars at random from the signs of the notation, right and wrong
ones (escapes, comments, line ends, sets, bounds, groups, names): who refuses one is compared, too.

  compare_notations.py --llama JUDGE [--random N] [--syntax N] [--seed S] [GRAMMAR.gbnf ...]
  compare_notations.py --xgrammar [--random N] [--syntax N] [--seed S] [GRAMMAR.ebnf ...]
"""
import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gcdc_runtime  # noqa: E402

TOP = Path(__file__).resolve().parent.parent
GCDC = os.environ.get("GCDC", str(TOP / "build/release/gcdc"))


class Ours:
    """A grammar as gcdc compiles it; .why where it does not."""

    def __init__(self, path, out, seconds=60):
        done = subprocess.run([GCDC, "compile", str(path), "-o", str(out), "-q", "--max-seconds", str(seconds),
                               "--max-memory", "3000", "--budget", "off"], capture_output=True, text=True, check=False)
        self.why = done.stderr if done.returncode else None
        self.out = out
        if not self.why:
            self.artifact = gcdc_runtime.Artifact(out)

    def accepts(self, text):
        m = gcdc_runtime.Matcher(self.artifact)
        data = text.encode()
        status = gcdc_runtime.LIB.gcdc_matcher_accept_bytes(m.at, data, gcdc_runtime.SIZE(len(data)))
        return status == 0 and bool(m.completed())

    def samples(self, n, seed, tokens=60):
        done = subprocess.run([GCDC, "sample", str(self.out), "--count", str(n), "--seed", str(seed), "--max-tokens",
                               str(tokens)], capture_output=True, text=True, check=False)
        texts = []
        for line in done.stdout.splitlines():
            try:
                text = json.loads(line)
            except ValueError:
                continue
            if isinstance(text, str):
                texts.append(text)
        return texts


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


class Llama:
    def __init__(self, program, path):
        self.program, self.path, self.why = program, path, ""

    def verdicts(self, texts):
        lines = "".join(t.encode().hex() + "\n" for t in texts)
        done = subprocess.run([self.program, str(self.path)], input=lines.encode(), capture_output=True, check=False,
                              timeout=600, preexec_fn=bounded)
        said = done.stdout.decode().split()
        if done.returncode or not said or said[0] != "ok":
            told = done.stderr.decode(errors="replace").strip()
            self.why = told.splitlines()[0] if told else f"exit {done.returncode}"
            return None
        return [v == "1" for v in said[1:]]


class XGrammar:
    """The engine works in a child, for some grammars end its process."""

    def __init__(self, path):
        self.path, self.why = path, ""
        try:
            import torch  # noqa: F401  pylint: disable=unused-import
        except ImportError:  # matching needs none of it
            import tvm_ffi  # noqa: F401  pylint: disable=unused-import
            from unittest import mock
            for name in ("torch", "transformers", "triton"):
                sys.modules[name] = mock.MagicMock()
        import xgrammar
        self.x = xgrammar

    def said(self, texts):
        try:
            grammar = self.x.Grammar.from_ebnf(Path(self.path).read_text(encoding="utf-8"))
            info = self.x.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
            compiled = self.x.GrammarCompiler(info, max_threads=1).compile_grammar(grammar)
        except Exception as e:  # pylint: disable=broad-except
            return {"why": str(e)}
        out = []
        for text in texts:
            m = self.x.GrammarMatcher(compiled, terminate_without_stop_token=False)
            ok = m.accept_string(text) if text else True
            out.append(bool(ok and m.accept_token(256)))
        return {"verdicts": out}

    def verdicts(self, texts):
        there, here = os.pipe()
        child = os.fork()
        if not child:
            os.close(there)
            with os.fdopen(here, "w") as pipe:
                json.dump(self.said(texts), pipe)
            os._exit(0)
        os.close(here)
        with os.fdopen(there) as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        answer = json.loads(said) if said else {"why": "exit - by a signal"}
        self.why = answer.get("why", "")
        return answer.get("verdicts")


# ---- random grammars, as trees


# XGrammar 0.2.8 cannot match a string or set that mixes ASCII with U+0080 to U+00FF ("-é"): a defect of its own, so none here.
ALPHABET = ["a", "b", "c", "-", " ", "ж", "λ", "日"]


def random_tree(r, depth, rules):
    kind = r.random()
    if depth == 0 or kind < 0.3:
        return ("text", "".join(r.choice(ALPHABET) for _ in range(r.choice([1, 1, 2, 3]))))
    if kind < 0.4:
        return ("set", sorted(r.sample(ALPHABET, r.randint(1, 3))), r.random() < 0.2)
    if kind < 0.55:
        return ("rule", r.randrange(rules))
    if kind < 0.8:
        return ("seq", [random_tree(r, depth - 1, rules) for _ in range(r.randint(2, 3))])
    if kind < 0.9:
        return ("alt", [random_tree(r, depth - 1, rules) for _ in range(r.randint(2, 3))])
    return ("repeat", random_tree(r, depth - 1, rules), *r.choice([(0, 1), (0, None), (1, None), (2, 3), (0, 4)]))


def written(t):
    if t[0] == "text":
        return '"' + t[1] + '"'
    if t[0] == "set":
        return "[" + ("^" if t[2] else "") + "".join("\\-" if c == "-" else c for c in t[1]) + "]"
    if t[0] == "rule":
        return "root" if t[1] == 0 else f"r{t[1]}"
    if t[0] == "seq":
        return " ".join(f"({written(x)})" if x[0] == "alt" else written(x) for x in t[1])
    if t[0] == "alt":
        return " | ".join(written(x) for x in t[1])
    mark = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get(t[2:]) or f"{{{t[2]},{t[3]}}}"
    return f"({written(t[1])}){mark}"


def sampled(r, t, rules, fuel):
    """A text of the tree, or None when it takes too long."""
    fuel[0] -= 1
    if fuel[0] < 0:
        return None
    if t[0] == "text":
        return t[1]
    if t[0] == "set":
        return r.choice([c for c in ALPHABET + ["z"] if (c in t[1]) != t[2]] or ["z"])
    if t[0] == "rule":
        return sampled(r, rules[t[1]], rules, fuel)
    if t[0] == "alt":
        return sampled(r, r.choice(t[1]), rules, fuel)
    parts = t[1] if t[0] == "seq" else [t[1]] * r.randint(t[2], t[3] if t[3] is not None else t[2] + 3)
    out = []
    for part in parts:
        text = sampled(r, part, rules, fuel)
        if text is None:
            return None
        out.append(text)
    return "".join(out)


# ---- random syntax

# What gcdc takes and an engine does not, on purpose (docs/notations.md): a part of the engine's message.
MORE = ["left recursion", "exceeds sane defaults", "exit -"]
NAMES = {"gbnf": ["root", "a", "b-1", "9", "-x", "A", "root-", "a_b"], "ebnf": ["root", "a", "b-1", "_x", "-y", "A.b", "a_b", "9"]}
CHARACTERS = ["a", "b", "ж", "日", "z", "0", " ", "'", "^", ".", "*", "$", "{", "|", "(", "#", "/", "😀", "-"]
ESCAPES = {"gbnf": ["\\n", "\\t", "\\r", "\\\\", '\\"', "\\[", "\\]", "\\-", "\\x41", "\\u00e9", "\\U0001F600", "\\x7", "\\q",
                    "\\'", "\\/", "\\u12", "\\uD800", "\\U00110000", "\\x00", "\\xff", "\\0", "\\d", "\\^"],
           "ebnf": ["\\n", "\\t", "\\r", "\\\\", '\\"', "\\]", "\\-", "\\x41", "\\x041", "\\x7", "\\u0436", "\\U0001F600", "\\q", "\\'",
                    "\\/", "\\?", "\\a", "\\b", "\\f", "\\v", "\\0", "\\e", "\\u12", "\\uD800", "\\U00110000", "\\xfffffff", "\\d",
                    "\\w", "\\^", "\\[", "\\.", "\\}", "\\x"]}


class Syntax:
    """A grammar as its signs, most of them rightly put."""

    def __init__(self, r, kind):
        self.r, self.kind = r, kind

    def one_of(self, *weighted):
        return self.r.choices([w[0] for w in weighted], [w[1] for w in weighted])[0]

    def space(self, lines):
        some = [("", 6), (" ", 12), ("\t", 1), ("  ", 1)]
        if lines or self.r.random() < 0.03:
            some += [("\n", 1), (" # c \" ( ] |\n", 1), ("\r\n ", 1), ("\r", 0.3), ("\n\n", 0.3), ("#\n", 0.3)]
        return self.one_of(*some)

    def character(self):
        kind = self.r.random()
        if kind < 0.65:
            return self.r.choice(CHARACTERS)
        if kind < 0.97:
            some = ESCAPES[self.kind]
            return self.r.choice(some[:11] if self.r.random() < 0.93 else some)
        return self.r.choice(["\n", "\t", "]", "["])

    def text(self):
        return '"' + "".join(self.character() for _ in range(self.r.choice([0, 1, 1, 2, 3]))).replace("\\-", "-") + self.one_of(('"', 250), ("", 1))

    def set(self):
        out = "[" + self.one_of(("", 4), ("^", 1))
        for _ in range(self.r.choice([0, 1, 1, 2, 3])):
            out += self.one_of((self.character(), 4), ("a-c", 2), ("0-9", 1), (self.character() + "-" + self.character(), 1), ("-", 0.5),
                               ("^", 0.2), ('"', 0.3))
        return out + self.one_of(("]", 60), ("-]", 6), ("", 1))

    def bounds(self, lines):
        n = ["0", "1", "2", "3", "1000", "2001"]
        def number():
            return self.r.choice(n[:4]) if self.r.random() < 0.97 else self.r.choice(n)
        least, most, space = number(), number(), lambda: self.one_of(("", 9), (self.space(lines), 1))
        if int(least) > int(most) and self.r.random() < 0.98:  # llama.cpp takes such bounds for endless ones, until memory ends
            least, most = most, least
        inside = self.one_of((least, 3), (least + space() + ",", 2), (least + space() + "," + space() + most, 4), ("," + most, 0.3), ("", 0.1))
        return "{" + space() + inside + space() + "}"

    def item(self, depth, lines):
        kind = self.r.random()
        if kind < 0.4 or not depth and kind < 0.7:
            out = self.text()
        elif kind < 0.6:
            out = self.set()
        elif kind < 0.75:
            out = self.r.choice(NAMES[self.kind][:self.rules]) if self.r.random() < 0.99 else self.r.choice(NAMES[self.kind])
        elif kind < 0.8:
            out = "." if self.kind == "gbnf" or self.r.random() < 0.1 else '""'
        elif not depth:
            out = self.set()
        else:
            out = "(" + self.space(True) + self.alternatives(depth - 1, True) + self.space(True) + self.one_of((")", 250), ("", 1))
        while self.r.random() < 0.25:
            out += self.space(lines and self.r.random() < 0.3) + self.one_of(("*", 1), ("+", 1), ("?", 1), (self.bounds(lines), 1))
        return out

    def sequence(self, depth, lines):
        least = self.one_of((0, 1), (1, 40)) if self.kind == "ebnf" else self.one_of((0, 1), (1, 8))
        return self.space(lines).join(self.item(depth, lines) for _ in range(max(least, self.r.choice([1, 1, 2, 3]) if least else 0)))

    def alternatives(self, depth, lines):
        n = self.r.choice([1, 1, 1, 2, 3])
        return (self.space(lines) + "|" + self.space(True)).join(self.sequence(depth, lines) for _ in range(n))

    def grammar(self):
        self.rules = self.r.randint(1, 4)
        names = NAMES[self.kind][:self.rules]
        if self.r.random() < 0.04:
            names.append(self.r.choice(NAMES[self.kind]))
        out = self.one_of(("", 6), ("# c\n", 1), ("\n", 1), (" ", 0.3), ("\ufeff", 0.05))
        for name in names:
            ends = self.one_of(("\n", 20), ("\r\n", 3), ("\n\n", 2), ("\r", 1), (" # end\n", 2), (" \n# c\n\t", 1), (" ", 0.3), ("\n  ", 1))
            says = self.one_of(("::=", 200), (":=", 1), (": :=", 0.3))
            out += name + self.one_of((" ", 6), ("", 1), ("\t", 1), ("\n", 0.1)) + says + self.one_of((" ", 6), ("", 1), ("\n", 1), (" #c\n ", 0.5))
            out += self.alternatives(2, False) + ends
        return out


def changed(r, text, letters):
    """One to three edits."""
    out = list(text)
    for _ in range(r.randint(1, 3)):
        kind, at = r.random(), r.randint(0, len(out))
        if kind < 0.4 and out:
            del out[min(at, len(out) - 1)]
        elif kind < 0.7:
            out.insert(at, r.choice(letters))
        elif out:
            out[min(at, len(out) - 1)] = r.choice(letters)
    return "".join(out)


def compare(name, ours, judge, texts, tally, strict=False):
    texts = [t for t in dict.fromkeys(texts) if "\0" not in t and len(t) < 2000]
    verdicts = judge.verdicts(texts)
    if verdicts is None or ours.why:
        if verdicts is not None and "the language is empty" in ours.why:  # an error in gcdc alone, by design
            tally["refused by both"] += 1
            return
        tally["refused by both" if verdicts is None and ours.why else
              "refused by the engine alone" if verdicts is None else "refused by gcdc alone"] += 1
        if verdicts is not None:
                print(f"{name}: gcdc refuses it: {ours.why}")
        elif not ours.why and strict and not any(m in judge.why for m in MORE):
            tally["taken by gcdc alone"] += 1
            print(f"{name}: the engine refuses it: {judge.why}")
        return
    tally["grammars"] += 1
    for text, theirs in zip(texts, verdicts):
        tally["texts"] += 1
        tally["accepted"] += theirs
        if ours.accepts(text) != theirs:
            tally["differ"] += 1
            print(f"{name}: {text!r}: gcdc {not theirs}, the engine {theirs}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("grammars", nargs="*")
    parser.add_argument("--llama")
    parser.add_argument("--xgrammar", action="store_true")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--syntax", type=int, default=0)
    parser.add_argument("--only", type=int, help="of the grammars at random, this one")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=100)
    o = parser.parse_args()
    suffix = ".ebnf" if o.xgrammar else ".gbnf"
    tally = dict.fromkeys(["grammars", "texts", "accepted", "differ", "refused by both", "refused by the engine alone",
                           "refused by gcdc alone", "taken by gcdc alone"], 0)
    with tempfile.TemporaryDirectory() as folder:
        def judge(path):
            return XGrammar(path) if o.xgrammar else Llama(o.llama, path)

        for name in o.grammars:
            r = random.Random(f"{o.seed} {name}")
            path = Path(folder) / ("g" + suffix)
            path.write_bytes(Path(name).read_bytes())
            ours = Ours(path, Path(folder) / "g.gcdc")
            texts = []
            beside = Path(name).with_suffix(".texts")
            if beside.exists():
                texts = json.loads(beside.read_text(encoding="utf-8"))
            if not ours.why:
                texts += [""] + ours.samples(o.texts // 4, o.seed)
                letters = sorted(set("".join(texts)) | set("az09 {}[]\"',:.-+\n\tж"))
                texts += [changed(r, r.choice(texts), letters) for _ in range(o.texts)]
            compare(name, ours, judge(path), texts, tally)
        for k in range(o.syntax) if o.only is None else [o.only]:
            r = random.Random(f"syntax {o.seed} {k}")
            path = Path(folder) / ("s" + suffix)
            path.write_bytes(Syntax(r, suffix[1:]).grammar().encode())
            ours = Ours(path, Path(folder) / "s.gcdc", 20)
            texts = [""] + ([] if ours.why else ours.samples(o.texts // 5, o.seed, 12))
            texts += [changed(r, r.choice(texts), CHARACTERS + list("cAB1\n\t]")) for _ in range(o.texts // 2)]
            texts += ["".join(r.choice(CHARACTERS) for _ in range(r.randint(1, 3))) for _ in range(o.texts // 5)]
            before = tuple(tally[t] for t in ("differ", "refused by gcdc alone", "taken by gcdc alone"))
            compare(f"syntax {o.seed} {k}", ours, judge(path), texts, tally, strict=True)
            if before != tuple(tally[t] for t in ("differ", "refused by gcdc alone", "taken by gcdc alone")):
                print(repr(path.read_text(encoding="utf-8")), flush=True)
        for k in range(o.random):
            r = random.Random(f"{o.seed} {k}")
            n = r.randint(1, 4)
            rules = [random_tree(r, r.randint(1, 3), n) for _ in range(n)]
            text = "".join(f"{written(('rule', i))} ::= {written(t)}\n" for i, t in enumerate(rules))
            path = Path(folder) / ("r" + suffix)
            path.write_text(text, encoding="utf-8")
            ours = Ours(path, Path(folder) / "r.gcdc", 20)
            texts = [""] + [sampled(r, rules[0], rules, [60]) for _ in range(o.texts)]
            texts = [t for t in texts if t is not None]
            texts += [changed(r, r.choice(texts), ALPHABET + ["z"]) for _ in range(o.texts)]
            texts += ["".join(r.choice(ALPHABET) for _ in range(r.randint(1, 5))) for _ in range(o.texts // 2)]
            before = tally["differ"] + tally["refused by gcdc alone"]
            compare(f"random {o.seed} {k}", ours, judge(path), texts, tally)
            if tally["differ"] + tally["refused by gcdc alone"] > before:
                print(text)
    print(", ".join(f"{k}: {v}" for k, v in tally.items()))
    bad = ["differ", "refused by gcdc alone", "taken by gcdc alone"]
    return 1 if any(tally[b] for b in bad) or not tally["texts"] else 0


if __name__ == "__main__":
    sys.exit(main())
