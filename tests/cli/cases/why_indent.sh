# Why: indentation. Columns that are open, indents that are not wanted, tabs that are refused, ends.
cat >"$work/g.lark" <<'END'
start: stmt+
stmt: "if" NAME ":" _NL _INDENT stmt+ _DEDENT | NAME _NL | NAME "(" NAME ")" _NL
NAME: /(?!if)[a-z]+/
_NL: /(\n[ \t]*)+/
%ignore / +/
%indent newline=_NL indent=_INDENT dedent=_DEDENT open="(" close=")" tab=refuse end=text
END
"$gcdc" compile "$work/g.lark" --quiet -o "$work/a.gcdc"
. "$data/why.sh"
why --prefix-escaped 'if a:\n  b\n' --token c
why --prefix-escaped 'if a:\n' --token c
why --prefix-escaped 'if a:\n  b\n    ' --token c
why --prefix-escaped 'if a:\n    b\n  ' --token c
why --prefix-escaped 'if a:\n  if b:\n     c\n  ' --token d
why --prefix-escaped 'if a:\n\t' --token c
why --prefix-escaped 'if a:\n  b' --token ':'
why --prefix-escaped 'if a:\n  b\n' --eos
why --prefix-escaped 'if a:\n' --eos
why --prefix-escaped 'f(\n' --token x
