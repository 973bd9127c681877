# What generators of schemas write: the formats of pydantic, msgspec, zod, ajv-formats, schemars and OpenAPI's registry, OpenAPI 3.0's `nullable`,
# a Boolean exclusiveMinimum in any draft.
cd "$work" || exit
check() { # SCHEMA, texts: the verdict of each
	echo "$1" >made.json
	shift
	$gcdc compile --from json-schema made.json -o made.gcdc -q --budget off 2>messages
	cat messages
	for text; do
		printf '%s' "$text" | $gcdc check -q made.gcdc - 2>/dev/null
		echo "$? $text"
	done
	rm -f made.gcdc
}
format() { # NAME, strings without quotes
	local name=$1 texts=()
	shift
	for text; do texts+=("\"$text\""); done
	echo "# $name"
	check "{\"type\": \"string\", \"format\": \"$name\"}" "${texts[@]}"
}
format uuid1 6fa459ea-ee8a-11ca-894e-db77e160355e 6fa459ea-ee8a-41ca-894e-db77e160355e
format uuid4 6fa459ea-ee8a-41ca-b94e-db77e160355e 6FA459EA-EE8A-41CA-894E-DB77E160355E 6fa459ea-ee8a-31ca-894e-db77e160355e \
	6fa459ea-ee8a-41ca-c94e-db77e160355e
for version in 3 5 6 7 8; do
	format uuid$version 6fa459ea-ee8a-${version}1ca-894e-db77e160355e 6fa459ea-ee8a-11ca-894e-db77e160355e
done
format ipvanyaddress 10.0.0.1 ::1 10.0.0.256 10.0.0.0/8
format ipv4interface 10.0.0.1 10.0.0.1/24 10.0.0.1/33 10.0.0.1/024
format ipv6interface ::1 fe80::1/64 fe80::1/129 10.0.0.1/24
format ipvanyinterface 10.0.0.1/24 fe80::1/64 fe80::1/ x
format ipv4network 0.0.0.0/0 10.0.0.0/8 10.0.0.1/24 10.0.0.1/32 10.0.0.1 10.1.2.128/25 10.1.2.128/24 10.1.2.192/26 192.168.0.0/15 192.168.0.0/13 \
	192.168.0.0/12 10.0.0.0/ 10.0.0.0/33 10.0.0.0/08
format ipv6network ::/0 2001:db8::/32 2001:db8::/29 2001:db8::/28 2001:DB8:0:8000::/49 2001:db8:0:8000::/48 2001:db8::1/128 2001:db8::1 2001:db8::1/127 \
	1:2:3:4:5:6:7::/112 1:2:3:4:5:6:7:8:/128 1::2::/32 :::/0 ::ffff:1.2.3.4
format ipvanynetwork 10.0.0.0/8 2001:db8::/32 10.0.0.1/8 2001:db8::1/32
format base64 aGk= aGk aG-=
format multi-host-uri 'postgres://u:p@a.b:5432,c-d:1/db?x=1#f' mongodb://localhost 'redis://[::1]:6379,10.0.0.1' nats://a,b,c nats://a,,b nats://a:65536 //a mailto:a
format name-email 'Fred Bloggs <fred@example.com>' fred@example.com 'fred@example' 'fred@a.localhost' 'Fred <fred@example.com'
format fraction 1/2 -3 0 1/0 0.5
format decimal 1.50 -3 . 1e5 ''
format partial-time 12:30:00 12:30:00.5 12:30:00Z
format partial-date-time 2024-02-29T12:30:00.5 2023-02-29T12:30:00 2024-02-29T12:30:00Z
format iso-time 12:30:00 12:30:00Z 12:30:00+02:00 12:30:00+24:00
format iso-date-time '2024-02-29 12:30:00' 2024-02-29T12:30:00Z 2024-02-29
format json-pointer-uri-fragment '#' '#/a~0b/%41' '#/a~b' /a
format cuid ckopqwooh000001la8mbi2im9 kopqwooh
format cuid2 tz4a98xxat96iws9zmbrgj3a tz4A
format ulid 01ARZ3NDEKTSV4RRFFQ69G5FAV 81ARZ3NDEKTSV4RRFFQ69G5FAV 01ARZ3NDEKTSV4RRFFQ69G5FAU
format xid 9m4e2mr0ui3e8a215n4g 9m4e2mr0ui3e8a215n4
format ksuid 0o5Fs0EELR0fUjHjbCnEtdUwQe3 0o5Fs0EELR0fUjHjbCnEtdUwQe
format e164 +14155552671 +04155552671 +1415555267123456
format cidrv4 10.0.0.1/24 10.0.0.1
format ipv6-cidr fe80::1/64 fe80::1
format cidr 10.0.0.1/24 fe80::1/64 fe80::1/129
format ip 10.0.0.1 fe80::1 fe80::1/64
format mac 00:1a:2B:3c:4d:5e 00-1a-2b-3c-4d-5e 00:1a-2b:3c:4d:5e
format lowercase ab1é aB
format uppercase AB1é aB
format hex 0aF '' 0g
format md5_base64 XUFAKrxLKna5cZ2REBfFkg== XUFAKrxLKna5cZ2REBfFk===
format sha1_hex 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 2fd4e1c67a2d28fced849ee1bb76e7391b93eb1
format emoji 👍🏽 🇺🇳 ‍ 1 a
format language de-CH-1996 zh-Hant-TW x-a-b en_US a
format time-span 1.02:03:04 02:03:04.0000001 25:00:00
check '{"type": "integer", "format": "uint128"}' 340282366920938463463374607431768211455 340282366920938463463374607431768211456 -1
# zod writes the length of a nanoid as a pattern.
check '{"type": "string", "format": "nanoid", "pattern": "^[a-zA-Z0-9_-]{10}$"}' '"V1StGXR8_Z"' '"V1StGXR8_Z5"'
echo "# where a format is denied, texts that only some of its definitions take are no way out"
check '{"type": "string", "not": {"format": "ipv4network"}}' '"10.0.0.0/8"' '"10.0.0.0/255.0.0.0"' '"ten"'
check '{"type": "string", "not": {"format": "uuid4"}}' '"6fa459eaee8a41cab94edb77e160355e"' '"xyz"'
check '{"type": "string", "not": {"format": "idn-email"}}' '"a@éééééééééééé.com"' '"a"'
check '{"oneOf": [{"type": "string", "format": "ipvanynetwork"}, {"type": "integer"}]}' '"10.0.0.0/8"' 3 '"x"'
echo "# a Boolean exclusiveMinimum is one of minimum, in any draft"
check '{"$schema": "https://json-schema.org/draft/2019-09/schema#", "type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false}' \
	1 1.5 5 5.5
echo "# Gemini's API: types in capitals, and nullable adds null to whatever else the schema says"
check '{"type": "OBJECT", "properties": {"a": {"type": "STRING", "format": "enum", "enum": ["x"], "nullable": true}, "b": {"anyOf": [{"type": "INTEGER"},
 {"type": "STRING", "maxLength": 2}], "nullable": true}, "c": {"type": "NULL"}, "d": {"type": "ARRAY", "items": {"type": "BOOLEAN", "nullable": true},
 "uniqueItems": true}, "e": {"type": "NUMBER"}}, "required": ["a"]}' \
	'{"a": null, "b": null}' '{"a": "x", "b": 1, "c": null, "d": [true, null, false], "e": 1.5}' '{"a": "y"}' '{"a": "x", "b": true}' \
	'{"a": "x", "b": "abc"}' '{"a": "x", "c": 1}' '{"a": "x", "d": [null, null]}' '{"a": "x", "e": null}' null
check '{"type": "OBJECT", "properties": {"a": {"type": "INTEGER"}, "why": {"type": "STRING"}, "b": {"type": "INTEGER"}}, "required": ["a", "why"],
 "propertyOrdering": ["why", "z", 1, "why", "b"]}' \
	'{"why": "", "b": 1, "a": 1}' '{"why": "", "a": 1}' '{"z": 2, "why": "", "a": 1, "y": 3}' '{"a": 1, "why": ""}' '{"why": "", "a": 1, "b": 1}'
check '{"type": "String"}'
echo "# nullable"
check '{"type": "string", "nullable": true}' '"a"' null
echo '{"openapi": "3.0.3", "components": {"schemas": {"A": {"type": "object", "properties": {"a": {"type": "string", "nullable": true},
 "b": {"nullable": true, "anyOf": [{"type": "string"}]}, "c": {"type": "string", "nullable": true, "enum": ["x"]},
 "d": {"$ref": "#/components/schemas/B", "maximum": 3}}, "additionalProperties": false}, "B": {"type": "integer"}}}}' >api.json
$gcdc compile --from json-schema api.json --pointer /components/schemas/A -o api.gcdc -q --budget off
for text in '{"a": null}' '{"a": "x"}' '{"a": 1}' '{"b": null}' '{"b": "x"}' '{"c": null}' '{"c": "x"}' '{"d": 4}' '{"d": null}'; do
	echo "$text" | $gcdc check -q api.gcdc - 2>/dev/null
	echo "$? $text"
done
