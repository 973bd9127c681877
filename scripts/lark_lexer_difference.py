#!/usr/bin/env python3
"""Where Lark's lexer cuts texts otherwise than maximal munch (docs/lark-lexer.md): the page's examples, and a count.

  lark_lexer_difference.py [--examples]                 runs the examples of docs/lark-lexer.md; exit code 1 if one is not as told
  lark_lexer_difference.py --corpus DIR [--grammars a,b] [--bytes N] [--seconds N]
                                                        counts on DIR/<grammar>/*.txt and DIR/refused/<grammar>/*.txt

A grammar's texts are read three times: by Lark with its contextual lexer, by Lark with its basic lexer (what syncode itself uses),
and by lark_munch.py, the contract of docs/language.md. Counted: texts whose sequences of terminals differ from Lark's
contextual lexer's, texts that only one of them reads; of texts that Lark refuses, those that maximal munch with all
stacks reads, with the cause ("lexer": other terminals than Lark's up to where it stops; "conflict": the same terminals, but Lark's
parser had resolved a conflict).
"""
import argparse
import collections
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lark_agreement import why_lark_refuses, without_indents
from lark_munch import Munch, Refused
from lark_tools import TOP, all_grammars, load, refusal, terminals

# name, grammar, text, Lark's contextual lexer, maximal munch (None: refused). docs/lark-lexer.md explains each.
EXAMPLES = [
    ("longest is not first", r'''
start: (SHORT | LONG)+
SHORT.2: "ab"
LONG: /abc?/
C: "c"
''', "abc", None, ["LONG"]),
    ("priority before length", r'''
start: (OCT | DEC | NAME)+
OCT.2: /0o[0-7]*/
DEC: /0|[1-9]\d*/
NAME: /[a-z]\w*/
''', "0o", ["OCT"], ["OCT"]),
    ("keyword inside a name", r'''
start: (IF | NAME)+
IF: "if"
NAME: /[a-z]+/
%ignore " "
''', "if iffy", ["IF", "NAME"], ["IF", "NAME"]),
    ("keyword with a priority", r'''
start: (IF | NAME)+
IF.1: "if"
NAME: /[a-z]+/
%ignore " "
''', "iffy", ["IF", "NAME"], ["NAME"]),
    ("alternation inside a terminal", r'''
start: OPERATOR "x"
OPERATOR: /<|<=/
''', "<=x", None, ["OPERATOR", "X"]),
    ("lazy inside, greedy at the end", r'''
start: STRING "," STRING
STRING: /".*?"i?/
''', '"a","b"', ["STRING", "COMMA", "STRING"], ["STRING", "COMMA", "STRING"]),
    ("lazy terminal built into another", r'''
start: (NL | NAME)+
NL: (/\n/ | LONG)+
LONG: /""".*?"""/s
NAME: /[a-z]/
''', '"""a"""x"""b"""', ["NL", "NAME", "NL"], ["NL", "NAME", "NL"]),
    ("lazy terminal built into another, no second one", r'''
start: (NL | NAME)+
NL: (/\n/ | LONG)+
LONG: /""".*?"""/s
NAME: /[a-z]/
''', '"""a"""x', ["NL", "NAME"], ["NL", "NAME"]),
    ("ignored terminal or a terminal of the grammar", r'''
start: "a" LINE "b"
LINE: "\n"
WS: /[ \n]+/
%ignore WS
''', "a\nb", None, ["A", "LINE", "B"]),
    ("estimated width", r'''
start: (WORD | SIGNED)+
WORD: /[a-z]{1,3}/
SIGNED: /[a-z]\d?/
''', "abc", ["WORD"], ["WORD"]),
    ("estimated width misleads", r'''
start: (PAIR | RUN)+
PAIR: /ab|a{1,9}/
RUN: /a[b-z]{0,7}/
''', "abcd", None, ["RUN"]),
    ("what is viable, not what the parser's row has", r'''
start: "(" e ")" ")" | "[" e "))"
e: "x"
''', "(x))", None, ["LPAR", "X", "RPAR", "RPAR"]),
    ("a keyword and a name glued together, where only the keyword is viable", r'''
start: "const" NAME eos "const" NAME | "{" NAME eos NAME "}"
eos: ";"
NAME: /[a-z]+/
%ignore " "
''', "const a;constb", None, ["CONST", "NAME", "SEMICOLON", "CONST", "NAME"]),
]


def names(sequence):
    return sequence and [t[0] for t in sequence]


def gcdc_accepts(program, grammar, text):
    """What gcdc says, with its built-in vocabulary: True, False, or a message."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "text").write_text(text)
        made = subprocess.run([program, "compile", grammar, "-o", f"{folder}/a", "--quiet"], capture_output=True, text=True,
                              check=False)
        if made.returncode:
            return made.stderr.splitlines()[0]
        return subprocess.run([program, "check", f"{folder}/a", f"{folder}/text", "--quiet"], capture_output=True,
                              check=False).returncode == 0


def run_examples(program):
    """How many examples are not as told. gcdc, where it is built, must accept what maximal munch reads."""
    bad = 0
    for name, grammar, text, lark, munch in EXAMPLES:
        with tempfile.NamedTemporaryFile("w", suffix=".lark") as file:
            file.write(grammar)
            file.flush()
            parser = load(file.name)
            gcdc = gcdc_accepts(program, file.name, text) if program.exists() else None
        theirs = names(terminals(parser, text)) if refusal(parser, text) is None else None
        try:
            ours = names(Munch(parser).read(text))
        except Refused:
            ours = None
        right = theirs == lark and ours == munch and gcdc in (None, munch is not None)
        bad += not right
        print(f"{'ok ' if right else 'BAD'} {name}: {text!r}: Lark {theirs or 'refuses'}, maximal munch {ours or 'refuses'}, "
              f"gcdc {'not run' if gcdc is None else 'accepts' if gcdc is True else gcdc or 'refuses'}")
    return bad


def count(name, path, start, options):
    """One row of the table."""
    parser, basic = load(path, start=start), load(path, lexer="basic", start=start)
    munch, seen = Munch(parser), collections.Counter()
    post, begin, shown = parser.lexer_conf.postlex, time.monotonic(), 0
    for file in sorted((options.corpus / name).glob("*.txt")):
        if seen["bytes"] > options.bytes or time.monotonic() - begin > options.seconds:
            break
        text = file.read_bytes().decode()
        theirs = without_indents(terminals(parser, text), post)
        seen["texts"] += 1
        seen["bytes"] += len(text.encode())
        seen["terminals"] += len(theirs)
        try:
            seen["basic differs"] += without_indents(terminals(basic, text), post) != theirs
        except Exception:
            seen["basic refuses"] += 1
        try:
            ours = without_indents(munch.read(text), post)
        except Refused as e:
            seen["munch refuses"] += 1
            ours = None
            print(f"    {file.name}: maximal munch refuses: {e}")
        if ours is not None and ours != theirs:
            seen["munch differs"] += 1
            a, b = next((a, b) for a, b in zip(theirs, ours) if a != b)
            shown += 1
            if shown <= 5:
                print(f"    {file.name}: Lark {a[0]} {text[a[1]:a[2]][:40]!r}, longest {b[0]} {text[b[1]:b[2]][:40]!r}")
    causes, begin = collections.Counter(), time.monotonic()
    for file in sorted((options.corpus / "refused" / name).glob("*.txt")):
        if time.monotonic() - begin > options.seconds:
            break
        text = file.read_bytes().decode()
        seen["refused by Lark"] += 1
        try:
            munch.read(text)
        except Refused:
            continue
        cause, words = why_lark_refuses(parser, munch, text)
        causes[cause, words] += 1
        seen[f"read by munch: {cause}"] += 1
    print(f"{name}: " + ", ".join(f"{k} {v}" for k, v in seen.items() if v or k.startswith("munch")), flush=True)
    for (cause, words), n in causes.most_common(6):
        print(f"    {n} of those that Lark refuses: {cause}: {words}")
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--gcdc", type=Path, default=TOP / "build/release/gcdc")
    parser.add_argument("--grammars", default="c,calc,go,invariants,java,json,prover9,python,sql,tiny")
    parser.add_argument("--bytes", type=int, default=300_000, help="of a grammar's texts")
    parser.add_argument("--seconds", type=float, default=40, help="a grammar, and its refused texts")
    options = parser.parse_args()
    if options.corpus:
        grammars = all_grammars()
        for name in options.grammars.split(","):
            count(name, *grammars[name], options)
    if options.examples or not options.corpus:
        sys.exit(1 if run_examples(options.gcdc) else 0)


if __name__ == "__main__":
    main()
