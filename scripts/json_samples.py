#!/usr/bin/env python3
"""Random texts that follow the masks, judged by Python's json: all must parse. An empty mask ends `gcdc sample` with an
error. Usage: scripts/json_samples.py [--gcdc PROGRAM] [--count N] [--seed S] TOKENIZER_FOLDER..."""
import argparse
import json
import subprocess
import sys
import tempfile

p = argparse.ArgumentParser(description=__doc__)
p.add_argument("--gcdc", default="build/release/gcdc")
p.add_argument("--count", type=int, default=10000)
p.add_argument("--seed", type=int, default=1)
p.add_argument("--max-tokens", type=int, default=100)
p.add_argument("tokenizers", nargs="*", default=[
    f"tokenizers/node_modules/@lenml/tokenizer-{n}/models" for n in ("llama3", "qwen2_5", "llama2", "gemma2")])
o = p.parse_args()


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


bad_total = 0
for folder in o.tokenizers:
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([o.gcdc, "compile", "grammars/json/json.lark", "--tokenizer", folder, "-o", f"{work}/a.gcdc",
                        "--quiet"], check=True)
        out = subprocess.run([o.gcdc, "sample", f"{work}/a.gcdc", "--count", str(o.count), "--seed", str(o.seed),
                              "--max-tokens", str(o.max_tokens), "--json"], stdout=subprocess.PIPE)
    if out.returncode:
        sys.exit(f"{folder}: gcdc sample ended with {out.returncode}")
    samples = json.loads(out.stdout)
    complete = [s for s in samples if s["complete"]]
    bad = 0
    for s in complete:
        text = bytes.fromhex(s["bytes_hex"]).decode("utf-8") if "bytes_hex" in s else s["text"]
        try:
            json.loads(text, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            bad += 1
            if bad <= 3:
                print(f"{folder}: {error}: {text!r}", file=sys.stderr)
    tokens = sorted(len(s["tokens"]) for s in complete)
    bad_total += bad + (len(samples) != o.count)
    print(f"{folder}: {len(samples)} samples, {len(complete)} complete, {len(complete) - bad} parse; tokens p50 "
          f"{tokens[len(tokens) // 2]} max {tokens[-1]}")
sys.exit(bad_total != 0)
