"""Sessions: matchers that any thread may use. Each mask is compared with that of a matcher of no session."""
import array
import gc
import random
import threading

import gcdc
from test_package import EOS, JSON, TEXT, allowed, mask_of, refuses, tokens_of

HARD = gcdc.Artifact.from_bytes(gcdc.compile_bytes(gcdc.Vocab(canonical=True), gcdc.xgrammar.JSON, kind="lark", canonical="hard")[0])


def in_threads(n, work):
    """work(i) on n threads; raises what one of them raised."""
    wrong = []

    def call(i):
        try:
            work(i)
        except BaseException as e:  # pylint: disable=broad-exception-caught
            wrong.append(e)
    threads = [threading.Thread(target=call, args=(i,), daemon=True) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(100)
    if wrong:
        raise wrong[0]
    assert not any(t.is_alive() for t in threads), "a turn was never given back"


def walk(m, other, r, n=40):
    """Some n random tokens; m and other say the same all along."""
    a, b = mask_of(words=m.artifact.mask_words), mask_of(words=m.artifact.mask_words)
    for _ in range(n):
        m.fill(a), other.fill(b)
        assert a == b, (m.lane, m.budget)
        if m.is_terminated():
            assert other.is_terminated()
            return
        w = r.choice([w for w, word in enumerate(a.tolist()[0]) if word])
        token = r.choice([t for t in range(32 * w, 32 * w + 32) if allowed(a, t)])
        assert m.allowed(token) and m.min_tokens() == other.min_tokens()
        assert m.accept(token) and other.accept(token)
        if r.random() < 0.2:
            back = r.randint(0, min(3, m.steps))
            m.rollback(back), other.rollback(back)


def test_matchers_of_a_session_say_what_others_say():
    for artifact in (JSON, HARD):
        with gcdc.Session(artifact, lanes=2) as s:
            assert s.artifact is artifact and s.lanes == 2
            r = random.Random(5)
            for budget in (None, 9, 30):
                ms = [s.matcher() for _ in range(3)]
                assert sorted({m.lane for m in ms}) == [0, 1]
                for m in ms:
                    other = gcdc.Matcher(artifact)
                    m.set_budget(budget), other.set_budget(budget)
                    walk(m, other, r)
        assert s.closed and m.steps > 0  # it goes on
        refuses(ValueError, s.matcher)
        refuses(ValueError, s.__enter__)
        s.close()


def test_forks_clones_and_copies_of_a_session():
    s, t = gcdc.Session(JSON, lanes=2), gcdc.Session(JSON)
    a, b, other = s.matcher(), s.matcher(), gcdc.Matcher(JSON)
    a.accept_bytes(b'{"a": ')
    assert a.lane != b.lane and a.fork().lane == a.lane and a.clone().lane is None and other.lane is None
    assert a.fork().family == a.family != b.family != a.clone().family
    for to in (b, other, t.matcher(), a.fork(), a.clone()):
        lane, family = to.lane, to.family
        to.copy_from(a)
        assert to.lane == lane and (lane is None or to.family == family)
        assert to.accept_bytes(b"1}") and to.is_completed() and not a.is_completed()
        x, y = to.fork(), to.clone()
        assert x.is_completed() and y.is_completed() and x.lane == lane
    other.copy_from(other), b.copy_from(b)
    del s, a, t
    gc.collect()
    mask = mask_of(2)
    gcdc.fill_batch([b, x], mask)
    assert b.is_completed() and mask.tolist()[0] == mask.tolist()[1]


def test_threads_share_a_session():
    for artifact, lanes in ((JSON, 1), (JSON, 3), (HARD, 1)):
        s = gcdc.Session(artifact, lanes=lanes)

        def work(i, artifact=artifact, s=s):
            r = random.Random(i)
            for _ in range(8):
                m, other = s.matcher(), gcdc.Matcher(artifact)
                budget = r.choice([None, 6, 20])
                m.set_budget(budget), other.set_budget(budget)
                walk(m, other, r, 12)
                f = m.fork()
                f.copy_from(r.choice([s.matcher(), other]))
                m.close()
        in_threads(5, work)


def test_batches_of_several_threads_meet_in_one_lane():
    s = gcdc.Session(JSON, lanes=1)
    tokens = [*tokens_of(TEXT), EOS]
    want = []
    other = gcdc.Matcher(JSON)
    other.set_budget(200)
    for t in tokens:
        want.append(mask_of())
        other.fill(want[-1])
        assert other.accept(t)

    def work(_):
        ms = [s.matcher() for _ in range(6)]
        for m in ms:
            m.set_budget(200)
        mask = mask_of(6)
        for i, t in enumerate(tokens):
            gcdc.fill_batch(ms, mask)
            assert all(row == want[i].tolist()[0] for row in mask.tolist())
            if i + 3 < len(tokens):
                drafts = mask_of(8)
                assert gcdc.fill_drafts_batch(ms[:2], [tokens[i:i + 3]] * 2, drafts) == [3, 3]
                assert drafts.tolist()[3] == want[i + 3].tolist()[0]
            assert gcdc.accept_batch(ms, [t] * 6) == [True] * 6
        assert all(m.is_terminated() for m in ms)
    in_threads(4, work)
    # Long ones: each fill searches.
    s = gcdc.Session(HARD, lanes=1)
    rows = []
    for n in range(8):
        other = gcdc.Matcher(HARD)
        other.set_budget(60)
        assert other.accept_bytes(TEXT[:n])
        rows.append(mask_of(words=HARD.mask_words))
        other.fill(rows[-1])

    def work_long(_):
        ms, mask = [s.matcher() for _ in range(48)], mask_of(48, HARD.mask_words)
        for i, m in enumerate(ms):
            m.set_budget(60)
            assert m.accept_bytes(TEXT[:i % 8])
        for _ in range(8):
            gcdc.fill_batch(ms, mask)
            assert all(r == rows[i % 8].tolist()[0] for i, r in enumerate(mask.tolist()))
    in_threads(3, work_long)
    # A batch split over threads by lanes.
    s = gcdc.Session(JSON, lanes=4)
    b = gcdc.BatchMatcher([s.matcher() for _ in range(24)], max_threads=3)
    mask = mask_of(24)
    for _ in range(20):
        b.fill(mask)
        assert b.accept([tokens[0]] * 24) == [True] * 24
        for m in b.matchers:
            m.reset()


def test_one_matcher_of_a_session_in_many_threads():
    s = gcdc.Session(JSON, lanes=1)
    m = s.matcher()
    m.set_budget(4000)
    m.accept_bytes(b"[" * 500)
    want, closing = mask_of(), len(m.closing())
    m.fill(want)

    def work(i):
        mask, three = mask_of(), mask_of(3)
        for _ in range(30):
            m.fill(mask)
            assert mask == want and len(m.closing()) == closing and m.budget == 4000 and m.stop_tokens == []
            gcdc.fill_batch([m, m.fork(), None], three)
            assert three.tolist()[0] == three.tolist()[1] == want.tolist()[0]
            assert s.matcher().lane == 0 and m.validate(tokens_of(b"1]")) == 2 and m.lane == 0
            m.traverse_draft_tree([1, -1], [-1, -1], array.array("q", [0, tokens_of(b"[")[0]]), mask_of(2))
            if i == 0:
                m.copy_from(m.fork())
    in_threads(4, work)


def test_a_call_without_a_turn_does_not_end_anothers():
    s = gcdc.Session(HARD, lanes=1)
    for _ in range(12):
        m, together, rows = s.matcher(), threading.Barrier(3), []
        m.set_budget(60)

        def work(i, m=m, together=together, rows=rows):
            for at in range(len(TEXT)):
                together.wait(60)
                mask = mask_of(words=HARD.mask_words)
                m.fill(mask)  # long, without the GIL: the others come meanwhile
                rows.append(mask.tolist()[0])
                together.wait(60)
                if i == 0:
                    assert rows[0] == rows[1] == rows[2]
                    rows.clear()
                    assert m.accept_bytes(TEXT[at:at + 1])
        in_threads(3, work)


def test_matchers_are_made_while_others_work():
    s = gcdc.Session(JSON, lanes=1)

    def work(i):
        mine = s.matcher()
        for _ in range(400):
            if i % 2:
                f = s.matcher()
                f.accept_bytes(b'{"a"')
                f.close()
            else:
                mine.reset()
                assert mine.accept_bytes(TEXT[:9]) and mine.accept_bytes(TEXT[9:]) and mine.is_completed()
    in_threads(4, work)


def test_closing_while_others_work():
    for _ in range(6):
        s = gcdc.Session(JSON, lanes=2)
        m = s.matcher()
        m.set_budget(3000)

        def work(i, s=s, m=m):
            mask = mask_of()
            try:
                while True:
                    f = s.matcher()
                    f.accept_bytes(b"[[")
                    f.fill(mask)
                    m.fill(mask)
                    if i == 0 and random.random() < 0.1:
                        m.close()
                    if i == 1 and random.random() < 0.1:
                        s.close()
            except ValueError as e:
                assert "closed" in str(e), e
        in_threads(4, work)
        m.close(), s.close()
        assert s.closed and m.closed


def test_sessions_refuse():
    for bad in (None, 5, "x", gcdc.Matcher(JSON)):
        refuses(TypeError, gcdc.Session, bad)
    for bad in (0, -1, 1 << 20, 1 << 70):
        refuses(ValueError, gcdc.Session, JSON, lanes=bad)
    refuses(TypeError, gcdc.Session, JSON, lanes="x")
    refuses(TypeError, gcdc.Session, JSON, 4)
    refuses(TypeError, gcdc.Session, JSON, rows=4)
    for big in (1 << 40, -1, (1 << 32) - 1):
        refuses(ValueError, gcdc.Session, JSON, max_rollback=big)
    closed = gcdc.Artifact.from_bytes(gcdc.compile_bytes(gcdc.Vocab(), "a", kind="regex")[0])
    s = gcdc.Session(closed, max_rollback=4)
    closed.close()
    refuses(ValueError, gcdc.Session, closed)
    m = s.matcher()
    assert m.accept(tokens_of(b"a")[0]) and m.is_completed()
    refuses(ValueError, m.copy_from, gcdc.Matcher(JSON))
