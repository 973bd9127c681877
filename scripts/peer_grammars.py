"""syncode's grammars as each peer can read them: for an engine and a language the grammar's text and the list of edits.

No peer loads all five as they are (docs/comparison.md). An edit is a description and substitutions in the text; what is
changed is what the engine refuses, no more, and an edit that changes the language says so. gcdc gets the files unchanged.
"""
import re

from lark_tools import syncode_grammar

# (engines, languages, description, [(pattern, replacement)]); engines: g glrmask, l llguidance, x xgrammar; patterns are regular
# expressions over the whole file with ^ and $ at lines.
EDITS = [
    ("glx", "go java python sql", "priorities of rules and terminals removed", [(r"^([A-Za-z_]\w*)\.-?\d+( *:)", r"\1\2")]),
    ("x", "python", "the ! before a rule's name (keep all tokens in the tree) removed", [(r"^!(\??)", r"\1"), (r"^(\?)!", r"\1")]),
    ("lx", "sql", "rule without a right side (window_definition) and what uses it removed: not used by any text",
     [(r"^window_definition:\s*$", ""), (r' \[ "WINDOW"i window_expr \]', ""), (r"^window_expr:.*$", ""),
      (r"^_window_name:.*$", "")]),
    ("glx", "go", "string terminals with a lazy repetition written as a negated class: the same texts",
     [(r"/`\.\*\?`/", "/`[^`\\\\n]*`/"), (r'/"\.\*\?"/i', '/"[^"\\\\n]*"/')]),
    ("glx", "java", "string terminals with a lazy repetition written as a negated class: the same texts",
     [(r'/"\.\*\?"/', '/"[^"\\\\n]*"/')]),
    ("glx", "java", "block comments without a lazy repetition: the same texts",
     [(r"^BLOCK_COMMENT:.*$", r"BLOCK_COMMENT: /\\/\\*([^*]|\\*+[^*\\/])*\\*+\\//")]),
    ("glx", "sql", "ESCAPED_STRING without a lazy repetition: the same texts",
     [(r"^_STRING_INNER:.*$", ""), (r'^ESCAPED_STRING:.*$', r'ESCAPED_STRING: /"([^"\\\\\\n]|\\\\.)*"/')]),
    ("glx", "python", "strings without lookaround and lazy repetition: nearly the same texts",
     [(r"^STRING :.*$", r"""STRING : /[ubfUBF]?[rR]?("[^"]*"|'[^']*')/"""),
      (r"^LONG_STRING:.*$", 'LONG_STRING: /[ubfUBF]?[rR]?("""([^"]|"[^"]|""[^"])*"""|\'\'\'([^\']|\'[^\']|\'\'[^\'])*\'\'\')/')]),
    ("glx", "python", "indentation is not checked (%declare, INDENT, DEDENT removed), and line ends are also ignored, or no "
     "text with a line break inside brackets could be read: a larger language",
     [(r"^%declare.*$", ""), (r"_NL _INDENT stmt\+ _DEDENT", "_NL stmt+"), (r"^%ignore COMMENT", "%ignore /(\\\\r?\\\\n[\\\\t ]*)+/\n%ignore COMMENT")]),
]
LETTER = {"glrmask": "g", "llguidance": "l", "xgrammar": "x"}


def grammar(language, engine):
    """(text, [edit, ...]) of a language's grammar for an engine."""
    text, edits = syncode_grammar(language).read_text(encoding="utf-8"), []
    for engines, languages, what, substitutions in EDITS:
        if LETTER.get(engine, "-") not in engines or language not in languages.split():
            continue
        before = text
        for pattern, replacement in substitutions:
            text = re.sub(pattern, replacement, text, flags=re.M)
        if text != before:
            edits.append(what)
    return text, edits
