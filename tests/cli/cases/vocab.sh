"$gcdc" vocab $data/tiny -o "$work/v.gcdv"
"$gcdc" vocab $data/tiny --eos 1 --eos 2 --vocab-size 512 -o "$work/w.gcdv"
"$gcdc" vocab -o "$work/default.gcdv" 2>&1 | sed -E 's/, [0-9]+/, N/; s/[0-9]+ of/N of/'
head -c 3000 "$work/default.gcdv" >"$work/cut.gcdv"
"$gcdc" compile $data/list.lark --tokenizer "$work/cut.gcdv" -o "$work/x.gcdc" 2>&1 | sed -E 's/with [0-9]+/with N/'
"$gcdc" vocab "$work/missing.json" -o "$work/x.gcdv"
