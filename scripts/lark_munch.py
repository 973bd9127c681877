"""A second opinion on texts: docs/language.md in slow, plain Python over a grammar that Lark loaded.

Differs from Lark in two places: the lexer takes the longest match among the terminals that are really viable
(ties: priority, a terminal of the grammar before an ignored one, literal before regex, earlier definition) where
Lark's takes the first of an ordered alternation among those of the parser state; and the parser keeps every action of a
conflict (a graph of stacks) where Lark's LALR takes the shift, or the rule of the higher priority.

Terminals are matched by automata built while they are used from Python's own parse tree of the regex: the longest match, or
the shortest for one whose last quantifier is lazy. Terminals with lookaround, or with a lazy quantifier elsewhere, are matched by
Python's `re`, as Lark does: the first match in its order.
"""
import re
import re._constants as constants
import re._parser as regex_parser


class Automaton:
    """A regex as an automaton over characters, subsets made as texts need them."""

    def __init__(self, pattern, flags):
        self.flags, self.edges, self.empty = flags, [], []  # edges[n] = [(test, to)], empty[n] = [to]
        tree = regex_parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.lazy = ends_lazy(tree)
        begin = self.node()
        self.end = self.sequence(tree, begin)
        self.start = self.close({begin})
        self.memo = {}

    def node(self):
        self.edges.append([])
        self.empty.append([])
        return len(self.edges) - 1

    def sequence(self, tree, at):
        """Adds a regex that begins at a node; the node where it ends."""
        for op, value in tree:
            if op in (constants.LITERAL, constants.NOT_LITERAL, constants.ANY, constants.IN):
                to = self.node()
                self.edges[at].append((self.test(op, value), to))
                at = to
            elif op in (constants.MAX_REPEAT, constants.MIN_REPEAT):
                low, high, inner = value
                for _ in range(low):
                    at = self.sequence(inner, at)
                if high is constants.MAXREPEAT:
                    loop = self.node()
                    self.empty[at].append(loop)
                    self.empty[self.sequence(inner, loop)].append(loop)
                    at = self.node()
                    self.empty[loop].append(at)
                else:
                    out = self.node()
                    for _ in range(high - low):
                        self.empty[at].append(out)
                        at = self.sequence(inner, at)
                    self.empty[at].append(out)
                    at = out
            elif op is constants.SUBPATTERN:
                before, self.flags = self.flags, (self.flags | value[1]) & ~value[2]
                at = self.sequence(value[3], at)
                self.flags = before
            elif op is constants.BRANCH:
                out = self.node()
                for branch in value[1]:
                    self.empty[self.sequence(branch, at)].append(out)
                at = out
            else:
                raise ValueError(str(op))
        return at

    def test(self, op, value):
        """Whether a character goes along an edge: asked of `re`, which knows classes and flags."""
        tree = regex_parser.SubPattern(regex_parser.State())
        tree.append((op, value))
        tree.state.flags = self.flags & ~re.DEBUG
        import re._compiler as compiler
        return compiler.compile(tree, self.flags).fullmatch

    def close(self, nodes):
        stack, seen = list(nodes), set(nodes)
        while stack:
            for to in self.empty[stack.pop()]:
                if to not in seen:
                    seen.add(to)
                    stack.append(to)
        return frozenset(seen)

    def match(self, text, begin):
        """Where the longest (lazy: shortest) match that begins at a place ends, or -1."""
        subset, last = self.start, -1
        for i in range(begin, len(text)):
            key = (subset, text[i])
            if key not in self.memo:
                self.memo[key] = self.close({to for n in subset for test, to in self.edges[n] if test(text[i])})
            subset = self.memo[key]
            if not subset:
                break
            if self.end in subset:
                last = i + 1
                if self.lazy:
                    break
        return last


def ends_lazy(tree):
    """Whether the last quantifier of a regex is lazy (in all alternatives); None: there is none."""
    for op, value in reversed(list(tree)):
        if op in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            if value[0] == value[1]:  # {n} is none
                continue
            return op is constants.MIN_REPEAT
        if op is constants.SUBPATTERN:
            inner = ends_lazy(value[3])
            if inner is not None:
                return inner
        if op is constants.BRANCH:
            ends = {ends_lazy(branch) for branch in value[1]}
            if ends != {None}:
                return ends == {True}
    return None


def matcher(pattern):
    """A function (text, begin) -> end or -1 for one of Lark's terminals."""
    if pattern.type == "str" and not pattern.flags:
        return lambda text, begin: begin + len(pattern.value) if text.startswith(pattern.value, begin) else -1
    expression = pattern.to_regexp()
    tree = regex_parser.parse(expression)
    if not re.search(r"\(\?<?[=!]", expression) and (not has_lazy(tree) or ends_lazy(tree)):
        return Automaton(expression, 0).match
    compiled = re.compile(expression)
    return lambda text, begin: m.end() if (m := compiled.match(text, begin)) else -1


def has_lazy(tree):
    """Whether there is a lazy quantifier anywhere in a regex."""
    for op, value in tree:
        inner = value[1] if op is constants.BRANCH else [value[-1]] if op in (
            constants.SUBPATTERN, constants.MAX_REPEAT, constants.MIN_REPEAT) else []
        if op is constants.MIN_REPEAT or any(map(has_lazy, inner)):
            return True
    return False


class Node:
    """A parser state on a stack, with all that may lie below it."""
    __slots__ = ("position", "below")

    def __init__(self, position):
        self.position, self.below = position, []


class Refused(Exception):
    """A text is not in the language: at .place, because of .why."""

    def __init__(self, place, why):
        super().__init__(f"{why} at {place}")
        self.place, self.why = place, why


class Munch:
    """Reads texts of a grammar that Lark loaded."""

    def __init__(self, parser):
        from lark.parsers.lalr_analysis import LALR_Analyzer
        analyzer = LALR_Analyzer(parser.parser.parser_conf)
        analyzer.compute_lr0_states()
        analyzer.compute_reads_relations()
        analyzer.compute_includes_lookback()
        analyzer.compute_lookaheads()
        number = {s: i for i, s in enumerate(analyzer.lr0_itemsets)}
        self.goto = [{} for _ in number]
        self.reduce = [{} for _ in number]
        for items, i in number.items():
            for symbol, to in items.transitions.items():
                self.goto[i][symbol.name] = number[to]
            for lookahead, rules in items.lookaheads.items():
                self.reduce[i][lookahead.name] = [(r.origin.name, len(r.expansion)) for r in rules]
        start, = analyzer.lr0_start_states
        self.first = number[analyzer.lr0_start_states[start]]
        self.accepting = self.goto[self.first][start]
        conf = parser.lexer_conf
        names = [t.name for t in parser.terminals]
        self.match = {t.name: matcher(t.pattern) for t in parser.terminals}
        self.ignored = [n for n in conf.ignore if n in self.match]
        self.rank = {t.name: (-t.priority, t.name in self.ignored, t.pattern.type != "str", names.index(t.name))
                     for t in parser.terminals}
        self.post = conf.postlex
        self.rows = [[t for t in {**g, **r} if t in self.match] for g, r in zip(self.goto, self.reduce)]

    def push(self, tops, terminal):
        """Tops after a terminal, every reduction tried; an empty list: it is not viable."""
        nodes = {id(n): n for n in tops}
        by_position = {}  # made under this lookahead
        work, shifted = list(tops), {}
        done = set()
        while work:
            node = work.pop()
            for origin, length in self.reduce[node.position].get(terminal, ()):
                level = [node]
                for _ in range(length):
                    level = list({id(b): b for n in level for b in n.below}.values())
                for base in level:
                    to = self.goto[base.position].get(origin)
                    if to is None or (to, id(base)) in done:
                        continue
                    done.add((to, id(base)))
                    if to not in by_position:
                        by_position[to] = Node(to)
                        nodes[id(by_position[to])] = by_position[to]
                    by_position[to].below.append(base)
                    # A new link may let reductions that were done before go further: all are looked at again.
                    work = list(nodes.values())
        for node in nodes.values():
            to = self.goto[node.position].get(terminal)
            if to is not None:
                shifted.setdefault(to, Node(to)).below.append(node)
        if terminal == "$END":
            return [n for n in nodes.values() if n.position == self.accepting]
        return list(shifted.values())

    def read(self, text):
        """[(terminal, begin, end)] of a text of the language, ignored terminals left out, or Refused."""
        tops, found, place = [Node(self.first)], [], 0
        depth, columns = 0, [0]
        while place < len(text):
            row = {t for n in tops for t in self.rows[n.position]} | set(self.ignored)
            if self.post and depth > 0:
                row.add(self.post.NL_type)
            candidates = []
            for name in row:
                end = self.match[name](text, place)
                if end > place:
                    candidates.append((-end, self.rank[name], name))
            for end, _, name in sorted(candidates):
                end = -end
                if name in self.ignored or (self.post and depth > 0 and name == self.post.NL_type):
                    break
                after = self.push(tops, name)
                if after:
                    found.append((name, place, end))
                    tops = after
                    if self.post:
                        depth += (name in self.post.OPEN_PAREN_types) - (name in self.post.CLOSE_PAREN_types)
                        if name == self.post.NL_type:
                            tops = self.indent(tops, text[place:end], end, columns, found)
                    break
            else:
                raise Refused(place, "no viable terminal" if candidates else f"no terminal begins with {text[place]!r}")
            place = end
        while len(columns) > 1:
            columns.pop()
            tops = self.push(tops, self.post.DEDENT_type)
        if not self.push(tops, "$END"):
            raise Refused(place, "unfinished")
        return found

    def indent(self, tops, lexeme, place, columns, found):
        """What a newline terminal that ends at a place does to columns: nothing where more than blanks follow its last "\\n"
        (formats/grammar.md). Lark's Indenter counts the blanks of that line, whatever else it holds."""
        _, line_end, blanks = lexeme.rpartition("\n")
        if not line_end or blanks.strip(" \t\f"):
            return tops
        column = blanks.count(" ") + blanks.count("\t") * self.post.tab_len
        wanted = []
        if column > columns[-1]:
            columns.append(column)
            wanted = [self.post.INDENT_type]
        while column < columns[-1]:
            columns.pop()
            wanted.append(self.post.DEDENT_type)
        if column != columns[-1]:
            raise Refused(place, "dedent to a column that is not open")
        for name in wanted:
            tops = self.push(tops, name)
            found.append((name, place, place))
            if not tops:
                raise Refused(place, f"{name} is not viable")
        return tops


def lark_takes(parser, sequence, text):
    """None when Lark's LALR parser takes a sequence of terminals (not lexed by Lark), else the terminal it refuses."""
    from lark import Token
    from lark.exceptions import UnexpectedInput
    interactive = parser.parse_interactive("")
    for name, begin, end in sequence:
        try:
            interactive.feed_token(Token(name, text[begin:end], begin))
        except UnexpectedInput:
            return name
    post = parser.lexer_conf.postlex
    try:
        opened = 0
        for name, _, _ in sequence:
            opened += (name == post.INDENT_type) - (name == post.DEDENT_type) if post else 0
        for _ in range(opened):
            interactive.feed_token(Token(post.DEDENT_type, ""))
        interactive.feed_eof()
    except UnexpectedInput:
        return "$END"
    return None
