#!/usr/bin/env python3
"""Manual pages of section 3 from the public headers: a page for each function, and one for each header.

    scripts/function_pages.py HEADER... --output FOLDER [--examples FOLDER]        writes FOLDER/man3/*.3

A page has the comment in front of the function, its prototype, the types that the prototype names as the header writes
them, the examples that call it, and the other functions of the same part. gcdc_status, which nearly all return, has a
page of its own. The page of a header is the comment at its top. Same headers, same bytes.
"""
import argparse
import re
import sys
from pathlib import Path

STATUS = "gcdc_status"
PART = re.compile(r"^/\* -{4} (.*?)(?: -*)?(?: \*/)?$")
TYPE = re.compile(r"typedef (?:struct|enum) (gcdc_\w+)(?: \{.*?\n\} \1;|;)|typedef [^;{]*?\b(gcdc_\w+_fn)\([^;]*;", re.S)
FUNCTION = re.compile(r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?^GCDC_API ((?:[^;{]|\n)*?\b(gcdc_\w+)\((?:[^;{]|\n)*?\));", re.S | re.M)


def plain(comment):
    """The words of a comment."""
    return re.sub(r"^[ \t]*\* ?", "", comment.strip(), flags=re.M).strip()


def roff(text):
    """Words as groff reads them: nothing in them is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    return re.sub(r"^\.", r"\\&.", text.replace("~", "\\(ti"), flags=re.M)


def paragraphs(text):
    """Prose, an indented block as it is."""
    out = []
    for block in re.split(r"\n\s*\n", text):
        if all(line.startswith("    ") for line in block.splitlines() if line):
            out.append(".PP\n.nf\n" + roff(block) + "\n.fi")
        else:
            out.append(".PP\n" + roff(block))
    return "\n".join(out)


def page(title, version, name, what, sections):
    lines = [f'.TH {title.upper()} 3 "" "gcdc {version}" "gcdc"', ".SH NAME", f"{roff(name)} \\- {roff(what)}"]
    for heading, body in sections:
        if body:
            lines += [f".SH {heading}", body]
    return "\n".join(lines) + "\n"


def parts_of(text):
    """(heading, its comment, its text) of each part of a header; the first has neither."""
    part, lines = ["", "", []], text.splitlines()
    inside = False
    for line in lines:
        found = PART.match(line)
        if found:
            yield part[0], plain(part[1]), "\n".join(part[2])
            part, inside = [found.group(1).strip(), "", []], not line.rstrip().endswith("*/")
        elif inside:
            part[1] += line.removesuffix("*/") + "\n"
            inside = not line.rstrip().endswith("*/")
        else:
            part[2].append(line)
    yield part[0], plain(part[1]), "\n".join(part[2])


def first_sentence(text, name):
    """What the index of pages says."""
    depth, sentence = 0, " ".join(text.replace("`", "").split())
    for i, c in enumerate(sentence):
        depth += (c in "([") - (c in ")]")
        if depth == 0 and c in ".:;?" and sentence[i + 1:i + 2] in ("", " "):
            sentence = sentence[:i]
            break
    return sentence or name.removeprefix("gcdc_").replace("_", " ")


def pages_of(header, version, examples):
    """(file name, text) of the pages of a header. examples: (file name, text) of programs."""
    text = header.read_text(encoding="utf-8")
    include = f"<gcdc/{header.name}>"
    types = {m.group(1) or m.group(2): m.group(0) for m in TYPE.finditer(text) if "{" in m.group(0) or m.group(2)}
    top = plain(text[2:text.index("*/")])
    parts = list(parts_of(text[text.index("*/") + 2:]))
    names = [m.group(3) for _, _, body in parts for m in FUNCTION.finditer(body)]
    overview = f"gcdc_{header.stem}.h"
    see = ".PP\n" + ",\n".join(f"\\fB{roff(n)}\\fR(3)" for n in names)
    yield f"{overview}.3", page(overview, version, overview, first_sentence(top.partition(":")[2] or top, overview),
                                [("SYNOPSIS", f".B #include {include}"), ("DESCRIPTION", paragraphs(top)), ("SEE ALSO", see)])
    if STATUS in types:
        yield f"{STATUS}.3", page(STATUS, version, STATUS, "the result of a function", [
            ("SYNOPSIS", f".B #include {include}\n.PP\n.nf\n{roff(types[STATUS].expandtabs(4))}\n.fi"),
            ("SEE ALSO", f".PP\n\\fBgcdc_status_text\\fR(3),\n\\fB{overview}\\fR(3)")])
    for heading, about, body in parts:
        functions = list(FUNCTION.finditer(body))
        for m in functions:
            comment = plain(m.group(1) or "")
            prototype = re.sub(r"\n\s*", "\n    ", m.group(2).replace("GCDC_MUST_CHECK ", ""))
            named = dict.fromkeys(re.findall(r"\bgcdc_\w+\b", prototype))
            used = [types[t] for t in named if t in types and t != STATUS]
            status = [STATUS] if STATUS in named else []
            others = [f.group(3) for f in functions if f is not m]
            see = ",\n".join(f"\\fB{roff(n)}\\fR(3)" for n in [*status, *others, overview])
            shown = [name for name, program in examples if re.search(rf"\b{m.group(3)}\(", program)]
            yield f"{m.group(3)}.3", page(m.group(3), version, m.group(3), first_sentence(comment, m.group(3)), [
                ("SYNOPSIS", f".B #include {include}\n.PP\n.nf\n{roff(prototype)};\n.fi"),
                ("DESCRIPTION", paragraphs(comment) if comment else ""),
                ("TYPES", "".join(f".PP\n.nf\n{roff(t.expandtabs(4))}\n.fi\n" for t in used).strip()),
                ("EXAMPLES", "".join(f".PP\n.I examples/{roff(name)}\n" for name in shown).strip()),
                (roff(heading).upper() if heading and about else "NOTES", paragraphs(about) if about else ""),
                ("SEE ALSO", ".PP\n" + see)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("headers", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--examples", type=Path, help="folder of C programs")
    parser.add_argument("--version", default="")
    options = parser.parse_args()
    folder = options.output / "man3"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.3"):
        old.unlink()
    examples = [(p.name, p.read_text(encoding="utf-8")) for p in sorted(options.examples.glob("*.c"))] if options.examples else []
    n = 0
    for header in options.headers:
        for name, text in pages_of(header, options.version, examples):
            (folder / name).write_text(text, encoding="utf-8")
            n += 1
    print(f"function_pages: {n} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
