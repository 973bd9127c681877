# --raw, --level and --no-vocab change the file, not what it says.
compile() { "$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet "$@"; }
mask() { "$gcdc" mask "$work/$1.gcdc" --prefix '[1,' --all "${@:2}" | sha256sum | cut -c1-64; }
compile -o "$work/plain.gcdc"
compile -o "$work/raw.gcdc" --raw
compile -o "$work/level.gcdc" --level 19
compile -o "$work/bare.gcdc" --no-vocab
"$gcdc" vocab $data/tiny -o "$work/v.gcdv" --quiet
for kind in raw level; do [ "$(mask plain)" = "$(mask $kind)" ] && echo $kind: same mask; done
[ "$(mask plain)" = "$(mask bare --vocab "$work/v.gcdv")" ] && echo no-vocab: same mask
[ "$(stat -c %s "$work/raw.gcdc")" -gt "$(stat -c %s "$work/plain.gcdc")" ] && echo raw is larger
[ "$(stat -c %s "$work/bare.gcdc")" -lt "$(stat -c %s "$work/plain.gcdc")" ] && echo no-vocab is smaller
"$gcdc" compile $data/list.lark --tokenizer "$work/v.gcdv" --quiet -o "$work/from_gcdv.gcdc"
cmp "$work/plain.gcdc" "$work/from_gcdv.gcdc" && echo gcdv: same bytes
compile -o "$work/list.gcdc" --start item --eos 65 --eos 66 --vocab-size 300
"$gcdc" inspect "$work/list.gcdc" eos
"$gcdc" mask "$work/list.gcdc" --prefix 'a' | head -2
