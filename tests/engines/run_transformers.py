"""gcdc inside transformers: run_transformers.py MODEL_FOLDER"""
import sys
import time
from pathlib import Path

import torch
import transformers

import cases
import gcdc
import gcdc.transformers

REPORT = cases.Report("transformers", f"{transformers.__version__}, torch {torch.__version__}")


def texts_of(tokenizer, out, prompt):
    return [tokenizer.decode(row[prompt:], skip_special_tokens=True) for row in out]


def main():
    transformers.logging.set_verbosity_error()
    folder = cases.tiny_model(Path(sys.argv[1]))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    info = gcdc.TokenizerInfo.from_huggingface(tokenizer, vocab_size=model.config.vocab_size)
    compiled = gcdc.GrammarCompiler(info).compile_lark(cases.TOOL_CALL)
    artifact = compiled.artifact
    live = [gcdc.vocab_check(artifact, [info.vocab.token(t) or None for t in range(artifact.n_tokens)])[0]]
    REPORT.case("the tokenizer is the artifact's", live == [0])
    prompt = tokenizer(["Call a tool: "] * 100, return_tensors="pt", add_special_tokens=False)
    n = prompt["input_ids"].shape[1]

    def generate(limit, rows=16, budget=True, **options):
        processor = gcdc.transformers.LogitsProcessor(artifact, max_new_tokens=limit if budget else None)
        torch.manual_seed(7)
        inputs = {k: v[:rows] for k, v in prompt.items()}
        out = model.generate(**inputs, max_new_tokens=limit, pad_token_id=cases.EOS, logits_processor=[processor], **options)
        return texts_of(tokenizer, out, n)
    for limit in (24, 60):
        texts = generate(limit, do_sample=True)
        REPORT.case(f"batch of 16, max_new_tokens {limit}: all are tool calls", all(map(cases.is_tool_call, texts)),
                    f"{sum(map(cases.is_tool_call, texts))} of {len(texts)}")
    loose = generate(60, do_sample=True, budget=False)
    good = sum(map(cases.is_tool_call, loose))
    REPORT.case("without a budget every text is a beginning", good < 16, f"{good} of 16 are whole")
    REPORT.case("greedy", all(map(cases.is_tool_call, generate(40, rows=2, do_sample=False))))
    beams = generate(30, rows=3, num_beams=4, num_return_sequences=4, do_sample=False)
    REPORT.case("beams, 3 x 4", all(map(cases.is_tool_call, beams)), f"{sum(map(cases.is_tool_call, beams))} of {len(beams)}")
    beams = generate(30, rows=2, num_beams=3, do_sample=True)
    REPORT.case("beams, sampled", all(map(cases.is_tool_call, beams)))
    again = [generate(60, do_sample=True), generate(60, do_sample=True)]
    REPORT.case("one seed, one text", again[0] == again[1])
    m, texts = gcdc.Matcher(artifact), generate(60, do_sample=True)
    REPORT.case("the matcher accepts each text", all((m.reset(), m.accept_bytes(t), m.is_completed())[1:] == (True, True)
                                                     for t in texts))
    begin = time.perf_counter()
    many = [t for _ in range(2) for t in generate(60, rows=100, do_sample=True)]
    REPORT.case("200 requests", all(map(cases.is_tool_call, many)), f"{time.perf_counter() - begin:.1f} s")
    half = model.to(torch.bfloat16)
    out = half.generate(**{k: v[:8] for k, v in prompt.items()}, max_new_tokens=40, do_sample=True, pad_token_id=cases.EOS, logits_processor=[
        gcdc.transformers.LogitsProcessor(artifact, max_new_tokens=40)])
    REPORT.case("bfloat16", all(map(cases.is_tool_call, texts_of(tokenizer, out, n))))
    for text in ("(" * 100000, "start: /(a|aa)*b{1,100000}/", "start: start", "a" * (1 << 20)):
        try:
            gcdc.compile(info.vocab, text, kind="lark", max_seconds=5, max_memory=1 << 30)
            said = "compiled"
        except gcdc.CompileError as e:
            said = str(e).splitlines()[0][:60]
        REPORT.case(f"hostile grammar {text[:20]!r}", True, said)
    REPORT.end()


main()
