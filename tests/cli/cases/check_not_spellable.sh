# A vocabulary without some bytes: no tokens spell the text.
sed -e '/"\^": /d' $data/tiny/tokenizer.json >"$work/tokenizer.json"
cp $data/tiny/tokenizer_config.json "$work"
printf 'start: /[a^]+/\n' >"$work/g.lark"
"$gcdc" compile "$work/g.lark" --tokenizer "$work" --quiet -o "$work/a.gcdc"
printf 'aa^a' >"$work/text"
"$gcdc" check "$work/a.gcdc" --greedy "$work/text"
