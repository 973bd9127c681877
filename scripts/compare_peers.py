#!/usr/bin/env python3
"""Times gcdc beside published engines on the same traces: real texts as Llama-3's token ids, one thread each.

  compare_peers.py                          RFC 8259 JSON (scripts/json_corpus.py), the grammar in peer_engines.py
  compare_peers.py --language go --corpus DIR/go    one of syncode's grammars (go, java, python, sql, json), texts of
                                            scripts/code_corpus.py; each engine reads the grammar with the edits that
                                            scripts/peer_grammars.py makes for it, which are printed
  more: [--documents N] [--bytes N] [--replays N] [--seconds N] [--engines a,b] [--gcdc PROGRAM] [--venv DIR] [--markdown]

At every position of a trace: fill the mask, then accept the document's next token. A position's time is the least of
--replays replays, measured around the library call alone; what a call that does nothing costs through the same binding
is measured and taken off ("first" rows: the first replay, nothing taken off). Percentiles are over positions. An engine
whose compiling takes more than --compile-seconds, or that ever holds more than --memory MiB, is stopped and named with the reason;
a text that an engine refuses is counted to where it was refused, and named.

The first run makes a virtual environment in build/peers-venv and installs the pinned versions; that needs a package
registry. Results per engine stay in build/peers/<language>-<engine>.json; the table goes to standard output.
"""
import argparse
import collections
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from peer_engines import TOKENIZER, TOP, binding_cost, make_engine, vocabulary

# The last row is what syncode needs beside its sdist.
PINNED = ["glrmask==0.5.0", "llguidance==1.9.1", "xgrammar==0.2.8", "tokenizers==0.23.3", "torch==2.13.0", "numpy",
          "lark==1.3.1", "transformers==5.23.0", "interegular==0.3.3", "regex", "tqdm"]
LANGUAGE_ENGINES = ["gcdc", "glrmask", "llguidance", "xgrammar", "syncode"]
ENGINES = ["gcdc", "glrmask", "llguidance", "xgrammar", "xgrammar-ebnf", "xgrammar-json"]
now = time.perf_counter_ns


# --- traces --------------------------------------------------------------------------------------------------------

def choose_documents(corpus, n_documents, max_bytes, strip=False):
    """Texts of n documents in an order that depends on their names alone; long ones are cut at a code point."""
    names = sorted(corpus.iterdir(), key=lambda p: hashlib.sha256(p.name.encode()).digest())
    texts = []
    for path in names[:n_documents]:
        data = path.read_bytes()
        # What is ignored before the first terminal goes: llguidance and xgrammar allow nothing there.
        data = (re.sub(rb"\A(\s+|//.*|/\*[\s\S]*?\*/)+", b"", data) if strip else data)[:max_bytes]
        texts.append((path.name, data.decode("utf-8", "ignore"), len(data) < max_bytes))
    return texts


def encode(path, texts):
    """Token ids of each text."""
    import tokenizers
    model = tokenizers.Tokenizer.from_file(str(path))
    return [model.encode(text, add_special_tokens=False).ids for _, text, _ in texts]


def run_engine(name, options):
    """One engine on all traces, in this process. What is measured, as a dictionary."""
    import gc
    import resource
    texts = choose_documents(options.corpus, options.documents, options.bytes, bool(options.language))
    traces = encode(options.tokenizer, texts)
    text, special = vocabulary(options.tokenizer)
    empty_fill, empty_accept = binding_cost(name)
    stage = options.stage and Path(options.stage)  # tells the parent what this process is at
    engine = make_engine(name, text, special, options.language)
    compiles = []
    if stage:
        stage.write_text("compile")
    while len(compiles) < 3 and sum(compiles) < 20e9:
        start = now()
        engine.compile()
        compiles.append(now() - start)
    if stage:
        stage.write_text("run")
    saved = engine.save_and_load()
    loads = [engine.save_and_load()[1] for _ in range(5)] if saved else []
    fills, accepts, starts, checks, refused, measured = [], [], [], [], [], 0
    deadline = time.monotonic() + options.seconds
    first_fills, first_accepts = [], []
    gc.disable()
    for (document, _, _), trace in zip(texts, traces):
        if time.monotonic() > deadline:
            break
        measured += 1
        best_fill, best_accept = [1 << 62] * len(trace), [1 << 62] * len(trace)
        stop = len(trace)
        for replay in range(options.replays):
            if time.monotonic() > deadline + options.seconds:  # slow enough that one replay says it
                break
            start = now()
            fill, args, accept, matcher = engine.call()
            starts.append(now() - start)
            for i, token in enumerate(trace[:stop]):
                if time.monotonic() > deadline and replay == 0:
                    stop = i
                    break
                try:
                    t0 = now()
                    fill(*args)
                    t1 = now()
                    taken = accept(token, *engine.extra)
                    t2 = now()
                except Exception as e:  # some engines give up with an exception, on this text
                    taken, t1, t2 = f"{type(e).__name__}: {str(e)[:200]}", t0, t0
                if t1 - t0 < best_fill[i]:
                    best_fill[i] = t1 - t0
                if t2 - t1 < best_accept[i]:
                    best_accept[i] = t2 - t1
                if replay == 0:
                    checks.append(engine.checksum(len(text)))
                    if taken != engine.accepted or not engine.allows(token):
                        said = getattr(matcher, "get_error", str)()  # llguidance keeps its reason
                        refused.append((document, i, token, taken if isinstance(taken, str) else said[:120] or
                                        ("allowed, but not accepted" if engine.allows(token) else "not allowed")))
                        stop = i
                        break
                    first_fills.append(t1 - t0)
                    first_accepts.append(t2 - t1)
            del matcher
        fills += best_fill[:stop]
        accepts += best_accept[:stop]
    gc.enable()
    return {"engine": name, "documents": measured, "positions": len(fills), "fill": fills, "accept": accepts,
            "fill_first": first_fills, "accept_first": first_accepts,
            "empty_fill": empty_fill, "empty_accept": empty_accept, "compile": min(compiles),
            "compile_first": compiles[0],
            "start": statistics.median(starts), "file_size": saved[0] if saved else None,
            "load": min(loads) if loads else None, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            "possible": sum(map(len, traces[:measured])), "refused": refused, "mask_checks": checks}


# --- the table -----------------------------------------------------------------------------------------------------

LEVELS = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)]


def percentiles(values, empty):
    """Net values at LEVELS, in nanoseconds."""
    ordered = sorted(values) or [0]
    return [max(ordered[min(len(ordered) - 1, int(q * len(ordered)))] - empty, 0) for _, q in LEVELS]


def summary(result):
    """Rows of the table for one engine, by name, in nanoseconds and bytes."""
    rows = {}
    for what in ("fill", "accept"):
        for (level, _), value in zip(LEVELS, percentiles(result[what], result["empty_" + what])):
            rows[f"{what} {level}"] = value
    for what in ("fill_first", "accept_first"):
        for (level, _), value in zip(LEVELS, percentiles(result[what], 0)):
            if level in ("p50", "p99", "max"):
                rows[f"{what} {level}"] = value
    for what in ("compile_first", "compile", "load", "start", "file_size"):
        rows[what] = result[what]
    return rows


def show(what, value):
    """A number for people."""
    if value is None:
        return "-"
    if what == "file_size":
        return f"{value / 1e6:.2f} MB"
    if value >= 1e9:
        return f"{value / 1e9:.1f} s"
    return f"{value / 1e6:.2f} ms" if value >= 1e6 else f"{value / 1e3:.2f} us"


def print_table(results):
    """Markdown: a row a figure, a column an engine; ratios to gcdc in brackets when gcdc is there."""
    columns = {r["engine"]: summary(r) for r in results}
    ours = columns.get("gcdc")
    print("\n| | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    names = [n for c in columns.values() for n in c]
    for what in dict.fromkeys(names):
        cells = []
        for engine, rows in columns.items():
            cell = show(what, rows.get(what))
            if ours and engine != "gcdc" and ours.get(what) and rows.get(what):
                ratio = rows[what] / ours[what]
                cell += f" ({ratio:.1f}x)" if ratio < 100 else f" ({ratio:.0f}x)"
            cells.append(cell)
        print(f"| {what} | " + " | ".join(cells) + " |")
    print()
    for r in results:
        print(f"{r['engine']}: {r['documents']} documents, {r['positions']} of {r['possible']} positions, binding {r['empty_fill']} / "
              f"{r['empty_accept']} ns taken off, peak {r['peak_kib'] // 1024} MiB, "
              f"{len(r['refused'])} documents refused"
              + "".join(f"; {n}: {why}" for why, n in collections.Counter(str(x[3]) for x in r["refused"]).most_common(3))
              + (f", first {r['refused'][0][:3]}" if r["refused"] else ""))
    for i, a in enumerate(results):
        for b in results[i + 1:]:
            pairs = list(zip(a["mask_checks"], b["mask_checks"]))
            same = sum(x == y for x, y in pairs)
            if not a["refused"] and not b["refused"]:
                print(f"masks of ordinary tokens equal, {a['engine']} and {b['engine']}: {same} of {len(pairs)}")


def bench_in_c(options):
    """`gcdc bench` on the same documents, whole: the figures without Python around the calls."""
    whole = [options.corpus / name for name, _, _ in choose_documents(options.corpus, options.documents, options.bytes)]
    done = subprocess.run([options.gcdc, "bench", TOP / "build/peers/grammar.gcdc", *whole, "--tokenizer",
                           options.tokenizer, "--json", "--replays", str(options.replays)],
                          stdout=subprocess.PIPE, text=True, check=True)
    bench = json.loads(done.stdout)
    print(f"\ngcdc bench (C, the same {bench['texts']} documents, whole: {bench['tokens']} tokens, "
          f"{bench['texts_refused']} refused), microseconds:")
    for series in ("fill_us", "accept_us", "sets_us", "copy_us"):
        print(f"    {series:10}" + "".join(f"{k:>6} {v:.3f}" for k, v in bench[series].items()))
    print(f"    open {bench['open_us']:.0f}, trusted {bench['open_trusted_us']:.0f}, start {bench['start_us']:.1f}")


# --- driver --------------------------------------------------------------------------------------------------------

def ensure_venv(folder):
    """Python of a virtual environment that has the pinned packages."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    probe = subprocess.run([python, "-c", "import glrmask, llguidance, xgrammar, tokenizers"], capture_output=True,
                           check=False)
    if probe.returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PINNED], check=True)
    return python


def resident_mib(process):
    """MiB that a process and its children hold."""
    total = 0
    for pid in [process.pid]:
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            total += int(status.split("VmRSS:")[1].split()[0]) // 1024
        except (OSError, IndexError):
            pass
    return total


def watched(command, environment, stage, options):
    """(output, why it was stopped or None) of an engine's process."""
    begin, compiling, peak = time.monotonic(), None, 0
    with open(stage.with_suffix(".out"), "w+b") as out, open(stage.with_suffix(".err"), "w+b") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        why = None
        while process.poll() is None and not why:
            time.sleep(0.1)
            at, clock = stage.read_text(), time.monotonic()
            peak = max(peak, resident_mib(process))
            compiling = compiling or (clock if at == "compile" else None)
            if peak > options.memory:
                why = f"holds more than {options.memory} MiB after {clock - begin:.0f} s ({at})"
            elif at == "compile" and clock - compiling > options.compile_seconds:
                why = f"compiling takes more than {options.compile_seconds:.0f} s (at {peak} MiB)"
            elif clock - begin > options.compile_seconds + 3 * options.seconds + 60:
                why = f"not done after {clock - begin:.0f} s ({at})"
        if why:
            process.kill()
            process.wait()
        err.seek(0)
        out.seek(0)
        if not why and process.returncode:
            lines = [line for line in err.read().decode(errors="replace").splitlines() if line.strip()]
            found = [line for line in lines if "Error" in line]
            why = (found[-1] if found else (lines or [f"exit code {process.returncode}"])[-1])[:400]
        return out.read(), why


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--bytes", type=int, default=4000, help="of each document")
    parser.add_argument("--replays", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=200, help="an engine stops at the first document after it")
    parser.add_argument("--compile-seconds", type=float, default=120)
    parser.add_argument("--memory", type=int, default=8192, help="MiB an engine may hold")
    parser.add_argument("--language", choices=["go", "java", "python", "sql", "json"])
    parser.add_argument("--engines")
    parser.add_argument("--corpus", type=Path, default=TOP / "build/corpus/json")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    parser.add_argument("--reuse", action="store_true", help="take results of engines that build/peers has")
    parser.add_argument("--tokenizer", type=Path, default=TOKENIZER)
    parser.add_argument("--gcdc", type=Path, default=TOP / "build/release/gcdc")
    parser.add_argument("--venv", type=Path, default=TOP / "build/peers-venv")
    parser.add_argument("--run", help=argparse.SUPPRESS)  # one engine, inside the virtual environment
    options = parser.parse_args()
    if options.run:
        json.dump(run_engine(options.run, options), sys.stdout)
        return
    folder = TOP / "build/peers"
    folder.mkdir(parents=True, exist_ok=True)
    if options.corpus == TOP / "build/corpus/json":
        subprocess.run([sys.executable, TOP / "scripts/json_corpus.py", "--out", options.corpus], check=True)
    results, failed = [], []
    for name in (options.engines.split(",") if options.engines else LANGUAGE_ENGINES if options.language else ENGINES):
        if name == "gcdc" and not options.gcdc.exists():
            print(f"compare_peers: {options.gcdc} is not built (scripts/build release); peers only", file=sys.stderr)
            continue
        kept = folder / f"{options.language or 'rfc8259'}-{name}.json"
        if options.reuse and kept.exists():
            results.append(json.loads(kept.read_text()))
            continue
        python = ensure_venv(options.venv)
        stage = folder / f"{name}.stage"
        stage.write_text("start")
        command = [python, __file__, "--run", name, "--stage", stage]
        for key in ("documents", "bytes", "replays", "seconds", "corpus", "tokenizer", "language"):
            if getattr(options, key) is not None:
                command += [f"--{key}", str(getattr(options, key))]
        # One thread each, whatever the library is built on.
        single = {"GCDC": str(options.gcdc), "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                  "TOKENIZERS_PARALLELISM": "false"}
        output, why = watched(command, os.environ | single, stage, options)
        if why:
            failed.append((name, why))
            print(f"compare_peers: {name}: {why}", file=sys.stderr)
            continue
        kept.write_bytes(output)
        results.append(json.loads(output))
    if options.language:
        import peer_grammars
        for name in [r["engine"] for r in results] + [name for name, _ in failed]:
            edits = peer_grammars.grammar(options.language, name)[1]
            print(f"{name}: " + ("; ".join(edits) if edits else "the file as it is"))
    for name, why in failed:
        print(f"{name}: FAILED: {why}")
    if results:
        print_table(results)
    if any(r["engine"] == "gcdc" for r in results):
        bench_in_c(options)


if __name__ == "__main__":
    main()
