#!/usr/bin/env python3
"""Do gcdc and a notation's own engine accept the same texts? Files, and random grammars; prints what differs.

The engines: llama.cpp's grammar code (--llama: a program that reads a grammar's path and texts in hex, one a line, and
prints "ok" or "refused", then 1 or 0 a text; docs/notations.md says how to build it), and PyPI's xgrammar (--xgrammar).
Texts of a file's grammar are sampled by gcdc, then changed at random; of a random grammar they are also sampled from
its tree, which needs neither engine.

  compare_notations.py --llama JUDGE [--random N] [--seed S] [GRAMMAR.gbnf ...]
  compare_notations.py --xgrammar [--random N] [--seed S] [GRAMMAR.ebnf ...]
"""
import argparse
import os
import random
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
        import json
        texts = []
        for line in done.stdout.splitlines():
            try:
                text = json.loads(line)
            except ValueError:
                continue
            if isinstance(text, str):
                texts.append(text)
        return texts


class Llama:
    def __init__(self, program, path):
        self.program, self.path = program, path

    def verdicts(self, texts):
        lines = "".join(t.encode().hex() + "\n" for t in texts)
        done = subprocess.run([self.program, str(self.path)], input=lines, capture_output=True, text=True, check=False,
                              timeout=600)
        said = done.stdout.split()
        if done.returncode or not said or said[0] != "ok":
            return None
        return [v == "1" for v in said[1:]]


class XGrammar:
    def __init__(self, path):
        try:
            import torch  # noqa: F401  pylint: disable=unused-import
        except ImportError:  # matching needs none of it
            import tvm_ffi  # noqa: F401  pylint: disable=unused-import
            from unittest import mock
            for name in ("torch", "transformers", "triton"):
                sys.modules[name] = mock.MagicMock()
        import xgrammar
        self.x = xgrammar
        try:
            grammar = xgrammar.Grammar.from_ebnf(Path(path).read_text(encoding="utf-8"))
            info = xgrammar.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
            self.compiled = xgrammar.GrammarCompiler(info, max_threads=1).compile_grammar(grammar)
        except Exception:  # pylint: disable=broad-except
            self.compiled = None

    def verdicts(self, texts):
        if self.compiled is None:
            return None
        out = []
        for text in texts:
            m = self.x.GrammarMatcher(self.compiled, terminate_without_stop_token=False)
            ok = m.accept_string(text) if text else True
            out.append(bool(ok and m.accept_token(256)))
        return out


# ---- random grammars, as trees


# XGrammar 0.2.8 cannot match a string that mixes ASCII with U+0080 to U+00FF ("-é"): a defect of its own, so none here.
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


def compare(name, ours, judge, texts, tally):
    texts = [t for t in dict.fromkeys(texts) if "\0" not in t and len(t) < 2000]
    verdicts = judge.verdicts(texts)
    if verdicts is None or ours.why:
        tally["refused by both" if verdicts is None and ours.why else
              "refused by the engine alone" if verdicts is None else "refused by gcdc alone"] += 1
        if verdicts is not None:
            print(f"{name}: gcdc refuses it: {ours.why}")
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
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=100)
    o = parser.parse_args()
    suffix = ".ebnf" if o.xgrammar else ".gbnf"
    tally = dict.fromkeys(["grammars", "texts", "accepted", "differ", "refused by both", "refused by the engine alone",
                           "refused by gcdc alone"], 0)
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
                import json
                texts = json.loads(beside.read_text(encoding="utf-8"))
            if not ours.why:
                texts += [""] + ours.samples(o.texts // 4, o.seed)
                letters = sorted(set("".join(texts)) | set("az09 {}[]\"',:.-+\n\tж"))
                texts += [changed(r, r.choice(texts), letters) for _ in range(o.texts)]
            compare(name, ours, judge(path), texts, tally)
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
    return 1 if tally["differ"] or tally["refused by gcdc alone"] or not tally["texts"] else 0


if __name__ == "__main__":
    sys.exit(main())
