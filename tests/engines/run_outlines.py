"""gcdc inside Outlines: run_outlines.py MODEL_FOLDER

Outlines takes a logits processor beside a model; that of transformers serves as it is. Generators call its reset() before
each text.
"""
import sys
import time

import outlines
import torch
import transformers

import cases
import gcdc
import gcdc.transformers

REPORT = cases.Report("outlines", f"1.3, transformers {transformers.__version__}")


def main():
    folder = cases.tiny_model(cases.Path(sys.argv[1]))
    hf_model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = outlines.from_transformers(hf_model, tokenizer)
    info = gcdc.TokenizerInfo.from_huggingface(tokenizer, vocab_size=hf_model.config.vocab_size)
    lark = gcdc.compile(info.vocab, cases.TOOL_CALL, kind="lark")
    schema = gcdc.compile(info.vocab, cases.json.dumps(cases.TOOL_SCHEMA), kind="json-schema")
    how = {"do_sample": True, "top_k": 0, "max_new_tokens": 60, "eos_token_id": cases.EOS, "pad_token_id": cases.EOS}
    torch.manual_seed(3)

    for name, artifact in (("Lark", lark), ("JSON Schema", schema)):
        processor = gcdc.transformers.LogitsProcessor(artifact, max_new_tokens=60)
        generator = outlines.Generator(model, processor=processor)
        begin = time.perf_counter()
        good = sum(cases.is_tool_call(generator("Call a tool: ", **how)) for _ in range(20))
        REPORT.case(f"{name}, 20 texts of 60 tokens, one generator", good == 20, f"{good} of 20, {time.perf_counter() - begin:.1f} s")
        texts = generator.batch(["Call a tool: "] * 16, **how)
        good = sum(map(cases.is_tool_call, texts))
        REPORT.case(f"{name}, a batch of 16", good == 16, f"{good} of 16")

    free = outlines.Generator(model, processor=gcdc.transformers.LogitsProcessor(lark))
    good = sum(cases.is_tool_call(free("Call a tool: ", **how)) for _ in range(8))
    REPORT.case("without a budget", good < 8, f"{good} of 8 are whole")
    REPORT.end()


main()
