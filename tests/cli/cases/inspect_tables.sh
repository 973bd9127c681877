"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
show() {
	echo "== $*"
	"$gcdc" inspect "$work/a.gcdc" "$@"
}
exec 2>&1
show terminals
show productions --terminal COMMA
show contexts --terminal RSQB
show lexer --terminal NAME
show stacks --terminal '$end'
show lr --state 3
show transducer --token 256
show sequences --state 1
show sequences --state 3 --lr 3
show spanner --state 1
show spanner --token 265
show always --text '], ' --lr 3
show vocabulary --text '], ' --json
show vocabulary --limit 2
show eos
show lexer --state 5 --dot
show stacks --state 3 --dot
show dependent --state 3 --dot
show always --lr 3 --limit 4
show blanks
