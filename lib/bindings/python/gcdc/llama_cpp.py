"""gcdc in llama-cpp-python: a logits processor.

    processor = gcdc.llama_cpp.LogitsProcessor(artifact, max_tokens=60)
    llama.create_completion(prompt, max_tokens=60, logits_processor=LogitsProcessorList([processor]))

Llama hands it all tokens so far and the logits; it accepts what is new and takes away what is forbidden. One processor serves
one text at a time; a call whose tokens do not go on from those of the call before begins a text anew. In C there is a
sampler: lib/bindings/llama.
"""
import numpy

from ._core import Session
from ._masks import apply_mask, get_bitmask_shape


class LogitsProcessor:
    """artifact: of the model's tokenizer (check(llama) compares), or a gcdc.Session of it, where one processor finds what
    others have worked out. max_tokens: texts end complete within so many tokens (as given to create_completion()), EOS
    counted; None: they may be cut off. stop_tokens: ids that end a text beside the artifact's. matcher: to begin from
    instead (after a prefix, with a canonical mode)."""

    def __init__(self, artifact, max_tokens=None, stop_tokens=(), matcher=None):
        if matcher is None:
            matcher = (artifact if isinstance(artifact, Session) else Session(artifact, lanes=1)).matcher()
        self._first = matcher.clone() if matcher.lane is None else matcher.fork()
        if stop_tokens:
            self._first.set_stop_tokens(list(stop_tokens))
        if max_tokens is not None:
            self._first.set_budget(max_tokens)
        self._mask = numpy.zeros(get_bitmask_shape(1, self._first.artifact.n_tokens), numpy.int32)
        self._ids = None  # of the step before
        self.matcher = None  # of the text; None: nothing was asked for yet

    def check(self, llama):
        """ValueError where the model has another vocabulary: another size, or EOS ids that do not end its texts."""
        artifact = self._first.artifact
        if llama.n_vocab() != artifact.n_tokens:
            raise ValueError(f"the model has {llama.n_vocab()} tokens, the artifact {artifact.n_tokens}")
        if llama.token_eos() not in artifact.eos:
            raise ValueError(f"the model's EOS is {llama.token_eos()}, the artifact's {artifact.eos}")

    def reset(self):
        """The next call is the first of a text."""
        self._ids = self.matcher = None

    def __call__(self, input_ids, scores):
        ids, last = numpy.array(input_ids), self._ids
        if last is None or len(ids) != len(last) + 1 or not numpy.array_equal(ids[:-1], last):
            self.matcher = self._first.fork()
        elif not self.matcher.is_terminated() and not self.matcher.accept(int(ids[-1])):
            raise ValueError(f"token {ids[-1]} is not allowed: something behind this processor chose it")
        self._ids = ids
        self.matcher.fill(self._mask)
        masked = numpy.array(scores, numpy.float32)  # dense: Llama's are a column of its candidates
        apply_mask(masked, self._mask)
        return masked
