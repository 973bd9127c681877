"""gcdc: exact token masks for constrained decoding, from tables that are compiled ahead.

    import gcdc, numpy as np
    vocab = gcdc.Vocab("path/to/model")                       # its tokenizer.json
    artifact = gcdc.compile(vocab, '"yes" | "no"', kind="regex")   # or gcdc.Artifact("answer.gcdc")
    matcher = gcdc.Matcher(artifact)
    mask = gcdc.allocate_token_bitmask(1, artifact.n_tokens)
    matcher.fill(mask)                                        # bit t % 32 of word t // 32: token t may follow
    matcher.accept(token)

A mask is exact: a bit is set when, and only when, the text with that token can still be completed, with tokens of this
vocabulary, to a text of the grammar. Objects of the C interface have its names (<gcdc/runtime.h>, <gcdc/compile.h>);
names that users of XGrammar know are in gcdc.xgrammar and here.
"""
import json as _json
import os as _os

from ._core import (Artifact, BudgetError, CompileError, Error, Matcher, Session, Vocab, accept_batch, fill_batch,
                    fill_drafts_batch, forget_tensor, head, vocab_check)
from . import _core
from ._masks import (allocate_token_bitmask, apply_mask, apply_token_bitmask_inplace, get_bitmask_shape,
                     reset_token_bitmask)

__version__ = "0.1.0"
__all__ = ["Artifact", "BatchMatcher", "BudgetError", "CompileError", "Error", "Matcher", "Session", "Vocab",
           "accept_batch", "allocate_token_bitmask", "apply_mask", "apply_token_bitmask_inplace", "compile",
           "compile_bytes", "fill_batch", "fill_drafts_batch", "forget_tensor", "get_bitmask_shape", "head", "program",
           "reset_token_bitmask", "vocab_check",
           # as XGrammar names them, from gcdc.xgrammar
           "BatchGrammarMatcher", "CompiledGrammar", "Grammar", "GrammarCompiler", "GrammarMatcher", "TokenizerInfo"]


def compile_bytes(vocab, text=None, *, kind=None, path=None, settings=None, max_seconds=None, max_memory=None,
                  threads=None, costs="best", canonical="off", raw=False, no_vocab=False):
    """Compiles a grammar; returns (the artifact's bytes, a list of warnings, each a dictionary).

    vocab: a Vocab. text: the grammar; a dict or bool is a JSON Schema, a list is one of tools. path: a file instead, or the text's name in
    messages. kind: "lark", "regex", "json-schema" and what else this gcdc reads; None: by the ending of path. settings:
    options of the kind ({"start": "rule"}). max_seconds, max_memory (bytes): limits, past which CompileError says what to
    change. costs: tables for budgets, "best", "aligned", "off" or "exact" ("best", and exact in strings with a bound,
    too). canonical: "off", "soft", "hard" (the vocabulary needs its tables). The same arguments give the same bytes.
    Other Python threads go on meanwhile; Ctrl-C cancels.
    CompileError: refused, with place, line, caret and hint."""
    if isinstance(text, (dict, bool, list)):
        kind = kind or ("tools" if isinstance(text, list) else "json-schema")
        text = _json.dumps(text, ensure_ascii=False)
    if path is not None:
        path = _os.fspath(path)
    return _core.compile(vocab, kind or "auto", text, path, settings, max_seconds, max_memory, threads, costs,
                         canonical, raw, no_vocab)


def compile(vocab, text=None, **options):  # pylint: disable=redefined-builtin
    """Compiles a grammar and opens it: an Artifact. Arguments as compile_bytes. Warnings become Python warnings."""
    data, warnings = compile_bytes(vocab, text, **options)
    if warnings:
        import warnings as python_warnings
        for w in warnings:
            if w["severity"] == "warning":
                python_warnings.warn(w["rendered"].rstrip(), stacklevel=2)
    return Artifact.from_bytes(data)


class BatchMatcher:
    """Matchers of a batch, filled and moved by one call each.

    matchers: a list (None: an empty place). max_threads: rows are split over so many threads; forks of one another, and
    matchers of one lane of a Session, stay together: so a session has at least as many lanes as threads."""

    def __init__(self, matchers=(), max_threads=1):
        self.matchers = list(matchers)
        self._pool = None
        self._threads = max(1, int(max_threads))
        if self._threads > 1:
            from concurrent.futures import ThreadPoolExecutor
            self._pool = ThreadPoolExecutor(self._threads, "gcdc")

    def fill(self, mask, rows=None):
        """Row rows[i] (else i) of mask becomes matchers[i]'s. mask: int32 [rows, words]. True: some row forbids a token."""
        if not self._pool or len(self.matchers) < 2 * self._threads:
            return fill_batch(self.matchers, mask, rows)
        rows = list(range(len(self.matchers))) if rows is None else list(rows)
        if len(rows) != len(self.matchers):
            raise ValueError(f"{len(rows)} rows for {len(self.matchers)} matchers")
        families = {}
        for m, row in zip(self.matchers, rows):
            if m is not None:
                families.setdefault(m.family, []).append((m, row))
        chunks = [([], []) for _ in range(self._threads)]
        for members in families.values():
            chunk = min(chunks, key=lambda c: len(c[0]))
            for m, row in members:
                chunk[0].append(m)
                chunk[1].append(row)
        return any(list(self._pool.map(lambda c: fill_batch(c[0], mask, c[1]), chunks)))

    def accept(self, tokens):
        """matchers[i] takes tokens[i]: a list of bool."""
        return accept_batch(self.matchers, tokens)

    def fill_drafts(self, drafts, mask):
        """Masks for chains of drafts; how many of each are allowed. See fill_drafts_batch."""
        return fill_drafts_batch(self.matchers, drafts, mask)

    def __len__(self):
        return len(self.matchers)


def program():
    """The path of the program gcdc that came with the package, else of one on the path."""
    import shutil
    here = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "bin", "gcdc")
    found = here if _os.path.exists(here) else shutil.which("gcdc")
    if not found:
        raise FileNotFoundError("the program gcdc is not in this package, and not on the path")
    return found


from .xgrammar import (BatchGrammarMatcher, CompiledGrammar, Grammar, GrammarCompiler,  # noqa: E402
                       GrammarMatcher, TokenizerInfo)


def _run():
    """The command gcdc that pip installs."""
    import sys
    path = program()
    _os.execv(path, [path, *sys.argv[1:]])
