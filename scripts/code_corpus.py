#!/usr/bin/env python3
"""Gathers texts that syncode's grammars accept, at least 1 MB a language: OUT/<language>/NNNNN.txt and OUT/index.json.

  code_corpus.py OUT [--languages go,java,...] [--bytes N] [--seconds N]

Beside the texts: OUT/refused/<language>, some hundred units that Lark refuses (what does gcdc say to them?). The languages
lark-lark, lark-python, lark-python2 (grammars of lark's sdist) are gathered when they are named.

Real code where there is some, of packages that are downloaded and unpacked, never installed or run:
  go      Debian golang-1.19-src (the standard library and its tests)
  java    Debian openjdk-17-source (src.zip, module java.base)
  sql     sqlglot's sdist (its fixtures, TPC-H and TPC-DS in them), Debian mariadb-test-data (SELECTs of its tests)
  python  the standard library and site-packages of the interpreter that runs this
  json    npm packages (scripts/json_corpus.py)
The other grammars (c, calc, invariants, prover9, tiny) cover so little of what people write that their texts are derived from
the grammar itself (lark_tools.Sampler).

"Accepts" is Lark's LALR with its contextual lexer. A file that is refused as a whole is cut into units (top-level
declarations, class members, statements, values of a JSON document), and the units that are accepted are put together again
under the file's header; what was refused is counted by cause in index.json. In Go one more thing is tried with a
refused unit: line ends where the grammar has no terminal for them (after `(` or `switch x {`; syncode's GoIncrementalParser
skips the terminal there) become one blank; such units are counted as "edited". Same packages, same texts.
"""
import argparse
import ast
import collections
import hashlib
import json
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from pathlib import Path

from lark_tools import LARK_SDIST, SYNCODE_NAMES, TOP, Sampler, all_grammars, fetch_sdist, load, refusal, syncode_grammar

DEBIAN = {"go": "golang-1.19-src", "java": "openjdk-17-source", "sql": "mariadb-test-data"}
LARGEST = 100_000  # bytes of a source file; Lark is slow, and many files show more than few long ones
SEED = 4


def unpack(package):
    """Folder with the files of a Debian package, fetched once into build/deb."""
    folder = TOP / "build/deb" / package
    if not folder.exists():
        with tempfile.TemporaryDirectory() as temporary:
            subprocess.run(["apt-get", "download", "-qq", package], cwd=temporary, check=True, stderr=subprocess.DEVNULL)
            archive, = Path(temporary).glob("*.deb")
            print(f"fetched {archive.name}, {archive.stat().st_size / 1e6:.0f} MB", file=sys.stderr)
            folder.mkdir(parents=True)
            subprocess.run(["dpkg", "-x", archive, folder], check=True)
            (folder / "PACKAGE").write_text(archive.name + "\n")
    return folder


def in_chance_order(paths):
    """Paths in an order that depends on their names alone."""
    return sorted(paths, key=lambda p: hashlib.sha256(p.encode()).digest())


class Count:
    """What became of files and units of one language."""

    def __init__(self, parser, deadline):
        self.parser, self.deadline = parser, deadline
        self.units, self.refused = collections.Counter(), []
        self.causes = collections.Counter()

    def takes(self, text, counted=True):
        """Whether Lark accepts; a refusal is counted by its cause."""
        why = refusal(self.parser, text)
        if counted:
            self.units["refused" if why else "accepted"] += 1
            if why:
                self.causes[why] += 1
        if why:
            self.keep(text)
        return why is None

    def keep(self, text):
        """Some of what was refused is kept beside the corpus: what does gcdc say to it?"""
        if 40 <= len(text) <= 4000 and len(self.refused) < 400:
            self.refused.append(text)

    @property
    def late(self):
        return time.monotonic() > self.deadline


# --- Python ---------------------------------------------------------------------------------------------------------

def python_files():
    """(name, text) of the interpreter's own library and what is installed beside it."""
    paths = sysconfig.get_paths()
    roots = [Path(paths["stdlib"]), Path(paths["purelib"])]
    seen = {}
    for root in roots:
        for path in root.rglob("*.py"):
            if root == roots[0] and "site-packages" in path.parts:
                continue
            if path.stat().st_size < LARGEST and "lib2to3/tests/data" not in str(path):
                seen[str(path.relative_to(root))] = path
    for name in in_chance_order(seen):
        try:
            yield name, seen[name].read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue


def python_statement(node, lines):
    """Lines of a statement with its decorators, and the comment lines right before it."""
    first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])]) - 1
    while first > 0 and lines[first - 1].lstrip().startswith("#") and lines[first - 1].startswith(lines[first][:1]):
        first -= 1
    return "".join(lines[first:node.end_lineno])


def python_units(text, count):
    """The statements of a module that are accepted; of a class that is not, its members that are."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    lines, out = text.splitlines(keepends=True), []
    lines[-1] = lines[-1].rstrip("\n") + "\n"
    for node in body:
        unit = python_statement(node, lines)
        if count.takes(unit):
            out.append(unit)
        elif isinstance(node, ast.ClassDef) and node.body[0].lineno > node.lineno:
            header = "".join(lines[node.lineno - 1:node.body[0].lineno - 1])
            members = [python_statement(m, lines) for m in node.body]
            members = [m for m in members if header.endswith(":\n") and count.takes(header + m)]
            if members:
                out.append(header + "\n".join(members))
        if count.late:
            break
    return "\n\n".join(out)


# --- Go -------------------------------------------------------------------------------------------------------------

def go_files():
    root = unpack(DEBIAN["go"])
    for name in in_chance_order(str(p.relative_to(root)) for p in root.rglob("*.go") if p.is_file()):
        if (root / name).stat().st_size < LARGEST and "testdata" not in name:
            yield name, (root / name).read_text(encoding="utf-8", errors="replace")


GO_LINES = re.compile(r"(\r?\n[\t ]*|//[^\n]*)+")


def go_join(parser, text):
    """The text with line ends (and comments in them) that the grammar cannot take as a terminal made one blank."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken
    interactive = parser.parse_interactive(text)
    state, out, copied = interactive.lexer_thread.state, [], 0
    lexer = interactive.lexer_thread.lexer.lexers
    try:
        while True:
            position = interactive.parser_state.position
            token = None
            try:
                token = lexer[position].next_token(state, interactive.parser_state)
                if token.type == "EOS" and "EOS" not in interactive.accepts():
                    begin, token = token.start_pos, None
            except UnexpectedCharacters as e:
                begin = e.pos_in_stream
            if token is not None:
                interactive.feed_token(token)
                continue
            lines = GO_LINES.match(text, begin)
            if not lines:
                return None
            out.append(text[copied:begin] + " ")
            copied = state.line_ctr.char_pos = lines.end()
    except UnexpectedToken:
        return None
    except EOFError:
        return "".join(out) + text[copied:]


def go_units(text, count):
    """Package clause, imports and declarations of a gofmt'ed file: what begins in column 0 and ends before the next."""
    package = re.search(r"^package \w+$", text, re.M)
    if not package:
        return ""
    header, out, edited = package.group() + "\n", [], 0
    body = text[package.end():]
    # A declaration: its comment lines, then `func`, ... up to a line that begins with a closing bracket, or one line.
    declaration = re.compile(r"((?://.*\n)*(?:import|func|type|var|const)\b(?:.*[^{(\n]|)\n"
                             r"|(?://.*\n)*(?:import|func|type|var|const)\b.*[{(]\n(?:[^)}\n].*\n|\n)*[)}].*\n)")
    for match in declaration.finditer(body):
        unit = match.group()
        if unit.startswith("import") and any(not u.startswith("import") for u in out):
            continue
        if not count.takes(header + unit):
            joined = go_join(count.parser, header + unit)
            if joined is None or not count.takes(joined, counted=False):
                continue
            unit, edited = joined[len(header):], edited + 1
        out.append(unit)
        if count.late:
            break
    count.units["edited"] += edited
    return header + "\n" + "\n".join(out) if out else ""


# --- Java -----------------------------------------------------------------------------------------------------------

def java_files():
    root = unpack(DEBIAN["java"])
    archive, = root.rglob("src.zip")
    with zipfile.ZipFile(archive) as source:
        names = [n for n in source.namelist() if re.match(r"java\.base/(java|sun|jdk)/.*\.java$", n)]
        for name in in_chance_order(names):
            if source.getinfo(name).file_size < LARGEST:
                yield name, source.read(name).decode("utf-8", "replace")


JAVA_PIECE = re.compile(r'//[^\n]*|/\*.*?\*/|""".*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[{}();]|[^/"\'{}();]+|/', re.S)


def java_split(text):
    """(header up to the first brace, members of that class): by brackets, strings and comments known."""
    depth, parentheses, begin, header, members = 0, 0, 0, None, []
    for piece in JAVA_PIECE.finditer(text):
        p = piece.group()
        if p == "{":
            depth += 1
            if header is None:
                header, begin = text[:piece.end()], piece.end()
        elif p == "}":
            depth -= 1
            if depth == 0:
                break
            rest = text[piece.end():].lstrip()[:1]
            if depth == 1 and parentheses == 0 and rest not in (";", ",", ")", "."):
                members.append(text[begin:piece.end()])
                begin = piece.end()
        elif p in "()":
            parentheses += 1 if p == "(" else -1
        elif p == ";" and depth == 1 and parentheses == 0:
            members.append(text[begin:piece.end()])
            begin = piece.end()
    return header, members


def java_units(text, count):
    """The first class of a file with its members that are accepted."""
    header, members = java_split(text)
    if header is None or not count.takes(header + "}"):
        return ""
    out = [m for m in members if not count.late and count.takes("class A {" + m + "}")]
    return header + "".join(out) + "\n}\n" if out else ""


# --- SQL ------------------------------------------------------------------------------------------------------------

def sql_files():
    """A SELECT each: from the word (after EXPLAIN, CREATE VIEW ... AS, INSERT INTO ... and the like) to the `;` at the end
    of a line. First the TPC-H and TPC-DS queries and other fixtures of sqlglot, then MariaDB's tests."""
    fixtures, tests = fetch_sdist("sqlglot-25.0.0") / "tests/fixtures", unpack(DEBIAN["sql"])
    statement = re.compile(r"^.{0,120}?\b(select\b[^;$\\]{18,4000}?);[ \t]*$", re.M | re.I)
    paths = [str(p) for p in fixtures.rglob("*.sql")]
    paths += in_chance_order(str(p) for p in tests.rglob("*") if p.suffix in (".test", ".inc"))
    seen = set()
    for name in paths:
        text = Path(name).read_text(encoding="utf-8", errors="ignore")
        for found in statement.finditer(text):
            sql = re.sub(r"(?m)^[#-]{1,2} .*\n?", "", found.group(1))
            if sql not in seen:
                seen.add(sql)
                yield str(Path(name).name), sql + "\n"


def sql_units(text, count):
    """The longest subquery of a refused statement that is accepted."""
    found = []
    for begin in re.finditer(r"\(\s*(?=select\b)", text, re.I):
        depth = 1
        for i in range(begin.end(), len(text)):
            depth += {"(": 1, ")": -1}.get(text[i], 0)
            if depth == 0:
                found.append(text[begin.end():i].strip() + "\n")
                break
    for unit in sorted(found, key=len, reverse=True):
        if len(unit) >= 40 and unit not in sql_units.seen:
            sql_units.seen.add(unit)
            if count.takes(unit):
                return unit
    return ""


sql_units.seen = set()


# --- JSON -----------------------------------------------------------------------------------------------------------

def json_files():
    folder = TOP / "build/corpus/json"
    subprocess.run([sys.executable, TOP / "scripts/json_corpus.py", "--out", folder], check=True)
    for name in in_chance_order(p.name for p in folder.glob("*.json")):
        yield name, (folder / name).read_text(encoding="utf-8")


def json_units(text, count):
    """The largest accepted entries of a document that is not accepted, written as its author would have: indented."""
    value = json.loads(text)
    entries = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    kept = []
    for key, entry in entries[:300]:
        if count.takes(json.dumps({str(key): entry}, ensure_ascii=False)):
            kept.append((key, entry))
    if not kept:
        return ""
    whole = dict(kept) if isinstance(value, dict) else [entry for _, entry in kept]
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


# --- Lark -----------------------------------------------------------------------------------------------------------

def lark_files():
    """Grammars: syncode's, lark's, those of its examples and tests."""
    for root in (syncode_grammar("c").parent, fetch_sdist(LARK_SDIST)):
        for path in sorted(root.rglob("*.lark")):
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8")


# --- driver ---------------------------------------------------------------------------------------------------------

REAL = {"go": (go_files, go_units), "java": (java_files, java_units), "json": (json_files, json_units),
        "python": (python_files, python_units), "sql": (sql_files, sql_units), "lark-lark": (lark_files, None),
        "lark-python": (python_files, python_units), "lark-python2": (python_files, python_units)}


def gather(language, options):
    """[(source, text)] and the entry for index.json."""
    path, start = all_grammars()[language]
    parser = load(path, start=start)
    count = Count(parser, time.monotonic() + options.seconds)
    files, units = REAL[language]
    texts, size, outcome = [], 0, collections.Counter()
    for name, text in files():
        if size >= options.bytes or count.late:
            break
        outcome["files"] += 1
        text = text.replace("\r\n", "\n")
        if "\ufffd" in text or "\0" in text:
            outcome["not UTF-8"] += 1
            continue
        if len(text) < 12_000 or units is None:  # a whole one
            why = refusal(parser, text)
            if why is None:
                outcome["whole"] += 1
                texts.append((name, text))
                size += len(text.encode())
                continue
            if language == "sql" or units is None:
                count.causes[why] += 1
            if units is None:
                outcome["refused"] += 1
                count.keep(text)
                continue
        text = units(text, count)
        if len(text) >= 40 and refusal(parser, text) is None:
            outcome["parts"] += 1
            texts.append((name, text))
            size += len(text.encode())
        else:
            outcome["nothing left"] += 1
    return texts, count.refused, {"kind": "real", "files": dict(outcome), "units": dict(count.units),
                   "refused_by_cause": dict(count.causes.most_common(40))}


def derive(language, options):
    """The same for texts that the grammar gives."""
    parser = load(syncode_grammar(language))
    sampler = Sampler(parser, SEED)
    end = time.monotonic() + options.seconds
    texts, size, causes, tried, seen = [], 0, collections.Counter(), 0, set()
    while size < options.bytes and tried < 40_000 and time.monotonic() < end:
        tried += 1
        text = sampler.text("start", 6 + tried % 24, 40 * (1 + tried % 25))
        if text in seen:
            continue
        seen.add(text)
        why = refusal(parser, text)
        if why:
            causes[why] += 1
            continue
        texts.append((f"seed {SEED}, {tried}", text))
        size += len(text.encode())
    return texts, [], {"kind": "derived", "tried": tried, "refused_by_cause": dict(causes.most_common(40))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--languages", default=",".join(SYNCODE_NAMES))
    parser.add_argument("--bytes", type=int, default=1_200_000, help="a language is done when it has so many")
    parser.add_argument("--seconds", type=float, default=150, help="or after so long")
    options = parser.parse_args()
    index_path = options.out / "index.json"
    index = json.loads(index_path.read_text()) if index_path.exists() else {}
    for language in options.languages.split(","):
        begin = time.monotonic()
        texts, refused, entry = gather(language, options) if language in REAL else derive(language, options)
        folder = options.out / language
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.txt"):
            old.unlink()
        beside = options.out / "refused" / language
        beside.mkdir(parents=True, exist_ok=True)
        for i, text in enumerate(refused):
            (beside / f"{i:05}.txt").write_bytes(text.encode())
        digest = hashlib.sha256()
        for i, (_, text) in enumerate(texts):
            data = text.encode()
            digest.update(data)
            (folder / f"{i:05}.txt").write_bytes(data)
        entry |= {"texts": len(texts), "bytes": sum(len(t.encode()) for _, t in texts), "sha256": digest.hexdigest(),
                  "sources": [name for name, _ in texts][:3000]}
        package = TOP / "build/deb" / DEBIAN.get(language, "-") / "PACKAGE"
        if package.exists():
            entry["package"] = package.read_text().strip()
        index[language] = entry
        index_path.write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{language}: {entry['texts']} {entry['kind']} texts, {entry['bytes'] / 1e6:.2f} MB, "
              f"{entry.get('files') or entry.get('tried')}, units {entry.get('units')}, "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        for cause, n in list(entry["refused_by_cause"].items())[:6]:
            print(f"    refused {n}: {cause}")


if __name__ == "__main__":
    main()
