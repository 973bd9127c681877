"""What the scripts that compare with Lark share: where the grammars are, how their authors load them, what Lark says to
a text, and a sampler that derives texts from a loaded grammar.

The ten grammars of the PyPI package `syncode` come from its sdist (fetched once into build/syncode with
`pip download --no-deps`; nothing of it is run); those of `lark` lie inside the installed package and, the examples, in
its sdist. syncode loads all with parser="lalr", lexer="basic"; Lark's own default for LALR is lexer="contextual", and that is
what "Lark accepts" means here unless said otherwise.
"""
import random
import re
import re._parser as regex_parser
import subprocess
import sys
import tarfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
SYNCODE = "syncode-0.4.16"
LARK_SDIST = "lark-1.3.1"
SYNCODE_NAMES = ["c", "calc", "go", "invariants", "java", "json", "prover9", "python", "sql", "tiny"]
# What gcdc needs to be told about a grammar that gets its indentation from a Lark Indenter: the same names and tab_len.
INDENT_SYNCODE = "newline=_NL indent=_INDENT dedent=_DEDENT open=LPAR,LSQB,LBRACE close=RPAR,RSQB,RBRACE tab=+4"
INDENT_LARK = "newline=_NEWLINE indent=_INDENT dedent=_DEDENT open=LPAR,LSQB,LBRACE close=RPAR,RSQB,RBRACE tab=+8"


def fetch_sdist(name):
    """Folder of an unpacked sdist, name-version, below build/; fetched when it is not there."""
    folder = TOP / "build/sdist" / name
    if not folder.exists():
        package, version = name.rsplit("-", 1)
        parent = folder.parent
        parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
                        "--dest", parent, f"{package}=={version}"], check=True)
        print(f"fetched {package} {version} (sdist)", file=sys.stderr)
        with tarfile.open(parent / f"{name}.tar.gz") as archive:
            # Debian 12's Python has no filters yet.
            archive.extractall(parent, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return folder


def syncode_grammar(name):
    """Path of one of syncode's grammars."""
    return fetch_sdist(SYNCODE) / f"syncode/parsers/grammars/{name}.lark"


def all_grammars():
    """{name: (path, start)} of the grammars that are meant for LALR: syncode's by their names, and of lark's sdist its own
    grammars and the examples, `lark-...`, those inside Python files too (written to build/sdist/examples)."""
    import ast
    found = {name: (syncode_grammar(name), "start") for name in SYNCODE_NAMES}
    lark = fetch_sdist(LARK_SDIST)
    starts = {"python": "file_input", "python2": "file_input"}
    files = [lark / f"lark/grammars/{n}.lark" for n in ("lark", "python")]  # common, unicode: terminals to import, no start
    files += [p for p in sorted((lark / "examples").rglob("*.lark"))
              if p.parent.name not in ("relative-imports", "tests", "standalone")]
    for path in files:
        found[f"lark-{path.stem}"] = (path, starts.get(path.stem, "start"))
    folder = TOP / "build/sdist/examples"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((lark / "examples").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = {n.targets[0].id: n.value.value for n in tree.body if isinstance(n, ast.Assign)
                 and isinstance(n.targets[0], ast.Name) and isinstance(n.value, ast.Constant)}
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Lark" and call.args:
                given = {k.arg: k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)}
                text = texts.get(getattr(call.args[0], "id", None))
                if given.get("parser") == "lalr" and isinstance(text, str):
                    out = folder / f"{path.stem}.lark"
                    out.write_text(text.lstrip("\n"), encoding="utf-8")
                    found[f"lark-{path.stem}"] = (out, given.get("start", "start"))
    return found


def indent_option(path):
    """What gcdc must be told about a grammar with a Lark Indenter, or None."""
    text = Path(path).read_text(encoding="utf-8")
    if not re.search(r"^\s*%declare.*_INDENT", text, re.M):
        return None
    return INDENT_SYNCODE if re.search(r"^\s*_NL\b", text, re.M) and "syncode" in str(path) else \
        INDENT_LARK.replace("_NEWLINE", "_NL") if re.search(r"^\s*_NL\b", text, re.M) else INDENT_LARK


def make_indenter(newline, tab):
    """A Lark Indenter as syncode's and Lark's own PythonIndenter are: brackets ( [ {, `tab` columns a tab."""
    from lark.indenter import Indenter

    class Indentation(Indenter):
        NL_type = newline
        OPEN_PAREN_types = ["LPAR", "LSQB", "LBRACE"]
        CLOSE_PAREN_types = ["RPAR", "RSQB", "RBRACE"]
        INDENT_type = "_INDENT"
        DEDENT_type = "_DEDENT"
        tab_len = tab
    return Indentation()


def load(path, lexer="contextual", start="start"):
    """A grammar file as Lark's LALR; with an Indenter where the grammar declares _INDENT."""
    from lark import Lark
    text = Path(path).read_text(encoding="utf-8")
    told = indent_option(path)
    postlex = told and make_indenter(re.search(r"newline=(\w+)", told)[1], int(told.rsplit("+", 1)[1]))
    return Lark(text, parser="lalr", lexer=lexer, start=start, postlex=postlex, maybe_placeholders=False,
                import_paths=[str(Path(path).parent)], source_path=str(path))


def refusal(parser, text):
    """None when Lark accepts the text, else the cause in a few words (the same words for the same kind of cause)."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken
    try:
        parser.parse(text)
        return None
    except UnexpectedCharacters as e:
        return f"no terminal begins with {text[e.pos_in_stream]!r}"
    except UnexpectedToken as e:
        return f"unexpected {e.token.type}" + (f" {str(e.token)!r}" if len(e.token) < 12 else "")
    except Exception as e:  # an Indenter fails on its own: IndexError (a newline terminal without "\n"), AssertionError
        return type(e).__name__


def terminals(parser, text):
    """[(terminal, begin, end)] that Lark's lexer gives for a text that the grammar accepts, ignored ones left out."""
    interactive = parser.parse_interactive(text)
    found = []
    for token in interactive.lexer_thread.lex(interactive.parser_state):
        interactive.feed_token(token)
        found.append((token.type, token.start_pos, token.end_pos))
    interactive.feed_eof()
    return found


# --- deriving texts -------------------------------------------------------------------------------------------------

class Sampler:
    """Random sentences of a loaded grammar: a random walk down its productions that turns to the shortest way out at a
    depth, and for each terminal a random text of its regular expression. Some are refused by Lark (its lexer or its
    conflict resolution reads them otherwise): ask it."""

    def __init__(self, parser, seed):
        self.random = random.Random(seed)
        self.rules = {}
        for rule in parser.rules:
            self.rules.setdefault(rule.origin.name, []).append([(s.is_term, s.name) for s in rule.expansion])
        self.least = {}  # nonterminal: expansions of the shortest trees
        self.patterns = {t.name: t.pattern for t in parser.terminals}
        self.ignored = [n for n in parser.lexer_conf.ignore if n in self.patterns]
        self.trees, self.classes, self.blank = {}, {}, None
        self.height = {}  # of the shortest tree
        changed = True
        while changed:
            changed = False
            for name, expansions in self.rules.items():
                h = min((self.reach(e) for e in expansions), default=10**6)
                if h < self.height.get(name, 10**6):
                    self.height[name] = h
                    changed = True
        for name, expansions in self.rules.items():
            self.least[name] = [e for e in expansions if self.reach(e) == self.height[name]]

    def reach(self, expansion):
        """Height of the shortest tree of an expansion."""
        return 1 + max((0 if term else self.height.get(name, 10**6) for term, name in expansion), default=0)

    def sentence(self, start, depth, most=400):
        """Names of terminals, at most about `most`."""
        out, stack = [], [(False, start, 0)]
        while stack:
            term, name, level = stack.pop()
            if term:
                out.append(name)
                continue
            choices = self.rules[name]
            # Helper rules of Lark's (x*, x+) are left recursive: they count as no level, or lists would be short.
            if level >= depth or len(out) + len(stack) > most:
                choices = self.least[name]
            step = 0.15 if name.startswith("__") else 1
            stack += [(t, n, level + step) for t, n in reversed(self.random.choice(choices))]
        return out

    def terminal_text(self, name):
        """A random text that is a match of a terminal as a whole."""
        pattern = self.patterns[name]
        if pattern.type == "str":
            return pattern.value
        flags = 0
        for flag in pattern.flags:
            flags |= getattr(re, flag.upper())
        if name not in self.trees:
            self.trees[name] = regex_parser.parse(pattern.value, flags)
        tree = self.trees[name]
        for _ in range(200):
            text = self.regex_text(tree, flags)
            if re.fullmatch(pattern.value, text, flags):
                return text
        raise ValueError(f"no text for {name}")

    def regex_text(self, tree, flags):
        """A random text of a parsed regular expression; assertions are left to the caller's fullmatch."""
        out = []
        for op, value in tree:
            op = str(op)
            if op == "LITERAL":
                out.append(chr(value))
            elif op == "NOT_LITERAL":
                out.append(self.random.choice([c for c in "ab z09_." if ord(c) != value]))
            elif op == "ANY":
                out.append(self.random.choice("abcxyz 019_+-."))
            elif op == "IN":
                out.append(self.class_text(value))
            elif op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                low, high, inner = value
                count = min(low + int(self.random.expovariate(0.5)), high)
                out += [self.regex_text(inner, flags) for _ in range(count)]
            elif op == "SUBPATTERN":
                out.append(self.regex_text(value[-1], flags))
            elif op == "BRANCH":
                out.append(self.regex_text(self.random.choice(value[1]), flags))
            elif op not in ("ASSERT", "ASSERT_NOT", "AT"):
                raise ValueError(f"regular expression with {op}")
        return "".join(out)

    def class_text(self, items):
        """One character of a class, from printable ASCII where that has any."""
        key = str(items)
        if key not in self.classes:
            self.classes[key] = self.class_members(items)
        return self.random.choice(self.classes[key])

    @staticmethod
    def class_members(items):
        """Characters of a class."""
        source = "".join(chr(c) for c in range(32, 127)) + "\t\n\r\f"
        shorthand = {"CATEGORY_DIGIT": str.isdigit, "CATEGORY_SPACE": str.isspace,
                     "CATEGORY_WORD": lambda c: c.isalnum() or c == "_"}
        negate = str(items[0][0]) == "NEGATE"

        def holds(c):
            for op, value in items:
                op = str(op)
                if (op == "LITERAL" and ord(c) == value) or (op == "RANGE" and value[0] <= ord(c) <= value[1]):
                    return True
                if op == "CATEGORY":
                    name = str(value)
                    if shorthand[name.replace("NOT_", "")](c) != ("NOT_" in name):
                        return True
            return False
        few = [c for c in source if holds(c) != negate and (c.isprintable() or not negate)]
        if few:
            return few
        for op, value in items:
            if str(op) in ("LITERAL", "RANGE"):
                return [chr(value if str(op) == "LITERAL" else value[0])]
        raise ValueError("class without a character")

    def text(self, start, depth, most=400):
        """A text: terminals with a space or a line break between them where the grammar ignores those."""
        if self.blank is None:
            self.blank = next((b for b in (" ", "\t") if any(self.matches(n, b) for n in self.ignored)), "")
        blank, line = self.blank, "\n" if any(self.matches(n, "\n") for n in self.ignored) else self.blank
        out = []
        for name in self.sentence(start, depth, most):
            piece = self.terminal_text(name)
            if out and blank:
                both = (out[-1][-1] + piece[0]).replace("_", "a")
                if both.isalnum() or self.random.random() < 0.5:
                    out.append(line if out[-1] in (";", "{", "}") else blank)
            out.append(piece)
        return "".join(out)

    def matches(self, name, text):
        """Whether an ignored terminal matches a text."""
        return re.fullmatch(self.patterns[name].to_regexp(), text) is not None
