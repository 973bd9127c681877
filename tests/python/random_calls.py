"""Random calls of the package, with right and wrong arguments: exceptions, never a crash. python3 random_calls.py --calls 1000000
(under ASan: tests/python/run does that). With --threads the same objects are used by several threads at once."""
import argparse
import array
import random
import threading

import gcdc

EXPECTED = (gcdc.Error, TypeError, ValueError, IndexError, OverflowError, BufferError,
            NotImplementedError)  # memoryviews as sequences


def masks():
    yield memoryview(array.array("I", [0] * 512)).cast("B").cast("I", (4, 128))
    yield array.array("i", [0] * 128)
    yield array.array("I", [0] * 7)
    yield array.array("d", [0] * 200)
    yield bytes(512)
    yield None


class Calls:
    """Calls on objects that are made, moved and closed at random."""

    def __init__(self, seed, shared):
        self.r = random.Random(seed)
        self.artifacts, self.sessions, self.matchers = shared
        self.masks, self.taken, self.raised = list(masks()), 0, 0
        self.names = [n for n in dir(gcdc.Matcher) if not n.startswith("_") and n not in ("fill_ptr", "close")]

    def number(self):
        r = self.r
        return r.choice([0, 1, 2, 5, 91, 93, 123, 125, 4095, r.randrange(4096), r.randrange(4096), -1, 1 << 31, 1 << 40])

    def value(self):
        r, k = self.r, self.r.randrange(14)
        if k < 4:
            return self.number()
        if k < 6:
            return [self.number() for _ in range(r.randrange(6))]
        if k < 9:
            return r.choice(self.masks)
        if k == 9:
            return r.choice(self.matchers)
        if k == 10:
            return r.choice([b"[", b"{}", "1", b"", b"\xff", "a" * 50, "soft", "hard"])
        if k == 11:
            return [r.choice([*self.matchers, None]) for _ in range(r.randrange(5))]
        if k == 12:
            return [[self.number() for _ in range(r.randrange(3))] for _ in range(r.randrange(4))]
        return r.choice([None, True, 1.5, object(), array.array("q", [0, 1, -1]), range(5), *self.sessions])

    def values(self, most):
        return [self.value() for _ in range(most)]

    def new(self):
        """A matcher of a session or of none."""
        return self.r.choice([self.r.choice(self.sessions).matcher, lambda: gcdc.Matcher(self.r.choice(self.artifacts))])()

    def step(self, m):
        """A token that its mask allows."""
        m.fill(self.masks[0])
        words = self.masks[0].tolist()[0]
        some = [w * 32 + b for w, x in enumerate(words) if x for b in range(32) if x >> b & 1]
        return m.accept(self.r.choice(some)) or m.is_terminated()

    def one(self, is_alone):
        r, matchers = self.r, self.matchers
        m = r.choice(matchers)
        pick = r.randrange(40)
        if pick == 0:
            matchers[r.randrange(len(matchers))] = r.choice([m.fork, m.clone, self.new])()
        elif pick == 1 and r.randrange(20) == 0:
            m.close()
            matchers[:] = [x for x in matchers if not x.closed] or [self.new()]
        elif pick < 6:
            f = r.choice([gcdc.fill_batch, gcdc.accept_batch, gcdc.fill_drafts_batch, gcdc.vocab_check])
            f(*self.values(r.randrange(4)))
        elif pick < 14:
            m.fill(self.masks[0], r.randrange(5))
        elif pick < 24:
            assert self.step(m) or not is_alone
        elif pick == 24:
            m.reset()
        elif pick == 25:
            self.session_call()
        else:
            f = getattr(m, r.choice(self.names))
            if callable(f):
                f(*self.values(r.choice([0, 1, 1, 1, 2, 2, 4])))

    def session_call(self):
        r, i = self.r, self.r.randrange(len(self.sessions))
        if r.randrange(4):
            self.matchers.append(self.sessions[i].matcher())
        elif r.randrange(2):
            self.sessions[i].close()
            self.sessions[i] = gcdc.Session(r.choice(self.artifacts), lanes=r.choice([1, 2, 5]))
        else:
            self.sessions[i] = gcdc.Session(self.value(), **{r.choice(["lanes", "max_rollback", "max_depth"]): self.value()})

    def run(self, n, is_alone):
        # Of another thread: a matcher that is of no session, a list that grew shorter.
        expected = EXPECTED if is_alone else (*EXPECTED, RuntimeError)
        for i in range(n):
            try:
                self.one(is_alone)
                self.taken += 1
            except expected:
                self.raised += 1
            if len(self.matchers) < 6:
                self.matchers.append(self.new())
            if i % 1000 == 0 and len(self.matchers) > 40 or len(self.matchers) > 200:
                del self.matchers[6:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    vocab = gcdc.Vocab()
    artifacts = [gcdc.compile(vocab, gcdc.xgrammar.JSON, kind="lark"), gcdc.compile(vocab, "[a-c]+(x|yz){2,5}", kind="regex"),
                 gcdc.compile(vocab, "[ab]*", kind="regex", costs="off")]
    shared = artifacts, [gcdc.Session(a, lanes=2) for a in artifacts], [gcdc.Matcher(a) for a in artifacts]
    calls = [Calls(options.seed + (i << 32), shared) for i in range(options.threads)]
    failed = []

    def work(c):
        try:
            c.run(-(-options.calls // options.threads), options.threads == 1)
        except BaseException as e:
            failed.append(e)
            raise
    threads = [threading.Thread(target=work, args=(c,)) for c in calls]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    taken, raised = sum(c.taken for c in calls), sum(c.raised for c in calls)
    assert not failed and taken > options.calls // 4 and raised > options.calls // 50, (failed, taken, raised)
    print(f"{options.calls} calls, seed {options.seed}, {options.threads} threads: {taken} done, {raised} refused with an exception")


if __name__ == "__main__":
    main()
