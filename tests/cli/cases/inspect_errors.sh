"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
exec 2>&1
try() {
	"$gcdc" inspect "$work/a.gcdc" "$@" 2>&1 | sed -E 's/states 1 to [0-9]+/states 1 to N/'
	echo "exit ${PIPESTATUS[0]}"
}
try nothing
try lexer --terminal NOPE
try lexer --state 100000
try lexer --state 0
try always --lr 100000
try sets --token 100000
try terminals --dot
try lexer --dot --json
try sets --text nowhere
try sets --text a --token 1
try --html "$work/x.html" --json
try --html "$work/none/x.html"
