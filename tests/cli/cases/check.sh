"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
printf '[abc, [123,[]],\n ab]\n' >"$work/good.txt"
printf '[[' >"$work/unfinished.txt"
exec 2>&1
for cut in "--tokenizer $data/tiny" --bytes --greedy "--random-splits 1" "--random-splits 2"; do
	"$gcdc" check "$work/a.gcdc" "$work/good.txt" $cut
done
"$gcdc" check "$work/a.gcdc" --greedy - <"$work/good.txt"
"$gcdc" check "$work/a.gcdc" --greedy "$work/good.txt" "$work/good.txt" "$work/unfinished.txt"
echo "exit $?"
