#!/usr/bin/env python3
"""lib/vocab/unicode_16.h: characters that Unicode 16.0 has and PCRE2 10.42, with its 14.0, has not.

    python3 -m venv V && V/bin/pip install unicodedata2==16.0.0 fonttools
    V/bin/python scripts/unicode_16.py > lib/vocab/unicode_16.h

Python 3.11's own tables are those of 14.0, unicodedata2's those of 16.0; fontTools says which characters are Han. For
the next version of Unicode, or of PCRE2: the two numbers below, and what to install.
"""
import sys
import unicodedata as old

import unicodedata2 as new
from fontTools.unicodedata import script

OLD, NEW, COLUMNS = "14.0.0", "16.0.0", 103
PROPERTIES = ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "P", "S"]
SPACE = [(9, 13), (0x20,), (0x85,), (0xA0,), (0x1680,), (0x2000, 0x200A), (0x2028,), (0x2029,), (0x202F,), (0x205F,),
         (0x3000,)]
HEAD = """// Characters that PCRE2 may not know yet: assigned in Unicode 15.0, 15.1 and 16.0 (Oniguruma, which HuggingFace's
// tokenizers uses, has 16.0; PCRE2 10.42 has 14.0). One string a property, in the syntax of a PCRE2 class. Made by
// scripts/unicode_16.py.
#ifndef GCDC_VOCAB_UNICODE_16_H
#define GCDC_VOCAB_UNICODE_16_H

static const struct { const char *property, *pcre, *more; } unicode_property[] = {"""


def ranges(holds):
    """[(first, last)] of the code points for which it holds."""
    found = []
    for c in range(0x110000):
        if holds(c):
            if found and found[-1][1] == c - 1:
                found[-1] = (found[-1][0], c)
            else:
                found.append((c, c))
    return found


def item(span):
    first, last = span[0], span[-1]
    return f"\\\\x{{{first:X}}}" + (f"-\\\\x{{{last:X}}}" if last > first else "")


def strings(spans, indent, end):
    """C strings of at most COLUMNS, a range whole."""
    lines = [""]
    for span in spans:
        if len(indent) + len(lines[-1]) + len(item(span)) > COLUMNS:
            lines.append("")
        lines[-1] += item(span)
    return "\n".join(f'{indent}"{line}"' for line in lines) + end


def main():
    assert old.unidata_version == OLD and new.unidata_version == NEW, (old.unidata_version, new.unidata_version)
    print(HEAD)
    for name in PROPERTIES:
        spans = ranges(lambda c: new.category(chr(c)).startswith(name) and not old.category(chr(c)).startswith(name)
                       and old.category(chr(c)) == "Cn")
        print(f'        {{"{name}", "\\\\p{{{name}}}",\n' + strings(spans, " " * 9, "},"))
    han = ranges(lambda c: script(chr(c)) == "Hani" and old.category(chr(c)) == "Cn" and new.category(chr(c)) != "Cn")
    print('        {"Han", "\\\\p{sc:Han}",\n' + strings(han, " " * 9, "},"))
    print("};\n\n// White space as Oniguruma has it: PCRE2 adds U+180E.")
    space = [range(s[0], s[-1] + 1) for s in SPACE]
    rest = ranges(lambda c: not any(c in r for r in space))
    for name, spans in (("UNICODE_SPACE", SPACE), ("UNICODE_NO_SPACE", rest)):
        print(f"#define {name}".ljust(115) + "\\")
        print(strings(spans, "\t", "").replace("\n", "   \\\n"))
    print("\n#endif")


if __name__ == "__main__":
    sys.exit(main())
