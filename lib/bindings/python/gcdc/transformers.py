"""gcdc in transformers: a LogitsProcessor.

    processor = gcdc.transformers.LogitsProcessor(artifact, max_new_tokens=60)
    model.generate(**inputs, max_new_tokens=60, logits_processor=[processor])

Batches, beams and sampling: each row is matched with the row of the step before that it goes on from, so that beams may
change places. One processor serves one call of generate() at a time; the next call begins anew by itself.

    manager = model.init_continuous_batching(generation_config=config)
    gcdc.transformers.add_to_continuous_batching(manager, artifact)      # before manager.start()

Continuous batching tells such processors whose row is whose, and each request's max_new_tokens: texts end within it.
"""
import torch
import transformers

from ._core import Session, fill_batch
from ._masks import allocate_token_bitmask, apply_mask


class LogitsProcessor(transformers.LogitsProcessor):
    """artifact: of the model's tokenizer, or a gcdc.Session of it, where one processor finds what others have worked out.
    max_new_tokens: texts end complete within so many tokens (as given to generate()), EOS counted; None: they may be cut
    off. stop_tokens: ids that end a text beside the artifact's; generate() must know them, too. matcher: to begin from
    instead (after a prefix, with a canonical mode)."""

    supports_continuous_batching = False  # it is not told which row is whose text: add_to_continuous_batching

    def __init__(self, artifact, max_new_tokens=None, stop_tokens=(), matcher=None):
        if matcher is None:
            matcher = (artifact if isinstance(artifact, Session) else Session(artifact, lanes=1)).matcher()
        self._first = matcher.clone() if matcher.lane is None else matcher.fork()
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
            self._rows = [self._first.fork() for _ in range(ids.shape[0])]
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


class _Rows:
    """The matchers of a continuous batch, by request."""

    def __init__(self, sessions, budget):
        self._sessions, self._budget = sessions, budget
        self._texts = {}  # request id: matcher, or None where it took what was not allowed; how many tokens it took

    def _begin(self, state, behind):
        session = self._sessions
        if isinstance(session, dict):
            name = state.logit_processor_kwargs.get("grammar")
            if name is None:
                return None
            session = session[name]
        matcher = session.matcher()
        if self._budget and state.max_new_tokens is not None:
            matcher.set_budget(state.max_new_tokens + behind)
        return matcher

    def matcher(self, state):
        """Of a request, behind all of its tokens."""
        # A request that gave its memory away comes back with what it had generated as a longer prompt.
        resumed = state.initial_tokens[state._true_initial_tokens:] if state._true_initial_tokens else []
        tokens = resumed + state.generated_tokens
        matcher, n = self._texts.get(state.request_id, (None, -1))
        if n < 0 or n > len(tokens):
            matcher, n = self._begin(state, len(resumed)), 0
        for t in tokens[n:]:
            if matcher is not None and not matcher.is_terminated() and not matcher.accept(t):
                raise ValueError(f"{state.request_id}: token {t} is not allowed: something behind this processor chose it")
        self._texts[state.request_id] = matcher, len(tokens)
        return matcher

    def forget_but(self, ids):
        """Drops requests that are gone; one that is back is made again from its tokens."""
        if len(self._texts) > 4 * len(ids) + 64:
            self._texts = {k: v for k, v in self._texts.items() if k in ids}


def add_to_continuous_batching(manager, artifacts, budget=True):
    """Makes a continuous batching's texts those of a grammar. manager: of model.init_continuous_batching(), not started.
    artifacts: one for all requests; or a dict by name, and a request says manager.add_request(..., grammar="name") (without
    it, it is free). budget: texts end complete within max_new_tokens of their request; False: they may be cut off."""
    from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessor
    config = manager.continuous_batching_config
    graphs = getattr(config, "use_cuda_graph", None)  # after it is decided: for varlen, for decoding
    if getattr(config, "use_async_batching", None) or (any(graphs) if isinstance(graphs, tuple) else graphs):
        raise ValueError("masks need the tokens before them: ContinuousBatchingConfig(use_async_batching=False, "
                         "use_cuda_graph=False)")
    known = list(artifacts.values()) if isinstance(artifacts, dict) else [artifacts]
    sessions = [Session(a, lanes=1) for a in known]  # one thread asks for all masks
    rows = _Rows(dict(zip(artifacts, sessions)) if isinstance(artifacts, dict) else sessions[0], budget)

    class Processor(ContinuousBatchingLogitsProcessor):
        """Masks, in the order of the batch's new tokens."""
        supported_kwargs = {"grammar": str} if isinstance(artifacts, dict) else {}
        ignored_kwargs = ()

        def __init__(self):
            self._mask, self._n = allocate_token_bitmask(1, known[0].n_tokens), 0

        def fill_defaults(self, int32_tensor):
            int32_tensor.fill_(0)

        def prepare_tensor_args(self, requests_with_new_token):
            states = [r.state for r in requests_with_new_token]
            matchers, self._n = [rows.matcher(s) for s in states], len(states)
            rows.forget_but({s.request_id for s in states})
            if self._mask.shape[0] < self._n:
                self._mask = allocate_token_bitmask(self._n, known[0].n_tokens)
            self._masked = [i if m is not None else -1 for i, m in enumerate(matchers)]
            if self._n:
                fill_batch(matchers, self._mask)
            return torch.zeros(self._n, dtype=torch.int32)

        def __call__(self, scores, tensor_arg):
            if self._n:
                apply_mask(scores, self._mask[:self._n], self._masked)
            return scores

    processors = manager.logit_processor
    processors.logits_processor.insert(0, Processor())
    processors.tensors_required += 1
    processors.do_processing = True
    processors._retrieve_processors_kwargs()
