seconds='s/[0-9]*\.[0-9]* s$/N s/; s/, [0-9]* steps of the walk/, N steps of the walk/'
GCDC_TRACE=grammar:productions,lr:states=2,lexer:states=3,tables:starts=2,canonical "$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc" 2>&1 | sed "$seconds"
GCDC_TRACE=lexr "$gcdc" compile $data/list.lark --tokenizer $data/tiny -o "$work/a.gcdc" 2>&1
echo "exit $?"
"$gcdc" mask "$work/a.gcdc" --prefix '[1,' --trace 2>&1
"$gcdc" mask "$work/a.gcdc" --prefix '[]]' --trace 2>&1
printf '%%indent newline=_NL indent=_INDENT dedent=_DEDENT\nstart: line+\nline: "a" _NL | "a" ":" _NL _INDENT line+ _DEDENT\n%%declare _INDENT _DEDENT\n_NL: /(\\n *)+/\n' >"$work/block.lark"
"$gcdc" compile "$work/block.lark" --quiet -o "$work/block.gcdc"
"$gcdc" mask "$work/block.gcdc" --prefix-escaped 'a:\n  a\n' --trace 2>&1 >/dev/null
printf 'start: s\ns: "a" s "a" | "b" s "b" |\n' >"$work/both.lark"
"$gcdc" compile "$work/both.lark" --quiet -o "$work/both.gcdc"
"$gcdc" mask "$work/both.gcdc" --prefix abbaa --trace 2>&1 >/dev/null
