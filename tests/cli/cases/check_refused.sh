"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
exec 2>&1
try() {
	printf "$1" >"$work/text"
	"$gcdc" check "$work/a.gcdc" --tokenizer $data/tiny "$work/text" "${@:2}"
	echo "exit $?"
}
try '[abc,\n  [12],, ]'
try '[12 ab 34'
try '[a] b'
try ''
try '[a'
try '[\xff]'
try '[a;]' --bytes
try '[é]'
