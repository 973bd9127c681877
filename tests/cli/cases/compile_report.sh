# Conflicts told: kept, proved away, refused; as JSON; a note where no report was asked for.
printf 'start: s\ns: "if" s "else" s | "if" s | e\ne: e "+" e | "x"\n%%ignore " "\n' >"$work/d.lark"
cd "$work" || exit
"$gcdc" compile d.lark -o d.gcdc --report -q
"$gcdc" compile d.lark -o d.gcdc --report --json -q | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["conflicts_kept"], r["conflicts_proved"], r["stacks_may_grow"], [c["example"] for c in r["conflicts"]])'
"$gcdc" compile d.lark -o d.gcdc 2>&1 | grep note:
"$gcdc" compile d.lark -o d.gcdc --deterministic >/dev/null 2>&1
echo "exit $?"
printf 'start: p start "x" | "y"\np: "b"?\n' >l.lark
"$gcdc" compile l.lark -o l.gcdc --report -q
