"""The Python package on random texts and random calls, by hypothesis: skipped where that is missing. pytest, or tests/python/run.

A second opinion on each: Python's json for what is a text; a new matcher that takes the same tokens for where a matcher is.
"""
import array
import json

import gcdc

try:
    import hypothesis
    from hypothesis import stateful
    from hypothesis import strategies as st
except ImportError:
    hypothesis = None

MISSING = "hypothesis is missing (pip install hypothesis)"
EXAMPLES = 60
JSON = gcdc.Artifact.from_bytes(gcdc.compile_bytes(gcdc.Vocab(), gcdc.xgrammar.JSON, kind="lark")[0])


def mask_of(m):
    mask = array.array("I", [0] * JSON.mask_words)
    m.fill(mask)
    return mask.tolist()


def tokens_in(mask):
    return [32 * w + b for w, word in enumerate(mask) if word for b in range(32) if word >> b & 1]


def _no(_):
    raise ValueError("no JSON")


def is_json(text):
    try:
        json.loads(text, parse_constant=_no)
        return True
    except (ValueError, RecursionError):
        return False


def takes(text):
    m = gcdc.Matcher(JSON)
    return m.accept_bytes(text) and m.is_completed()


def _values():
    words = st.text(st.characters(codec="utf-8"), max_size=12)
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words
    return st.recursive(leaves, lambda v: st.lists(v, max_size=4) | st.dictionaries(words, v, max_size=3), max_leaves=12)


def test_json_texts_are_taken():
    if hypothesis is None:
        return MISSING

    @hypothesis.settings(max_examples=EXAMPLES, database=None, deadline=None)
    @hypothesis.given(_values(), st.booleans(), st.sampled_from([None, 0, 2]))
    def run(value, ascii_only, indent):
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
        m = gcdc.Matcher(JSON)
        assert all(m.accept_bytes(text[i:i + 1]) for i in range(len(text))) and m.is_completed()
    run()
    return None


def test_changed_texts_are_what_json_says():
    if hypothesis is None:
        return MISSING

    @hypothesis.settings(max_examples=4 * EXAMPLES, database=None, deadline=None)
    @hypothesis.given(_values(), st.data())
    def run(value, data):
        text = json.dumps(value)
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 2))
        text = text[:at] + data.draw(st.text('{}[],:"\\0123eE+-. tfnu\x01é', max_size=2)) + text[at + cut:]
        assert takes(text.encode()) == is_json(text), text
    run()
    return None


def test_budgets_are_kept():
    if hypothesis is None:
        return MISSING

    @hypothesis.settings(max_examples=EXAMPLES, database=None, deadline=None)
    @hypothesis.given(st.integers(0, 24), st.randoms(use_true_random=False))
    def run(budget, random):
        m = gcdc.Matcher(JSON)
        try:
            m.set_budget(budget)
        except gcdc.BudgetError:
            assert budget < m.min_tokens()
            return
        text, n = b"", 0
        while not m.is_terminated():
            token = random.choice(tokens_in(mask_of(m)))
            assert m.accept(token)
            text, n = text + JSON.token(token), n + 1
        assert n <= budget and is_json(text.decode(errors="replace")), (n, text)
    run()
    return None


def _machine():
    class Matchers(stateful.RuleBasedStateMachine):
        """Matchers, each beside the list of what it took."""

        def __init__(self):
            super().__init__()
            self.all = [(gcdc.Matcher(JSON), [])]

        def pick(self, i):
            return self.all[i % len(self.all)]

        @stateful.rule(i=st.integers(0, 7), k=st.integers(0, 1 << 20))
        def accept(self, i, k):
            m, took = self.pick(i)
            allowed = tokens_in(mask_of(m))
            token = allowed[k % len(allowed)]
            if not m.is_terminated():
                assert m.accept(token)
                took.append(token)

        @stateful.rule(i=st.integers(0, 7), token=st.integers(0, JSON.n_tokens - 1))
        def any_token(self, i, token):
            m, took = self.pick(i)
            before, ended = mask_of(m), m.is_terminated()
            if m.accept(token):
                assert not ended and before[token // 32] >> token % 32 & 1
                took.append(token)
            else:
                assert mask_of(m) == before

        @stateful.rule(i=st.integers(0, 7), n=st.integers(0, 5))
        def rollback(self, i, n):
            m, took = self.pick(i)
            n = min(n, m.steps)
            m.rollback(n)
            del took[len(took) - n:]

        @stateful.rule(i=st.integers(0, 7), how=st.sampled_from(["fork", "clone"]))
        def copy(self, i, how):
            m, took = self.pick(i)
            if len(self.all) < 8:
                self.all.append((getattr(m, how)(), list(took)))

        @stateful.rule(i=st.integers(0, 7), j=st.integers(0, 7))
        def copy_from(self, i, j):
            (a, to), (b, took) = self.pick(i), self.pick(j)
            if a is not b:
                a.copy_from(b)
                to[:] = took

        @stateful.rule(i=st.integers(0, 7))
        def reset(self, i):
            m, took = self.pick(i)
            m.reset()
            took.clear()

        @stateful.rule(i=st.integers(0, 7))
        def same_as_a_new_one(self, i):
            m, took = self.pick(i)
            new = gcdc.Matcher(JSON)
            assert new.accept_tokens(took) == len(took)
            assert mask_of(new) == mask_of(m) and new.is_completed() == m.is_completed()
            assert new.is_terminated() == m.is_terminated()
    return Matchers


def test_matchers_are_where_their_tokens_lead():
    if hypothesis is None:
        return MISSING
    stateful.run_state_machine_as_test(_machine(), settings=hypothesis.settings(
        max_examples=EXAMPLES, stateful_step_count=40, database=None, deadline=None))
    return None
