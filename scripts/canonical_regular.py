#!/usr/bin/env python3
"""Random regular expressions with real tokenizers: the masks of --canonical=hard spell exactly the encodings of all their texts.

  canonical_regular.py GCDC TOKENIZER.json... [--count N] [--seed S] [--length L] [--texts M]

For each tokenizer N random expressions over characters that pre-tokenizers and merges care about. All texts of an expression
of at most L characters are enumerated by the expression itself (L is lowered until they are at most M) and encoded by HuggingFace
`tokenizers`. Then all sequences of tokens that the masks allow are walked: each must be the encoding of its text, each text
must come once, and no mask may be empty. Where a tokenizer puts a character before every text, texts stand behind a newline.
Exit status 1 when anything differs. Needs `tokenizers`; GCDC_BUILD names the build folder.
"""
import argparse
import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gcdc_runtime import Artifact, Error, Matcher, mask_words  # noqa: E402

PIECES = ["a", "b", "e", "s", "t", "I", "T", "he", "in", "ing", "The", " ", "  ", " the", "'", "'s", "'ll", "1", "23", "2024", ".", "...", "\n", "\n\n",
          "\t", "é", "ß", "ö", "漢", "字", "한", "я", "при", "🙂", "-", "=", "==", "(", ")", "_", "/", "\\", "\"", "<", ">", "{}", "x", "\r\n"]


def expression(r, depth):
    """A tree: text, (alternatives,), [sequence] or (tree, least, most)."""
    kind = r.random()
    if depth == 0 or kind < .25:
        return r.choice(PIECES)
    if kind < .5:
        return ("or", [expression(r, depth - 1) for _ in range(r.randint(2, 3))])
    if kind < .8:
        return ("then", [expression(r, depth - 1) for _ in range(r.randint(2, 3))])
    least = r.randint(0, 1)
    return ("times", expression(r, depth - 1), least, r.choice([least + 1, least + 2, None]))


def pattern(e):
    if isinstance(e, str):
        return "".join("\\n" if c == "\n" else "\\r" if c == "\r" else "\\t" if c == "\t" else re.escape(c) if c in "\\.()[]{}*+?|^$" else c for c in e)
    if e[0] == "or":
        return "(" + "|".join(map(pattern, e[1])) + ")"
    if e[0] == "then":
        return "".join(map(pattern, e[1]))
    return f"({pattern(e[1])}){{{e[2]},{'' if e[3] is None else e[3]}}}"


class TooMany(Exception):
    pass


def texts(e, most, cap):
    """All texts of at most `most` characters."""
    if isinstance(e, str):
        return {e} if len(e) <= most else set()
    if e[0] == "or":
        out = set().union(*(texts(x, most, cap) for x in e[1]))
    elif e[0] == "then":
        out = {""}
        for x in e[1]:
            out = joined(out, texts(x, most, cap), most, cap)
    else:
        one, now, out = texts(e[1], most, cap), {""}, set()
        for i in range(most + 2 if e[3] is None else e[3] + 1):
            if i >= e[2]:
                before = len(out)
                out |= now
                if e[3] is None and len(out) == before:
                    break
            now = joined(now, one, most, cap)
    if len(out) > cap:
        raise TooMany
    return out


def joined(a, b, most, cap):
    if len(a) * len(b) > 50 * cap:
        raise TooMany
    return {x + y for x in a for y in b if len(x) + len(y) <= most}


def allowed(mask):
    for i, word in enumerate(mask):
        while word:
            low = word & -word
            yield i * 32 + low.bit_length() - 1
            word ^= low


def walk(artifact, most):
    """Every sequence that the masks allow of a text of at most `most` characters."""
    m, eos, found, errors, empty = Matcher(artifact), set(artifact.eos), [], [], 0
    words = (ctypes.c_uint32 * mask_words(artifact))

    def visit(sequence, data):
        nonlocal empty
        mask, some = words(), False
        try:
            m.fill(mask)
        except Error as e:
            errors.append((str(e), data))
            return
        for t in allowed(mask):
            some = True
            if t in eos:
                found.append((tuple(sequence), data))
                continue
            more = data + artifact.token(t)
            if len(more.decode("utf-8", "ignore")) > most:
                continue
            m.accept(t)
            visit(sequence + [t], more)
            m.rollback(1)
        empty += not some

    visit([], b"")
    return found, empty, errors


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("gcdc")
    p.add_argument("tokenizers", nargs="+")
    p.add_argument("--count", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--length", type=int, default=12)
    p.add_argument("--texts", type=int, default=1000)
    o = p.parse_args()
    from tokenizers import Tokenizer
    wrong = 0
    for path in o.tokenizers:
        tok, r, n_texts, n_bad, n_searched = Tokenizer.from_file(path), random.Random(o.seed), 0, 0, 0
        prefix = tok.encode("\n", add_special_tokens=False).ids
        prefix = prefix if len(prefix) > 1 else []

        def encode(text):
            return tuple(tok.encode(("\n" if prefix else "") + text, add_special_tokens=False).ids[len(prefix):])

        with tempfile.TemporaryDirectory() as folder:
            vocab = os.path.join(folder, "v.gcdv")
            subprocess.run([o.gcdc, "vocab", path, "--canonical", "-o", vocab], check=True, capture_output=True)
            for i in range(o.count):
                e, most = expression(r, 3), o.length
                while True:
                    try:
                        language = texts(e, most, o.texts)
                        break
                    except TooMany:
                        most -= 1
                if language <= {""}:
                    continue
                out = os.path.join(folder, f"{i}.gcdc")
                made = subprocess.run([o.gcdc, "compile", "--regex", pattern(e), "--tokenizer", vocab, "--canonical", "hard", "-o", out],
                                      capture_output=True, text=True)
                if made.returncode:
                    print(path, repr(pattern(e)), made.stderr)
                    n_bad += 1
                    continue
                n_searched += "searched for" in made.stderr
                found, empty, errors = walk(Artifact(out), most)
                expected = {(encode(t), t.encode()) for t in language}
                if len(found) != len(set(found)) or set(found) != expected or empty or errors:
                    n_bad += 1
                    print(f"{path}: {pattern(e)!r}, texts of {most} characters: {len(found)} sequences ({len(set(found))} different), {len(expected)} texts, "
                          f"{empty} empty masks, errors: {errors[:2]}; only found: {list(set(found) - expected)[:3]}, missing: {list(expected - set(found))[:3]}")
                n_texts += len(language)
        print(f"{path}: {o.count} expressions, {n_texts} texts, {n_searched} beyond the product's limits; {n_bad} wrong (seed {o.seed})", flush=True)
        wrong += n_bad
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
