"""gcdc in SGLang: --grammar-backend gcdc, by the entry point sglang.srt.plugins.

Requests say json_schema, regex or ebnf (GBNF, or a Lark grammar, or "gcdc:NAME" for GCDC_ARTIFACTS/NAME.gcdc). Written for and
tested against the classes of SGLang 0.5.23 (register_grammar_backend); its kernels need a GPU and were not run. SGLang does
not tell a grammar the request's max_new_tokens, so there are no budgets.
"""
import logging
import os

from . import _core
from ._masks import allocate_token_bitmask, apply_mask
from .vllm import PREFIX, artifact_path
from .xgrammar import Grammar, GrammarCompiler, TokenizerInfo

_log = logging.getLogger("sglang.gcdc")


def register():
    """What SGLang calls when it loads its plug-ins."""
    from sglang.srt.constrained.base_grammar_backend import register_grammar_backend
    register_grammar_backend("gcdc", create)
    try:
        from sglang.srt.server_args import add_grammar_backend_choices
        add_grammar_backend_choices(["gcdc"])
    except ImportError:
        pass


def create(server_args, tokenizer, vocab_size, eos_token_ids=None):
    """The backend, wrapped for reasoning: SGLang returns registered backends before it would do that itself."""
    backend = classes()[0](tokenizer, vocab_size, eos_token_ids)
    if not getattr(server_args, "reasoning_parser", None):
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser
    parser = ReasoningParser(model_type=server_args.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(backend, parser, tokenizer)


def classes():
    """(backend, grammar object), made when SGLang is there."""
    from sglang.srt.constrained.base_grammar_backend import BaseGrammarBackend, BaseGrammarObject, InvalidGrammarObject

    class GcdcGrammar(BaseGrammarObject):
        """The text of one request."""

        def __init__(self, first):
            super().__init__()
            self._first, self.matcher = first, first.fork()

        def accept_token(self, token):
            if self.matcher.is_terminated():
                return
            self.current_token = token
            if not self.matcher.accept(token):
                raise ValueError(f"token {token} is not allowed here")

        def rollback(self, k):
            self.matcher.rollback(k)

        def is_terminated(self):
            return self.matcher.is_terminated()

        def allocate_vocab_mask(self, vocab_size, batch_size, device):
            return allocate_token_bitmask(batch_size, vocab_size)

        def fill_vocab_mask(self, vocab_mask, idx):
            self.matcher.fill(vocab_mask, idx)

        @staticmethod
        def fill_vocab_mask_batched(entries, vocab_mask):
            ours = [e for e in entries if isinstance(e.grammar, GcdcGrammar)]
            _core.fill_batch([e.grammar.matcher for e in ours], vocab_mask, [e.row for e in ours])
            for e in entries:
                if not isinstance(e.grammar, GcdcGrammar):  # one that reasons
                    e.grammar.fill_vocab_mask(vocab_mask, e.row)

        @staticmethod
        def reset_vocab_mask(vocab_mask):
            vocab_mask.fill_(-1)

        @staticmethod
        def move_vocab_mask(vocab_mask, device):
            return vocab_mask.to(device, non_blocking=True)

        @staticmethod
        def apply_vocab_mask(logits, vocab_mask):
            apply_mask(logits, vocab_mask)

        def traverse_draft_tree(self, next_token, next_sibling, tokens, vocab_mask):
            """Masks of a whole tree of drafts in one call, which SGLang's Python walk does node by node."""
            return self.matcher.traverse_draft_tree(next_token, next_sibling, tokens, vocab_mask)

        def copy(self):
            return GcdcGrammar(self._first)

        def try_jump_forward(self, tokenizer):
            text = self.matcher.forced_bytes()
            try:
                return ([], text.decode()) if text else None
            except UnicodeDecodeError as e:
                return ([], text[:e.start].decode()) if e.start else None

        def jump_forward_str_state(self, helper):
            return helper[1], -1

        def jump_and_retokenize(self, old_output_ids, new_output_ids, next_state):
            same = len(os.path.commonprefix([list(old_output_ids), list(new_output_ids)]))
            if same < len(old_output_ids):
                self.matcher.rollback(len(old_output_ids) - same)
            if self.matcher.accept_tokens(list(new_output_ids[same:])) < len(new_output_ids) - same:
                raise ValueError("the tokens of a forced text are not allowed")

    class GcdcBackend(BaseGrammarBackend):
        """Compiles what requests ask for, with limits. SGLang keeps what it gets; the compiler's own cache is bounded."""

        def __init__(self, tokenizer, vocab_size, eos_token_ids=None):
            super().__init__()
            self._info = TokenizerInfo.from_huggingface(tokenizer, vocab_size=vocab_size,
                                                        stop_token_ids=sorted(eos_token_ids) if eos_token_ids else None)
            self._compiler = GrammarCompiler(self._info, max_seconds=float(os.environ.get("GCDC_MAX_SECONDS", 10)),
                                             max_memory=int(os.environ.get("GCDC_MAX_MEMORY_MB", 1024)) << 20)

        def _made(self, make):
            try:
                return GcdcGrammar(make().matcher())
            except (_core.Error, ValueError, MemoryError, OSError) as e:
                _log.warning("%s", e)
                return InvalidGrammarObject(str(e))

        def _compiled(self, make):
            return self._made(lambda: self._compiler.compile_grammar(make()).session)

        def dispatch_json(self, key_string):
            if key_string == "$$ANY$$":
                return self._compiled(Grammar.builtin_json_grammar)
            return self._compiled(lambda: Grammar.from_json_schema(key_string))

        def dispatch_regex(self, key_string):
            return self._compiled(lambda: Grammar.from_regex(key_string))

        def dispatch_ebnf(self, key_string):
            if key_string.startswith(PREFIX):
                return self._made(lambda: self._named(key_string[len(PREFIX):]))
            is_gbnf = "::=" in key_string
            return self._compiled(lambda: Grammar.from_ebnf(key_string) if is_gbnf else Grammar.from_lark(key_string))

        def _named(self, name):
            path = artifact_path(name)
            if _core.head(path)["vocab_hash"] != self._info.vocab.hash:
                raise ValueError(f"{PREFIX}{name} was compiled for another tokenizer than this model's")
            return _core.Session(_core.Artifact(path))

        def dispatch_structural_tag(self, key_string):
            return self._compiled(lambda: Grammar.from_structural_tag(key_string))

    return GcdcBackend, GcdcGrammar
