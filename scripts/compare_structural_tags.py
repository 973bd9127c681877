#!/usr/bin/env python3
"""Structural tags: gcdc's verdicts against XGrammar's, on random documents and texts.

XGrammar comes from PyPI (pip install --no-deps xgrammar apache-tvm-ffi numpy typing_extensions pydantic pydantic_core
annotated_types typing_inspection). Each random document is compiled by both. Texts are made from the document, with edits
at random; gcdc and XGrammar say of each whether it is whole. A difference is printed with the document and the text.

  compare_structural_tags.py [--documents N] [--texts N] [--seed S] [--only I]
  compare_structural_tags.py --rare ...     styles of tags, strings that end inside each other, regexes
  compare_structural_tags.py --builtin      the documents that XGrammar has for models, on the texts of tests/cli/data/tools
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import gcdc_runtime  # noqa: E402

TOP = Path(__file__).resolve().parent.parent
GCDC = os.environ.get("GCDC", str(TOP / "build/release/gcdc"))

# Schemas on which both agree what a value is, with how to write a value of each.
SCHEMAS = [
    ({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}, ['{"q":"a"}', '{ "q" : "x y" }']),
    ({"type": "object", "properties": {"n": {"type": "integer"}, "b": {"type": "boolean"}}, "required": ["n", "b"]},
     ['{"n":12,"b":true}', '{"n": -3, "b": false}']),
    ({"enum": ["red", "green"]}, ['"red"', '"green"']),
    ({"type": "boolean"}, ["true", "false"]),
    ({"type": "array", "items": {"type": "boolean"}}, ["[]", "[true]", "[true, false]"]),
    ({"type": "object", "properties": {"o": {"type": "object", "properties": {"k": {"enum": ["v"]}}, "required": ["k"]}},
      "required": ["o"]}, ['{"o":{"k":"v"}}', '{"o": {"k": "v"}\n}']),
]
WORDS = ["a", "b", "<f=", "<f=x>", "</f>", "<t>", "</t>", ",", " ", "\n", "hi", "<", "f", "=", "é", "end", "{", "}"]
ENDS = ["</f>", "</t>", "end", "\n</f>", ";"]


def basic(r):
    kind = r.randrange(4)
    if kind == 0:
        value = "".join(r.choice(WORDS) for _ in range(r.randint(1, 3)))
        return {"type": "const_string", "value": value}, lambda: value
    if kind == 1:
        schema, values = r.choice(SCHEMAS)
        return {"type": "json_schema", "json_schema": schema}, lambda: r.choice(values)
    if kind == 2:
        pattern, values = r.choice([("[a-c]+", ["a", "abc"]), ("(ab|cd){1,2}", ["ab", "abcd"]), ("x?y", ["y", "xy"]),
                                    ("[0-9]{2}", ["12"])])
        return {"type": "regex", "pattern": pattern}, lambda: r.choice(values)
    grammar, values = r.choice([('root ::= "a" b*\nb ::= "b" | "c"', ["a", "abc"]), ('root ::= "[" root? "]"', ["[]", "[[]]"])])
    return {"type": "grammar", "grammar": grammar}, lambda: r.choice(values)


def noise(r):
    return "".join(r.choice(WORDS) for _ in range(r.randrange(4)))


def content(r, depth):
    """What stands in a tag: free text, or something that ends by itself."""
    if r.random() < 0.3:
        f = {"type": "any_text"}
        if r.random() < 0.3:
            f["excludes"] = [r.choice(["b", "<t>", "hi"])]
        if r.random() < 0.2:
            f["max_chars"] = r.randint(0, 6)
        return f, lambda: noise(r)
    if depth and r.random() < 0.3:
        return any_format(r, depth - 1)
    return basic(r)


def tag(r, depth, begin=None):
    begin = begin if begin is not None else r.choice(["<t>", "<f=x>", "[", "begin "])
    end = r.choice(ENDS)
    ends = end if r.random() < 0.8 else sorted({end, r.choice(ENDS)})
    inner, write = content(r, depth)
    return ({"type": "tag", "begin": begin, "content": inner, "end": ends},
            lambda: begin + write() + (ends if isinstance(ends, str) else r.choice(ends)))


def triggered(r, depth):
    trigger = r.choice(["<f=", "<t", "call:"])
    names = r.sample(["x>", "yy>", "x2>", ">"], r.randint(1, 3))
    tags = [tag(r, 0, trigger + n) for n in names]
    f = {"type": "triggered_tags", "triggers": [trigger], "tags": [t[0] for t in tags]}
    least, once = r.random() < 0.3, r.random() < 0.3
    if least:
        f["at_least_one"] = True
    if once:
        f["stop_after_first"] = True

    def write():
        out = "" if least or r.random() < 0.3 else noise(r)
        for _ in range(1 if once else r.randrange(4)):
            out += r.choice(tags)[1]()
            if not once and r.random() < 0.6:
                out += noise(r)
        return out
    return f, write


def any_format(r, depth):
    kind = r.randrange(9)
    if depth == 0 or kind == 0:
        return basic(r)
    if kind == 1:
        return tag(r, depth)
    if kind == 2:
        parts = [any_format(r, depth - 1) for _ in range(r.randint(1, 3))]
        return ({"type": "sequence", "elements": [p[0] for p in parts]}, lambda: "".join(p[1]() for p in parts))
    if kind == 3:
        parts = [basic(r) for _ in range(r.randint(1, 3))]
        return {"type": "or", "elements": [p[0] for p in parts]}, lambda: r.choice(parts)[1]()
    if kind == 4:
        inner, write = any_format(r, depth - 1)
        name, counts = r.choice([("optional", [0, 1]), ("star", [0, 1, 2]), ("plus", [1, 2])])
        return {"type": name, "content": inner}, lambda: "".join(write() for _ in range(r.choice(counts)))
    if kind == 5:
        inner, write = any_format(r, depth - 1)
        least = r.randint(0, 2)
        most = r.choice([-1, least + 1, least + 2])
        return ({"type": "repeat", "min": least, "max": most, "content": inner},
                lambda: "".join(write() for _ in range(r.randint(least, least + 1))))
    if kind == 6:
        tags = [tag(r, 0, b) for b in r.sample(["<t>", "<f=x>", "["], r.randint(1, 2))]
        separator, least = r.choice([",", "\n", ""]), r.random() < 0.5
        f = {"type": "tags_with_separator", "tags": [t[0] for t in tags], "separator": separator, "at_least_one": least}
        return f, lambda: separator.join(r.choice(tags)[1]() for _ in range(r.randint(int(least), 3)))
    return triggered(r, depth)


# ---- What is rarer: styles of tags, strings that end inside each other, regexes of every kind

STYLES = {
    "qwen_xml": lambda name, v, kind: f"<parameter={name}>{v}</parameter>",
    "minimax_xml": lambda name, v, kind: f'<parameter name="{name}">{v}</parameter>',
    "glm_xml": lambda name, v, kind: f"<arg_key>{name}</arg_key><arg_value>{v}</arg_value>",
    "deepseek_xml": lambda name, v, kind:
        f'<｜DSML｜parameter name="{name}" string="{"true" if kind == "string" else "false"}">{v}</｜DSML｜parameter>',
    "deepseek_v4_1_xml": lambda name, v, kind:
        f'<｜DSML｜ parameter name="{name}" string="{"true" if kind == "string" else "false"}">{v}</｜DSML｜ parameter>',
    "kimi_k3_xml": lambda name, v, kind: f'<|open|>argument key="{name}" type="{kind}"<|sep|>{v}<|close|>argument<|sep|>',
    "cohere_xml": lambda name, v, kind:
        f'<cofl:value name="{name}" type="{FORMS.get(kind, "json")}">{inside("cohere_xml", v, kind)}</cofl:value>',
    "minimax_m3_xml": lambda name, v, kind: f"{M3}<{name}>{inside('minimax_m3_xml', v, kind)}{M3}</{name}>",
}
M3 = "]<]minimax[>["
FORMS = {"string": "raw", "object": "dict", "array": "list"}


def kind_of(value):
    names = {str: "string", dict: "object", list: "array", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def inside(style, said, kind):
    """Lists and objects as tags."""
    if kind not in ("object", "array"):
        return said
    value, out = json.loads(said), []
    for name, v in value.items() if kind == "object" else [(None, v) for v in value]:
        text = v if isinstance(v, str) else json.dumps(v)
        if style == "cohere_xml" and name is None:
            out.append(f'<cofl:value type="{FORMS.get(kind_of(v), "json")}">{inside(style, text, kind_of(v))}</cofl:value>')
        else:
            out.append(STYLES[style](name or "item", text, kind_of(v)))
    return "".join(out)


VALUES = [
    ({"type": "string"}, [("string", "a b"), ("string", "<"), ("string", ""), ("string", "é\n\"[]")]),
    ({"type": "string", "description": "d"}, [("string", "x")]),
    ({"type": "string", "maxLength": 3}, [("string", "ab"), ("string", "abcd"), ("string", "</p")]),
    ({"type": "string", "minLength": 1}, [("string", "ab"), ("string", "")]),
    ({"type": "string", "pattern": "^[a-c]+$"}, [("string", "abc"), ("string", "d")]),
    ({"enum": ["red", "x y"]}, [("string", "red"), ("string", "x y")]),
    ({"type": "string", "enum": ["red"]}, [("string", "red"), ("string", '"red"')]),
    ({"enum": ["a", 1, None, True]}, [("string", "a"), ("number", "1"), ("null", "null"), ("boolean", "true")]),
    ({"const": "q"}, [("string", "q")]),
    ({"const": 3}, [("number", "3")]),
    ({"type": "integer"}, [("number", "12"), ("number", "-3"), ("number", " 4\n")]),
    ({"type": "boolean"}, [("boolean", "true"), ("boolean", "yes")]),
    ({"type": ["string", "null"]}, [("string", "null"), ("null", "null"), ("string", "t")]),
    ({"type": ["integer", "null"]}, [("number", "5"), ("null", "null")]),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, [("string", "7"), ("number", "7")]),
    ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, [("number", "7"), ("boolean", "true")]),
    ({"type": "array", "items": {"type": "string"}}, [("array", '["a", "b"]'), ("array", "[]")]),
    ({"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]}, [("object", '{"k": "v"}')]),
    ({"$ref": "#/$defs/s"}, [("string", "t"), ("string", " t ")]),
    ({}, [("string", "t"), ("array", "[]"), ("object", '{"a": 1}')]),
    ({"type": "string", "format": "date"}, [("string", "2026-01-31"), ("string", "2026-13-01")]),
    ({"type": "string", "format": "uuid"}, [("string", "123e4567-e89b-12d3-a456-426614174000"), ("string", "x")]),
    ({"type": "string", "format": "password"}, [("string", "x"), ("string", "")]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2},
     [("array", "[1]"), ("array", "[]"), ("array", "[1, 2]"), ("array", "[1, 2, 3]")]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "boolean"}, "minItems": 2},
     [("array", '[1, "a"]'), ("array", '[1, "a", true]'), ("array", "[1]"), ("array", "[]")]),
    ({"type": "array", "items": {"$ref": "#/$defs/s"}}, [("array", '["a"]'), ("array", "[1]")]),
    ({"type": "object", "properties": {"k": {"type": "array", "items": {"type": "integer"}}, "m": {"type": "string"}},
      "additionalProperties": False}, [("object", '{"k": [3]}'), ("object", "{}"), ("object", '{"k": [], "m": "x"}'), ("object", '{"z": 1}')]),
    ({"type": "object", "properties": {"m": {"type": "integer"}, "n": {"type": "integer"}, "o": {"type": "integer"}},
      "additionalProperties": False, "minProperties": 1, "maxProperties": 2},
     [("object", '{"m": 1}'), ("object", "{}"), ("object", '{"m": 1, "o": 2}'), ("object", '{"m": 1, "n": 3, "o": 2}')]),
    ({"$ref": "#/$defs/t"}, [("object", '{"v": 1}'), ("object", '{"v": 1, "sub": {"v": 2}}'), ("object", '{"sub": {"v": 2}}')]),
    ({"const": {"a": [1, "x"], "b": {}}}, [("object", '{"a":[1,"x"],"b":{}}')]),
]
DEFS = {"s": {"type": "string"},
        "t": {"type": "object", "properties": {"v": {"type": "integer"}, "sub": {"$ref": "#/$defs/t"}}, "required": ["v"],
              "additionalProperties": False}}


def styled(r, style):
    names = r.sample(["a", "b_1", "Cc", "é"], r.randint(0, 3))
    some = [v for v in VALUES if style != "cohere_xml" or v[0].get("format") != "password"]  # docs/tools.md says why
    values = {n: r.choice(some) for n in names}
    schema = {"type": "object", "properties": {n: v[0] for n, v in values.items()}, "$defs": DEFS, "required": [n for n in names if r.random() < 0.6]}
    more = r.random()
    if r.random() < 0.2:
        least = r.randint(0, len(names))
        schema["minProperties"] = least
        if r.random() < 0.5:
            schema["maxProperties"] = max(least, len(schema["required"])) + r.randint(0, 1)
    if r.random() < 0.15:
        schema["patternProperties"] = {r.choice(["^x_[a-z]+$", "mo?re"]): r.choice([{"type": "integer"}, {"type": "string"}])}
    if more < 0.3:
        schema["additionalProperties"] = r.choice([True, False, {"type": "integer"}, {"type": "string"}])
    f = {"type": "json_schema", "json_schema": schema, "style": style}
    if style == "qwen_xml" and r.random() < 0.2:
        f = {"type": "qwen_xml_parameter", "json_schema": schema}
    elif r.random() < 0.2:
        f["any_order"] = style in ("cohere_xml", "minimax_m3_xml") or not any(
            n in json.dumps(schema["properties"]) for n in ['"properties"', "{}", "/t"])

    def write():
        out, some = "", names + (r.choice([["more"], ["x_y"]]) if r.random() < 0.3 else [])
        if r.random() < 0.2:
            r.shuffle(some)
        for name in some:
            if r.random() < 0.85:
                kind, value = r.choice(values[name][1]) if name in values else r.choice([("number", "3"), ("string", "t")])
                out += r.choice(["", "", "\n", " "]) + STYLES[style](name, value, kind)
        return out + r.choice(["", "", "\n"])
    return f, write


REGEXES = [(".", ["a", "\n", "é"]), ("\\s", [" ", "\u00a0", "\t", "x"]), ("\\w+\\.\\d", ["ab.1", "é.1"]), ("^a$", ["a"]),
           ("[^\\s]{2,}?", ["ab", "a "]), ("a|", ["", "a"]), ("(?:a|b)*c", ["c", "abc"]), ("[\\]\\-x]", ["]", "-", "x"]),
           ("\\u00e9|\\x41", ["é", "A"]), ("a]", ["a]"]), ("(?<n>x)+", ["xx"]), ("[\\d-z]", ["-", "5", "z"])]


def short(r):
    return "".join(r.choice("ab") for _ in range(r.randint(1, 3)))


def overlapping(r):
    """Triggers, excluded strings and ends over two letters."""
    ends = sorted({short(r) for _ in range(r.choice([1, 1, 2]))})
    kind = r.randrange(3)
    f = {"type": "any_text", "excludes": [short(r) for _ in range(r.randint(0, 1))]}
    if kind == 0 and r.random() < 0.3:
        f["max_chars"] = r.randint(0, 4)
    if kind == 1:
        triggers = sorted({short(r) for _ in range(r.randint(1, 2))})
        f = {"type": "triggered_tags", "triggers": triggers, "excludes": [short(r) for _ in range(r.randint(0, 1))],
             "stop_after_first": r.random() < 0.3, "at_least_one": r.random() < 0.3,
             "tags": [{"type": "tag", "begin": t + "0", "content": {"type": "const_string", "value": "1"},
                       "end": r.choice(["", "a"])} for t in triggers]}
    if kind == 2:
        f = {"type": "sequence", "elements": [f, {"type": "const_string", "value": r.choice(["a", "0", "ab"])}]}
    return ({"type": "tag", "begin": "<", "content": f, "end": ends if len(ends) > 1 else ends[0]},
            lambda: "<" + "".join(r.choice(["a", "b", "ab", "a01", "b01a", "0"]) for _ in range(r.randrange(6))) +
            r.choice(ends))


def rare_document(r):
    kind = r.random()
    if kind < 0.5:
        style = r.choice(list(STYLES))
        f, write = styled(r, style)
        if r.random() < 0.4:
            inner, write_inner = f, write
            f = {"type": "triggered_tags", "triggers": ["<f="],
                 "tags": [{"type": "tag", "begin": "<f=x>", "content": inner, "end": "</f>"}]}
            return {"type": "structural_tag", "format": f}, lambda: noise(r) + "<f=x>" + write_inner() + "</f>" + noise(r)
        return {"type": "structural_tag", "format": f}, write
    if kind < 0.8:
        f, write = overlapping(r)
        return {"type": "structural_tag", "format": f}, write
    pattern, values = r.choice(REGEXES)
    f = {"type": "sequence", "elements": [{"type": "regex", "pattern": pattern}, {"type": "const_string", "value": ";"}]}
    return {"type": "structural_tag", "format": f}, lambda: r.choice(values) + ";"


def document(r):
    """A document, and what writes texts for it."""
    kind = r.random()
    if kind < 0.1:
        schema, values = r.choice(SCHEMAS)
        begin = r.choice(["<f=x>", "<f=yy>"])
        return ({"type": "structural_tag", "structures": [{"begin": begin, "schema": schema, "end": "</f>"}],
                 "triggers": ["<f="]}, lambda: noise(r) + begin + r.choice(values) + "</f>" + noise(r))
    f, write = any_format(r, 2) if kind < 0.6 else triggered(r, 1) if kind < 0.85 else tag(r, 2)
    return {"type": "structural_tag", "format": f}, write


def edited(r, text):
    for _ in range(r.choice([0, 0, 0, 1, 1, 2])):
        at = r.randint(0, len(text))
        what = r.randrange(3)
        if what == 0:
            text = text[:at] + r.choice(WORDS) + text[at:]
        elif what == 1:
            text = text[:at] + text[at + 1:]
        else:
            text = text[:at] + text[at:at + 3] + text[at:]
    return text


class XGrammar:
    def __init__(self):
        try:
            import torch  # noqa: F401  pylint: disable=unused-import
        except ImportError:  # matching needs none of it
            import tvm_ffi  # noqa: F401  pylint: disable=unused-import
            for name in ("torch", "transformers", "triton"):
                sys.modules[name] = mock.MagicMock()
        import xgrammar
        self.x = xgrammar
        info = xgrammar.TokenizerInfo([bytes([b]) for b in range(256)] + [b"</s>"], stop_token_ids=[256])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def verdicts(self, doc, texts):
        """None with a message where it does not take the document."""
        try:
            if "structures" in doc:
                items = [self.x.StructuralTagItem(begin=s["begin"], schema=json.dumps(s["schema"]), end=s["end"])
                         for s in doc["structures"]]
                compiled = self.compiler.compile_structural_tag(items, doc["triggers"])
            else:
                compiled = self.compiler.compile_structural_tag(json.dumps(doc))
        except Exception as e:  # pylint: disable=broad-except
            return None, str(e).splitlines()[0] if str(e) else repr(e)
        out = []
        for text in texts:
            m = self.x.GrammarMatcher(compiled, terminate_without_stop_token=False)
            ok = m.accept_string(text) if text else True
            out.append(bool(ok and m.accept_token(256)))
        return out, ""


def gcdc_verdicts(doc, texts, folder):
    path, out = folder / "x.structural_tag.json", folder / "x.gcdc"
    path.write_text(json.dumps(doc), encoding="utf-8")
    out.unlink(missing_ok=True)
    done = subprocess.run([GCDC, "compile", path, "-o", out, "-q", "--budget", "off"], capture_output=True, text=True,
                          check=False, timeout=300)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit {done.returncode}"
    artifact = gcdc_runtime.Artifact(str(out))
    said = []
    for text in texts:
        m, data = gcdc_runtime.Matcher(artifact), text.encode()
        status = gcdc_runtime.LIB.gcdc_matcher_accept_bytes(m.at, data, gcdc_runtime.SIZE(len(data)))
        said.append(status == 0 and bool(m.completed()))
    return said, ""


def builtin(judge):
    """XGrammar's own documents, on what chat templates render, as it is and edited."""
    from xgrammar import builtin_structural_tag
    data = TOP / "tests/cli/data/tools"
    tools = json.loads((data / "tools.json").read_text(encoding="utf-8"))
    texts = [t for p in sorted(data.glob("*.txt")) for t in p.read_text(encoding="utf-8").split("\n%%%\n")]
    texts += [begin + t for t in texts[:20] for begin in ("<think>so</think>\n\n", "so</think>\n\n")]
    documents = n = accepted = differ = refused = 0
    choices = ["auto", "required", {"type": "function", "function": {"name": "search"}}]
    with tempfile.TemporaryDirectory() as folder:
        for model in builtin_structural_tag._structural_tag_registry:  # pylint: disable=protected-access
            for choice, mode in ((c, m) for c in choices for m in ("enabled", "disabled", "auto")):
                tag_of = builtin_structural_tag.get_model_structural_tag
                doc = json.loads(tag_of(model, tools=tools, tool_choice=choice, reasoning=mode).model_dump_json())
                r = random.Random(f"{model}{choice}{mode}")
                some = texts + [edited(r, t) for t in texts]
                got, _ = gcdc_verdicts(doc, some, Path(folder))
                if got is None:
                    refused += 1
                    continue
                want, _ = judge.verdicts(doc, some)
                documents, n, accepted = documents + 1, n + len(some), accepted + sum(want)
                for text, w, g in zip(some, want, got):
                    differ += w != g
                    if w != g:
                        print(f"{model} {choice} {mode} {text!r}: XGrammar {w}, gcdc {g}")
    print(f"{documents} documents, {n} texts ({accepted} accepted by XGrammar), {differ} differ; {refused} refused by name")
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--texts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--builtin", action="store_true")
    parser.add_argument("--rare", action="store_true")
    o = parser.parse_args()
    if o.builtin:
        return builtin(XGrammar())
    judge, n, refused, theirs, texts_n, accepted, differ = XGrammar(), 0, {}, {}, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(o.documents if o.only is None else o.only + 1):
            if o.only is not None and i != o.only:
                continue
            r = random.Random(f"{o.seed}/{i}")
            doc, write = (rare_document if o.rare else document)(r)
            texts = [edited(r, write()) for _ in range(o.texts)]
            want, why = judge.verdicts(doc, texts)
            got, ours = gcdc_verdicts(doc, texts, Path(folder))
            if want is None:
                theirs[why[:90]] = theirs.get(why[:90], 0) + 1
                continue
            if got is None:
                refused.setdefault(ours[:160], []).append(i)
                continue
            n += 1
            texts_n += len(texts)
            accepted += sum(want)
            wrong = [(t, w, g) for t, w, g in zip(texts, want, got) if w != g]
            differ += len(wrong)
            if wrong:
                print(f"--only {i}: {json.dumps(doc)}")
                for text, w, g in wrong[:4]:
                    print(f"    {text!r}: XGrammar {w}, gcdc {g}")
    print(f"seed {o.seed}: {n} documents, {texts_n} texts ({accepted} accepted by XGrammar), {differ} differ")
    for why, which in sorted(refused.items(), key=lambda x: -len(x[1])):
        print(f"  gcdc refuses {len(which)} ({which[:5]}): {why}")
    for why, count in theirs.items():
        print(f"  XGrammar refuses {count}: {why}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
