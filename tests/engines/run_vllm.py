"""gcdc inside vLLM: run_vllm.py MODEL_FOLDER WORK_FOLDER"""
import os
import sys
import time
from pathlib import Path

os.environ |= {"GCDC_VLLM": "1", "GCDC_ARTIFACTS": sys.argv[2], "VLLM_CPU_KVCACHE_SPACE": "1",
               "GCDC_MAX_SECONDS": "3", "VLLM_LOGGING_LEVEL": "WARNING", "GCDC_BUDGET": os.environ.get("GCDC_BUDGET", "1")}


def main():
    import vllm

    import cases
    import gcdc
    from vllm import LLM, SamplingParams
    from vllm.sampling_params import StructuredOutputsParams
    report = cases.Report("vllm", vllm.__version__)
    budget = os.environ["GCDC_BUDGET"] == "1"
    work = Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    vocab = gcdc.Vocab(cases.TOKENIZER, eos=[cases.EOS], vocab_size=128256)
    (work / "tool.gcdc").write_bytes(gcdc.compile_bytes(vocab, cases.TOOL_CALL, kind="lark")[0])
    other = gcdc.Vocab()
    (work / "other.gcdc").write_bytes(gcdc.compile_bytes(other, "a", kind="regex")[0])
    drafts = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 3}} \
        if os.environ.get("DRAFTS") else {}
    llm = LLM(sys.argv[1], max_model_len=512, max_num_seqs=64, enforce_eager=True, dtype="float32", seed=1,
              structured_outputs_config={"backend": "xgrammar"}, **drafts)

    def ask(n, limit, **what):
        params = SamplingParams(max_tokens=limit, temperature=1.0, structured_outputs=StructuredOutputsParams(**what))
        outs = llm.generate(["Call a tool: "] * n, params, use_tqdm=False)
        return [o.outputs[0].text for o in outs], [o.outputs[0].finish_reason for o in outs]
    texts, _ = ask(8, 40, grammar="gcdc:tool")
    good = sum(map(cases.is_tool_call, texts))
    report.case("an artifact by name, 8 requests, max_tokens 40", good == 8 if budget else True, f"{good} of 8 whole")
    begin = time.perf_counter()
    texts, why = ask(200, 60, grammar="gcdc:tool")
    good = sum(map(cases.is_tool_call, texts))
    report.case("200 requests at once, max_tokens 60", good == 200 if budget else True,
                f"{good} of 200 whole, {time.perf_counter() - begin:.1f} s, {why.count('stop')} ended by EOS")
    texts, _ = ask(8, 40, json_object=True)
    good = sum(map(cases.parses, texts))
    report.case("json_object, max_tokens 40", good == 8 if budget else True, f"{good} of 8 whole")
    texts, _ = ask(4, 20, regex="[0-9]{3}-[a-z]{2,5}")
    import re
    report.case("regex", all(re.fullmatch("[0-9]{3}-[a-z]{2,5}", t) for t in texts), texts[0])
    texts, _ = ask(4, 20, choice=["yes", "no", "may\"be"])
    report.case("choice", set(texts) <= {"yes", "no", "may\"be"}, texts[0])
    texts, _ = ask(4, 40, grammar=cases.TOOL_CALL)
    report.case("grammar (Lark) in the request", all(map(cases.is_tool_call, texts)) if budget else True)
    try:
        texts, why = ask(4, 40, json=cases.TOOL_SCHEMA)
        report.case("json (a schema)", not budget or all(map(cases.is_tool_call, texts)), texts[0] if texts else str(why))
    except Exception as e:  # pylint: disable=broad-exception-caught
        report.case("json (a schema)", False, f"refused: {str(e)[:80]}")
    for name, what in (("no such name", {"grammar": "gcdc:nowhere"}), ("a path for a name", {"grammar": "gcdc:../tool"}),
                       ("another tokenizer's", {"grammar": "gcdc:other"}), ("a wrong regex", {"regex": "("}),
                       ("an endless compilation", {"regex": "[a-z ]*a[a-z ]{14}"}), ("deep nesting", {"regex": "(" * 60000 + ")" * 60000})):
        try:
            texts, why = ask(1, 20, **what)
            said = f"finished: {why[0]}"
        except Exception as e:  # pylint: disable=broad-exception-caught
            said = f"refused: {type(e).__name__}: {str(e)[:70]!r}"
        alive, _ = ask(1, 40, grammar="gcdc:tool")
        report.case(f"hostile: {name}; the engine goes on", cases.is_tool_call(alive[0]) if budget else True, said)
    report.end()


if __name__ == "__main__":
    main()
