# Numbers of items beyond a chain of rules, at their edges: they are counted in digits.
cd "$work" || exit
check() { # N: an array of so many numbers
	printf '[1' >text
	[ "$1" -gt 1 ] && printf ',%.0s1' $(seq 2 "$1") >>text
	printf ']' >>text
	$gcdc check -q items.gcdc text
	echo "$? $1 items"
}
echo '{"type": "array", "items": {"type": "integer"}, "minItems": 255, "maxItems": 4113}' >items.json
$gcdc compile items.json -o items.gcdc -q || exit
for n in 1 254 255 256 257 271 272 273 4095 4096 4112 4113 4114; do check "$n"; done
echo '{"anyOf": [{"maxItems": 40}, {"minItems": 60, "maxItems": 1000000}], "prefixItems": [true, {"const": 1}], "items": {"type": "integer"}}' >items.json
$gcdc compile items.json -o items.gcdc -q || exit
for n in 1 2 3 39 40 41 59 60 61 5000; do check "$n"; done
