# --space indented takes what python's json.dumps(indent=N) writes, and none of it with a blank or a line's end more or less.
cd "$work" || exit
cat >values.py <<'END2'
import json, random, sys
rng = random.Random(int(sys.argv[1]))

def value(depth=0):
    kind = rng.randrange(7 if depth < 6 else 4)
    leaf = [None, True, False, -7, 1.5, "", "a b", "é\"", [], {}]
    if kind < 3:
        return rng.choice(leaf)
    if kind < 5:
        return [value(depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abcd"): value(depth + 1) for _ in range(rng.randrange(4))}

def deep(n):
    return [deep(n - 1)] if n else 1

n = int(sys.argv[1])
texts = [json.dumps(value(), indent=n, ensure_ascii=rng.random() < 0.5) for _ in range(40)] + [json.dumps(deep(32), indent=n)]
for i, text in enumerate(texts):
    open(f"good{i}", "w").write(text)
    while True:  # a blank or a line's end more or less, outside of strings
        at = rng.randrange(len(text) + 1)
        other = text[:at] + rng.choice(" \n") + text[at:] if rng.random() < 0.5 else text[:at] + text[at + 1:]
        try:
            same = json.loads(other) == json.loads(text)
        except ValueError:
            continue
        if same and other != text and other.translate({32: "", 10: ""}) == text.translate({32: "", 10: ""}):
            break
    open(f"bad{i}", "w").write(other)
open("too_deep", "w").write(json.dumps(deep(33), indent=n))
END2
echo true >any.json
for n in 0 1 2 4; do
	rm -f good* bad*
	python3 values.py $n
	$gcdc compile any.json -o any.gcdc -q --budget off --space indented --indentation $n || exit
	$gcdc check -q any.gcdc good* && echo "indent=$n: all taken"
	for text in bad* too_deep; do
		$gcdc check -q any.gcdc "$text" && cat "$text"
	done
done
echo '{"properties": {"a": {"type": "array", "items": {"enum": [1, {"b": []}]}}}, "required": ["a"], "additionalProperties": false}' >closed.json
$gcdc compile closed.json -o closed.gcdc -q --space indented
$gcdc sample closed.gcdc --count 2 --seed 5 --budget 60 >/dev/null && echo 'with a budget'
printf '{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ]\n}' | $gcdc check -q closed.gcdc - && echo 'closed'
printf '{\n  "a": [\n    1,\n    2\n  ]\n}' | $gcdc check closed.gcdc -
