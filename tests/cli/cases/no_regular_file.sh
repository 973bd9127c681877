# A FIFO that nobody writes to is refused at once, whatever it is given as; so is a device. What a shell's <(...) names is read.
exec 2>&1
try() {
	timeout 10 "$gcdc" "$@"
	echo "exit $?"
}
mkfifo "$work/fifo" "$work/fifo.lark"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet --no-vocab -o "$work/bare.gcdc"
printf '[abc]' >"$work/text"
try compile "$work/fifo" -o "$work/out"
printf 'start: X\n%%import .fifo.X\n' >"$work/import.lark"
try compile "$work/import.lark" -o "$work/out"
try compile $data/list.lark --tokenizer "$work/fifo" -o "$work/out"
mkdir "$work/model"
cp $data/tiny/tokenizer.json "$work/model"
mkfifo "$work/model/tokenizer_config.json"
try compile $data/list.lark --tokenizer "$work/model" -o "$work/out"
try vocab "$work/fifo" -o "$work/out"
try mask "$work/fifo"
try mask "$work/bare.gcdc" --vocab "$work/fifo"
try mask "$work/a.gcdc" --prefix-file "$work/fifo"
try check "$work/a.gcdc" "$work/fifo"
try check "$work/a.gcdc" --greedy /dev/zero
try check "$work/a.gcdc" --greedy <(cat "$work/text") | sed 's|/dev/fd/[0-9]*|FD|'
try check "$work/a.gcdc" --tokenizer "$work/fifo" "$work/text"
try build "$work/fifo"
cd "$work"
printf 'grammars: [fifo.lark]\n' >gcdc.yaml
try build
