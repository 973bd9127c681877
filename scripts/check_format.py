#!/usr/bin/env python3
"""How files look: the rules below for all sources, and clang-format 14 for C, C++ and CUDA.

    scripts/check_format.py             every source file of the tree (a test: tree.format)
    scripts/check_format.py --fix       clang-format lays out the files that need it
    scripts/check_format.py --selftest

Sources are C, C++, CUDA, Python, shell and CMake files. Texts that tests read are left as they are.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
WIDTH, TAB = 120, 4
C_FILE = re.compile(r"\.(c|h|cpp|cu|cuh)$")
SOURCE = re.compile(r"\.(c|h|cpp|cu|cuh|py|cmake)$|^scripts/[^.]+$|(^|/)(CMakeLists\.txt|run|readme|deb|manual|systems)$")
NO_SOURCE = re.compile(r"^grammars/|^tests/(fuzz/seeds|golden|cli/(cases|data)|build/(broken|sample))/")
TABLES = {"lib/vocab/unicode_16.h"}   # made by scripts/unicode_16.py: nobody lays it out
KEYWORD = re.compile(r"^\s*(?:\} else )?(if|for|while|switch)\(")


def wrong(name, text):
    """[(line, what is wrong with it)] of a file."""
    lines = text.split("\n")
    found = []
    if text and not text.endswith("\n"):
        found.append((len(lines), "the last line has no end"))
    if text.endswith("\n\n"):
        found.append((len(lines) - 1, "empty lines at the end of the file"))
    is_c = bool(C_FILE.search(name))
    if is_c and not text.startswith(("//", "/*")):
        found.append((1, "a file opens with a comment that says what is in it"))
    for number, line in enumerate(lines, 1):
        if is_c and name not in TABLES and len(line.expandtabs(TAB)) > WIDTH:
            found.append((number, f"{len(line.expandtabs(TAB))} columns, the limit is {WIDTH} (a tab counts {TAB})"))
        if line != line.rstrip():
            found.append((number, "blanks (or a carriage return) at the end of the line"))
        if re.match(r" +\t", line):
            found.append((number, "a tab behind blanks"))
        if is_c and KEYWORD.match(line):
            found.append((number, "a blank stands between a keyword and its parenthesis"))
    return found


def git(*args):
    return subprocess.run(["git", *args], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout


def sources():
    try:
        names = git("ls-files", "-co", "--exclude-standard").splitlines()
    except (OSError, subprocess.CalledProcessError):   # a tree without git: what was unpacked
        names = [str(p.relative_to(TOP)) for top in ("cmd", "lib", "formats", "tests", "scripts", "docs", "cmake")
                 for p in (TOP / top).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    return [n for n in names if SOURCE.search(n) and not NO_SOURCE.search(n) and (TOP / n).is_file()]


def formatter():
    """The command of clang-format 14 (other versions lay out otherwise), or None."""
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name) and re.search(r"version 14\.", subprocess.run([name, "--version"], stdout=subprocess.PIPE, text=True).stdout):
            return name
    return None


def laid_out_otherwise(names, fix):
    """Places that clang-format would change, as it prints them; with `fix` it changes them."""
    command = formatter()
    if not command:
        print("check_format: no clang-format 14 here: the layout of C is not checked (scripts/install_deps brings it)")
        return []
    files = [str(TOP / n) for n in names if C_FILE.search(n) and n not in TABLES]
    run = subprocess.run([command, "-i" if fix else "--dry-run", *files], cwd=TOP, stderr=subprocess.PIPE, text=True)
    return [line for line in run.stderr.splitlines() if "clang-format-violations" in line]


def selftest():
    """Each rule finds what it is for."""
    cases = {"// a\nint x;": "no end", "// a\n\n": "empty lines", "int x;\n": "opens with a comment", "// a\nint x; \n": "blanks",
             "// a\r\n": "carriage return", "// a\n \tint x;\n": "a tab behind", "// a\n\tif(x) y();\n": "between a keyword"}
    for text, words in cases.items():
        found = wrong("a.c", text)
        assert len(found) == 1 and words in found[0][1], (text, found)
    assert not wrong("a.c", "// a\n\tif (x) y();\n")
    assert len(wrong("a.c", "// a\n\t" + "x" * 117 + "\n")) == 1 and not wrong("a.c", "// a\n\t" + "x" * 116 + "\n")
    print(f"check_format: {len(cases) + 2} rules find what they are for")


def main():
    if sys.argv[1:] == ["--selftest"]:
        selftest()
        return 0
    bad = 0
    names = sources()
    for name in names:
        for number, what in wrong(name, (TOP / name).read_bytes().decode("utf-8")):
            print(f"{name}:{number}: {what}")
            bad += 1
    for place in laid_out_otherwise(names, fix=sys.argv[1:] == ["--fix"]):
        print(place)
        bad += 1
    print(f"check_format: {len(names)} files, {bad} places are wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
