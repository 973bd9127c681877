#!/usr/bin/env python3
"""Who may include whom: the floors of docs/ARCHITECTURE.md, checked.

A file of a module may include its own module's headers, and of each module listed for it the one public header
<module>/<module>.h (all headers of base and include/gcdc). Third-party headers have one door each. CMake links the
same order (CMakeLists.txt). Also: a header must not need another one before it (--headers, slower, needs cc).

  check_floors.py [--headers] [--selftest] [--markdown]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

# module: (folder, modules it may use, third-party headers it may include).
MAY_USE = {
    "formats": ("formats", [], []),
    "include": ("lib/include/gcdc", [], []),
    "shared": ("lib/shared", [], []),
    "base": ("lib/base", ["shared"], ["xxhash.h"]),
    "grammar": ("lib/grammar", ["base", "shared"], ["xxhash.h"]),
    "regex": ("lib/regex", ["base", "shared", "grammar"], ["pcre2.h"]),
    "schema": ("lib/schema", ["base", "shared", "grammar", "regex", "formats"], []),
    "vocab": ("lib/vocab", ["base", "shared", "formats"], ["cjson/cJSON.h", "cJSON.h", "pcre2.h", "utf8proc.h", "xxhash.h"]),
    "lexer": ("lib/lexer", ["base", "grammar", "regex", "formats"], []),
    "lr": ("lib/lr", ["base", "shared", "grammar", "formats"], []),
    "notation": ("lib/notation", ["base", "shared", "grammar", "regex", "lr", "schema", "formats"], ["cjson/cJSON.h"]),
    "tables": ("lib/tables", ["base", "shared", "grammar", "regex", "lexer", "lr", "vocab", "formats"], []),
    "canonical": ("lib/canonical", ["base", "shared", "vocab", "formats"], []),
    "writer": ("lib/writer", ["base", "shared", "tables", "formats"], ["zstd.h", "zstd_errors.h", "xxhash.h"]),
    "compile": ("lib/compile", ["base", "shared", "grammar", "regex", "vocab", "lexer", "lr", "tables", "writer",
                                "canonical", "include", "formats"], []),
    "core": ("lib/runtime/core", ["include", "formats", "shared"], ["zstd.h", "xxhash.h"]),
    "glr": ("lib/runtime/glr", ["core", "include", "formats", "shared"], []),
    "indent": ("lib/runtime/indent", ["core", "include", "formats", "shared"], []),
    "budget": ("lib/runtime/budget", ["core", "include", "formats", "shared"], []),
    "canonical_masks": ("lib/runtime/canonical", ["core", "budget", "include", "formats", "shared"], []),
    "unique": ("lib/runtime/unique", ["core", "include", "formats", "shared"], []),
    "runtime": ("lib/runtime", ["core", "glr", "indent", "budget", "canonical_masks", "unique", "include", "formats", "shared"], []),
    "api": ("lib/api", ["base", "grammar", "schema", "notation", "vocab", "canonical", "writer", "compile", "include", "formats"],
            ["xxhash.h"]),
    "cuda": ("lib/cuda", ["include", "formats"], ["cuda_runtime.h", "algorithm", "ucontext.h"]),
    "python": ("lib/bindings/python", ["include"], ["Python.h"]),
    "llama": ("lib/bindings/llama", ["include"], ["llama.h"]),
    "manifest": ("lib/manifest", ["base"], ["yaml.h"]),
    "cmd": ("cmd", ["base", "grammar", "notation", "schema", "vocab", "canonical", "writer", "compile", "api", "manifest",
                    "cuda", "include", "shared", "formats"],
            ["cJSON.h", "sodium.h", "xxhash.h"]),
}
# All their headers are public, not only <module>/<module>.h.
OPEN = {"base", "include", "formats", "shared", "api", "core", "budget", "canonical_masks"}
# The public header where it is not <module>/<module>.h.
PUBLIC = {"writer": "artifact_image.h"}
# libc and POSIX.
SYSTEM = set("""
assert.h ctype.h dirent.h errno.h fcntl.h float.h fnmatch.h getopt.h inttypes.h limits.h locale.h malloc.h math.h poll.h pthread.h
sched.h setjmp.h signal.h spawn.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
strings.h time.h unistd.h wchar.h sys/file.h sys/mman.h sys/resource.h sys/socket.h sys/stat.h sys/time.h sys/types.h sys/uio.h sys/wait.h
cpuid.h immintrin.h emmintrin.h x86intrin.h arm_neon.h
""".split())
SOURCES = {".c", ".h", ".S", ".cu", ".cuh", ".cpp"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def module_of(path, top):
    """The module whose folder holds this file."""
    for name, (folder, _, _) in MAY_USE.items():
        if (top / folder) in path.parents:
            return name
    return None


def resolve(quote, target, source, top):
    """The file of this tree that an #include means, or None."""
    places = [top, top / "lib", top / "lib/include"]
    if quote == '"':
        places.insert(0, source.parent)
    for place in places:
        found = Path(os.path.normpath(place / target))
        if found.is_file() and top in found.parents:
            return found
    return None


def problem(quote, target, source, module, top):
    """Why this #include is against the floors, or None."""
    folder, uses, third_party = MAY_USE[module]
    found = resolve(quote, target, source, top)
    if found is None:
        if target in SYSTEM or target in third_party:
            return None
        if quote == '"':
            return "no such file"
        return f"not libc, and not among the third-party headers of {module} ({', '.join(third_party) or 'none'})"
    owner = module_of(found, top)
    if owner == module:
        return None
    if owner is None:
        return f"{found.relative_to(top)} belongs to no module"
    if owner not in uses:
        return f"{module} may not use {owner} (it may use: {', '.join(uses) or 'nothing'})"
    public = PUBLIC.get(owner, owner + ".h")
    if owner not in OPEN and found.name != public:
        return f"{found.name} is private to {owner}; its public header is {owner}/{public}"
    return None


def check(top):
    """All violations below top as text; also how many includes were looked at."""
    wrong, looked_at = [], 0
    for module, (folder, _, _) in MAY_USE.items():
        for source in sorted((top / folder).rglob("*.*")):
            if source.suffix not in SOURCES or module_of(source, top) != module:
                continue
            text = source.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                looked_at += 1
                why = problem(match[1], match[2], source, module, top)
                if why:
                    line = text.count("\n", 0, match.start()) + 1
                    wrong.append(f"{source.relative_to(top)}:{line}: {match[0].strip()}: {why}")
    for source in sorted((top / "lib").rglob("*.*")):
        if source.suffix in SOURCES and module_of(source, top) is None:
            wrong.append(f"{source.relative_to(top)}: in no module's folder; add it to MAY_USE in this script")
    return wrong, looked_at


def check_order():
    """MAY_USE itself must have no cycle."""
    done = set()
    while len(done) < len(MAY_USE):
        ready = [m for m, (_, uses, _) in MAY_USE.items() if m not in done and set(uses) <= done]
        if not ready:
            return [f"MAY_USE has a cycle among: {', '.join(sorted(set(MAY_USE) - done))}"]
        done.update(ready)
    return []


def check_page(top):
    """The table of docs/ARCHITECTURE.md says what MAY_USE says."""
    page = (top / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = {m[1]: set(m[2].split()) - {"–"} for m in re.finditer(r"^\| `([\w/]+)` \|[^|]*\| ([^|]*)\|", page, re.M)}
    wrong = []
    for name, (folder, uses, _) in MAY_USE.items():
        row = rows.get("lib/include" if name == "include" else folder)
        if row != set(uses):
            wrong.append(f"docs/ARCHITECTURE.md: the row of {folder} says {row}, MAY_USE says {set(uses) or 'nothing'}")
    return wrong


def check_headers(top, compilers):
    """Each header compiled alone; public ones as C++, too."""
    wrong = []
    for module, (folder, _, _) in MAY_USE.items():
        if folder.startswith("lib/bindings/"):  # need headers of Python, or of an engine
            continue
        for header in sorted((top / folder).rglob("*.h")):
            for name, args in compilers:
                if name == "c++" and module != "include":
                    continue
                command = args + ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{top}", f"-I{top}/lib",
                                  f"-I{top}/lib/include", "-include", str(header), os.devnull]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    wrong.append(f"{header.relative_to(top)} alone, as {name}:\n{done.stderr}")
    return wrong


def selftest():
    """A small tree with one file for each kind of violation, and one for each thing that is allowed."""
    cases = {
        "lib/base/mem.h": ("#include <stdlib.h>\n", None),
        "lib/base/other.h": ("", None),
        "lib/grammar/grammar.h": ('#include "../base/mem.h"\n#include "base/other.h"\n', None),
        "lib/grammar/inner.h": ("", None),
        "lib/grammar/inner.c": ('#include "inner.h"\n#include "grammar.h"\n', None),
        "lib/lr/lr.h": ('#include "../grammar/grammar.h"\n', None),
        "lib/lr/private.c": ('#include "../grammar/inner.h"\n', "private to grammar"),
        "lib/base/up.c": ('#include "../grammar/grammar.h"\n', "base may not use grammar"),
        "lib/grammar/side.c": ('#include "lr/lr.h"\n', "grammar may not use lr"),
        "lib/runtime/leak.c": ('#include "../base/mem.h"\n', "runtime may not use base"),
        "lib/runtime/core/fine.c": ("#include <gcdc/runtime.h>\n#include <zstd.h>\n", None),
        "lib/include/gcdc/runtime.h": ("#include <stdint.h>\n", None),
        "lib/lexer/door.c": ("#include <yaml.h>\n", "not libc"),
        "lib/lexer/typo.c": ('  #  include "lexre.h"\n', "no such file"),
        "lib/newcomer/a.c": ("", "no module's folder"),
    }
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve()
        for name, (text, _) in cases.items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text, encoding="utf-8")
        wrong, _ = check(top)
    failed = []
    for name, (_, expected) in cases.items():
        said = [w for w in wrong if w.startswith(name + ":")]
        if expected is None and said:
            failed.append(f"{name}: should be allowed: {said}")
        if expected is not None and (len(said) != 1 or expected not in said[0]):
            failed.append(f"{name}: expected one message with '{expected}', got {said}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headers", action="store_true", help="also compile each header alone")
    parser.add_argument("--selftest", action="store_true", help="check this script instead of the tree")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/ARCHITECTURE.md")
    options = parser.parse_args()
    if options.markdown:
        for name, (folder, uses, third_party) in MAY_USE.items():
            print(f"| `{folder}` | {' '.join(uses) or '–'} | {' '.join(third_party) or '–'} |")
        return 0
    if options.selftest:
        wrong = selftest()
        print("\n".join(wrong) if wrong else "check_floors: every kind of violation is seen")
        return 1 if wrong else 0
    wrong, looked_at = check(TOP)
    wrong += check_order() + check_page(TOP)
    if looked_at == 0:
        wrong.append("no #include found: is this the right tree?")
    if options.headers:
        wrong += check_headers(TOP, [("c", ["cc", "-std=gnu11", "-xc"]), ("c++", ["c++", "-std=c++17", "-xc++"])])
    if wrong:
        print("\n".join(wrong))
        print(f"check_floors: {len(wrong)} violations of the floors (docs/ARCHITECTURE.md)")
        return 1
    print(f"check_floors: {looked_at} includes, all downwards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
