#!/usr/bin/env python3
"""Samples of canonical artifacts against HuggingFace `tokenizers`: encode(decode(tokens)) == tokens?

  canonical_sample.py GCDC GRAMMAR.lark|--regex PATTERN TOKENIZER.json [--mode hard|soft] [--count N] [--seed S]
                      [--indent SETTINGS] [--budget-slack K]

Prints the share of complete samples that are canonical, and in soft mode the relaxations. Exit status 1 when hard mode has one
that is not. Where the tokenizer puts a character before every text, the text is put behind a newline: artifacts begin inside
a text. With --budget-slack each sample has a budget of the fewest tokens that a text needs + K, EOS counted: then every one must be
complete and within it, too. Needs `tokenizers`; GCDC_BUILD names the build folder for the relaxations.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time


def written(sample, tok):
    """The sample's text; control tokens of the grammar (0xFF, then the id in six bits a byte) by their names."""
    def name(m):
        token = 0
        for byte in m[1]:
            token = token << 6 | byte & 63
        return tok.id_to_token(token).encode()
    raw = bytes.fromhex(sample["bytes_hex"]) if "bytes_hex" in sample else sample["text"].encode()
    return re.sub(rb"\xff([\x80-\xbf]{4})", name, raw).decode()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("gcdc")
    p.add_argument("grammar", nargs="?")
    p.add_argument("tokenizer")
    p.add_argument("--regex")
    p.add_argument("--indent")
    p.add_argument("--mode", default="hard")
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--max-tokens", type=int, default=60)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--budget-slack", type=int, metavar="K")
    o = p.parse_args()
    from tokenizers import Tokenizer
    tok = Tokenizer.from_file(o.tokenizer)
    prefix = tok.encode("\n", add_special_tokens=False).ids if len(tok.encode("\n", add_special_tokens=False).ids) > 1 else []
    with tempfile.TemporaryDirectory() as folder:
        artifact = os.path.join(folder, "a.gcdc")
        what = ["--regex", o.regex] if o.regex else [o.grammar]
        if o.indent:
            what += ["--indent", o.indent]
        subprocess.run([o.gcdc, "compile", *what, "--tokenizer", o.tokenizer, "--canonical", o.mode, "-q", "-o", artifact],
                       check=True)
        limit = ["--max-tokens", str(o.max_tokens)]
        if o.budget_slack is not None:
            least = subprocess.run([o.gcdc, "close", artifact, "--prefix", "", "--json"], capture_output=True, check=True)
            budget = json.loads(least.stdout)["count"] + 1 + o.budget_slack
            limit = ["--budget", str(budget)]
        begin = time.perf_counter()
        out = subprocess.run([o.gcdc, "sample", artifact, "--count", str(o.count), "--seed", str(o.seed), *limit, "--json"],
                             capture_output=True, check=False)
        if out.returncode:
            print(out.stderr.decode("utf-8", "replace")[-400:])
            return 1
        took = time.perf_counter() - begin
        samples = json.loads(out.stdout.decode("utf-8", "surrogateescape"))
        relaxed = 0
        if o.mode == "soft":
            sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
            from gcdc_runtime import Artifact, Matcher
            m = Matcher(Artifact(artifact))
    complete = same = over = 0
    for s in samples:
        if not s["complete"]:
            continue
        complete += 1
        ids = s["tokens"]
        if o.budget_slack is not None and len(ids) + 1 > budget:
            over += 1
            print(f"over the budget of {budget}:", ids)
        text = written(s, tok)
        got = tok.encode(("\n" if prefix else "") + text, add_special_tokens=False).ids[len(prefix):]
        if got == ids:
            same += 1
        elif o.mode == "hard":
            print("not canonical:", repr(text), ids, got)
        if o.mode == "soft":
            m.reset()
            before = m.relaxations()
            for t in ids:
                m.accept(t)
            relaxed += m.relaxations() - before
    soft = f", {relaxed} relaxations" if o.mode == "soft" else ""
    within = f" (budget {budget})" if o.budget_slack is not None else ""
    print(f"{o.mode}{within}: {len(samples)} samples, {complete} complete, {same} canonical{soft}, {took:.1f} s", flush=True)
    failed = o.mode == "hard" and same != complete
    return int(failed or (o.budget_slack is not None and (over or complete != len(samples))))


if __name__ == "__main__":
    sys.exit(main())
