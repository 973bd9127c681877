# Warnings have names; --werror makes all of them, or those that are named, errors, and nothing is written then.
exec 2>&1
cat >"$work/a.lark" <<'END'
start: A
A: /[a-z]\d/
unused: "x"
END
try() {
	rm -f "$work/out.gcdc"
	"$gcdc" compile "$work/a.lark" --quiet -o "$work/out.gcdc" "$@"
	echo "exit $?, $(ls "$work" | grep -c out)"
}
try
try --werror
try --werror=unused-rule
try --werror=no-indent,wide-class
try --werror=no-indent
sed -i 's/\\d/[0-9]/; /unused/d' "$work/a.lark"
try --werror
printf 'start: /\\s+/ "[\\\\d]" /\\\\d/\n' >"$work/a.lark"
try
# A regex that swallows all that stands beside it; alone it is what was wanted.
printf 'start: "key" | ANY\nANY: /[\\s\\S]+/\n' >"$work/a.lark"
try --werror=matches-all
printf 'start: /.+/s\n' >"$work/a.lark"
try --werror=matches-all
printf 'root ::= "a"\nroot ::= [b-a] | "c" | "d"{2,3000}\n' >"$work/a.gbnf"
"$gcdc" compile "$work/a.gbnf" --quiet -o "$work/out.gcdc" --werror=redefined-rule,empty-range,no-bound
echo "exit $?"
cd "$work"
printf 'start: /[a-z]\\d/\n' >a.lark
printf 'grammars: [a.lark]\noptions: {werror: all}\n' >gcdc.yaml
"$gcdc" build --quiet
echo "exit $?"
for names in unused-rule 'unused-rule,wide-class'; do
	printf 'grammars: [a.lark]\noptions: {werror: "%s"}\n' "$names" >gcdc.yaml
	"$gcdc" build --quiet
	echo "$names: exit $?"
done
