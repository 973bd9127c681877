# Each wrong command line: what is wrong, where help is, exit code 2.
try() {
	"$gcdc" "$@"
	echo "exit $?"
}
exec 2>&1
try compile
try compile a.lark
try compile a.lark -o
try compile a.lark -o --raw
try compile a.lark -o x -o y
try compile a.lark b.lark -o x
try compile a.lark -o x --tokeniser y
try compile a.lark -o x --zzz
try compile a.lark -o x --raw=yes
try compile a.lark -o x --eos -1
try compile a.lark -o x --eos 4294967295
try compile a.lark -o x --vocab-size 0
try compile a.lark -o x --level 99
try compile a.lark -x
try check
try check a.gcdc
try check a.gcdc f --bytes --greedy
try check a.gcdc f --expect maybe
try check a.gcdc f --random-splits -3
try mask a.gcdc --prefix a --prefix-file b
try mask a.gcdc --prefix-escaped '\q'
try mask a.gcdc --prefix-escaped '\x4'
try sample a.gcdc --max-tokens 0
try sample a.gcdc --extension a/b
try inspect
try inspect a.gcdc lexr
try inspect a.gcdc lexer more
try vocab
