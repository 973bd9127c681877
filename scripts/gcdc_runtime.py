"""The runtime library by ctypes: what scripts need of it. GCDC_BUILD names the build folder (default: build/release)."""
import ctypes
import os
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("GCDC_BUILD", TOP / "build/release"))

LIB = ctypes.CDLL(str(BUILD / "libgcdc_runtime.so"))
os.environ.pop("LD_PRELOAD", None)  # a sanitizer's runtime, for this process alone: programs have their own
P, U32, U64, SIZE = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t


class Refusal(ctypes.Structure):
    _fields_ = [("section", U32), ("offset", U64), ("what", ctypes.c_char * 224)]


class OpenOptions(ctypes.Structure):
    _fields_ = [("vocab_path", ctypes.c_char_p), ("trusted", ctypes.c_bool), ("memory", P)]


LIB.gcdc_status_text.restype = ctypes.c_char_p
LIB.gcdc_artifact_eos.restype = ctypes.POINTER(U32)
LIB.gcdc_artifact_token.restype = ctypes.POINTER(ctypes.c_uint8)
for name in ("gcdc_matcher_is_canonical_next", "gcdc_matcher_is_completed", "gcdc_matcher_allowed"):
    getattr(LIB, name).restype = ctypes.c_bool
    getattr(LIB, name).argtypes = [P, U32] if name != "gcdc_matcher_is_completed" else [P]
LIB.gcdc_matcher_accept.argtypes = [P, U32]
LIB.gcdc_matcher_rollback.argtypes = [P, U32]
LIB.gcdc_matcher_reset.argtypes = LIB.gcdc_matcher_free.argtypes = LIB.gcdc_artifact_close.argtypes = [P]
LIB.gcdc_matcher_reset.restype = LIB.gcdc_matcher_free.restype = LIB.gcdc_artifact_close.restype = None
LIB.gcdc_matcher_fill.argtypes = [P, P, SIZE, P]
LIB.gcdc_matcher_relaxations.argtypes = [P]
LIB.gcdc_matcher_relaxations.restype = U64
LIB.gcdc_matcher_canonical_prompt.argtypes = [P, P, SIZE]
LIB.gcdc_matcher_forced_tokens.argtypes = [P, P, SIZE, P]
LIB.gcdc_matcher_set_budget.argtypes = [P, U32, ctypes.c_bool, P]
LIB.gcdc_matcher_fork.argtypes = [P, P]
LIB.gcdc_matcher_fill_draft_tree.argtypes = [P, P, P, SIZE, P]


class Error(Exception):
    """A status below 0."""


def check(status):
    if status < 0:
        raise Error(LIB.gcdc_status_text(status).decode())
    return status


class Artifact:
    def __init__(self, path, vocab=None):
        self.at, why = P(), Refusal()
        options = OpenOptions(vocab.encode() if vocab else None, False, None)
        if LIB.gcdc_artifact_open(str(path).encode(), ctypes.byref(options), ctypes.byref(self.at), ctypes.byref(why)):
            raise Error(why.what.decode())
        n = U32()
        eos = LIB.gcdc_artifact_eos(self.at, ctypes.byref(n))
        self.eos = [eos[i] for i in range(n.value)]

    def token(self, t):
        n = U32()
        p = LIB.gcdc_artifact_token(self.at, U32(t), ctypes.byref(n))
        return bytes(p[: n.value])


class DraftTree(ctypes.Structure):
    _fields_ = [("next_token", P), ("next_sibling", P), ("tokens", P), ("n", SIZE)]


class Info(ctypes.Structure):
    _fields_ = [("n_tokens", U32), ("mask_words", U32), ("more", U32 * 64)]


def mask_words(artifact):
    info = Info()
    LIB.gcdc_artifact_info(artifact.at, ctypes.byref(info))
    return info.mask_words


class Matcher:
    def __init__(self, artifact, fork_of=None):
        self.artifact, self.at = artifact, P()
        if fork_of:
            check(LIB.gcdc_matcher_fork(fork_of.at, ctypes.byref(self.at)))
        else:
            check(LIB.gcdc_matcher_new(artifact.at, None, ctypes.byref(self.at)))

    def fork(self):
        return Matcher(self.artifact, self)

    def set_budget(self, tokens):
        check(LIB.gcdc_matcher_set_budget(self.at, tokens, True, None))

    def fill(self, mask):
        """Into an array of (U32 * words)."""
        check(LIB.gcdc_matcher_fill(self.at, mask, len(mask), None))

    def fill_draft_tree(self, parents, tokens, words):
        """Node i > 0 is tokens[i] behind node parents[i] < i; node 0 is here. [mask as a list of words, or None] for each node."""
        n = len(tokens)
        child, sibling = (ctypes.c_int64 * n)(*[-1] * n), (ctypes.c_int64 * n)(*[-1] * n)
        for i in range(n - 1, 0, -1):
            sibling[i], child[parents[i]] = child[parents[i]], i
        array, masks, reached = (ctypes.c_int64 * n)(*tokens), (U32 * (n * words))(), (ctypes.c_uint8 * n)()
        tree = DraftTree(*(ctypes.cast(a, P) for a in (child, sibling, array)), n)
        check(LIB.gcdc_matcher_fill_draft_tree(self.at, ctypes.byref(tree), masks, words, reached))
        return [masks[i * words : (i + 1) * words] if reached[i] else None for i in range(n)]

    def accept(self, token):
        return check(LIB.gcdc_matcher_accept(self.at, token)) == 0

    def rollback(self, tokens):
        check(LIB.gcdc_matcher_rollback(self.at, tokens))

    def is_canonical_next(self, token):
        return LIB.gcdc_matcher_is_canonical_next(self.at, token)

    def allowed(self, token):
        return LIB.gcdc_matcher_allowed(self.at, token)

    def completed(self):
        return LIB.gcdc_matcher_is_completed(self.at)

    def relaxations(self):
        return LIB.gcdc_matcher_relaxations(self.at)

    def reset(self):
        LIB.gcdc_matcher_reset(self.at)

    def prompt(self, tokens):
        array = (U32 * len(tokens))(*tokens)
        check(LIB.gcdc_matcher_canonical_prompt(self.at, array, len(tokens)))

    def forced(self, cap=32):
        array, n = (U32 * cap)(), SIZE()
        check(LIB.gcdc_matcher_forced_tokens(self.at, array, cap, ctypes.byref(n)))
        return list(array[: n.value])

    def __del__(self):
        if self.at:
            LIB.gcdc_matcher_free(self.at)
