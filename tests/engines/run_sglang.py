"""gcdc against SGLang's own base classes (its wheel, without its kernels and servers): run_sglang.py MODEL_FOLDER WORK_FOLDER

The file base_grammar_backend.py is loaded as it is; the modules that it imports for servers are empty stand-ins.
"""
import importlib.util
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import torch
import transformers

import cases
import gcdc

VERSION = "0.5.23"


def load_base(work):
    """sglang.srt.constrained.base_grammar_backend of the wheel."""
    if not list(work.glob("sglang-*.whl")):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", work, f"sglang=={VERSION}"], check=True)
    with zipfile.ZipFile(next(work.glob("sglang-*.whl"))) as wheel:
        (work / "base_grammar_backend.py").write_bytes(wheel.read("sglang/srt/constrained/base_grammar_backend.py"))
    for name, things in (("sglang", ()), ("sglang.srt", ()), ("sglang.srt.constrained", ()), ("sglang.srt.parser", ()),
                         ("sglang.srt.parser.reasoning_parser", ("ReasoningParser",)),
                         ("sglang.srt.runtime_context", ("get_context", "get_exec", "get_resources", "get_serving")),
                         ("sglang.srt.server_args", ("ServerArgs",))):
        module = sys.modules[name] = types.ModuleType(name)
        module.__path__ = []
        for thing in things:
            setattr(module, thing, type(thing, (), {}))
    spec = importlib.util.spec_from_file_location("sglang.srt.constrained.base_grammar_backend", work / "base_grammar_backend.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    folder, work = cases.tiny_model(Path(sys.argv[1])), Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    base = load_base(work)
    import gcdc.sglang
    report = cases.Report("sglang", VERSION + " (its classes)")
    gcdc.sglang.register()
    report.case("registered", base.GRAMMAR_BACKEND_REGISTRY.get("gcdc") is gcdc.sglang.create)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    backend = gcdc.sglang.create(types.SimpleNamespace(reasoning_parser=None), tokenizer, 128256, {cases.EOS})
    value, hit = backend.get_cached_or_future_value(("regex", "[0-9]{3}"), False)
    grammar = value.result()
    backend.set_cache(("regex", "[0-9]{3}"), grammar)
    again, hit2 = backend.get_cached_or_future_value(("regex", "[0-9]{3}"), False)
    report.case("compiled once, kept by SGLang", not hit and hit2 and again is not grammar and isinstance(again, type(grammar)))
    mask = grammar.allocate_vocab_mask(128256, 2, "cpu")
    digits = [tokenizer.convert_tokens_to_ids(str(d)) for d in range(10)]
    base.BaseGrammarObject.fill_vocab_mask_batched([base.GrammarRow(0, grammar)], mask)
    other = mask.clone()
    grammar.fill_vocab_mask_batched([base.GrammarRow(0, grammar), base.GrammarRow(1, again)], other)
    report.case("a batch is what single fills are", torch.equal(mask[0], other[0]) and torch.equal(other[0], other[1]))
    logits = torch.zeros(2, 128256)
    base.GrammarMask(grammar, other).apply(logits)
    allowed = set((logits[0] == 0).nonzero().flatten().tolist())
    report.case("masks on logits", set(digits) <= allowed and cases.EOS not in allowed, f"{len(allowed)} tokens")
    grammar.accept_token(digits[1])
    try:
        grammar.accept_token(cases.EOS)
        refused = False
    except ValueError:
        refused = True
    grammar.rollback(1)
    report.case("accept raises, rollback", refused and not grammar.is_terminated() and again.matcher.steps == 0)
    for _ in range(3):
        grammar.accept_token(digits[5])
    report.case("the end", grammar.matcher.is_completed() and (grammar.accept_token(cases.EOS), grammar.is_terminated())[1])
    forced = backend.dispatch_regex("(yes|yep), it is")
    helper = (forced.accept_token(tokenizer.convert_tokens_to_ids("yes")), forced.try_jump_forward(tokenizer))[1]
    report.case("jump forward", helper == ([], ", it is") and forced.jump_forward_str_state(helper) == (", it is", -1))
    tree = torch.zeros(16, mask.shape[1], dtype=torch.int32)
    links, drafts = [*range(1, 16), -1], [0, *[digits[1]] * 15]
    copy = again.copy()
    reached = copy.traverse_draft_tree(links, [-1] * 16, drafts, tree)
    report.case("a tree of drafts in one call", reached == [i < 4 for i in range(16)] and torch.equal(tree[0], mask[0]))
    for kind, text in (("regex", "("), ("ebnf", "root ::= nowhere"), ("ebnf", "gcdc:../x"), ("structural_tag", "{}"),
                       ("regex", "[a-z ]*a[a-z ]{14}"), ("json", "{"), ("regex", "a\x00")):
        value = backend._init_value_dispatch((kind, text), False)  # pylint: disable=protected-access
        report.case(f"hostile {kind} {text[:20]!r}", isinstance(value, base.InvalidGrammarObject), value.error_message.splitlines()[0][:60])
    report.end()


main()
