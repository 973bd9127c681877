#!/usr/bin/env python3
"""Token-level formats of structural tags: every bit of gcdc's masks against XGrammar's, with a real tokenizer's tokens.

XGrammar comes from PyPI (see compare_structural_tags.py). Random documents of any_tokens, token, token_triggered_tags, token_dispatch and
what stands inside them, and EBNF of such macros, are compiled by both; random walks take tokens that both allow. Three differences are explained, and counted apart:
XGrammar takes a special token as text that its name spells (inside JSON strings, say), in free tokens bytes that are no UTF-8, and free
tokens only where a token begins: the same text, cut there, must then be one that it takes.

  compare_token_masks.py TOKENIZER [--documents N] [--walks N] [--steps N] [--seed S]      TOKENIZER: a folder with tokenizer.json
"""
import argparse
import codecs
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gcdc_runtime  # noqa: E402
from compare_structural_tags import GCDC, XGrammar  # noqa: E402

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "integer"}}, "required": ["city"]}


class Documents:
    def __init__(self, rng, special, text):
        self.r, self.special, self.text = rng, special, text

    def token(self):
        return {"type": "token", "token": self.r.choice(self.special)}

    def number(self):
        return self.r.choice(self.special if self.r.random() < 0.3 else self.text)

    def grammar(self):
        """EBNF's macros of tokens, special and text."""
        n = [self.number() for _ in range(4)]
        rules = self.r.choice([f'root ::= "go" Token({n[0]}, {n[1]}) "x"?', f'root ::= Token({n[0]}) ("," Token({n[1]}, {n[2]}))*',
                               f'root ::= "(" ExcludeToken({n[0]}, {n[1]}) ")"', f'root ::= ExcludeToken({n[0]}){{1,3}}',
                               f'root ::= Token({n[0]}) | "yes"', f'root ::= "aa" [0-9]? Token({n[0]})+ "."',
                               f'root ::= TokenTagDispatch(({n[0]}, r), excludes=({n[1]},))\nr ::= Token({n[2]}) Token({n[3]})?',
                               f'root ::= TokenTagDispatch(({n[0]}, r), excludes=({n[1]},))\nr ::= "fn(" Token({n[2]}, {n[3]}) ")" | "done"',
                               f'root ::= Token({n[0]}) TokenTagDispatch(({n[1]}, r), excludes=({n[2]},)) Token({n[3]})\nr ::= "[" r? "]"',
                               f'root ::= TokenTagDispatch(({n[0]}, r), ({n[1]}, s), loop_after_dispatch=false)\nr ::= "ok"\ns ::= Token({n[2]})'])
        return {"type": "grammar", "grammar": rules}

    def whole(self):
        """Formats of whole tokens: text tokens may be excluded, too."""
        excluded = self.some(2) + self.r.sample(self.text, self.r.randrange(4))
        one = {"type": "exclude_token", "exclude_tokens": excluded}
        kind = self.r.randrange(6)
        if kind == 0:
            return one
        if kind == 5:
            return {"type": "sequence", "elements": [{"type": "json_schema", "json_schema": SCHEMA}, {"type": "token", "token": self.number()}]}
        if kind == 1:
            return {"type": "repeat", "content": one, "min": self.r.randrange(3), "max": 3}
        if kind == 2:
            return {"type": "sequence", "elements": [one, {"type": "const_string", "value": self.r.choice(["ok", " a b"])}]}
        most = {} if kind == 3 and excluded else {"max_tokens": self.r.randrange(5)}
        return {"type": "any_tokens", "exclude_tokens": excluded, **most}

    def content(self, depth):
        if self.r.random() < 0.35:
            return self.whole()
        if self.r.random() < 0.15:
            return self.r.choice([self.grammar(), {"type": "token", "token": self.number()}])
        kind = self.r.randrange(6)
        if kind == 0:
            return {"type": "json_schema", "json_schema": SCHEMA}
        if kind == 1:
            return {"type": "const_string", "value": self.r.choice(["ok", "a b", "{}"])}
        if kind == 2:
            return {"type": "regex", "pattern": self.r.choice(["[a-z]+", "[0-9]{1,3}", "(yes|no)!"])}
        if kind == 3 and depth:
            return self.free(depth - 1)
        if kind == 4:
            return {"type": "sequence", "elements": [{"type": "const_string", "value": "x"}, self.token()]}
        return {"type": "any_tokens", "exclude_tokens": self.some(3)}

    def some(self, most):
        return self.r.sample(self.special, self.r.randrange(most + 1))

    def tags(self, depth, begins):
        return [{"type": "tag", "begin": {"type": "token", "token": b}, "content": self.content(depth), "end": self.token()} for b in begins]

    def free(self, depth):
        kind = self.r.randrange(5)
        if kind == 4:
            return self.whole()
        if kind == 0:
            return {"type": "any_tokens", "exclude_tokens": self.some(4)}
        begins = self.r.sample(self.special, self.r.randrange(1, 4))
        if kind == 1:
            return {"type": "token_dispatch", "rules": [[b, self.content(depth)] for b in begins], "loop": self.r.random() < 0.6,
                    "exclude_tokens": self.some(2)}
        return {"type": "token_triggered_tags", "trigger_tokens": begins, "tags": self.tags(depth, begins), "exclude_tokens": self.some(2),
                "at_least_one": self.r.random() < 0.3, "stop_after_first": self.r.random() < 0.3}

    def document(self):
        f = self.grammar() if self.r.random() < 0.2 else self.free(1) if self.r.random() < 0.8 else self.tags(1, self.r.sample(self.special, 1))[0]
        if self.r.random() < 0.3:
            f = {"type": "sequence", "elements": [{"type": "const_string", "value": "go"}, f]}
        return {"type": "structural_tag", "format": f}


def is_utf8(text):
    """Is it, but for a character that is not whole yet?"""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(text)
        return True
    except UnicodeDecodeError:
        return False


def takes_bytes(matcher, vocab, text):
    matcher = matcher.fork()
    return all(matcher.accept_token(vocab.index(bytes([b]))) for b in text)


def bits(words, n):
    return numpy.unpackbits(words.view(numpy.uint8), bitorder="little")[:n].astype(bool)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tokenizer", type=Path)
    p.add_argument("--documents", type=int, default=60)
    p.add_argument("--walks", type=int, default=4)
    p.add_argument("--steps", type=int, default=14)
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    tree = json.loads((o.tokenizer / "tokenizer.json").read_text(encoding="utf-8"))
    added = {t["id"]: t["content"] for t in tree["added_tokens"] if t["special"]}
    x = XGrammar().x
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        plain = folder / "any.lark"
        plain.write_text("start: /(?s:.)+/\n")
        subprocess.run([GCDC, "compile", plain, "-o", folder / "any.gcdc", "-q", "--tokenizer", o.tokenizer], check=True)
        any_text = gcdc_runtime.Artifact(folder / "any.gcdc")
        info = gcdc_runtime.Info()
        gcdc_runtime.LIB.gcdc_artifact_info(any_text.at, gcdc_runtime.ctypes.byref(info))
        n = info.n_tokens
        vocab = [added[t].encode() if t in added else any_text.token(t) for t in range(n)]
        special = [t for t in added if t not in any_text.eos][:8]
        if len(special) < 4:
            sys.exit(f"{o.tokenizer}: {len(special)} special tokens beside those that end a text; documents name up to 4")
        text_tokens = [t for t in range(256, 1500) if t not in added and is_utf8(vocab[t])]
        compiler = x.GrammarCompiler(x.TokenizerInfo(vocab, stop_token_ids=any_text.eos), max_threads=1, cache_enabled=False)
        as_text = no_utf8 = cut = differ = compared = positions = refused = both = documents = 0
        for k in range(o.documents):
            rng = random.Random(f"{o.seed} {k}")
            doc = Documents(rng, special, text_tokens).document()
            path = folder / "x.structural_tag.json"
            path.write_text(json.dumps(doc), encoding="utf-8")
            done = subprocess.run([GCDC, "compile", path, "-o", folder / "x.gcdc", "-q", "--budget", "off", "--tokenizer", o.tokenizer],
                                  capture_output=True, text=True, check=False)
            try:
                compiled, why = compiler.compile_structural_tag(json.dumps(doc)), ""
            except Exception as e:  # pylint: disable=broad-except
                compiled, why = None, str(e)
            if done.returncode or compiled is None:
                both += bool(done.returncode) and compiled is None
                refused += bool(done.returncode) != (compiled is None)
                if bool(done.returncode) != (compiled is None):
                    print(f"{json.dumps(doc)}\n  gcdc: {done.stderr.strip()[:300]}\n  XGrammar: {why[:300]}", flush=True)
                continue
            documents += 1
            artifact = gcdc_runtime.Artifact(folder / "x.gcdc")
            words = gcdc_runtime.mask_words(artifact)
            for _ in range(o.walks):
                m, theirs, path_so_far = gcdc_runtime.Matcher(artifact), x.GrammarMatcher(compiled, terminate_without_stop_token=False), []
                for _ in range(o.steps):
                    mine = (gcdc_runtime.U32 * words)()
                    m.fill(mine)
                    other = numpy.zeros((1, (n + 31) // 32), dtype=numpy.int32)
                    other[:] = -1
                    theirs.fill_next_token_bitmask(other)
                    a, b = bits(numpy.frombuffer(mine, dtype=numpy.uint32), n), bits(other[0], n)
                    positions, compared = positions + 1, compared + n
                    text = b""
                    for t in reversed(path_so_far):
                        if isinstance(t, str):
                            break
                        text = t + text
                    bad = []
                    for t in numpy.nonzero(a != b)[0]:
                        if b[t] and t in added:
                            as_text += 1
                        elif b[t] and not is_utf8(text + vocab[t]):
                            no_utf8 += 1
                        elif a[t] and t not in added and takes_bytes(theirs, vocab, vocab[t]):
                            cut += 1
                        else:
                            bad.append(t)
                    if len(bad):
                        differ += 1
                        if differ <= 10:
                            print(f"{json.dumps(doc)}\n  behind {path_so_far}: {len(bad)} differ, such as",
                                  [(int(t), added.get(int(t), vocab[t]), bool(a[t])) for t in bad[:6]], flush=True)
                        break
                    ways = [t for t in numpy.nonzero(a & b)[0] if t not in any_text.eos]
                    if not ways:
                        break
                    named = [t for t in ways if t in added]
                    t = int(rng.choice(named if named and rng.random() < 0.4 else ways))
                    assert m.accept(t) and theirs.accept_token(t), (doc, path_so_far, t)
                    path_so_far.append(added.get(t, vocab[t]))
        print(f"seed {o.seed}: {documents} documents, {positions} masks, {compared} bits: {differ} masks differ; explained bits: {as_text} special tokens "
              f"as text, {no_utf8} no UTF-8, {cut} cut "
              f"elsewhere; {both} documents refused by both, {refused} by one")
    return 1 if differ or documents < o.documents / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
