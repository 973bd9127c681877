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
# A newline at the end of the file alone is too much: that is said.
printf 'start: "yes"\n' >"$work/yes.lark"
"$gcdc" compile "$work/yes.lark" --quiet -o "$work/a.gcdc"
printf 'yes\n' >"$work/text"
"$gcdc" check "$work/a.gcdc" "$work/text"
printf 'yes\n\n' >"$work/text"
"$gcdc" check "$work/a.gcdc" "$work/text"
echo "exit $?"
