"""The names that users of XGrammar know, over gcdc: `import gcdc.xgrammar as xgr` is the whole change where a program uses
what is here. What is different: masks are exact for what a grammar says (docs/language.md), and what cannot be enforced
is refused by name, never ignored.
"""
import json
import threading
from collections import OrderedDict

from . import _core
from ._core import Artifact, Matcher, Session, Vocab
from ._masks import (allocate_token_bitmask, apply_token_bitmask_inplace, get_bitmask_shape,  # noqa: F401
                     reset_token_bitmask)


class TokenizerInfo:
    """A tokenizer: the bytes of each id, the ids that end a text, the width of the model's logits."""

    def __init__(self, encoded_vocab=None, *, vocab=None, vocab_size=None, stop_token_ids=None):
        """encoded_vocab: what each token adds to a text (bytes or str; None: a control token)."""
        stops = [stop_token_ids] if isinstance(stop_token_ids, int) else stop_token_ids
        if vocab is None:
            tokens = [t.encode() if isinstance(t, str) else t for t in encoded_vocab]
            for i in stops or ():
                tokens[i] = None
            vocab = Vocab.from_tokens(tokens, eos=stops, vocab_size=vocab_size or 0)
        self.vocab = vocab

    @classmethod
    def from_huggingface(cls, tokenizer, *, vocab_size=None, stop_token_ids=None, canonical=False):
        """From a fast tokenizer of transformers (or of the package tokenizers). vocab_size: the width of the model's
        logits (model.config.vocab_size) where it is more than the tokenizer's. canonical: with the tables of canonical
        tokenization."""
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if not hasattr(backend, "to_str"):
            raise TypeError("the tokenizer must be a fast one: one with a tokenizer.json")
        if stop_token_ids is None:
            stop_token_ids = getattr(tokenizer, "eos_token_id", None)
        stops = [stop_token_ids] if isinstance(stop_token_ids, int) else stop_token_ids
        return cls(vocab=Vocab.from_json(backend.to_str(), eos=stops, vocab_size=vocab_size or 0, canonical=canonical))

    vocab_size = property(lambda self: self.vocab.size)
    stop_token_ids = property(lambda self: self.vocab.eos)
    decoded_vocab = property(lambda self: [self.vocab.token(t) for t in range(self.vocab.size)])


class Grammar:
    """The text of a grammar and its kind."""

    def __init__(self, kind, text, settings=None):
        self.kind, self.text, self.settings = kind, text, settings

    @classmethod
    def from_json_schema(cls, schema, **settings):
        """schema: a dict, its JSON text, or a pydantic model."""
        if hasattr(schema, "model_json_schema"):
            schema = schema.model_json_schema()
        return cls("json-schema", schema if isinstance(schema, str) else json.dumps(schema, ensure_ascii=False),
                   settings or None)

    @classmethod
    def from_regex(cls, pattern):
        """A regular expression that the whole text must match."""
        return cls("regex", pattern)

    @classmethod
    def from_lark(cls, text, **settings):
        """A grammar in Lark's notation; settings: {"start": "rule"} and so on."""
        return cls("lark", text, settings or None)

    @classmethod
    def from_ebnf(cls, text):
        """XGrammar's EBNF."""
        return cls("ebnf", text)

    @classmethod
    def from_gbnf(cls, text):
        """llama.cpp's GBNF."""
        return cls("gbnf", text)

    @classmethod
    def from_structural_tag(cls, tag):
        """A structural tag: a dict, its JSON text, or a pydantic model (docs/tools.md)."""
        if hasattr(tag, "model_dump_json"):
            tag = tag.model_dump_json()
        return cls("structural-tag", tag if isinstance(tag, str) else json.dumps(tag, ensure_ascii=False))

    @classmethod
    def choice(cls, texts):
        """One of these texts."""
        if not texts:
            raise ValueError("the list of texts to choose from is empty")
        return cls("choice", json.dumps(list(texts), ensure_ascii=False))

    @classmethod
    def builtin_json_grammar(cls):
        """Any JSON text (RFC 8259)."""
        return cls("lark", JSON)


JSON = r'''
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


class CompiledGrammar:
    """A grammar for a tokenizer; never changes."""

    def __init__(self, data, tokenizer_info=None):
        self.data, self.tokenizer_info = data, tokenizer_info
        self.artifact = Artifact.from_bytes(data)
        self._session, self._lock = None, threading.Lock()

    @property
    def session(self):
        """One gcdc.Session for all who match with it, made when it is first asked for: texts share what masks work out."""
        with self._lock:
            if self._session is None:
                self._session = Session(self.artifact)
            return self._session

    memory_size_bytes = property(lambda self: len(self.data) + self.artifact.decoded_size)

    def serialize(self):
        """The artifact's bytes: a .gcdc file."""
        return self.data

    @classmethod
    def deserialize(cls, data, tokenizer_info=None):
        """From such bytes; gcdc.Error where they are not of this tokenizer."""
        compiled = cls(data, tokenizer_info)
        if tokenizer_info is not None and compiled.artifact.vocab_hash != tokenizer_info.vocab.hash:
            raise _core.Error("the artifact was compiled for another tokenizer")
        return compiled


class GrammarCompiler:
    """Compiles grammars for one tokenizer. Keeps what it compiled, up to cache_limit_bytes; any thread may use it, and one
    compiles what several ask for."""

    def __init__(self, tokenizer_info, *, max_threads=1, cache_enabled=True, cache_limit_bytes=256 << 20,
                 max_seconds=60.0, max_memory=2 << 30, canonical="off"):
        self.tokenizer_info = tokenizer_info
        self._options = {"threads": max_threads, "max_seconds": max_seconds, "max_memory": max_memory,
                         "canonical": canonical}
        self._limit = cache_limit_bytes if cache_enabled else 0
        self._cache, self._size, self._lock, self._doing = OrderedDict(), 0, threading.Lock(), {}

    def compile_grammar(self, grammar):
        """grammar: a Grammar, or a text in EBNF."""
        if isinstance(grammar, str):
            grammar = Grammar.from_ebnf(grammar)
        key = grammar.kind, grammar.text, tuple(sorted((grammar.settings or {}).items()))
        with self._lock:
            found = self._cache.get(key)
            if found:
                self._cache.move_to_end(key)
                return found
            doing = self._doing.setdefault(key, threading.Lock())
        with doing:
            with self._lock:
                if key in self._cache:
                    return self._cache[key]
            try:
                from . import compile_bytes
                data, _ = compile_bytes(self.tokenizer_info.vocab, grammar.text, kind=grammar.kind,
                                        settings=grammar.settings, **self._options)
                compiled = CompiledGrammar(data, self.tokenizer_info)
            finally:
                with self._lock:
                    self._doing.pop(key, None)
            self._keep(key, compiled)
            return compiled

    def _keep(self, key, compiled):
        size = compiled.memory_size_bytes
        with self._lock:
            if size > self._limit or key in self._cache:
                return
            self._cache[key] = compiled
            self._size += size
            while self._size > self._limit:
                self._size -= self._cache.popitem(last=False)[1].memory_size_bytes

    def compile_json_schema(self, schema, **settings):
        """See Grammar.from_json_schema."""
        return self.compile_grammar(Grammar.from_json_schema(schema, **settings))

    def compile_regex(self, pattern):
        """See Grammar.from_regex."""
        return self.compile_grammar(Grammar.from_regex(pattern))

    def compile_lark(self, text, **settings):
        """See Grammar.from_lark."""
        return self.compile_grammar(Grammar.from_lark(text, **settings))

    def compile_builtin_json_grammar(self):
        """Any JSON text."""
        return self.compile_grammar(Grammar.builtin_json_grammar())

    def get_cache_size_bytes(self):
        """Bytes of what is kept."""
        return self._size

    def clear_cache(self):
        """Keeps nothing."""
        with self._lock:
            self._cache.clear()
            self._size = 0


class GrammarMatcher:
    """The place in one text. matcher: the gcdc.Matcher under it."""

    def __init__(self, compiled_grammar, *, override_stop_tokens=None, terminate_without_stop_token=False,
                 max_rollback_tokens=256, matcher=None):
        """override_stop_tokens: ids that end the text beside those of the artifact."""
        self.compiled_grammar = compiled_grammar
        artifact = getattr(compiled_grammar, "artifact", compiled_grammar)
        self.matcher = matcher or Matcher(artifact, max_rollback=max(1, max_rollback_tokens) if max_rollback_tokens > 0 else 256)
        self._ends_early = terminate_without_stop_token
        stops = [override_stop_tokens] if isinstance(override_stop_tokens, int) else override_stop_tokens
        if stops:
            self.matcher.set_stop_tokens(list(stops))

    def accept_token(self, token_id, *, debug_print=False):
        """False, and nothing changed: it is not allowed."""
        del debug_print
        return self.matcher.accept(token_id)

    def accept_string(self, text, *, debug_print=False):
        """Takes text that did not come from tokens."""
        del debug_print
        return self.matcher.accept_bytes(text)

    def fill_next_token_bitmask(self, bitmask, index=0, *, debug_print=False):
        """Fills row `index`; False: every token is allowed."""
        del debug_print
        return self.matcher.fill(bitmask, index)

    def find_jump_forward_string(self):
        """The text that must come next."""
        return self.matcher.forced_bytes().decode(errors="ignore")

    def rollback(self, num_tokens=1):
        """Takes back the last accepting calls."""
        self.matcher.rollback(num_tokens)

    def is_terminated(self):
        """A token that ends the text was accepted (or the text may end, with terminate_without_stop_token)."""
        return self.matcher.is_terminated() or (self._ends_early and self.matcher.is_completed())

    def is_completed(self):
        """The text may end here."""
        return self.matcher.is_completed()

    def reset(self):
        """Back to the beginning."""
        self.matcher.reset()

    def fork(self):
        """A second one at the same place."""
        return GrammarMatcher(self.compiled_grammar, terminate_without_stop_token=self._ends_early,
                              matcher=self.matcher.fork())

    def traverse_draft_tree(self, next_token, next_sibling, tokens, bitmask):
        """Masks for a tree of draft tokens; see Matcher.traverse_draft_tree."""
        return self.matcher.traverse_draft_tree(next_token, next_sibling, tokens, bitmask)

    stop_token_ids = property(lambda self: sorted(self.matcher.artifact.eos + self.matcher.stop_tokens))


class BatchGrammarMatcher:
    """One call for many matchers."""

    def __init__(self, *, max_threads=1):
        from . import BatchMatcher
        self._batch = BatchMatcher(max_threads=1 if max_threads == "auto" else max_threads)

    def batch_fill_next_token_bitmask(self, matchers, bitmask, indices=None):
        """matchers[i] fills row indices[i], else i."""
        self._batch.matchers = [m.matcher for m in matchers]
        self._batch.fill(bitmask, indices)

    @staticmethod
    def batch_accept_token(matchers, tokens):
        """matchers[i] takes tokens[i]."""
        return _core.accept_batch([m.matcher for m in matchers], tokens)


def fill_next_token_bitmask(matcher, bitmask, index=0):
    """Fills row `index` of bitmask with what a GrammarMatcher or Matcher allows."""
    return getattr(matcher, "matcher", matcher).fill(bitmask, index)
