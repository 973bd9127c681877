#!/usr/bin/env python3
"""The tables of formats/artifact.md that formats/sections.def says: what each section holds, and its bounds.

    scripts/sections.py            are they in artifact.md as they should be? (a test: tree.sections)
    scripts/sections.py --write    put them in
    scripts/sections.py --selftest

Also checked: ids ascend, a row stands in its group's block, and no id that was ever given means another section now.
"""
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TABLE, PAGE = TOP / "formats/sections.def", TOP / "formats/artifact.md"
BEGIN, END = "<!-- {}: from sections.def by scripts/sections.py -->", "<!-- end of {} -->"
GROUPS = {"CORE": "always", "VOCAB": "tokens", "CONTROL": "control tokens", "STEP": "steps", "COUNTER": "counters", "UNIQUE": "unique items", "COST": "costs", "KEPT": "kept steps", "CANON": "canonical", "TOKENIZER": "canonical, tokens",
          "LEXEMES": "canonical", "REGEX": "regex", "NOTE": "optional", "SCHEMA": "JSON Schema",
          "FAR": "optional"}
INFOS = {"i": "", "c": "cost ", "s": "step ", "e": "kept ", "k": "canon ", "r": "regex ", "t": "counters ", "u": "uniques "}
GIVEN_UP = {79, 65598}   # ids that older versions used
ROW = re.compile(r"(HEAD|LIST|TABLE|BELOW_OR_NONE|BELOW|FROM_TO|WITHIN|WORDS_BELOW_OR_NONE|WORDS_BELOW)\(")


def arguments(text, at):
    """The arguments of the call whose '(' is before `at`, split at its own commas, and where it ends."""
    found, depth, start, in_text = [], 0, at, False
    while True:
        c = text[at]
        if c == '"' and text[at - 1] != "\\":
            in_text = not in_text
        elif not in_text and c == "(":
            depth += 1
        elif not in_text and (c == "," and depth == 0 or c == ")" and depth == 0):
            found.append(" ".join(text[start:at].split()))
            start = at + 1
            if c == ")":
                return found, at + 1
        elif not in_text and c == ")":
            depth -= 1
        at += 1


def words(literal):
    return "".join(re.findall(r'"([^"]*)"', literal))


def plain(count):
    """An expression over i, c, k, r, t, u for people."""
    count = re.sub(r"\(uint64_t\)|\bUINT\d+_MAX\b", "", count)
    count = re.sub(r"BITMAP_WORDS\((.*?)\)", r"ceil(\1 / 32)", count)
    count = re.sub(r"\b([ickserxtu])->(\w+)", r"\2", count)
    count = re.sub(r"^\((.*)\)$", r"\1", count.strip())
    return count.replace("n_lines ? n_lr_states : 0", "n_lr_states or 0").replace(" * ", " x ").replace("strlen(provenance)", "any").replace("m->n_unenforced", "any").replace("m->n_far", "any")


def read(text):
    """[section], each with its bounds, and what is wrong with the table."""
    sections, wrong, group = [], [], None
    body = text[text.index("// ---- Always there"):]
    at = 0
    while True:
        block = re.compile(r"#if !defined\(SECTIONS_OF\) \|\| SECTIONS_OF == SECTIONS_(\w+)").search(body, at)
        row = re.compile(r"^" + ROW.pattern, re.M).search(body, at)
        if not row:
            break
        if block and block.start() < row.start():
            group, at = block.group(1), block.end()
            continue
        kind, (args, at) = row.group(1), arguments(body, row.end())
        if kind in ("HEAD", "LIST", "TABLE"):
            number, name, member, entry = args[:4]
            count = {"HEAD": "1", "LIST": f"{args[4]}->{args[5]}" if kind == "LIST" else "", "TABLE": args[4]}[kind]
            codec, own, since, about = args[-4:]
            sections.append({"id": int(number), "name": name, "entry": entry, "count": count, "codec": codec, "group": own,
                             "since": since, "about": words(about), "bounds": []})
            if len(sections) > 1 and sections[-2]["id"] >= int(number):
                wrong.append(f"{name}: ids must ascend")
            if int(number) in GIVEN_UP:
                wrong.append(f"{name}: {number} once meant something else")
            if own != group:
                wrong.append(f"{name}: its group is {own}, it stands in the block of {group}")
            continue
        if not sections or args[0] != sections[-1]["name"]:
            wrong.append(f"{kind}({args[0]}, ...) does not stand below its section")
            continue
        sections[-1]["bounds"].append(bound(kind, args))
    return sections, wrong


def bound(kind, args):
    limit = plain(args[-2])
    if kind == "FROM_TO":
        return f"`{args[1]}` from {plain(args[2])}, < {limit}"
    if kind == "WITHIN":
        return f"`{args[1]} + {args[2]}` <= {limit}"
    if kind.startswith("WORDS"):
        masked = kind == "WORDS_BELOW" and plain(args[1])
        return (f"entry & {masked}" if masked else "entry") + f" < {limit}" + (" or NONE" if "NONE" in kind else "")
    return f"`{args[1]}` < {limit}" + (" or NONE" if "NONE" in kind else "")


def markdown(sections):
    rows = ["| id | section | there | entries | codec | since | what it holds | bounds of an entry |",
            "|---|---|---|---|---|---|---|---|"]
    for s in sections:
        entry = re.sub(r"\buint(\d+)_t\b", r"u\1", s["entry"].replace("struct artifact_", ""))
        rows.append(f"| {s['id']} | {s['name']} | {GROUPS[s['group']]} | {entry} [{plain(s['count'])}] | "
                    f"{s['codec'].replace('ZSTD_', '')} | {s['since']} | {s['about']} | {'; '.join(s['bounds'])} |")
    return "\n".join(rows)


def put_in(page, name, table):
    begin, end = BEGIN.format(name), END.format(name)
    before, rest = page.split(begin)
    return before + begin + "\n\n" + table + "\n\n" + end + rest.split(end)[1]


def selftest():
    sample = '''// ---- Always there
#if !defined(SECTIONS_OF) || SECTIONS_OF == SECTIONS_CORE
LIST(2, A, as, char, i, n, ZSTD, CORE, 1, "x; "
	"y")
WITHIN(A, at, n, (uint64_t)i->n_b + 1, "end")
TABLE(79, B, bs, uint32_t, (uint64_t)i->n * 2, RAW, COST, 1, "z")
BELOW(A, f, 1, "w")
#endif
'''
    sections, wrong = read(sample)
    assert [s["name"] for s in sections] == ["A", "B"], sections
    assert sections[0]["about"] == "x; y" and sections[0]["bounds"] == ["`at + n` <= n_b + 1"], sections
    assert len(wrong) == 3, wrong
    assert put_in("a " + BEGIN.format("t") + " old " + END.format("t") + " b", "t", "new").count("new") == 1


def main():
    if "--selftest" in sys.argv:
        return selftest()
    sections, wrong = read(TABLE.read_text())
    page = PAGE.read_text()
    new = put_in(page, "sections", markdown(sections))
    if "--write" in sys.argv:
        PAGE.write_text(new)
    elif new != page:
        wrong.append("formats/artifact.md: its table is not what sections.def says; scripts/sections.py --write")
    for line in wrong:
        print(line)
    print(f"sections: {len(sections)} sections, {sum(len(s['bounds']) for s in sections)} bounds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
