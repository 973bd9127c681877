# Leap seconds: 23:59:60 in UTC, in zones whose offset is a multiple of 15 minutes. Where a time is denied, other leap seconds are no text at all.
cd "$work" || exit
cat >asked.schema.json <<'END'
{"anyOf": [{"type": "string", "format": "time"}, {"const": "longer"}]}
END
cat >denied.schema.json <<'END'
{"type": "string", "not": {"format": "time"}}
END
cat >decides.schema.json <<'END'
{"oneOf": [{"type": "string", "format": "time", "maxLength": 3000}, {"type": "string", "pattern": "^2|^1"}]}
END
for schema in asked denied decides; do
	$gcdc compile $schema.schema.json -o $schema.gcdc -q || exit
	for time in 23:59:60Z 15:59:60-08:00 05:29:60.25+05:30 23:44:60-00:15 05:00:60+05:01 00:00:60Z 05:28:60+05:30 23:59:61Z 05:00:59+05:01 longer; do
		echo "\"$time\"" >text
		$gcdc check -q $schema.gcdc text
		echo "$? $schema $time"
	done
done
