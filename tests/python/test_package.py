"""The Python package: each call on a small vocabulary, what is refused, threads. Needs nothing but the package; NumPy and
torch are used where they are. Run by pytest, or by tests/python/run without it."""
import array
import gc
import os
import subprocess
import sys
import tempfile
import threading
import weakref

import gcdc

VOCAB = gcdc.Vocab()  # the built-in one
JSON = gcdc.Artifact.from_bytes(gcdc.compile_bytes(VOCAB, gcdc.xgrammar.JSON, kind="lark")[0])
EOS = JSON.eos[0]
TEXT = b'{"a": [1, true, "x y"], "b": {}}'


def mask_of(rows=1, words=JSON.mask_words):
    return memoryview(array.array("I", [0] * (rows * words))).cast("B").cast("I", (rows, words))


def tokens_of(text, artifact=JSON):
    """Longest tokens first."""
    by_bytes = {artifact.token(t): t for t in range(artifact.n_tokens)}
    out = []
    while text:
        n = max(k for k in range(1, min(len(text), 40) + 1) if text[:k] in by_bytes)
        out.append(by_bytes[text[:n]])
        text = text[n:]
    return out


def refuses(exception, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except exception as e:
        return str(e)
    raise AssertionError(f"{call} took {args} {kwargs}")


def allowed(mask, t, row=0):
    return mask[row, t // 32] >> t % 32 & 1


def test_masks_say_what_allowed_and_accept_say():
    m, mask = gcdc.Matcher(JSON), mask_of(2)
    for token in [*tokens_of(TEXT), EOS]:
        assert m.fill(mask, 1) is True
        for t in range(0, JSON.n_tokens, 7):
            assert bool(allowed(mask, t, 1)) == m.allowed(t) == (m.validate([t]) == 1)
        assert allowed(mask, token, 1) and m.accept(token) is True
    assert m.is_terminated() and m.accept(EOS) is False
    m.fill(mask)
    assert [t for t in range(JSON.n_tokens) if allowed(mask, t)] == JSON.eos
    m.rollback()
    assert m.is_completed() and not m.is_terminated()


def test_a_refused_token_changes_nothing():
    m = gcdc.Matcher(JSON)
    bad = tokens_of(b"]")[0]
    assert m.accept(bad) is False and m.steps == 0
    assert m.accept_tokens([*tokens_of(b"[1"), *tokens_of(b"}")]) == len(tokens_of(b"[1"))
    assert m.accept_bytes(b"}") is False and m.accept_bytes("]") is True
    refuses(gcdc.Error, m.rollback, 100)


def test_forks_clones_copies():
    m = gcdc.Matcher(JSON)
    m.accept_bytes(b'{"a": ')
    for other in (m.fork(), m.clone(), gcdc.Matcher(JSON)):
        other.copy_from(m)
        a, b = mask_of(), mask_of()
        m.fill(a), other.fill(b)
        assert a == b
        assert other.accept_bytes(b"1}") and not m.is_completed() and other.is_completed()
    assert m.fork().family == m.family != m.clone().family


def test_budgets_end_complete():
    for budget in (2, 5, 9):
        m = gcdc.Matcher(JSON)
        assert 0 < m.set_budget(budget) <= budget and m.budget == budget
        mask, text, state = mask_of(), b"", budget
        while not m.is_terminated():
            m.fill(mask)
            some = [t for t in range(JSON.n_tokens) if allowed(mask, t)]
            state = state * 48271 % 2147483647
            token = some[state % len(some)]
            assert m.min_after(token) is not None
            assert m.accept(token)
            text += JSON.token(token)
        assert m.budget >= 0 and m.steps <= budget
        import json
        json.loads(text)
    m = gcdc.Matcher(JSON)
    m.accept_bytes(b"[[[[")
    assert "needs" in refuses(gcdc.BudgetError, m.set_budget, 1)
    assert m.set_budget(None) >= 0 and m.budget is None
    closing = m.closing()
    assert m.accept_tokens(closing) == len(closing) == m.steps - 1 and m.is_completed()


def test_stop_tokens_end_a_text():
    tokens = [bytes([i]) for i in range(128)] + [None, None]
    vocab = gcdc.Vocab.from_tokens(tokens, eos=[128])
    m = gcdc.Matcher(gcdc.compile(vocab, "a+", kind="regex"))
    m.set_stop_tokens([129])
    assert m.stop_tokens == [129] and not m.allowed(129)
    m.accept(97)
    assert m.allowed(129) and m.accept(129) and m.is_terminated()
    refuses(ValueError, m.set_stop_tokens, [97])
    refuses(ValueError, m.set_stop_tokens, [1 << 40])


def test_control_tokens_have_names():
    assert VOCAB.find("<|end|>") == EOS
    for name in ("<|en", "a", "<|end|>\0", ""):
        refuses(KeyError, VOCAB.find, name)
    for wrong in (7, b"<|end|>", None):
        refuses(TypeError, VOCAB.find, wrong)
    refuses(UnicodeError, VOCAB.find, "\ud800")
    m = gcdc.Matcher(JSON)
    m.set_stop_tokens([VOCAB.find("<|end|>")])  # the file's own: nothing to add
    assert m.stop_tokens == []
    refuses(KeyError, gcdc.Vocab.from_tokens([b"a", None], eos=[1]).find, "<|end|>")


def test_batches_do_what_single_calls_do():
    texts = [TEXT[:n] for n in range(12)]
    ms = []
    for text in texts:
        ms.append(gcdc.Matcher(JSON))
        assert ms[-1].accept_bytes(text)
    one, many = mask_of(12), mask_of(12)
    for threads in (1, 3):
        b = gcdc.BatchMatcher(ms, max_threads=threads)
        assert b.fill(many) is True
        for i, m in enumerate(ms):
            m.fill(one, i)
        assert one == many
    rows = list(range(11, -1, -1))
    b.fill(many, rows)
    assert all(many.tolist()[11 - i] == one.tolist()[i] for i in range(12))
    ones = [tokens_of(TEXT[n:])[0] for n in range(12)]
    assert b.accept(ones) == [True] * 12
    gcdc.fill_batch([None, ms[0]], many)
    refuses(IndexError, gcdc.fill_batch, ms, mask_of(3))
    refuses(ValueError, gcdc.fill_batch, ms, many, [1, 2])
    refuses(ValueError, gcdc.fill_batch, ms, mask_of(12, 3))
    refuses(ValueError, gcdc.accept_batch, ms, [1])
    refuses(TypeError, gcdc.fill_batch, [1], many)


def test_drafts_are_fills_and_accepts():
    m, drafts = gcdc.Matcher(JSON), [*tokens_of(b'{"a":'), *tokens_of(b"]"), 5]
    good = len(drafts) - 2
    mask, row = mask_of(len(drafts) + 1), mask_of()
    assert gcdc.fill_drafts_batch([m], [drafts], mask) == [good]
    nodes = [0, *drafts]
    tree = mask_of(len(nodes))
    links = [*range(1, len(nodes)), -1]
    reached = m.traverse_draft_tree(links, [-1] * len(nodes), array.array("q", nodes), tree)
    assert reached == [i <= good for i in range(len(nodes))]
    for i, token in enumerate(drafts[:good + 1]):
        m.fill(row)
        assert mask.tolist()[i] == row.tolist()[0] == tree.tolist()[i]
        m.accept(token)
    assert mask.tolist()[-1] == mask.tolist()[good]
    m.reset()
    refuses(ValueError, m.traverse_draft_tree, [1, 1], [-1, -1], [0, drafts[0]], tree)
    refuses(ValueError, m.traverse_draft_tree, [1], [-1], [0, 0], tree)


def test_forced_text_and_tokens():
    artifact = gcdc.compile(VOCAB, "(alpha|alps) ends here", kind="regex")
    m = gcdc.Matcher(artifact)
    assert m.forced_bytes() == b"alp"
    m.accept_bytes(b"alps")
    assert m.forced_bytes() == b" ends here"
    for t in m.forced_tokens():
        assert m.accept(t)


def test_live_tokenizers_are_compared():
    tokens = [JSON.token(t) or None for t in range(JSON.n_tokens)]
    assert gcdc.vocab_check(JSON, tokens) == (0, [])
    tokens[300] = b"???"
    assert gcdc.vocab_check(JSON, tokens) == (1, [300])
    refuses(TypeError, gcdc.vocab_check, JSON, ["text"])


def test_files_and_heads():
    data, _ = gcdc.compile_bytes(VOCAB, "[ab]+", kind="regex")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.gcdc")
        with open(path, "wb") as f:
            f.write(data)
        with gcdc.Artifact(path) as a:
            head = gcdc.head(path)
            assert head["vocab_hash"] == a.vocab_hash == VOCAB.hash and head["grammar_hash"] == a.grammar_hash
            assert head["file_size"] == len(data) == a.file_size and head["costs"] == a.costs
            m = gcdc.Matcher(a)
        assert a.closed and m.accept(a_token := tokens_of(b"a")[0]) and a_token >= 0
        refuses(ValueError, gcdc.Matcher, a)
        VOCAB.write(os.path.join(folder, "v.gcdv"))
        bare, _ = gcdc.compile_bytes(gcdc.Vocab(os.path.join(folder, "v.gcdv")), "[ab]+", kind="regex", no_vocab=True)
        assert len(bare) < len(data)
        refuses(gcdc.Error, gcdc.Artifact.from_bytes, bare)
        gcdc.Artifact.from_bytes(bare, vocab=os.path.join(folder, "v.gcdv"))
        with gcdc.Artifact.from_bytes(bare, vocab=os.path.join(folder, "v.gcdv"), threads=3) as a:
            assert tokens_of(b"a", a) == [a_token]
        with open(os.path.join(folder, "g.lark"), "w", encoding="utf-8") as f:
            f.write('start: "x"+')
        assert gcdc.compile(VOCAB, path=os.path.join(folder, "g.lark")).n_tokens == 4096
        refuses(gcdc.CompileError, gcdc.compile, VOCAB, path=os.path.join(folder, "none.lark"))
    refuses(OSError, gcdc.Artifact, "/nonexistent")
    refuses(OSError, gcdc.head, "/nonexistent")
    refuses(gcdc.Error, gcdc.Artifact.from_bytes, b"no")
    refuses(ValueError, gcdc.Artifact.from_bytes, data, threads=-1)
    refuses(gcdc.Error, gcdc.Artifact.from_bytes, data[:-1], threads=4)
    for cut in range(0, len(data), 97):
        refuses(gcdc.Error, gcdc.Artifact.from_bytes, data[:cut])


def test_a_list_is_one_of_tools():
    tools = [{"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}]
    m = gcdc.Matcher(gcdc.compile(VOCAB, tools))
    assert m.accept_bytes(b'{"name": "a", "arguments": {"x": 1}}')
    m = gcdc.Matcher(gcdc.compile(VOCAB, tools, settings={"preset": "llama3", "choice": "required"}))
    assert m.accept_bytes(b'{"name": "a", "parameters": {"x": 1}}')


def test_refusals_say_where():
    e = refuses(gcdc.CompileError, gcdc.compile, VOCAB, "start: nowhere", kind="lark", path="my.lark")
    assert "my.lark:1:8" in e and "nowhere" in e
    refuses(gcdc.CompileError, gcdc.compile, VOCAB, "(", kind="regex")
    e = refuses(ValueError, gcdc.compile, VOCAB, "x", kind="json_schema")
    assert "json-schema" in e and "regex" in e
    e = refuses(gcdc.CompileError, gcdc.compile, VOCAB, "x")
    assert "json-schema" in e
    for kind in ("regex", None):
        e = refuses(TypeError, gcdc.compile, VOCAB, b"x", kind=kind)
        assert "text" in e and "bytes" in e
    e = refuses(TypeError, gcdc.compile, VOCAB, "[]", kind="tools", settings={"preset": 3})
    assert "preset" in e and "int" in e
    for bad in (-1, float("nan")):
        refuses(ValueError, gcdc.compile, VOCAB, "x", kind="regex", max_seconds=bad)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cut.gcdc")
        with open(path, "wb") as f:
            f.write(gcdc.compile_bytes(VOCAB, "x", kind="regex")[0][:-1])
        for call in (gcdc.Artifact, gcdc.head):
            assert "cut.gcdc" in refuses(gcdc.Error, call, path)
    refuses(ValueError, gcdc.compile, VOCAB, "x", kind="regex", canonical="very")
    refuses(gcdc.CompileError, gcdc.compile, VOCAB, "x", kind="regex", canonical="hard")
    refuses(TypeError, gcdc.compile, None, "x", kind="regex")
    refuses(TypeError, gcdc.compile, VOCAB, kind="regex")
    e = refuses(gcdc.CompileError, gcdc.compile, VOCAB, "[a-z ]*a[a-z ]{13}", kind="regex", max_seconds=0.02)
    assert "0.02" in e or "second" in e, e
    refuses(gcdc.CompileError, gcdc.Vocab, "/nonexistent")
    refuses(gcdc.CompileError, gcdc.Vocab.from_json, "{}")


def test_wrong_arguments_are_exceptions():
    m, mask = gcdc.Matcher(JSON), mask_of()
    for bad in (None, "x", 1.5, [], b"", object()):
        refuses((TypeError, ValueError), m.accept, bad)
        refuses((TypeError, ValueError, BufferError), m.fill, bad)
        refuses((TypeError, ValueError, IndexError), m.fill, mask, bad)
        refuses((TypeError, ValueError), gcdc.Matcher, bad)
        refuses((TypeError, ValueError), m.copy_from, bad)
    for bad in (-1, 1 << 32, 1 << 70):
        refuses(ValueError, m.accept, bad)
        refuses(ValueError, m.accept_tokens, [bad]) if bad != 1 << 70 else refuses(OverflowError, m.accept_tokens, [bad])
    assert m.accept(JSON.n_tokens) is False and m.accept((1 << 32) - 1) is False
    for big in (1 << 32, 1 << 40, -1):  # not the number's lower half
        refuses(ValueError, gcdc.Matcher, JSON, max_rollback=big)
        refuses(ValueError, gcdc.Vocab, vocab_size=big)
        refuses(ValueError, gcdc.Vocab.from_tokens, [b"a"], eos=False, vocab_size=big)
    refuses(TypeError, gcdc.Matcher, JSON, max_stacks="x")
    refuses(ValueError, gcdc.Matcher, JSON, max_work=4_000_000_001)
    refuses(ValueError, gcdc.Session, JSON, max_work=4_000_000_001)
    refuses(IndexError, m.fill, mask, 1)
    refuses(ValueError, m.fill, array.array("I", [0] * 5))
    refuses(TypeError, m.fill, array.array("d", [0] * 500))
    refuses(TypeError, m.fill, array.array("B", [0] * 5000))
    refuses((BufferError, TypeError), m.fill, bytes(5000))
    refuses(TypeError, m.fill)
    refuses(TypeError, m.fill, mask, 0, 0)
    refuses(TypeError, m.fill, mask, rows=0)
    refuses(TypeError, m.fill, mask, mask=mask)
    refuses(IndexError, JSON.token, JSON.n_tokens)
    refuses(ValueError, m.set_canonical, "hard")
    refuses(TypeError, m.accept_tokens, 5)
    refuses((TypeError, ValueError), m.accept_tokens, ["a"])
    m.close()
    for call in (m.is_terminated, m.fork, m.clone, m.reset, m.forced_bytes, m.forced_tokens, m.closing):
        refuses(ValueError, call)
    refuses(ValueError, m.accept, 1)
    refuses(ValueError, m.fill, mask)
    refuses(ValueError, gcdc.fill_batch, [m], mask)
    m.close()


class Closes:
    """An index that closes a matcher while it is asked."""

    def __init__(self, m):
        self.m = m

    def __index__(self):
        self.m.close()
        return 1


def test_closing_inside_a_call_is_an_exception():
    for name in ("accept", "allowed", "min_after", "is_canonical_next"):
        m = gcdc.Matcher(JSON)
        refuses(ValueError, getattr(m, name), Closes(m))
    m = gcdc.Matcher(JSON)
    refuses(ValueError, m.validate, [Closes(m)])
    m = gcdc.Matcher(JSON)
    refuses(ValueError, m.fill, mask_of(2), Closes(m))


def test_a_second_thread_gets_an_exception_never_a_wrong_mask():
    m = gcdc.Matcher(JSON)
    m.set_budget(4000)
    m.accept_bytes(b"[" * 500)
    want = mask_of()
    m.fill(want)
    wrong, busy, stop = [], [], threading.Event()

    def work(make):
        while not stop.is_set():
            try:
                mine, mask = make(), mask_of()
                gcdc.fill_batch([mine] * 3, mask_of(3))
                mine.fill(mask)
                if mask != want:
                    wrong.append(1)
            except RuntimeError as e:
                busy.append(str(e))
    threads = [threading.Thread(target=work, args=(m.fork,)) for _ in range(3)]
    for t in threads:
        t.start()
    for _ in range(300):
        try:
            m.fork().fill(mask_of())
        except RuntimeError as e:
            busy.append(str(e))
    stop.set()
    for t in threads:
        t.join()
    assert not wrong and all("thread" in b for b in busy)


def test_clones_work_in_threads():
    m, out = gcdc.Matcher(JSON), []

    def work(mine):
        mask = mask_of()
        for token in tokens_of(TEXT):
            mine.fill(mask)
            assert allowed(mask, token) and mine.accept(token)
        out.append(mine.is_completed())
    threads = [threading.Thread(target=work, args=(m.clone(),)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert out == [True] * 4


def test_nothing_is_kept():
    class Mine(gcdc.Matcher):
        """With a dictionary and weak references."""
    a = gcdc.compile(VOCAB, "[a-z]+", kind="regex")
    m = Mine(a)
    f = m.fork()
    assert isinstance(f, Mine)
    m.x, gone = f, weakref.ref(m)
    del m, f, a
    gc.collect()
    assert gone() is None


def test_xgrammar_names():
    info = gcdc.TokenizerInfo(vocab=VOCAB)
    compiler = gcdc.GrammarCompiler(info, cache_limit_bytes=1 << 20)
    g = compiler.compile_regex("[0-9]{3}")
    assert compiler.compile_regex("[0-9]{3}") is g and compiler.get_cache_size_bytes() > 0
    m = gcdc.GrammarMatcher(g, terminate_without_stop_token=True)
    assert m.accept_string("12") and not m.is_terminated() and m.accept_string("3") and m.is_terminated()
    m.rollback(2)
    f = m.fork()
    f.accept_string("2")
    mask = mask_of(2)
    gcdc.BatchGrammarMatcher().batch_fill_next_token_bitmask([m, f], mask)
    assert mask.tolist()[0] != mask.tolist()[1]
    again = gcdc.CompiledGrammar.deserialize(g.serialize(), info)
    assert again.artifact.grammar_hash == g.artifact.grammar_hash
    other = gcdc.TokenizerInfo([b"a", b"b", None], stop_token_ids=2)
    refuses(gcdc.Error, gcdc.CompiledGrammar.deserialize, g.serialize(), other)
    for i in range(40):
        compiler.compile_grammar(gcdc.Grammar.choice([f"text {i}", "x"]))
    assert compiler.get_cache_size_bytes() <= 1 << 20
    tag = {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<t>"], "tags": [
        {"begin": "<t>", "content": {"type": "json_schema", "json_schema": {"type": "boolean"}}, "end": "</t>"}]}}
    for text, whole in (("a<t>true</t>b", True), ("a<t>maybe", False), ("<t>true", False)):
        m = gcdc.GrammarMatcher(compiler.compile_grammar(gcdc.Grammar.from_structural_tag(tag)), terminate_without_stop_token=False)
        assert (m.accept_string(text) and m.matcher.is_completed()) == whole, text
    compiler.clear_cache()
    assert compiler.compile_builtin_json_grammar().artifact.n_tokens == 4096


def test_numpy_and_logits():
    try:
        import numpy as np
    except ImportError:
        return "no numpy"
    m = gcdc.Matcher(JSON)
    for dtype in (np.int32, np.uint32):
        mask = np.zeros((3, JSON.mask_words + 2), dtype)
        m.fill(mask, 2)
        want = np.array([m.allowed(t) for t in range(JSON.n_tokens)])
        bits = (mask[2].view(np.uint32)[:, None] >> np.arange(32, dtype=np.uint32) & 1).reshape(-1)[:JSON.n_tokens]
        assert (bits == want).all() and not mask[:2].any()
    m.fill(mask[1])
    m.fill(mask[::2], 1)
    refuses(ValueError, m.fill, mask[:, ::2][:, :1])
    refuses((ValueError, BufferError), m.fill, np.broadcast_to(np.zeros(JSON.mask_words, np.int32), (2, JSON.mask_words)))
    refuses(TypeError, m.fill, np.zeros((1, 999), np.int64))
    for dtype in (np.float32, np.float16):
        logits = np.ones((3, JSON.n_tokens + 5), dtype)
        gcdc.apply_mask(logits, mask, [-1, -1, 1])
        assert (logits[1, :JSON.n_tokens] == 1).tolist() == want.tolist() and (logits[1, JSON.n_tokens:] == -np.inf).all()
        assert (logits[[0, 2]] == 1).all()
    gcdc.apply_mask(np.ones(7, np.float32), mask[2])
    refuses(TypeError, gcdc.apply_mask, np.ones((3, 9), np.float64), mask)
    refuses(ValueError, gcdc.apply_mask, np.ones((3, 9), np.float32)[:, ::2], mask)
    refuses(ValueError, gcdc.apply_mask, np.ones((2, 9), np.float32), mask)
    refuses(ValueError, gcdc.apply_mask, np.ones((3, 9), np.float32), mask, [3, 0, 0])
    assert m.accept(np.int64(tokens_of(b"[")[0])) and m.accept_tokens(np.array(tokens_of(b"1]"), np.uint32))
    return None


def test_torch():
    try:
        import torch
    except ImportError:
        return "no torch"
    m = gcdc.Matcher(JSON)
    mask = gcdc.allocate_token_bitmask(2, JSON.n_tokens)
    for _ in range(3):
        mask.zero_()
        m.fill(mask, 1)
    want = torch.tensor([m.allowed(t) for t in range(JSON.n_tokens)])
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        logits = torch.ones(2, JSON.n_tokens, dtype=dtype)
        gcdc.apply_token_bitmask_inplace(logits, mask, indices=[1])
        assert torch.equal(logits[1] == 1, want) and (logits[0] == 1).all()
        assert (logits[1][~want] == float("-inf")).all()
    other = torch.zeros(2, JSON.mask_words, dtype=torch.int32)
    mask.set_(other)  # the same object, other memory
    m.fill(mask, 0)
    assert mask[0].any() and torch.equal(other, mask)
    refuses(TypeError, m.fill, torch.zeros(2, 500))
    refuses(ValueError, m.fill, torch.zeros(2, 5, dtype=torch.int32))
    gcdc.forget_tensor()
    return None


def test_the_program_comes_with_the_package():
    done = subprocess.run([sys.executable, "-m", "gcdc", "--version"], capture_output=True, text=True, check=False)
    if done.returncode == 1 and "is not in this package" in done.stderr:
        return "no program"
    assert done.returncode == 0 and done.stdout.startswith("gcdc "), done
    return None


def test_an_artifact_tells_what_of_its_schema_is_not_enforced():
    schema = '{"items": {"format": "zip"}, "uniqueItems": true, "maxItems": 3}'
    artifact = gcdc.compile(VOCAB, schema, kind="json-schema", settings={"format": "known", "allow-unenforced": "uniqueItems"})
    assert artifact.unenforced == ["format:zip /items/format", "uniqueItems /uniqueItems"]
    assert gcdc.compile(VOCAB, "{}", kind="json-schema").unenforced == [] and JSON.unenforced == []


def test_stubs_name_what_there_is():
    import ast
    import inspect
    from gcdc import _core
    here = os.path.dirname(gcdc.__file__)
    with open(os.path.join(here, "_core.pyi"), encoding="utf-8") as f:
        tree = ast.parse(f.read())
    assert os.path.exists(os.path.join(here, "py.typed"))

    def names(body):
        found = {n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        return found | {n.target.id for n in body if isinstance(n, ast.AnnAssign) and n.value is None}
    assert names(tree.body) - {"Error"} == {n for n in dir(_core) if not n.startswith("_")} - {"Error"}
    for c in tree.body:
        if not isinstance(c, ast.ClassDef) or c.name.endswith("Error"):
            continue
        there = {n: v for n, v in vars(getattr(_core, c.name)).items() if not n.startswith("_")}
        assert names(c.body) - {"__init__", "__enter__", "__exit__"} == set(there), c.name
        assert all(inspect.getdoc(v) for v in there.values()) and getattr(_core, c.name).__doc__, c.name
    assert all(inspect.getdoc(getattr(_core, n)) for n in names(tree.body))


def test_the_vllm_plugin_knows_its_versions():
    import types
    import gcdc.vllm
    gcdc.vllm.register()  # not asked for: nothing is imported, nothing replaced
    assert "vllm" not in sys.modules
    package, backend = types.ModuleType("vllm"), types.ModuleType("backend_xgrammar")
    structured = types.ModuleType("structured_output")
    structured.backend_xgrammar, structured.StructuredOutputManager = backend, type("Manager", (), {})
    package.v1 = v1 = types.ModuleType("v1")
    v1.structured_output = structured
    fakes = {"vllm": package, "vllm.v1": v1, "vllm.v1.structured_output": structured}
    sys.modules.update(fakes)
    os.environ["GCDC_VLLM"] = "1"
    try:
        for version in ("0.31.4", "0.34.0", "1.0", "unknown", "0.320.1"):
            package.__version__ = version
            said = refuses(RuntimeError, gcdc.vllm.register)
            assert version in said and "0.32.x" in said and not hasattr(structured, "XgrammarBackend")
    finally:
        del os.environ["GCDC_VLLM"]
        for name in fakes:
            del sys.modules[name]
