#!/usr/bin/env python3
"""Names in texts for people: what they point at is there.

    scripts/check_docs.py               (a test: tree.docs)
    scripts/check_docs.py --selftest

1. Links of all .md files: the file exists, and the heading behind '#'.
2. Files that .md files name in backquotes, with a folder of this tree or the end of a source file, and files that
   comments of C name, exist. NAME, MODULE and the like stand for any name.
3. A warning's name is in the list of lib/base/diag.c (else --werror=NAME refuses it) and in docs/cli.md; none else is.
4. The last column of docs/GLOSSARY.md: files, structs and constants exist, and one of them has the term.
5. A constant with a number in brackets, as `LEXER_MAX_READINGS` (16), exists, and a #define gives it this value.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
FOLDERS = "lib|cmd|tests|scripts|docs|formats|cmake"
SOURCES = "c|h|cu|cuh|py|def"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PLACE = re.compile(rf"`((?:{FOLDERS})/[\w./-]+|[\w-]+\.(?:{SOURCES}|md))`")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
NAMED = re.compile(r"(?<![\w/.*<\"{$-])([a-z][a-z0-9_]+\.(?:c|h|cuh|md))\b")
STANDS_FOR = re.compile(r"[A-Z]{4,}")
VALUE = re.compile(r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`\s+\((2\^)?(\d[\d,]*)( MiB)?(?=[ ;,)])")
DEFINED = re.compile(r"^#define\s+([A-Z]\w+)\s+(?:(\d+)u?|\((\d+)u? << (\d+)\))(?=\s|$)", re.M)
WARNING = re.compile(r'(?:diag|schema)_warning\(((?:[^;"]|"(?:[^"\\]|\\.)*")*);')


def headings(text):
    """The anchors of a page, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def check_links(top, pages):
    wrong = []
    for page, text in pages.items():
        for m in LINK.finditer(text):
            target, _, anchor = m.group(1).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = (top / page).parent / target if target else top / page
            if not path.exists():
                wrong.append(f"{page}:{line_of(text, m.start())}: the link {m.group(1)} leads to no file")
            elif anchor and path.suffix == ".md" and anchor not in headings(path.read_text(encoding="utf-8")):
                wrong.append(f"{page}:{line_of(text, m.start())}: {m.group(1)}: no heading of that page is called so")
    return wrong


def check_names(top, pages, sources, files):
    names = {Path(f).name for f in files}
    known = set(files) | {str(p) for f in files for p in Path(f).parents}
    wrong = []
    for page, text in pages.items():
        for m in PLACE.finditer(re.sub(r"```.*?```", lambda b: re.sub(r"[^\n]", " ", b.group(0)), text, flags=re.S)):
            name = m.group(1).rstrip("/")
            is_there = name in known if "/" in name else name in names
            built = name.startswith("tests/") and f"{Path(name).name}.c" in names  # a test's program
            if not is_there and not built and not STANDS_FOR.search(Path(name).name):
                wrong.append(f"{page}:{line_of(text, m.start())}: there is no {name}")
    for source, text in sources.items():
        for c in COMMENT.finditer(text):
            for m in NAMED.finditer(c.group(0)):
                if m.group(1) not in names:
                    wrong.append(f"{source}:{line_of(text, c.start() + m.start())}: there is no {m.group(1)}")
    return wrong


def check_warnings(sources, listed, told):
    """listed: the text of diag.c; told: that of cli.md."""
    block = re.search(r"warnings\[\] = \{(.*?)\}", listed, re.S)
    known = set(re.findall(r'"([\w-]+)"', block.group(1))) - {"all"} if block else set()
    used = set()
    for text in sources.values():
        for m in WARNING.finditer(text):
            used |= set(re.findall(r"\[([a-z]+(?:-[a-z]+)*)\]\"", m.group(1)))
    named = set(re.findall(r"^\| `([\w-]+)` \|", told.partition("**Warnings**")[2].partition("\n\n**")[0], re.M))
    wrong = [f"lib/base/diag.c: the list of warnings lacks {n}" for n in sorted(used - known)]
    wrong += [f"lib/base/diag.c: no warning is called {n}" for n in sorted(known - used)]
    wrong += [f"docs/cli.md: the table of warnings lacks {n}" for n in sorted(known - named)]
    wrong += [f"docs/cli.md: no warning is called {n}" for n in sorted(named - known)]
    return wrong


def check_glossary(text, read):
    """read: {file: text} of all sources and pages."""
    wrong, of_code = [], {f: t for f, t in read.items() if f.startswith(("lib/", "formats/"))}
    for number, line in enumerate(text.splitlines(), 1):
        cells = [c.strip() for c in line.split(" | ")]
        if not line.startswith("| ") or len(cells) < 3 or cells[0] == "| term":
            continue
        where, texts = cells[-1].rstrip("| "), []
        places = {p: [t for f, t in read.items() if f"/{f}".endswith(f"/{p}") or f"/{p}/" in f"/{f}"]
                  for p in re.findall(r"`([\w./-]+)`|\]\(([\w./-]+)", where) for p in p if p}
        places |= {f"struct {p}": [t for t in of_code.values() if f"struct {p} {{" in t]
                   for p in re.findall(r"`struct (\w+)`", where)}
        places |= {p: [t for t in of_code.values() if re.search(rf"\b{p}\b", t)]
                   for p in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", where)}
        for name, found in places.items():
            texts += found
            if not found:
                wrong.append(f"docs/GLOSSARY.md:{number}: there is no {name}")
        terms = re.sub(r"\([^)]*\)|[*`]", "", cells[0].lstrip("| ")).split(", ")
        if not any(re.search(t.strip().replace(" ", "[ _]"), text, re.I) for t in terms for text in texts):
            wrong.append(f"docs/GLOSSARY.md:{number}: {' or '.join(terms)} is in none of the places")
    return wrong


def check_values(pages, sources):
    value_of = {name: int(number or factor) << int(shift or 0)
                for text in sources.values() for name, number, factor, shift in DEFINED.findall(text)}
    wrong = []
    for page, text in pages.items():
        for m in VALUE.finditer(text):
            name, number = m.group(1), int(m.group(3).replace(",", ""))
            told = 2 ** number if m.group(2) else number << 20 if m.group(4) else number
            place = f"{page}:{line_of(text, m.start())}"
            if name in value_of and value_of[name] != told:
                wrong.append(f"{place}: {name} is {value_of[name]}, not {told}")
            if not any(name in source for source in sources.values()):
                wrong.append(f"{place}: there is no {name}")
    return wrong


def check(top, files):
    read = {f: (top / f).read_text(encoding="utf-8", errors="replace") for f in files
            if f.endswith((".md", ".c", ".h", ".cu", ".cuh", ".cpp", ".def"))}
    pages = {f: t for f, t in read.items() if f.endswith(".md")}
    sources = {f: t for f, t in read.items() if not f.endswith(".md")}
    wrong = check_links(top, pages) + check_names(top, pages, sources, files)
    own = {f: t for f, t in sources.items() if f.startswith(("lib/", "cmd/"))}
    wrong += check_glossary(read.get("docs/GLOSSARY.md", ""), read)
    wrong += check_values(pages, own | {f: t for f, t in sources.items() if f.startswith("formats/")})
    return wrong + check_warnings(own, read.get("lib/base/diag.c", ""), read.get("docs/cli.md", ""))


def selftest():
    tree = {"docs/a.md": "# One two\n[x](b.md) [y](#one-two) [z](#three) [w](c.md) `lib/xx.c` `lib/y.c` `z.h` `NAMES.c` `xx.c`\n",
            "docs/b.md": "`X_MAX` (2^10) `Y_MAX` (1,000) `Z_MAX` (16 MiB; x) `Z_MAX` (1 MiB) `Y_MAX` (some 3) `W_MAX` (3)\n",
            "lib/yy.h": "#define X_MAX (1u << 10)\n#define Y_MAX 2000u  // z\n#define Z_MAX (16u << 20)\n",
            "lib/xx.c": '// yyy.c and xx.c\nint f; diag_warning(d, l, "b; [so] [new-one]", 1);\n',
            "lib/base/diag.c": 'warnings[] = {"all", "old"};', "docs/cli.md": "**Warnings** end\n\n| `old` | |\n\n**X**\n",
            "docs/GLOSSARY.md": "| term | meaning | where |\n|---|---|---|\n| int | A | `xx.c` |\n| new word | A | `lib/xx.c` |\n"
                                "| f | A | `struct f`, X_Y of `xx.c` |\n"}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = check(Path(folder), list(tree))
    expected = ["docs/a.md:2: #three: no heading of that page is called so", "docs/a.md:2: the link c.md leads to no file",
                "docs/a.md:2: there is no lib/y.c", "docs/a.md:2: there is no z.h", "lib/xx.c:1: there is no yyy.c",
                "docs/b.md:1: Y_MAX is 2000, not 1000", "docs/b.md:1: Z_MAX is 16777216, not 1048576",
                "docs/b.md:1: there is no W_MAX",
                "lib/base/diag.c: the list of warnings lacks new-one", "lib/base/diag.c: no warning is called old",
                "docs/GLOSSARY.md:4: new word is in none of the places", "docs/GLOSSARY.md:5: there is no struct f",
                "docs/GLOSSARY.md:5: there is no X_Y"]
    assert sorted(found) == sorted(expected), found
    print("check_docs: finds what is wrong")


def main():
    if sys.argv[1:] == ["--selftest"]:
        return selftest()
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, stdout=subprocess.PIPE, text=True)
    files = listed.stdout.split() if not listed.returncode else []
    if not files:
        print("check_docs: skipped: not a checkout of git")
        return 77
    wrong = check(TOP, [f for f in files if (TOP / f).is_file()])
    print("\n".join(wrong) or f"check_docs: {len(files)} files, every name is there")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
