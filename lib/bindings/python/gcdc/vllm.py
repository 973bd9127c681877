"""gcdc in vLLM: a plug-in by entry point (vllm.general_plugins), taken up when GCDC_VLLM=1.

    GCDC_VLLM=1 GCDC_ARTIFACTS=/srv/grammars vllm serve MODEL

Requests of every kind of structured output (json, json_object, regex, choice, grammar) are compiled in the process, and
grammar="gcdc:NAME" is GCDC_ARTIFACTS/NAME.gcdc. Texts end complete within the request's max_tokens.

vLLM has no registry of backends: this one takes the place of the class XgrammarBackend, and of its check of requests. That
is all that is patched, and only in the versions of KNOWN, whose code was read and run; others are refused by an error.

Environment: GCDC_VLLM (1: on), GCDC_ARTIFACTS (a folder), GCDC_BUDGET (0: texts may be cut off at max_tokens),
GCDC_MAX_SECONDS (10) and GCDC_MAX_MEMORY_MB (1024) of one compilation, GCDC_CACHE_MB (256) of what is kept.
"""
import json
import logging
import os
import re
import threading
import weakref

from . import _core
from .xgrammar import CompiledGrammar, Grammar, GrammarCompiler, TokenizerInfo, allocate_token_bitmask

KNOWN = ("0.32.", "0.33.")  # beginnings of versions
PREFIX = "gcdc:"
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
_log = logging.getLogger("vllm.gcdc")
_asked = threading.local()  # the request whose grammar this thread makes


def register():
    """What vLLM calls in each of its processes, perhaps several times."""
    if os.environ.get("GCDC_VLLM") != "1":
        return
    import vllm
    from vllm.v1 import structured_output
    from vllm.v1.structured_output import backend_xgrammar
    version = getattr(vllm, "__version__", "unknown")
    if not version.startswith(KNOWN):
        raise RuntimeError(f"gcdc knows vLLM {', '.join(v + 'x' for v in KNOWN)}, and this is {version}: "
                           "unset GCDC_VLLM, or take another version of gcdc or vLLM")
    manager = structured_output.StructuredOutputManager
    if getattr(manager, "gcdc", False):
        return
    manager.gcdc = True
    create = manager._create_grammar

    def create_grammar(self, request):
        _asked.request = request
        try:
            return create(self, request)
        finally:
            _asked.request = None
    manager._create_grammar = create_grammar
    structured_output.XgrammarBackend = backend_class()
    backend_xgrammar.validate_xgrammar_grammar = validate
    _log.info("gcdc takes structured outputs (vLLM %s)", version)


def artifact_path(name):
    """The file of an artifact by name; ValueError says what is wrong."""
    folder = os.environ.get("GCDC_ARTIFACTS")
    if not folder:
        raise ValueError(f"{PREFIX}{name}: GCDC_ARTIFACTS does not name a folder")
    if not NAME.match(name):
        raise ValueError(f"{PREFIX}{name}: a name has letters, digits, '_', '-' and '.'")
    path = os.path.join(folder, name + ".gcdc")
    if not os.path.exists(path):
        raise ValueError(f"{PREFIX}{name}: there is no {name}.gcdc in GCDC_ARTIFACTS")
    return path


def validate(sampling_params):
    """The check of a request before it is queued; what it cannot see is told when the grammar is compiled, and fails that
    request alone."""
    asked = sampling_params.structured_outputs
    if asked is None:
        return
    if isinstance(asked.structural_tag, str):
        try:
            json.loads(asked.structural_tag)
        except ValueError as e:
            raise ValueError(f"the structural tag is no JSON: {e}") from e
    if isinstance(asked.grammar, str) and asked.grammar.startswith(PREFIX):
        artifact_path(asked.grammar[len(PREFIX):])
    if isinstance(asked.json, str):
        try:
            json.loads(asked.json)
        except ValueError as e:
            raise ValueError(f"the JSON Schema is no JSON: {e}") from e


def _number(name, default):
    return float(os.environ.get(name, default))


def backend_class():
    """The backend's class, made when vLLM is there."""
    import torch
    from vllm.v1.structured_output.backend_types import (StructuredOutputBackend, StructuredOutputGrammar,
                                                         StructuredOutputOptions)
    from vllm.v1.structured_output.utils import grammar_is_likely_lark

    class GcdcGrammar(StructuredOutputGrammar):
        """The text of one request."""

        def __init__(self, matcher, request, limit):
            self.matcher = matcher
            self._request = weakref.ref(request) if request is not None else None
            self._limit = limit  # tokens of the whole output; None: no budget
            self._pending = limit is not None
            self._reasons = False
            self._margin = 0

        def begin(self, reasons, margin):
            """Sets the budget now, or, behind reasoning, when the first mask is asked for. BudgetError: too small."""
            self._reasons, self._margin = reasons, margin
            if self._pending and not reasons:
                self.matcher.set_budget(self._limit)
                self._pending = False

        def _set_late_budget(self):
            self._pending = False
            request = self._request() if self._request else None
            left = self._limit - self._margin - (request.num_output_tokens if request is not None else 0)
            try:
                self.matcher.set_budget(max(left, 0))
            except _core.BudgetError as e:
                _log.warning("no budget behind the reasoning of a request: %s", e)

        def accept_tokens(self, request_id, tokens):
            if self.matcher.is_terminated():
                return True
            if self._pending:
                self._set_late_budget()
            try:
                taken = self.matcher.accept_tokens(tokens)
            except _core.Error as e:
                _log.error("request %s: %s", request_id, e)
                return False
            if taken < len(tokens) and not self.matcher.is_terminated():
                _log.error("request %s: token %s is not allowed", request_id, tokens[taken])
                return False
            return True

        def validate_tokens(self, tokens):
            if self.matcher.is_terminated():
                return []
            return list(tokens[:self.matcher.validate(tokens)])

        def rollback(self, num_tokens):
            self.matcher.rollback(num_tokens)

        def fill_bitmask(self, bitmask, batch_index):
            if self._pending:
                self._set_late_budget()
            try:
                self.matcher.fill(bitmask, batch_index)
            except _core.Error as e:  # a limit of the matcher: this text ends here, the engine goes on
                _log.error("no mask, the text ends: %s", e)
                row = torch.zeros_like(bitmask[batch_index])
                for t in self.matcher.artifact.eos:
                    row[t // 32] |= (1 << t % 32) - (1 << 32 if t % 32 == 31 else 0)
                bitmask[batch_index].copy_(row)

        def is_terminated(self):
            return self.matcher.is_terminated()

        def reset(self):
            self.matcher.reset()

    class GcdcBackend(StructuredOutputBackend):
        """Compiles what requests ask for, with limits and a bounded cache."""

        def __init__(self, vllm_config, tokenizer, vocab_size):
            super().__init__(vllm_config, tokenizer, vocab_size)
            self._info = TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size)
            self._compiler = GrammarCompiler(self._info, cache_limit_bytes=int(_number("GCDC_CACHE_MB", 256)) << 20,
                                             max_seconds=_number("GCDC_MAX_SECONDS", 10),
                                             max_memory=int(_number("GCDC_MAX_MEMORY_MB", 1024)) << 20)
            self._named, self._lock = {}, threading.Lock()
            drafts = vllm_config.speculative_config
            self._margin = 1 + (drafts.num_speculative_tokens if drafts is not None else 0)
            self._reasons = bool(vllm_config.structured_outputs_config.reasoning_parser) \
                and not vllm_config.structured_outputs_config.enable_in_reasoning

        def _named_session(self, name):
            path = artifact_path(name)
            with self._lock:
                stamp, known = os.stat(path).st_mtime_ns, self._named.get(path)
                if known and known[0] == stamp:
                    return known[1]
                if _core.head(path)["vocab_hash"] != self._info.vocab.hash:
                    raise ValueError(f"{PREFIX}{name} was compiled for another tokenizer than this model's")
                self._named[path] = stamp, _core.Session(_core.Artifact(path))
                return self._named[path][1]

        def _session(self, kind, spec):
            kinds = StructuredOutputOptions
            if kind == kinds.GRAMMAR and spec.startswith(PREFIX):
                return self._named_session(spec[len(PREFIX):])
            if kind == kinds.JSON:
                grammar = Grammar.from_json_schema(spec)
            elif kind == kinds.JSON_OBJECT:
                grammar = Grammar.from_lark(Grammar.builtin_json_grammar().text, start="object")
            elif kind == kinds.REGEX:
                grammar = Grammar.from_regex(spec)
            elif kind == kinds.CHOICE:
                grammar = Grammar.choice(json.loads(spec))
            elif kind == kinds.GRAMMAR:
                grammar = Grammar.from_lark(spec) if grammar_is_likely_lark(spec) else Grammar.from_ebnf(spec)
            elif kind == kinds.STRUCTURAL_TAG:
                grammar = Grammar.from_structural_tag(spec)
            else:
                raise ValueError(f"gcdc does not read {kind.name.lower()}")
            return self._compiler.compile_grammar(grammar).session

        def compile_grammar(self, request_type, grammar_spec, stop_token_ids=None):
            matcher = self._session(request_type, grammar_spec).matcher()
            for t in stop_token_ids or ():
                try:
                    matcher.set_stop_tokens([*matcher.stop_tokens, t])
                except ValueError:  # text of this grammar: the engine stops there whatever comes
                    pass
            request, limit = getattr(_asked, "request", None), None
            if request is not None and os.environ.get("GCDC_BUDGET", "1") != "0" and matcher.artifact.costs != "none":
                room = self.vllm_config.model_config.max_model_len - request.num_prompt_tokens
                limit = max(0, min(request.max_tokens, room))
            grammar = GcdcGrammar(matcher, request, limit)
            grammar.begin(self._reasons, self._margin)
            return grammar

        def allocate_token_bitmask(self, max_num_seqs):
            return allocate_token_bitmask(max_num_seqs, self.vocab_size)

        def destroy(self):
            self._compiler.clear_cache()
            self._named.clear()

    return GcdcBackend


__all__ = ["KNOWN", "CompiledGrammar", "artifact_path", "backend_class", "register", "validate"]
