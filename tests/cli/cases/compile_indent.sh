# --indent: settings that are wrong, and a grammar that says them itself.
cat >"$work/g.lark" <<'END'
start: (NAME _NL | NAME ":" _NL _INDENT start _DEDENT)*
NAME: /[a-z]+/
_NL: /(\n[ \t]*)+/
%declare _INDENT _DEDENT
END
compile() { "$gcdc" compile "$work/g.lark" --tokenizer $data/tiny --quiet -o "$work/g.gcdc" "$@" 2>&1; echo "exit $?"; }
compile --indent 'newline=_NL indent=_INDENT'
compile --indent 'newline=NL indent=_INDENT dedent=_DEDENT'
compile --indent 'newline=_NL indent=_INDENT dedent=_DEDENT tab=eight'
echo '%indent newline=_NL indent=_INDENT dedent=_DEDENT' >>"$work/g.lark"
compile --indent 'newline=_NL indent=_INDENT dedent=_DEDENT'
