"""gcdc in transformers: a LogitsProcessor.

    processor = gcdc.transformers.LogitsProcessor(artifact, max_new_tokens=60)
    model.generate(**inputs, max_new_tokens=60, logits_processor=[processor])

Batches, beams and sampling: each row is matched with the row of the step before that it goes on from, so that beams may
change places. One processor serves one call of generate() at a time; the next call begins anew by itself.
"""
import torch
import transformers

from ._core import Matcher, fill_batch
from ._masks import allocate_token_bitmask, apply_mask


class LogitsProcessor(transformers.LogitsProcessor):
    """artifact: of the model's tokenizer. max_new_tokens: texts end complete within so many tokens (as given to
    generate()), EOS counted; None: they may be cut off. stop_tokens: ids that end a text beside the artifact's; generate()
    must know them, too. matcher: to begin from instead (after a prefix, with a canonical mode)."""

    supports_continuous_batching = False  # it is not told which row is whose text

    def __init__(self, artifact, max_new_tokens=None, stop_tokens=(), matcher=None):
        self._first = matcher.clone() if matcher is not None else Matcher(artifact)
        if stop_tokens:
            self._first.set_stop_tokens(list(stop_tokens))
        if max_new_tokens is not None:
            self._first.set_budget(max_new_tokens)
        self._words = self._first.artifact.n_tokens
        self._ids = None  # of the step before
        self._rows = []  # its matchers; None: a row that took a token which was not allowed
        self._mask = None

    def reset(self):
        """The next call is the first of a text."""
        self._ids, self._rows = None, []

    def _goes_on(self, ids):
        last = self._ids
        if last is None or ids.shape[1] != last.shape[1] + 1:
            return None
        if ids.shape == (last.shape[0], last.shape[1] + 1) and torch.equal(ids[:, :-1], last):
            return list(range(ids.shape[0]))
        parents = []
        for row in ids[:, :-1]:
            same = (last == row).all(1).nonzero()
            if not len(same):
                return None
            parents.append(int(same[0]))
        return parents

    def __call__(self, input_ids, scores):
        ids = input_ids.cpu()
        parents = self._goes_on(ids)
        if parents is None:
            self._rows = [self._first.clone() for _ in range(ids.shape[0])]
        else:
            used, rows = set(), []
            for parent in parents:
                m = self._rows[parent]
                rows.append(m.fork() if m is not None and parent in used else m)
                used.add(parent)
            # Forks are made before anything moves.
            for i, token in enumerate(ids[:, -1].tolist()):
                m = rows[i]
                if m is not None and not m.is_terminated() and not m.accept(token):
                    rows[i] = None
            self._rows = rows
        self._ids = ids
        if self._mask is None or self._mask.shape[0] != len(self._rows):
            self._mask = allocate_token_bitmask(len(self._rows), self._words)
        fill_batch(self._rows, self._mask)
        for i, m in enumerate(self._rows):
            if m is None:  # only a beam of probability 0 gets here
                self._mask[i] = 0
                for t in self._first.artifact.eos:
                    self._mask[i, t // 32] |= (1 << t % 32) - (1 << 32 if t % 32 == 31 else 0)
        scores = scores.clone()
        apply_mask(scores, self._mask)
        return scores
