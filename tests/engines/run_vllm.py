"""gcdc inside vLLM: run_vllm.py MODEL_FOLDER WORK_FOLDER

Environment: DRAFTS=1 (n-gram drafts), GCDC_BUDGET=0, REASONING=1 (texts begin with reasoning that is free).
"""
import json
import os
import re
import sys
import time
import types
from pathlib import Path

REASONS = os.environ.get("REASONING") == "1"
os.environ |= {"GCDC_VLLM": "1", "GCDC_ARTIFACTS": sys.argv[2], "VLLM_CPU_KVCACHE_SPACE": "1",
               "GCDC_MAX_SECONDS": "3", "VLLM_LOGGING_LEVEL": "WARNING", "GCDC_BUDGET": os.environ.get("GCDC_BUDGET", "1")}
BUDGET, PROMPT = os.environ["GCDC_BUDGET"] == "1", "Call a tool: "
TAG = {"type": "structural_tag", "format": {"type": "tag", "begin": "<call>", "end": "</call>", "content": {
    "type": "json_schema", "json_schema": {"type": "object", "required": ["n"], "additionalProperties": False,
                                           "properties": {"n": {"type": "integer"}}}}}}


class Asked:
    """A request, as far as budgets look at one."""
    max_tokens, num_prompt_tokens, num_output_tokens = 40, 9, 0


def contract(report, cases, tokenizer):
    """The backend by vLLM's classes, without an engine: a padded vocabulary, budgets behind reasoning."""
    import torch

    import gcdc.vllm
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions as kinds

    def backend(vocab_size, reasons):
        return gcdc.vllm.backend_class()(types.SimpleNamespace(
            speculative_config=None, model_config=types.SimpleNamespace(max_model_len=512),
            structured_outputs_config=types.SimpleNamespace(reasoning_parser=reasons, enable_in_reasoning=False)), tokenizer, vocab_size)
    masks = []
    for size in (128256, 128256 + 500):
        b = backend(size, "")
        grammar, mask = b.compile_grammar(kinds.REGEX, "[0-9]{3}"), b.allocate_token_bitmask(2)
        grammar.fill_bitmask(mask, 1)
        masks.append(mask[1])
    report.case("a padded vocabulary", masks[1].shape[0] == (128756 + 31) // 32 and not masks[1][4008:].any() and
                torch.equal(masks[0], masks[1][:4008]))
    gcdc.vllm._asked.request = request = Asked()  # pylint: disable=protected-access
    grammar = backend(128256, "some").compile_grammar(kinds.GRAMMAR, cases.TOOL_CALL)
    gcdc.vllm._asked.request = None  # pylint: disable=protected-access
    before, request.num_output_tokens = grammar.matcher.budget, 12
    grammar.fill_bitmask(mask, 0)
    left = grammar.matcher.budget
    report.case("a budget behind reasoning is what is left", before is None and left == (40 - 12 - 1 if BUDGET else None),
                f"{left} of 40 behind 12")


def aborts(llm, params):
    """Texts of the requests that were not aborted; those that were are gone."""
    engine, out = llm.llm_engine, {}
    for i in range(12):
        engine.add_request(f"r{i}", PROMPT, params)
    step = 0
    while engine.has_unfinished_requests():
        step += 1
        if step == 4:
            engine.abort_request([f"r{i}" for i in range(0, 12, 2)])
        for o in engine.step():
            if o.finished and o.outputs[0].finish_reason != "abort":
                out[o.request_id] = o.outputs[0].text
    return out


def reasoning(llm, cases, report, SamplingParams, StructuredOutputsParams):
    import reasoner
    params = SamplingParams(max_tokens=60, temperature=1.0, structured_outputs=StructuredOutputsParams(grammar="gcdc:tool"))
    outs = [o.outputs[0] for o in llm.generate([PROMPT] * 48, params, use_tqdm=False)]
    good, lengths, tokenizer = 0, [], llm.get_tokenizer()
    for o in outs:
        ids = list(o.token_ids)
        end = next((i for i, t in enumerate(ids) if reasoner.ends([t])), len(ids))
        lengths.append(end + 1)
        good += cases.is_tool_call(tokenizer.decode(ids[end + 1:], skip_special_tokens=True)) and len(ids) <= 60
    report.case("48 requests, max_tokens 60, a call behind free reasoning", good == 48 if BUDGET else True,
                f"{good} of 48 whole, reasoning of {min(lengths)} to {max(lengths)} tokens")


def main():
    import vllm

    import cases
    import gcdc
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams
    report = cases.Report("vllm", vllm.__version__)
    work = Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    vocab = gcdc.Vocab(cases.TOKENIZER, eos=[cases.EOS], vocab_size=128256)
    (work / "tool.gcdc").write_bytes(gcdc.compile_bytes(vocab, cases.TOOL_CALL, kind="lark")[0])
    (work / "other.gcdc").write_bytes(gcdc.compile_bytes(gcdc.Vocab(), "a", kind="regex")[0])
    more, outputs = {}, {"backend": "xgrammar"}
    if os.environ.get("DRAFTS"):
        more = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 3}}
    from transformers import AutoTokenizer
    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
    contract(report, cases, tokenizer)
    if REASONS:
        prompt = tokenizer(PROMPT)["input_ids"]
        os.environ["REASONING_END"] = next(f"{r}/{by}" for by in range(4, 20) for r in range(by) if all(t % by != r for t in prompt))
        outputs |= {"reasoning_parser": "gcdc_test", "reasoning_parser_plugin": str(Path(__file__).with_name("reasoner.py"))}
    llm = LLM(sys.argv[1], max_model_len=512, max_num_seqs=200, enforce_eager=True, dtype="float32", seed=1,
              structured_outputs_config=outputs, **more)
    if REASONS:
        reasoning(llm, cases, report, SamplingParams, StructuredOutputsParams)
        report.end()

    def params_of(limit, **what):
        return SamplingParams(max_tokens=limit, temperature=1.0, structured_outputs=StructuredOutputsParams(**what))

    def ask(n, limit, **what):
        outs = llm.generate([PROMPT] * n, params_of(limit, **what), use_tqdm=False)
        return [o.outputs[0].text for o in outs], [o.outputs[0].finish_reason for o in outs]
    texts, _ = ask(8, 40, grammar="gcdc:tool")
    good = sum(map(cases.is_tool_call, texts))
    report.case("an artifact by name, 8 requests, max_tokens 40", good == 8 if BUDGET else True, f"{good} of 8 whole")
    begin = time.perf_counter()
    texts, why = ask(200, 60, grammar="gcdc:tool")  # at once: vLLM fills them in chunks, on threads
    good = sum(map(cases.is_tool_call, texts))
    report.case("200 requests at once, max_tokens 60", good == 200 if BUDGET else True,
                f"{good} of 200 whole, {time.perf_counter() - begin:.1f} s, {why.count('stop')} ended by EOS")
    left = aborts(llm, params_of(40, grammar="gcdc:tool"))
    good = sum(map(cases.is_tool_call, left.values()))
    report.case("12 requests, 6 aborted on the way", set(left) == {f"r{i}" for i in range(1, 12, 2)} and (good == 6 or not BUDGET),
                f"{good} of 6 whole")
    texts, _ = ask(8, 40, json_object=True)
    good = sum(map(cases.parses, texts))
    report.case("json_object, max_tokens 40", good == 8 if BUDGET else True, f"{good} of 8 whole")
    texts, _ = ask(4, 20, regex="[0-9]{3}-[a-z]{2,5}")
    report.case("regex", all(re.fullmatch("[0-9]{3}-[a-z]{2,5}", t) for t in texts), texts[0])
    texts, _ = ask(4, 20, choice=["yes", "no", "may\"be"])
    report.case("choice", set(texts) <= {"yes", "no", "may\"be"}, texts[0])
    texts, _ = ask(4, 40, grammar=cases.TOOL_CALL)
    report.case("grammar (Lark) in the request", all(map(cases.is_tool_call, texts)) if BUDGET else True)
    try:
        texts, why = ask(4, 40, json=cases.TOOL_SCHEMA)
        report.case("json (a schema)", not BUDGET or all(map(cases.is_tool_call, texts)), " ".join(texts[0].split()))
        texts, why = ask(4, 40, structural_tag=json.dumps(TAG))
        good = sum(bool(re.fullmatch(r"<call>\s*{\s*\"n\"\s*:\s*-?[0-9]+\s*}\s*</call>", t)) for t in texts)
        report.case("structural_tag", good == 4 or not BUDGET, f"{good} of 4 whole")
    except Exception as e:  # pylint: disable=broad-exception-caught
        report.case("json (a schema), structural_tag", False, f"refused: {str(e)[:80]}")
    if more or not BUDGET:  # the rest is the same with drafts, and without budgets
        report.end()
    for name, what in (("no such name", {"grammar": "gcdc:nowhere"}), ("a path for a name", {"grammar": "gcdc:../tool"}),
                       ("another tokenizer's", {"grammar": "gcdc:other"}), ("a wrong regex", {"regex": "("}),
                       ("an endless compilation", {"regex": "[a-z ]*a[a-z ]{14}"}), ("deep nesting", {"regex": "(" * 60000 + ")" * 60000})):
        try:
            texts, why = ask(1, 20, **what)
            said = f"finished: {why[0]}"
        except Exception as e:  # pylint: disable=broad-exception-caught
            said = f"refused: {type(e).__name__}: {str(e)[:70]!r}"
        alive, _ = ask(1, 40, grammar="gcdc:tool")
        report.case(f"hostile: {name}; the engine goes on", cases.is_tool_call(alive[0]) if BUDGET else True, said)
    report.end()


if __name__ == "__main__":
    main()
