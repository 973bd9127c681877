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


def batched(model, tokenizer, artifacts, asked, budget=True, **options):
    """Texts of a continuous batching; asked: (max_new_tokens, what a request says besides) of each request."""
    config = transformers.GenerationConfig(do_sample=True, top_k=0, max_new_tokens=60, eos_token_id=cases.EOS, pad_token_id=cases.EOS)
    how = transformers.ContinuousBatchingConfig(use_async_batching=False, use_cuda_graph=False, **options)
    manager = model.init_continuous_batching(generation_config=config, continuous_batching_config=how)
    gcdc.transformers.add_to_continuous_batching(manager, artifacts, budget)
    torch.manual_seed(5)
    manager.start()
    try:
        prompt = tokenizer("Call a tool: ", add_special_tokens=False)["input_ids"]
        ids = [manager.add_request(prompt, max_new_tokens=n, **more) for n, more in asked]
        out, begin = {}, time.monotonic()
        while len(out) < len(ids) and time.monotonic() < begin + 900 and manager.is_running():
            result = manager.get_result(timeout=5)
            if result is not None:
                out[result.request_id] = tokenizer.decode(result.generated_tokens, skip_special_tokens=True)
    finally:
        manager.stop(block=True)
    return [out.get(i) for i in ids]


def continuous_batching(model, tokenizer, artifact, vocab):
    def right(texts):
        return sum(t is not None and cases.is_tool_call(t) for t in texts)
    begin, wanted = time.perf_counter(), [(24 + i % 37, {}) for i in range(200)]
    good = right(batched(model, tokenizer, artifact, wanted))
    REPORT.case("continuous batching, 200 requests, max_new_tokens 24 to 60", good == 200,
                f"{good} of 200, {time.perf_counter() - begin:.1f} s")
    good = right(batched(model, tokenizer, artifact, [(60, {})] * 8, budget=False))
    REPORT.case("the same without a budget", good < 8, f"{good} of 8 are whole")
    digits = gcdc.compile(vocab, "[0-9]{12}", kind="regex")
    texts = batched(model, tokenizer, {"tool": artifact, "digits": digits},
                    [(40, {"grammar": "tool"}), (20, {"grammar": "digits"}), (5, {})] * 4)
    REPORT.case("continuous batching, a grammar each", right(texts[::3]) == 4 and all(t and len(t) == 12 and t.isdigit() for t in texts[1::3]),
                texts[1] or "")


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
    continuous_batching(model, tokenizer, artifact, info.vocab)
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
