#!/usr/bin/env python3
"""llguidance's Lark dialect: do gcdc and llguidance accept the same texts?

llguidance 1.9 comes from PyPI (pip install llguidance). Each grammar below is compiled by both, with bytes as tokens. Texts are those below,
what gcdc samples, and edits of both at random. Those that gcdc refuses by name (their own names end in "?") are counted apart.

  compare_llguidance.py [--texts N] [--seed S] [--only NAME]
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compare_notations import Ours, changed  # noqa: E402

# name, grammar, texts; the name of one that gcdc refuses ends in "?".
GRAMMARS = [
    ("literal", 'start: "abc"', ["abc", "ab", "abcd"]),
    ("alternatives", 'start: "a" | "b" "c" | "d"', ["a", "bc", "d", "b"]),
    ("groups", 'start: ("a" | "b")+ "c"?', ["abab", "abc", "c", "a"]),
    ("optional brackets", 'start: "a" ["b"] "c"', ["ac", "abc", "abbc"]),
    ("repeat", 'start: "a"~2..3 "b"~2', ["aabb", "aaabb", "abb"]),
    ("braces", 'start: "a"{2,3} B{2}\nB: /b/', ["aabb", "aaabb", "abb"]),
    ("braces open", 'start: A{2,}\nA: "a"', ["aa", "aaaa", "a"]),
    ("braces of a group", 'start: ("a" b){2,} "." | x{1,2}\nb: "b" | "c"\nx: "x"', ["abac.", "ab.", "abacab.", "xx", "xxx"]),
    ("braces of braces", 'start: ("a"{2,} "b"){2,}\n', ["aabaaab", "abaab", "aab"]),
    ("terminal", "start: WORD\nWORD: /[a-z]+/", ["abc", "", "Abc"]),
    ("terminal of terminals", 'start: NUMBER\nNUMBER: INT ("." INT)?\nINT: /[0-9]+/', ["1.5", "12", "1."]),
    ("case", 'start: "select"i " x"', ["SELECT x", "select x", "sel x"]),
    ("regex flags", "start: A\nA: /ab+/i", ["ABb", "a"]),
    ("dot all", "start: A\nA: /a.b/s", ["a\nb", "axb"]),
    ("dot", "start: A\nA: /a.b/", ["a\nb", "axb"]),
    ("range", 'start: L+\nL: "a".."f"', ["abc", "g"]),
    ("ignore", 'start: "a" "b" C\nC: /[0-9]+/\n%ignore / +/', ["a b 12", "ab12", "a b 1 2"]),
    ("ignore named", 'start: "a" "b"\nWS: /[ \\n]+/\n%ignore WS', ["a \n b", "ab"]),
    ("recursion", 'start: "(" start ")" | "x"', ["((x))", "(x", "x"]),
    ("left recursion", 'start: start "+" "a" | "a"', ["a+a+a", "a+"]),
    ("expression", 'start: sum\nsum: sum "+" t | t\nt: t "*" f | f\nf: N | "(" sum ")"\nN: /[0-9]+/', ["1+2*3", "(1+2)*3", "1+"]),
    ("priority", 'start: (A | B) "!"\nA.2: /[a-z]+/\nB: "if"', ["if!", "x!"]),
    ("comments", '// one\nstart: "a" // two\n  | "b"', ["a", "b"]),
    ("escapes", 'start: "a\\n\\t\\x41\\u00e9\\"\\\\"', ["a\n\tAé\"\\"]),
    ("regex slash", "start: A\nA: /a\\/b/", ["a/b"]),
    ("unicode", "start: A\nA: /[а-я日]+/", ["ждя", "日", "a"]),
    ("unicode class", "start: A\nA: /\\p{Lu}+/", ["ÀB", "a"]),
    ("digits", "start: A\nA: /\\d{2}-\\w+/", ["12-ab", "1-a"]),
    ("and", "start: A\nA: /[a-z]+/ & /.{2,3}/", ["ab", "abcd", "a"]),
    ("not", "start: A\nA: /[a-z]+/ & ~/.*x.*/", ["ab", "axb"]),
    ("max_tokens of nothing?", 'start: a ";"\na[max_tokens=3]: /[a-z]*/', ["abc;", "abcd;", ";"]),
    ("max_tokens", 'start: a ";"\na[max_tokens=3]: /[a-z]+/', ["abc;", "abcd;", ";"]),
    # Where text stands before, llguidance 1.9 counts the token before, too.
    ("max_tokens of a terminal", 'start: a ">"\na[max_tokens=2]: T\nT: /[^>]+/', ["ab>", "abc>", ">"]),
    ("stop", 'start: a "b"\na[stop="x"]: /.*/', ["aab", "axb", "xb"]),
    ("stop that follows again?", 'start: a "xb"\na[stop="x"]: /[a-w]*/', ["axb", "axxb"]),
    ("suffix", 'start: a "b"\na[suffix="x"]: /.*/', ["aaxb", "aab", "xb", "axxb"]),
    ("suffix of two", 'start: a "!"\na[suffix="</t>"]: /(?s:.*)/', ["x</t>!", "<</t</t>!", "x</t"]),
    ("suffix regex", 'start: a "!"\na[suffix=/[0-9]/]: /.*/', ["ab1!", "ab12!", "ab!"]),
    ("lazy", 'start: a "!"\na[lazy]: /.*;/', ["ab;!", "a;b;!", ";!"]),
    ("lazy of two", 'start: (a b)+\na[lazy]: /[a-z]+,/\nb: "1" | "2"', ["ab,1", "a,b,1", "a,1b,2"]),
    ("lazy literal", 'start: a "x"*\na[lazy]: /(x|xx)y?/', ["x", "xx", "xxx"]),
    ("capture", 'start: a "b"\na[capture]: /a+/', ["aab", "b"]),
    ("capture named", 'start: a "b"\na[capture="q"]: /a+/', ["aab", "b"]),
    ("temperature", 'start: a "b"\na[temperature=0.5]: /a+/', ["aab", "b"]),
    ("several attributes", 'start: a "b"\na[capture, temperature=0.5, max_tokens=2]: /a+/', ["aab", "aaab"]),
    ("json", 'start: "x" j "y"\nj: %json {"type": "boolean"}', ["xtruey", "xfalsey", "xnully"]),
    ("json object", 'start: %json {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"], "additionalProperties": false}',
     ['{"a":true}', '{"a": false}', "{}"]),
    ("json const", 'start: %json {"enum": ["a", null]} ";"', ['"a";', "null;", "4;"]),
    ("json in text", 'start: /[a-z]+/? "<" %json {"type": "null"} ">"', ["ab<null>", "<null>", "<>"]),
    ("llguidance", '%llguidance {}\nstart: "a"', ["a"]),
    ("llguidance option?", '%llguidance {"no_forcing": true}\nstart: "a"', ["a"]),
    ("regex object?", 'start: a "!"\na: %regex {"substring_chars": "abc"}', ["bc!", "ac!", "!"]),
    ("regex words?", 'start: a "!"\na: %regex {"substring_words": "the cat sat"}', ["cat !", "sat!"]),
    ("regex chunks?", 'start: a "!"\na: %regex {"substring_chunks": ["x ", "y"]}', ["x y!", "y!"]),
    ("nested lark", 'start: "<" inner ">"\ninner: %lark { start: "a" | "b" }', ["<a>", "<c>"]),
    ("import", "%import common.INT\nstart: INT", ["12", "a"]),
    ("import renamed", '%import common.CNAME -> NAME\nstart: NAME "=" NAME', ["a_1=b", "1=b"]),
    ("empty alternative", 'start: "a" b "c"\nb: "b" |', ["ac", "abc"]),
    ("alias", 'start: "a" -> x | "b" -> y', ["a", "b"]),
    ("question name", 'start: x\n?x: "a" | "b" x', ["a", "bba"]),
    ("underscore", 'start: _x+\n_x: "a"', ["aa"]),
    ("nested repeats", 'start: (("a" | "b")~1..2 ",")+', ["a,ab,", "abb,", ""]),
    ("long", "start: A\nA: /[a-z]{3,20}/", ["abc", "ab", "a" * 21]),
    ("alternatives of terminals", "start: (A | B)+\nA: /a+b/\nB: /c/", ["aabcab", "aac"]),
    ("dates", "start: D\nD: /[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]/", ["2026-11-26", "2026-13-01"]),
    ("think", 'start: think answer\nthink: "<think>" t\nt[suffix="</think>"]: /(?s:.*)/\nanswer: "yes" | "no"',
     ["<think>a\nb</think>yes", "<think></think>no", "<think>yes"]),
    ("tools", 'start: (text call)* text\ntext: /[^<]+/?\ncall: "<t>" %json {"type": "boolean"} "</t>"', ["a<t>true</t>b", "", "<t>x</t>"]),
]


class LlGuidance:
    def __init__(self):
        import llguidance

        class Bytes:
            eos_token_id, bos_token_id, special_token_ids = 256, None, [256]
            tokens = [bytes([b]) for b in range(256)] + [b"</s>"]

            def __call__(self, s):
                return list(s if isinstance(s, bytes) else s.encode())
        self.x, self.tokenizer = llguidance, llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()))

    def verdicts(self, grammar, texts):
        new = self.x.LLMatcher(self.tokenizer, self.x.LLMatcher.grammar_from_lark(grammar))
        if new.is_error():
            return new.get_error()
        out = []
        for text in texts:
            m = new.deep_copy()
            data = list(text.encode())
            out.append(m.try_consume_tokens(data) == len(data) and m.is_accepting())
        return out


def cut_in_bytes(ours, text):
    """As Ours.accepts, one byte a token: max_tokens counts them as llguidance does."""
    import gcdc_runtime
    m = gcdc_runtime.Matcher(ours.artifact)
    data = text.encode()
    for b in range(len(data)):
        if gcdc_runtime.LIB.gcdc_matcher_accept_bytes(m.at, data[b:b + 1], gcdc_runtime.SIZE(1)):
            return False
    return bool(m.completed())


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--texts", type=int, default=30)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only")
    o = p.parse_args()
    judge, n, accepted, differ, refused, theirs, grammars, unexpected = LlGuidance(), 0, 0, 0, [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "g.lark"
        for name, grammar, texts in GRAMMARS:
            if o.only and o.only != name:
                continue
            r = random.Random(f"{o.seed} {name}")
            path.write_text(grammar + "\n", encoding="utf-8")
            ours = Ours(path, Path(folder) / "g.gcdc", 20)
            if ours.why:
                refused.append(name)
                if not name.endswith("?"):
                    unexpected += 1
                    print(f"{name}: gcdc refuses it: {ours.why.strip().splitlines()[0]}")
                continue
            texts = texts + ours.samples(o.texts // 3, o.seed, 12)
            letters = sorted(set("".join(texts)) | set("ab1 <"))
            texts = [t for t in dict.fromkeys(texts + [changed(r, r.choice(texts), letters) for _ in range(o.texts)]) if "\0" not in t]
            if "%ignore" in grammar:  # llguidance ignores nothing before the first terminal and behind the last (formats/grammar.md)
                texts = [t for t in texts if t == t.strip()]
            want = judge.verdicts(grammar, texts)
            if isinstance(want, str):
                theirs.append(name)
                if os.environ.get("VERBOSE"):
                    print(f"{name}: llguidance refuses it: {want.splitlines()[0][:150]}")
                continue
            got = [cut_in_bytes(ours, t) for t in texts]
            grammars, n, accepted = grammars + 1, n + len(texts), accepted + sum(want)
            wrong = [(t, w) for t, w, g in zip(texts, want, got) if w != g]
            differ += len(wrong)
            for text, w in wrong[:4]:
                print(f"{name}: {json.dumps(text, ensure_ascii=False)}: llguidance {w}, gcdc {not w}")
    print(f"seed {o.seed}: {grammars} grammars, {n} texts ({accepted} accepted by llguidance), {differ} differ; refused by gcdc, by name: "
          f"{', '.join(refused)}; by llguidance alone: {', '.join(theirs)}")
    return 1 if differ or unexpected or not n else 0


if __name__ == "__main__":
    sys.exit(main())
