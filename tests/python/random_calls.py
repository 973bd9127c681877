"""Random calls of the package, with right and wrong arguments: exceptions, never a crash. python3 random_calls.py --calls 1000000
(under ASan: tests/python/run does that)."""
import argparse
import array
import random

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    r, vocab = random.Random(options.seed), gcdc.Vocab()
    artifacts = [gcdc.compile(vocab, gcdc.xgrammar.JSON, kind="lark"), gcdc.compile(vocab, "[a-c]+(x|yz){2,5}", kind="regex"),
                 gcdc.compile(vocab, "[ab]*", kind="regex", costs="off")]
    all_masks, matchers = list(masks()), [gcdc.Matcher(a) for a in artifacts]
    names = [n for n in dir(gcdc.Matcher) if not n.startswith("_") and n not in ("fill_ptr", "close")]
    taken = raised = 0

    def number():
        return r.choice([0, 1, 2, 5, 91, 93, 123, 125, 4095, r.randrange(4096), r.randrange(4096), -1, 1 << 31, 1 << 40])

    def value():
        k = r.randrange(14)
        if k < 4:
            return number()
        if k < 6:
            return [number() for _ in range(r.randrange(6))]
        if k < 9:
            return r.choice(all_masks)
        if k == 9:
            return r.choice(matchers)
        if k == 10:
            return r.choice([b"[", b"{}", "1", b"", b"\xff", "a" * 50, "soft", "hard"])
        if k == 11:
            return [r.choice([*matchers, None]) for _ in range(r.randrange(5))]
        if k == 12:
            return [[number() for _ in range(r.randrange(3))] for _ in range(r.randrange(4))]
        return r.choice([None, True, 1.5, object(), array.array("q", [0, 1, -1]), range(5)])
    for i in range(options.calls):
        m = r.choice(matchers)
        pick = r.randrange(40)
        try:
            if pick == 0:
                matchers[r.randrange(len(matchers))] = r.choice([m.fork, m.clone, lambda: gcdc.Matcher(r.choice(artifacts))])()
            elif pick == 1 and r.randrange(20) == 0:
                m.close()
                matchers = [x for x in matchers if not x.closed] or [gcdc.Matcher(r.choice(artifacts))]
            elif pick < 6:
                f = r.choice([gcdc.fill_batch, gcdc.accept_batch, gcdc.fill_drafts_batch, gcdc.vocab_check])
                f(*[value() for _ in range(r.randrange(4))])
            elif pick < 14:
                m.fill(all_masks[0], r.randrange(5))
            elif pick < 24:
                m.fill(all_masks[0])
                words = all_masks[0].tolist()[0]
                some = [w * 32 + b for w, x in enumerate(words) if x for b in range(32) if x >> b & 1]
                assert m.accept(r.choice(some)) or m.is_terminated()
            elif pick == 24:
                m.reset()
            else:
                f = getattr(m, r.choice(names))
                if callable(f):
                    f(*[value() for _ in range(r.choice([0, 1, 1, 1, 2, 2, 4]))])
            taken += 1
        except EXPECTED:
            raised += 1
        if len(matchers) < 6:
            matchers.append(gcdc.Matcher(r.choice(artifacts)))
        if i % 1000 == 0 and len(matchers) > 40:
            matchers = matchers[:6]
    assert taken > options.calls // 4 and raised > options.calls // 50, (taken, raised)
    print(f"{options.calls} calls, seed {options.seed}: {taken} done, {raised} refused with an exception")


if __name__ == "__main__":
    main()
