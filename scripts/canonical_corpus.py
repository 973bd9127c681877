#!/usr/bin/env python3
"""Real texts for canonical tokenization: prose, code and JSON, at least so many bytes of each, as OUT/<kind>.txt.

  canonical_corpus.py OUT [--bytes N]                      gathers
  canonical_corpus.py OUT --check GCDC COMPARE TOKENIZER.json...   no canonical sequence of them is refused, at any prefix

prose   Debian vim-runtime (its manual and its tutor in 30 languages), manpages-de, -fr, -ja, -zh, -ru as they are written (roff)
code    the standard library of the Python that runs this, /usr/include
JSON    npm packages' documents (scripts/json_corpus.py)
Packages are downloaded and unpacked, never installed or run. COMPARE is tests/canonical_compare of the build folder; texts go
through it 100 KB at a time, each a sequence from the beginning.
"""
import argparse
import gzip
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ["vim-runtime", "manpages-de", "manpages-fr", "manpages-ja", "manpages-zh", "manpages-ru"]
CHUNK = 100_000


def text_of(path):
    try:
        data = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
        return data.decode("utf-8").replace("\x00", "")
    except (OSError, UnicodeDecodeError, EOFError):
        return ""


def gather(files, least, most_each=60_000):
    """Files as they come, none of them more than a part."""
    out, size = [], 0
    for path in files:
        text = text_of(path)[:most_each]
        if len(text) < 200:
            continue
        out.append(text)
        size += len(text.encode())
        if size >= least:
            break
    return "\n".join(out)


def spread(paths):
    """In an order that mixes folders, the same every time."""
    return sorted(paths, key=lambda p: (hash_of(str(p)), str(p)))


def hash_of(text):
    x = 0
    for c in text.encode():
        x = (x * 31 + c) & 0xFFFFFFFF
    return x


def prose(folder, least):
    for package in PACKAGES:
        subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for deb in sorted(Path(folder).glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(deb), str(folder)], check=True)
    files = [p for p in Path(folder).rglob("*") if p.is_file() and (p.suffix in (".txt", ".gz") or ".utf-8" in p.name)]
    if not files:
        sys.exit("canonical_corpus.py: no package could be downloaded (apt-get download " + " ".join(PACKAGES) + ")")
    return gather(spread(files), least)


def code(least):
    files = [p for p in Path(sysconfig.get_paths()["stdlib"]).rglob("*.py") if p.is_file()]
    files += [p for p in Path("/usr/include").rglob("*.h") if p.is_file()]
    return gather(spread(files), least)


def documents(least):
    subprocess.run([sys.executable, str(HERE / "json_corpus.py")], check=True, stdout=subprocess.DEVNULL)   # build/corpus/json
    return gather(spread((HERE.parent / "build/corpus/json").glob("*.json")), least, 300_000)


def check(o):
    bad = 0
    kinds = ["prose", "code", "json"]
    with tempfile.TemporaryDirectory() as folder:
        any_text = Path(folder) / "any.lark"
        any_text.write_text("start: /(.|\\n)+/\n", encoding="utf-8")
        chunks = {}
        for kind in kinds:
            text, chunks[kind] = (o.out / (kind + ".txt")).read_text(encoding="utf-8"), []
            for i in range(0, len(text), CHUNK):
                path = Path(folder) / f"{kind}{i}"
                path.write_text(text[i:i + CHUNK], encoding="utf-8")
                chunks[kind].append(str(path))
        for tokenizer in o.tokenizers:
            artifact = str(Path(folder) / "any.gcdc")
            subprocess.run([o.gcdc, "compile", str(any_text), "--tokenizer", tokenizer, "--canonical=soft", "-q", "-o", artifact], check=True)
            line = []
            for kind in kinds:
                done = subprocess.run([o.compare, artifact, tokenizer, "texts", "0", "1", *chunks[kind]], capture_output=True, text=True, check=False)
                last = done.stdout.strip().split("\n")[-1]
                if done.returncode:
                    bad += 1
                    print(done.stdout[-2000:], done.stderr[-500:], file=sys.stderr)
                line.append(f"{kind} {last.split(',')[1].split()[0] if ',' in last else '?'} tokens, {last.split(', ')[-1]}")
            print(f"{tokenizer}: " + "; ".join(line), flush=True)
    return bad != 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=Path)
    p.add_argument("--bytes", type=int, default=2_000_000)
    p.add_argument("--check", nargs="+", default=None, metavar="GCDC COMPARE TOKENIZER")
    o = p.parse_args()
    if o.check:
        o.gcdc, o.compare, *o.tokenizers = [os.path.realpath(x) for x in o.check]
        return check(o)
    o.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debs").mkdir()
        os.chmod(folder, 0o755)
        for kind, make in (("prose", lambda: prose(Path(folder) / "debs", o.bytes)), ("code", lambda: code(o.bytes)),
                           ("json", lambda: documents(o.bytes))):
            text = make()
            (o.out / (kind + ".txt")).write_text(text, encoding="utf-8")
            print(f"{kind}: {len(text.encode())} bytes, {len(set(text))} different characters", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
