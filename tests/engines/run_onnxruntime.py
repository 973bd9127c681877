"""gcdc inside onnxruntime-genai: run_onnxruntime.py MODEL_FOLDER WORK_FOLDER

A generator gives its logits and takes others back before it draws a token: that is the place for a mask (write_texts, the
loop of docs/engines.md). The library's own model builder makes an ONNX model of the tiny one.
"""
import subprocess
import sys
import time
from pathlib import Path

import numpy
import onnxruntime_genai as og

import cases
import gcdc

REPORT = cases.Report("onnxruntime-genai", og.__version__)


def prepare(folder, work):
    """The model's folder."""
    model = work / "model"
    if not (model / "genai_config.json").exists():
        subprocess.run([sys.executable, "-m", "onnxruntime_genai.models.builder", "-i", folder, "-o", model, "-p", "fp32", "-e", "cpu",
                        "-c", work / "cache"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return model


def write_texts(model, tokenizer, artifact, prompt, texts, max_new_tokens, budget=True, seed=1):
    """Texts of one batch, each by the artifact's grammar."""
    ids = tokenizer.encode(prompt)
    parameters = og.GeneratorParams(model)
    parameters.set_search_options(do_sample=True, top_k=0, random_seed=seed, batch_size=texts,
                                  max_length=len(ids) + max_new_tokens)
    generator = og.Generator(model, parameters)
    generator.append_tokens(numpy.array([ids] * texts, numpy.int32))
    rows = [gcdc.Matcher(artifact) for _ in range(texts)]
    if budget:
        for row in rows:
            row.set_budget(max_new_tokens)
    mask = numpy.zeros(gcdc.get_bitmask_shape(texts, artifact.n_tokens), numpy.int32)
    while not generator.is_done():
        logits = generator.get_logits()
        gcdc.fill_batch(rows, mask)
        gcdc.apply_mask(logits[:, -1], mask)
        generator.set_logits(logits)
        generator.generate_next_token()
        for row, token in zip(rows, generator.get_next_tokens()):
            if not row.is_terminated():
                assert row.accept(int(token))
    return [tokenizer.decode([t for t in generator.get_sequence(i)[len(ids):] if t not in artifact.eos]) for i in range(texts)]


def main():
    model = og.Model(str(prepare(cases.tiny_model(Path(sys.argv[1])), Path(sys.argv[2]))))
    tokenizer = og.Tokenizer(model)
    vocab = gcdc.Vocab(str(cases.TOKENIZER))
    for name, artifact in (("Lark", gcdc.compile(vocab, cases.TOOL_CALL, kind="lark")),
                           ("JSON Schema", gcdc.compile(vocab, cases.json.dumps(cases.TOOL_SCHEMA), kind="json-schema"))):
        for batches, limit in ((1, 24), (8, 60)):
            begin = time.perf_counter()
            texts = [t for seed in range(batches)
                     for t in write_texts(model, tokenizer, artifact, "Call a tool: ", 25, limit, seed=seed)]
            good = sum(map(cases.is_tool_call, texts))
            REPORT.case(f"{name}, {len(texts)} texts in batches of 25, {limit} tokens", good == len(texts),
                        f"{good} of {len(texts)}, {time.perf_counter() - begin:.1f} s")
    good = sum(map(cases.is_tool_call, write_texts(model, tokenizer, artifact, "Call a tool: ", 8, 60, budget=False)))
    REPORT.case("without a budget", good < 8, f"{good} of 8 are whole")
    REPORT.end()


main()
