#!/usr/bin/env python3
"""How files look, as far as a program can be sure about it. What .clang-format says beyond that is a help for editors.

    scripts/check_format.py                   every source file of the tree (a test: tree.format)
    scripts/check_format.py --since COMMIT    also: no line that was added since then is wider than 120 columns
    scripts/check_format.py --selftest

Sources are C, C++, CUDA, Python, shell and CMake files. Texts that tests read are left as they are.
"""
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
WIDTH, TAB = 120, 4
C_FILE = re.compile(r"\.(c|h|cpp|cu|cuh)$")
SOURCE = re.compile(r"\.(c|h|cpp|cu|cuh|py|cmake)$|^scripts/[^.]+$|(^|/)(CMakeLists\.txt|run|readme|deb|manual|systems)$")
NO_SOURCE = re.compile(r"^grammars/|^tests/(fuzz/seeds|golden|cli/(cases|data)|build/(broken|sample))/")
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


def too_wide(diff):
    """(file, line, columns) of lines that a diff without context adds."""
    name, number = "", 0
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line[6:]
        elif line.startswith("@@"):
            number = int(re.search(r"\+(\d+)", line)[1])
        elif line.startswith("+"):
            columns = len(line[1:].expandtabs(TAB))
            if columns > WIDTH and SOURCE.search(name) and not NO_SOURCE.search(name):
                yield name, number, columns
            number += 1


def selftest():
    """Each rule finds what it is for."""
    cases = {"// a\nint x;": "no end", "// a\n\n": "empty lines", "int x;\n": "opens with a comment", "// a\nint x; \n": "blanks",
             "// a\r\n": "carriage return", "// a\n \tint x;\n": "a tab behind", "// a\n\tif(x) y();\n": "between a keyword"}
    for text, words in cases.items():
        found = wrong("a.c", text)
        assert len(found) == 1 and words in found[0][1], (text, found)
    assert not wrong("a.c", "// a\n\tif (x) y();\n")
    diff = "+++ b/lib/a.c\n@@ -1,0 +7,2 @@\n+" + "x" * 120 + "\n+\t" + "x" * 117 + "\n"
    assert list(too_wide(diff)) == [("lib/a.c", 8, 121)], list(too_wide(diff))
    print(f"check_format: {len(cases) + 1} rules find what they are for")


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
    if sys.argv[1:2] == ["--since"]:
        for name, number, columns in too_wide(git("diff", "--unified=0", sys.argv[2])):
            print(f"{name}:{number}: {columns} columns, the limit is {WIDTH} (a tab counts {TAB})")
            bad += 1
    print(f"check_format: {len(names)} files, {bad} places are wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
