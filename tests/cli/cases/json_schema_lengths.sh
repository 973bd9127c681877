# Bounds beyond what one terminal counts, at their edges; blanks are none of a string's characters between its parts.
cd "$work" || exit
string() { # PIECE TIMES
	printf '{"a": "'
	yes -- "$1" | head -n "$2" | tr -d '\n'
	printf '"}'
}
check() {
	$gcdc check -q lengths.gcdc "$2"
	echo "$? $1"
}
echo '{"properties": {"a": {"type": "string", "minLength": 6143, "maxLength": 8193}}, "additionalProperties": false}' >lengths.json
$gcdc compile lengths.json -o lengths.gcdc -q --budget off || exit
for n in 0 1 6142 6143 6144 8192 8193 8194; do
	string 'é' "$n" >text
	check "$n characters" text
	string '\ud83d\ude00' "$n" >text
	check "$n pairs of surrogates" text
done
printf '{"a": "%8193s"}' '' >text
check '8193 blanks' text
printf '{"a": "%8194s"}' '' >text
check '8194 blanks' text
printf '{"a": "%128s\n%6143s"}' x x >text
check 'a raw newline between two parts' text
printf '{"a" : "%6143s"   }  ' x >text
check 'white space around it' text
echo '{"anyOf": [{"properties": {"a": {"maxLength": 100}}, "required": ["b"]}, {}], "additionalProperties": false,
 "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 100000}, "b": true}}' >lengths.json
$gcdc compile lengths.json -o lengths.gcdc -q --budget off || exit
for n in 1 2 100 101 99999 100000 100001; do
	string x "$n" >text
	check "$n characters, told apart" text
done
echo '{"type": "string", "maxLength": 200000, "pattern": "^[a-z]+$"}' >lengths.json
$gcdc compile lengths.json -o lengths.gcdc -q --budget off || exit
for n in 0 199999 200000 200001; do
	printf '"%s"' "$(head -c "$n" /dev/zero | tr '\0' x)" >text
	check "$n characters beside a pattern" text
done
# Where the pattern cannot end at every number, a text must leave as many characters as its nearest end needs.
echo '{"type": "string", "maxLength": 200001, "pattern": "^([a-z][0-9])*$"}' >lengths.json
$gcdc compile lengths.json -o lengths.gcdc -q --budget off || exit
for n in 99999 100000 100001; do
	printf '"%s"' "$(yes x1 | head -n "$n" | tr -d '\n')" >text
	check "$n pairs of characters beside a pattern" text
done
$gcdc compile lengths.json -o lengths.gcdc 2>&1 | grep "budgets are off"
for format in email uri hostname; do
	echo "{\"type\": \"string\", \"format\": \"$format\", \"maxLength\": 40}" >lengths.json
	for budget in off exact; do
		$gcdc compile lengths.json -o lengths.gcdc -q --budget $budget || exit
		for text in a@b-c.example.a-very-long.domain-name.xy a@b-c.example.a-very-long.domain-name.xyz \
			http://a.example/%41%42%43%44%45%46%47%48 http://a.example/%41%42%43%44%45%46%47%4; do
			echo "\"$text\"" >text
			check "${#text} $text, $format, --budget $budget" text
		done
		for prefix in a@b-c.example.a-very-long.domain-name.x http://a.example/%41%42%43%44%45%46%47; do
			$gcdc mask lengths.gcdc --prefix "\"$prefix" 2>&1 | head -n 2 | tail -n 1
		done
	done
done
# Characters of a large class are counted by number alone: such an artifact has no costs, and a note says so.
large='"type": "string", "pattern": "^[\\p{L}\\p{Z}\\p{N}_.:/=+@-]*$"'
echo "{\"type\": \"array\", \"prefixItems\": [{$large, \"maxLength\": 128}, {$large, \"maxLength\": 256}], \"items\": false}" >large.schema.json
$gcdc compile large.schema.json -o large.gcdc 2>&1 | grep "budgets are off"
$gcdc compile large.schema.json -o large.gcdc --budget off 2>&1 | grep "budgets are off"
printf '["é%127s", "é%255s"]' x x >text
$gcdc check large.gcdc text -q
echo "$?"
printf '["é%128s"]' x >text
$gcdc check large.gcdc text -q
echo "$?"
# Lengths beside times: where they take too many states, leap seconds have at most 9 digits behind the point.
for least in '"maxLength": 255' '"minLength": 28, "maxLength": 4000'; do
	echo "{\"type\": \"string\", \"format\": \"date-time\", $least}" >times.schema.json
	$gcdc compile times.schema.json -o times.gcdc -q --budget off || exit
	for time in 15:59:60-08:00 15:59:60.123456789-08:00 15:59:60.1234567890-08:00 15:58:60.123456789-08:00 \
		15:59:59.12345678901234567890Z "15:59:59.$(printf '%0119d' 0)Z" "15:59:59.$(printf '%0120d' 0)Z"; do
		echo "\"1998-12-31T$time\"" >text
		check() {
			$gcdc check -q times.gcdc text
			echo "$? ${time:0:40}"
		}
		check
	done
done
# With budgets such strings are counted, too: prices are bounds, unless exact ones are asked for; where they depend on the number they are exact anyway.
for schema in '"maxLength": 200' '"format": "email", "maxLength": 60'; do
	echo "{\"type\": \"string\", $schema}" >priced.schema.json
	for budget in "" "--budget exact"; do
		# shellcheck disable=SC2086
		$gcdc compile priced.schema.json -o priced.gcdc $budget 2>&1 | grep -o "costs of tokens.*"
		$gcdc close priced.gcdc --prefix '"abc' | sed 's/:.*//'
	done
done
