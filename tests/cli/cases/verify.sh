"$gcdc" compile $data/list.lark --tokenizer $data/tiny -q --provenance --level 2 -o "$work/list.gcdc"
"$gcdc" verify "$work/list.gcdc" | sed -E 's/[0-9a-f]{64}/SUM/; s/gcdc [0-9.]+ with zstd [0-9.]+/gcdc V with zstd V/; s/[0-9]+ bytes/N bytes/'
"$gcdc" verify "$work/list.gcdc" --against $data/list.lark $data/tiny
"$gcdc" verify "$work/list.gcdc" --against $data/list.lark $data/spaced 2>&1 | sed -E 's/[0-9a-f]{64}/SUM/'
echo "exit ${PIPESTATUS[0]}"
"$gcdc" verify "$work/list.gcdc" $data/list.lark 2>&1
echo "exit $?"
"$gcdc" verify "$work/list.gcdc" --against 2>&1
echo "exit $?"
printf 'start: "["\n' >"$work/list.lark"
"$gcdc" verify "$work/list.gcdc" --against "$work/list.lark" $data/tiny 2>&1 | sed -E 's/[0-9a-f]{64}/SUM/'
echo "exit ${PIPESTATUS[0]}"
head -c 1000 "$work/list.gcdc" >"$work/cut.gcdc"
"$gcdc" verify "$work/cut.gcdc" 2>&1 | sed "s/says [0-9]*/says N/"
echo "exit ${PIPESTATUS[0]}"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny -q -o "$work/plain.gcdc"
"$gcdc" verify "$work/plain.gcdc" | sed -E 's/[0-9]+ bytes/N bytes/'
"$gcdc" verify "$work/plain.gcdc" --provenance 2>&1
echo "exit $?"
