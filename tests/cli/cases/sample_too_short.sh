# No text of the language is so short: unfinished, and said so.
printf 'start: "abcdefgh"\n' >"$work/g.lark"
"$gcdc" compile "$work/g.lark" --tokenizer $data/tiny --quiet -o "$work/a.gcdc"
"$gcdc" sample "$work/a.gcdc" --count 1 --max-tokens 3
"$gcdc" sample "$work/a.gcdc" --count 1 --max-tokens 3 --json | grep -o '"complete": [a-z]*'
"$gcdc" sample "$work/a.gcdc" --count 1 --max-tokens 7
