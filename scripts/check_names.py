#!/usr/bin/env python3
"""Names: a type has one definition.

    scripts/check_names.py             the C files of lib/ and cmd/ (a test: tree.names)
    scripts/check_names.py --words     how often each word stands in names of types, public functions, files and
                                       folders; in docs/GLOSSARY.md or not
    scripts/check_names.py --selftest

A struct, enum, union or typedef that a header defines is defined in no other header, and in no C file of the same
folder. What one C file alone sees is its own matter, as its static functions are. Not asked: lib/cuda, which shares no
header with lib/runtime and calls the same things by the same names.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TAG = re.compile(r"\b(?:struct|enum|union)\s+(?:\w+\([^)]*\)\s+)?(\w+)\s*\{")
TYPEDEF = re.compile(r"^typedef\b[^;{}]*(?:\{[^{}]*\}[^;{}]*?)?\b(\w+);", re.M)
FOLDERS = "lib", "cmd"


def types(text):
    """The types that a file defines; `typedef struct x x;` defines none."""
    text = COMMENT.sub("", text)
    found = set(TAG.findall(text))
    for m in TYPEDEF.finditer(text):
        name = m.group(1)
        if not re.match(rf"typedef (struct|enum|union) {name} {name};", m.group(0)):
            found.add(name)
    return found


def repeated(files):
    """[what is wrong] of {path: text}."""
    headers, sources = defaultdict(list), []
    for path, text in sorted(files.items()):
        for name in types(text):
            if path.endswith((".h", ".cuh")):
                headers[name].append(path)
            else:
                sources.append((name, path))
    wrong = [f"{name}: {', '.join(paths)}" for name, paths in sorted(headers.items()) if len(paths) > 1]
    for name, path in sorted(sources):
        same = [h for h in headers.get(name, []) if Path(h).parent == Path(path).parent]
        wrong += [f"{name}: {same[0]}, {path}"] if same else []
    return wrong


def read():
    return {str(p.relative_to(TOP)): p.read_text() for folder in FOLDERS for p in sorted((TOP / folder).rglob("*"))
            if p.suffix in (".c", ".h") and "lib/cuda" not in str(p)}


def words(files):
    """{word: the names that have it} of types, public functions, files and folders."""
    names = {name for text in files.values() for name in types(text)}
    names |= {part for path in files for part in Path(path).with_suffix("").parts}
    names |= {name for path, text in files.items() if "/include/" in path
              for name in re.findall(r"\b(gcdc_\w+)\(", COMMENT.sub("", text))}
    found = defaultdict(set)
    for name in names:
        for word in name.lower().split("_"):
            found[word].add(name)
    return found


def print_words():
    glossary = set(re.findall(r"[a-z]+", (TOP / "docs/GLOSSARY.md").read_text().lower()))
    for word, names in sorted(words(read()).items(), key=lambda x: (-len(x[1]), x[0])):
        is_there = any(w in glossary for w in (word, word + "s", word.rstrip("s")))
        print(f"{len(names):4} {'' if is_there else '-':1} {word:20} {' '.join(sorted(names)[:4])}")


def selftest():
    header, other = "struct a { int x; };\ntypedef struct b b;\ntypedef int c;\n", "// struct a {\nenum d { E };\n"
    right = {"lib/m/x.h": header, "lib/n/y.h": other, "lib/n/z.c": "struct a { int y; };\n", "lib/m/w.c": "struct f { int a; };"}
    wrong = [{"lib/k/y.h": "struct a\n{ int z; };"}, {"lib/n/y.h": "typedef VEC(int) c;"},
             {"lib/m/z.c": "struct a { int y; };"},
             {"lib/n/y.h": "typedef struct { int a; } c;"}, {"lib/m/z.c": "union a { int y; };"}]
    failed = ["right: " + w for w in repeated(right)]
    failed += [f"not found: {more}" for more in wrong if len(repeated({**right, **more})) != 1]
    print("\n".join(failed) or f"check_names: {len(wrong)} wrong trees are found")
    return bool(failed)


def main():
    if "--selftest" in sys.argv:
        return selftest()
    if "--words" in sys.argv:
        return print_words()
    files = read()
    wrong = repeated(files)
    for w in wrong:
        print(f"one name for several types: {w}")
    n = sum(len(types(text)) for text in files.values())
    print(f"check_names: {n} types in {len(files)} files, {len(wrong)} places are wrong")
    return bool(wrong)


sys.exit(main())
