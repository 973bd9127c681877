# Why: what the lexer decides. Longest match, keywords, comments, lookahead, texts that nothing can finish.
cat >"$work/g.lark" <<'END'
start: (call | assign | range)*
call: IF "(" NAME ")"
assign: NAME "=" (INT | FLOAT) ";"
range: INT RANGE INT ";"
IF: "if"
NAME: /[a-z]+/
INT: /[0-9]+/
FLOAT: /[0-9]+\.[0-9]+/
RANGE: ".."
COMMENT: /\/\*(.|\n)*?\*\//
%ignore COMMENT
%ignore / +/
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc"
. "$data/why.sh"
why --prefix 'if' --token '('
why --prefix 'if' --token 'x('
why --prefix 'if' --token '='
why --prefix '1.' --token '.'
why --prefix '1.' --token '5'
why --prefix 'x=1.' --token '.'
why --prefix 'x=1 ' --token '.'
why --prefix '/* a' --eos
why --prefix '/* a *' --token '/'
why --prefix '/* a */ 1..2' --token ';'
why --prefix 'x=1.5' --token '.'
why --prefix 'if(if' --token ')'

# A NAME only where no colon follows; a "\n" that a comment has eaten before the parser could have it.
cat >"$work/g.lark" <<'END'
start: (NAME | LABEL ":")+ LINE
NAME: /[a-z]+(?!:|[a-z])/
LABEL: /[a-z]+(?=:)/
LINE: "\n"
REST: /#[^\n]*\n/
%ignore REST
%ignore " "
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc"
why --prefix 'ab' --token ':'
why --prefix 'ab ' --token ':'
why --prefix 'ab' --eos
why --prefix 'ab#' --token-escaped '\n'

# Two terminals that nothing can separate.
cat >"$work/g.lark" <<'END'
start: "a" NAME NAME | "b" NAME ";"
NAME: /[a-z]+/
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why --token b
why --prefix 'b' --token ';'

# A dead end: what could be read goes on, but white space swallows the line's end that is wanted.
cat >"$work/g.lark" <<'END'
start: NAME LINE
NAME: /[a-z]+/
LINE: "\n"
%ignore /[ \n]+/
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why --prefix 'a' --token ' '
why --prefix 'a' --token-escaped '\n'
why --prefix 'a' --token-escaped '\n\n'

# FLOAT, or INT and what follows.
cat >"$work/g.lark" <<'END'
start: (INT | FLOAT "!" | DOT)+
INT: /1+/
FLOAT: /1+\.1+/
DOT: "."
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why --prefix '1.1' --token .
why --prefix '1.' --token .

# Lookahead: a KEY only before "=", an A only where no b follows.
cat >"$work/g.lark" <<'END'
start: KEY "=" A "b"? | "!" A "c"
KEY: /[k-z]+(?==)/
A: /a(?!b)/
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc" 2>&1
why --prefix 'key' --token 'y'
why --prefix 'ky' --eos
why --prefix 'ky' --token '!'
why --prefix 'ky=a' --token b
why --prefix '!a' --token b
