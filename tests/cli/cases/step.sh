# Step, through a pipe: texts, tokens, what is forced, refusals, going back, the end; a session with indentation.
step() { "$gcdc" step "$@" | sed -E 's/(lexer|parser) [0-9]+/\1 N/g; s/"(l[a-z]+_state)": [0-9]+/"\1": N/g'; echo "exit ${PIPESTATUS[0]}"; }
"$gcdc" compile grammars/json/json.lark --quiet -o "$work/a.gcdc"
step "$work/a.gcdc" <<'END'
{"a
":
1.
x
:why 5
:list 5
:token 53
:undo 2
 t
:force
:end
}
:end
1
:undo
:undo 100
:reset
:why
:nothing
\q
:token x
::
:help
:quit
never read
END
cat >"$work/g.lark" <<'GRAMMAR'
start: stmt+
stmt: "if" NAME ":" _NL _INDENT stmt+ _DEDENT | NAME _NL
NAME: /(?!if)[a-z]+/
_NL: /(\n[ \t]*)+/
%ignore / +/
%indent newline=_NL indent=_INDENT dedent=_DEDENT end=text
GRAMMAR
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc"
step "$work/a.gcdc" --prefix-escaped 'if a:\n' <<'END'
  b
\n
   c
:undo
c
:why
END
printf '[\n' | step "$work/a.gcdc" --json
step "$work/a.gcdc" --prefix '(' </dev/null
# Where masks are canonical: a token is explained behind the tokens that the walk took, not behind those of its text.
"$gcdc" compile grammars/json/json.lark --canonical=hard --quiet -o "$work/c.gcdc"
printf '[1\n:token 48\n:token 1333\n:undo\n:token 1333\n' | step "$work/c.gcdc" | grep '(token 1333)' -A1
