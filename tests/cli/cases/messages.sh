# What a newcomer gives by mistake is named, and the message says what to do.
exec 2>&1
try() {
	"$gcdc" "$@" | sed -E 's/[0-9]+ bytes/N bytes/'
	echo "exit ${PIPESTATUS[0]}"
}
compile() { try compile "$@" --quiet -o "$work/out.gcdc"; }
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n' >"$work/pointer"
printf '\n\016\n\005<unk>\025\000\000\000\000\030\002\n\n\n\003<s>' >"$work/tokenizer.model"
"$gcdc" vocab $data/tiny --quiet -o "$work/tiny.gcdv"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet -o "$work/good.gcdc"
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet --no-vocab -o "$work/bare.gcdc"
cp $data/list.lark "$work"
echo "--- tokenizers"
compile $data/list.lark --tokenizer "$work/pointer"
compile $data/list.lark --tokenizer "$work/tokenizer.model"
head -c 12 "$work/tokenizer.model" >"$work/stub.model"
compile $data/list.lark --tokenizer "$work/stub.model"
compile "$work/stub.model"
compile $data/list.lark --tokenizer "$work/good.gcdc"
# No decoder, and a token of this name: the message does not point at the token.
printf '{"model": {"type": "BPE", "vocab": {"decoder": 0, "a": 1}, "merges": []}}' >"$work/joined.json"
compile $data/list.lark --tokenizer "$work/joined.json"
printf '{"decoder": {"type": "CTC"}, "model": {"type": "BPE", "vocab": {"decoder": 0, "a": 1}, "merges": []}}' >"$work/pieces.json"
compile $data/list.lark --tokenizer "$work/pieces.json"
echo "--- grammars"
compile "$work/pointer"
printf 'root ::= "yes" | no\nno ::= "no"\n' >"$work/answer.txt"
compile "$work/answer.txt"
printf '// a comment\nstart: valeu ","\nvalue: "x" | number\nnumber: NUMBR INT\nNUMBER: /[0-9]+/\n' >"$work/names.lark"
compile "$work/names.lark"
printf 'start: NAEM\nNAME: "x"\n' >"$work/swapped.lark"
compile "$work/swapped.lark"
printf 'json: "x"\n' >"$work/no_start.lark"
compile "$work/no_start.lark"
printf 'Start: "x"\n' | sed 's/S/s/' >"$work/other.lark"
compile "$work/other.lark" --start strat
printf 'A: "x"\n' >"$work/no_rule.lark"
compile "$work/no_rule.lark"
# A regular expression: places in it, not in the grammar that is made of it; a warning comes once.
for regex in '(a+)\1' 'x/(b' 'a\' '\d\d' ''; do compile --regex "$regex"; done
printf 'start: "b" /(a+)\\1/\n' >"$work/group.lark"
compile "$work/group.lark"
mkdir -p "$work/folder"
printf 'start: X\n%%import .parts.more.X\n' >"$work/import.lark"
compile "$work/import.lark"
mkdir -p "$work/parts/more.lark"
compile "$work/import.lark"
echo "--- artifacts"
try mask "$work/tiny.gcdv"
try mask "$work/pointer"
try mask $data/tiny/tokenizer.json
try mask "$work/bare.gcdc" --vocab "$work/good.gcdc"
try mask "$work/bare.gcdc" --vocab "$work/pointer"
# One bit of the tokens' bytes, which are there uncompressed.
"$gcdc" compile $data/list.lark --tokenizer $data/tiny --quiet --raw -o "$work/raw.gcdc"
python3 - "$work/raw.gcdc" <<'END'
import struct
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for row in range(80, len(data), 40):
    section, _, offset = struct.unpack_from("<IIQ", data, row)
    if section == 52:
        data[offset] ^= 1
        break
open(sys.argv[1], "wb").write(data)
END
try mask "$work/raw.gcdc"
echo "--- files"
try compile $data/list.lark --quiet -o "$work/none/out.gcdc"
try compile $data/list.lark --quiet -o "$work/list.lark/out.gcdc"
try vocab $data/tiny --quiet -o "$work/none/out.gcdv"
echo "--- control tokens have no text"
try inspect "$work/good.gcdc" vocabulary --token 268
