# Numbers with an exponent, where the schema constrains them: which spellings come, and that each has its value.
cd "$work" || exit
check() { # SCHEMA: the texts that are accepted
	echo "$1" >number.json
	$gcdc compile number.json -o number.gcdc -q || return
	shift
	for text; do printf '%s' "$text" | $gcdc check -q number.gcdc - && echo -n " $text"; done
	echo
}
texts='1e0 1e5 1E+16 1.0E10 1.00e10 1.50e10 1.5e1 1.5e0 1.5e01 1.25e1 1.25e2 -1.25e+002 1.05e2 1.05e1 1.12345678901234567891e20
	1.12345678901234567891e19 1.123456789012345678912e25 1.000000000001e12 1.000000000001e11 1.5e-1 1.0e-1 1e-07 10e1 0e1 0.0e1 01e1'
all() { check "$1" $texts; } # a word each
all '{"type": "integer"}'
all '{"type": "number", "not": {"type": "integer"}}'
all '{"type": "number", "minimum": 15}'
all '{"type": "number", "exclusiveMaximum": 15}'
all '{"type": "number"}'
