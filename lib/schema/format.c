// `format`: a closed list, each exact.
//
// In:  a format's name. Out: what it takes. Each is a regular expression over the text (RFC 3339 with leap years, RFC
// 5321's addresses in the dot-atom and quoted forms, RFC 4291, RFC 3986 ..., and what generators of schemas define:
// pydantic, zod, ajv-formats, schemars), made when it is first asked for. Formats that describe how a value is shown or
// stored, not which values there are, take everything.
#include "internal.h"

#define DIGIT "[0-9]"
#define YEAR_LEAP "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
#define DATE                                                                                                           \
	"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|" \
	"1[0-9]|2[0-8]))|" YEAR_LEAP "-02-29)"
#define CLOCK "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]+)?"
#define LABEL "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
#define OCTET "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define IPV4 OCTET "(?:\\." OCTET "){3}"
#define H16 "[0-9A-Fa-f]{1,4}"
#define LS32 "(?:" H16 ":" H16 "|" IPV4 ")"
#define IPV6                                                                                                           \
	"(?:(?:" H16 ":){6}" LS32 "|::(?:" H16 ":){5}" LS32 "|(?:" H16 ")?::(?:" H16 ":){4}" LS32 "|(?:(?:" H16            \
	":){0,1}" H16 ")?::(?:" H16 ":){3}" LS32 "|(?:(?:" H16 ":){0,2}" H16 ")?::(?:" H16 ":){2}" LS32 "|(?:(?:" H16      \
	":){0,3}" H16 ")?::" H16 ":" LS32 "|(?:(?:" H16 ":){0,4}" H16 ")?::" LS32 "|(?:(?:" H16 ":){0,5}" H16 ")?::" H16   \
	"|(?:(?:" H16 ":){0,6}" H16 ")?::)"
#define PCT "%[0-9A-Fa-f]{2}"
#define UNRESERVED "A-Za-z0-9._~\\-"
#define SUB "!$&'()*+,;="
#define UCS                                                                                                            \
	"\\u00a0-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uffef\\U00010000-\\U0001fffd\\U00020000-\\U0002fffd\\U00030000-"          \
	"\\U0003fffd\\U00040000-\\U0004fffd\\U00050000-\\U0005fffd\\U00060000-\\U0006fffd\\U00070000-"                     \
	"\\U0007fffd\\U00080000-\\U0008fffd\\U00090000-\\U0009fffd\\U000a0000-\\U000afffd\\U000b0000-"                     \
	"\\U000bfffd\\U000c0000-\\U000cfffd\\U000d0000-\\U000dfffd\\U000e1000-\\U000efffd"
#define PRIVATE "\\ue000-\\uf8ff\\U000f0000-\\U000ffffd\\U00100000-\\U0010fffd"
#define IP_LITERAL "\\[(?:" IPV6 "|[vV][0-9A-Fa-f]+\\.[" UNRESERVED SUB ":]+)\\]"
// X: what international identifiers add.
#define AUTHORITY(X)                                                                                                   \
	"(?:(?:[" UNRESERVED SUB ":" X "]|" PCT ")*@)?(?:" IP_LITERAL "|(?:[" UNRESERVED SUB X "]|" PCT ")*)(?::[0-9]*)?"
#define PCHAR(X) "(?:[" UNRESERVED SUB ":@" X "]|" PCT ")"
#define TAIL(X, P)                                                                                                     \
	"(?:\\?(?:[" UNRESERVED SUB ":@/?" X P "]|" PCT ")*)?(?:#(?:[" UNRESERVED SUB ":@/?" X "]|" PCT ")*)?"
#define PATH_ABEMPTY(X) "(?:/" PCHAR(X) "*)*"
#define HIER(X)                                                                                                        \
	"(?://" AUTHORITY(X) PATH_ABEMPTY(X) "|/(?:" PCHAR(X) "+" PATH_ABEMPTY(X) ")?|" PCHAR(X) "+" PATH_ABEMPTY(X) "|)"
#define URI(X, P) "[A-Za-z][A-Za-z0-9+.-]*:" HIER(X) TAIL(X, P)
#define RELATIVE(X, P)                                                                                                 \
	"(?://" AUTHORITY(X) PATH_ABEMPTY(X) "|/(?:" PCHAR(X) "+" PATH_ABEMPTY(X) ")?|(?:[" UNRESERVED SUB "@" X "]|" PCT  \
																			  ")+" PATH_ABEMPTY(X) "|)" TAIL(X, P)
#define ATEXT "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
#define QUOTED "\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\""
#define DOMAIN "(?:" LABEL "(?:\\." LABEL ")*|\\[(?:" IPV4 "|[Ii][Pp][Vv]6:" IPV6 ")\\])"
// RFC 6531: characters beyond ASCII before the @. Labels beyond ASCII behind it: letters of the scripts that IDNA 2008
// (RFC 5892) takes without a look at their neighbours, at most 11, so that the label in Punycode has no more than 63.
#define BEYOND "\\u0080-\\U0010ffff"
#define IDN_ATEXT "[A-Za-z0-9!#$%&'*+/=?^_`{|}~" BEYOND "-]"
#define IDN_QUOTED "\"(?:[ !#-\\[\\]-~" BEYOND "]|\\\\[ -~])*\""
#define IDN_LETTER                                                                                                     \
	"a-z0-9\\u00df-\\u00f6\\u00f8-\\u00ff\\u03b1-\\u03c9\\u0430-\\u044f\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-"         \
	"\\u9fef\\uac00-\\ud7a3"
#define IDN_LABEL "(?:" LABEL "|[" IDN_LETTER "]{1,11})"
#define IDN_DOMAIN "(?:" IDN_LABEL "(?:\\." IDN_LABEL ")*|\\[(?:" IPV4 "|[Ii][Pp][Vv]6:" IPV6 ")\\])"
#define POINTER "(?:/(?:[^/~]|~[01])*)*"
#define VARSPEC "(?:[A-Za-z0-9_]|" PCT ")(?:\\.?(?:[A-Za-z0-9_]|" PCT "))*(?:\\*|:[1-9][0-9]{0,3})?"

#define HEX "[0-9A-Fa-f]"
#define UUID HEX "{8}-" HEX "{4}-" HEX "{4}-" HEX "{4}-" HEX "{12}"
#define UUID_OF(VERSION) HEX "{8}-" HEX "{4}-" VERSION HEX "{3}-[89ABab]" HEX "{3}-" HEX "{12}"  // RFC 9562
#define BASE64 "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
#define CIDR_4 IPV4 "/(?:[12]?[0-9]|3[0-2])"
#define CIDR_6 IPV6 "/(?:[1-9]?[0-9]|1[01][0-9]|12[0-8])"
#define OFFSET "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?"
// Hosts as both RFC 3986 and the URL Standard read them: names whose last label begins with a letter, and addresses.
#define URL_LABEL "[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*"
#define URL_HOST                                                                                                       \
	"(?:(?:" URL_LABEL "\\.)*[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*|" IPV4 "|\\[" IPV6 "\\])"                        \
	"(?::(?:[1-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
#define URL_USER "(?:(?:[" UNRESERVED "!$&'()*+;=]|" PCT ")+(?::(?:[" UNRESERVED "!$&'()*+;=]|" PCT ")*)?@)?"
// Two or three labels, the last none that no mail goes to: what the package email-validator takes, too.
#define PLAIN_LABEL "[A-Za-z0-9](?:-?[A-Za-z0-9]){0,30}"
#define PLAIN_EMAIL                                                                                                    \
	"(?=[^@]{1,64}@)" ATEXT "+(?:\\." ATEXT "+)*@" PLAIN_LABEL "(?:\\." PLAIN_LABEL                                    \
	")?\\.(?!(?i:arpa|invalid|local|localhost|onion|test)(?:>|\\Z))[A-Za-z]{2,18}"
#define EMOJI_BASE "\\p{Extended_Pictographic}\\p{Regional_Indicator}\\u20e3"
#define EMOJI_PART "\\p{Extended_Pictographic}\\p{Emoji_Component}"
// A hash in hexadecimal, base64 and base64url.
#define HASH(NAME, DIGITS, BASE, URL)                                                                                  \
	{NAME "_hex", HEX "{" DIGITS "}"}, {NAME "_base64", "[A-Za-z0-9+/]{" BASE},                                        \
	{                                                                                                                  \
		NAME "_base64url", "[A-Za-z0-9_-]{" URL                                                                        \
	}
#define SOME "[\\s\\S]*"

struct format {
	const char *name, *pattern;
};

static const struct format formats[] = {
	{"date", DATE},
	{"duration",
     "P(?:(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)(?:T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)"
     "?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S))?|T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)|"
     "[0-9]+W)"},
	{"uuid", UUID},
	{"email", "(?:" ATEXT "+(?:\\." ATEXT "+)*|" QUOTED ")@" DOMAIN},
	{"idn-email", "(?:" IDN_ATEXT "+(?:\\." IDN_ATEXT "+)*|" IDN_QUOTED ")@" IDN_DOMAIN},
	{"hostname", LABEL "(?:\\." LABEL ")*\\.?"},
	{"ipv4", IPV4},
	{"ip-address", IPV4},  // draft 3's name
	{"ipv6", IPV6},
	{"uri", URI("", "")},
	{"uri-reference", URI("", "") "|" RELATIVE("", "")},
	{"iri", URI(UCS, PRIVATE)},
	{"iri-reference", URI(UCS, PRIVATE) "|" RELATIVE(UCS, PRIVATE)},
	{"uri-template",
     "(?:[!#$&(-;=?-\\[\\]_a-z~" UCS PRIVATE "]|" PCT "|\\{[+#./;?&=,!@|]?" VARSPEC "(?:," VARSPEC ")*\\})*"},
	{"json-pointer", POINTER},
	{"relative-json-pointer", "(?:0|[1-9][0-9]*)(?:#|" POINTER ")"},
	// OpenAPI's registry of formats: base64, and with its other alphabet, where the padding may be left out.
	{"byte", BASE64},
	{"base64url", "(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2}(?:==)?|[A-Za-z0-9_-]{3}=?)?"},
	{"char", "[\\s\\S]"},
	{"date-time-local", DATE "[Tt]" CLOCK},
	{"time-local", CLOCK},
	{"decimal", "-?[0-9]+(?:\\.[0-9]+)?"},
	{"ipv4-cidr", CIDR_4},
	{"ipv6-cidr", CIDR_6},
	{"language",
     "(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?(?:-(?:[A-Za-"
     "z0-9]"
     "{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-[0-9A-WY-Za-wy-z](?:-[A-Za-z0-9]{2,8})+)*(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?|"
     "[Xx](?:-[A-Za-z0-9]{1,8})+"},
	// pydantic and msgspec: what their validators take in the form that they write.
	{"base64", BASE64},
	{"uuid1", UUID_OF("1")},
	{"uuid3", UUID_OF("3")},
	{"uuid4", UUID_OF("4")},
	{"uuid5", UUID_OF("5")},
	{"uuid6", UUID_OF("6")},
	{"uuid7", UUID_OF("7")},
	{"uuid8", UUID_OF("8")},
	{"ipvanyaddress", IPV4 "|" IPV6},
	{"ipv4interface", IPV4 "|" CIDR_4},
	{"ipv6interface", IPV6 "|" CIDR_6},
	{"ipvanyinterface", IPV4 "|" CIDR_4 "|" IPV6 "|" CIDR_6},
	{"ipv4network", IPV4 "(?:/32)?"},  // networks.c
	{"ipv6network", IPV6 "(?:/128)?"},
	{"ipvanynetwork", IPV6 "(?:/128)?"},
	{"multi-host-uri",
     "[A-Za-z][A-Za-z0-9+.-]*://" URL_USER URL_HOST "(?:," URL_USER URL_HOST ")*" PATH_ABEMPTY("") TAIL("", "")},
	{"name-email", "[A-Za-z0-9]+(?: [A-Za-z0-9]+)* <" PLAIN_EMAIL ">|" PLAIN_EMAIL},
	{"fraction", "-?(?:0|[1-9][0-9]*)(?:/[1-9][0-9]*)?"},
	{"partial-time", CLOCK},  // schemars, too
	// zod, which writes the same as a pattern beside most of them.
	{"cuid", "[Cc][0-9a-z]{6,}"},
	{"cuid2", "[0-9a-z]+"},
	{"ulid", "[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"},
	{"nanoid", "[A-Za-z0-9_-]+"},  // zod's pattern has the length
	{"xid", "[0-9A-Va-v]{20}"},
	{"ksuid", "[A-Za-z0-9]{27}"},
	{"e164", "\\+[1-9][0-9]{6,14}"},
	{"cidrv4", CIDR_4},
	{"cidrv6", CIDR_6},
	{"lowercase", "[^A-Z]*"},
	{"uppercase", "[^a-z]*"},
	{"hex", HEX "*"},
	HASH("md5", "32", "22}==", "22}"),
	HASH("sha1", "40", "27}=", "27}"),
	HASH("sha256", "64", "43}=", "43}"),
	HASH("sha384", "96", "64}", "64}"),
	HASH("sha512", "128", "86}==", "86}"),
	{"emoji", "[" EMOJI_PART "]*[" EMOJI_BASE "][" EMOJI_PART "]*"},
	{"mac", HEX "{2}(?:(?::" HEX "{2}){5}|(?:-" HEX "{2}){5})"},
	// ajv-formats.
	{"iso-time", CLOCK OFFSET},
	{"iso-date-time", DATE "[Tt ]" CLOCK OFFSET},
	{"json-pointer-uri-fragment", "#(?:/(?:[A-Za-z0-9._!$&'()*+,;:=@-]|" PCT "|~[01])*)*"},
	// schemars, Kubernetes, NJsonSchema.
	{"ip", IPV4 "|" IPV6},
	{"partial-date-time", DATE "[Tt]" CLOCK},
	{"cidr", CIDR_4 "|" CIDR_6},
	{"time-span", "-?(?:[1-9][0-9]{0,6}\\.)?(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{7})?"},
	// Aliases.
	{"url", URI("", "")},
	{"host-name", LABEL "(?:\\." LABEL ")*\\.?"},  // draft 3
	{"guid", UUID},
};

// Where masks leave out texts that a definition of the format takes (other spellings, mostly): all texts, and others.
static const struct format uppers[] = {
	{"idn-email", SOME "@" SOME},
	{"decimal", SOME "."},
	{"language", "[A-Za-z0-9-]+"},
	{"uuid1", SOME HEX SOME},
	{"uuid3", SOME HEX SOME},
	{"uuid4", SOME HEX SOME},
	{"uuid5", SOME HEX SOME},
	{"uuid6", SOME HEX SOME},
	{"uuid7", SOME HEX SOME},
	{"uuid8", SOME HEX SOME},
	{"ipvanyaddress", SOME "[.:]" SOME},
	{"ipv4interface", "[0-9./]*"},
	{"ipv6interface", SOME ":" SOME},
	{"ipvanyinterface", SOME "[.:]" SOME},
	{"ipv4network", "[0-9./]*"},
	{"ipv6network", SOME ":" SOME},
	{"ipvanynetwork", SOME "[.:]" SOME},
	{"multi-host-uri", SOME ":" SOME},
	{"name-email", SOME "@" SOME},
	{"fraction", SOME "."},
	{"partial-time", SOME ":" SOME},
	{"partial-date-time", SOME ":" SOME},
	{"mac", "[0-9A-Fa-f:.-]*"},
	{"iso-time", SOME ":" SOME},
	{"iso-date-time", SOME ":" SOME},
	{"time-span", SOME "."},
};

// Names that no specification gives a condition: they say how a value is shown, stored or asked for.
static const char *const annotations[] = {
	"array",         "binary",         "boolean",  "categories",   "checkbox",      "color",     "commonmark",
	"decimal128",    "directory-path", "double",   "double-int",   "ends_with",     "enum",      "file-path",
	"float",         "grid",           "hidden",   "html",         "html-selector", "includes",  "int",
	"int-or-string", "integer",        "json",     "long",         "markdown",      "multiline", "number",
	"object",        "password",       "path",     "phone",        "quantity",      "radio",     "select",
	"starts_with",   "string",         "style",    "table",        "tabs",          "tel",       "text",
	"textarea",      "uint",           "url-path", "utc-millisec", "xml",           "yaml"};

struct number_format {
	const char *name, *least, *most;
};
static const struct number_format number_formats[] = {
	{"int8", "-128", "127"},
	{"uint8", "0", "255"},
	{"int16", "-32768", "32767"},
	{"uint16", "0", "65535"},
	{"int32", "-2147483648", "2147483647"},
	{"uint32", "0", "4294967295"},
	{"int64", "-9223372036854775808", "9223372036854775807"},
	{"uint64", "0", "18446744073709551615"},
	{"int128", "-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"},
	{"uint128", "0", "340282366920938463463374607431768211455"},
};

// RFC 3339's full-time, behind a date where that is asked for.
static language times(struct schema *s, bool dated, bool any_minute)
{
	struct languages *ls = s->languages;
	static const char date[] = DATE "[Tt]";
	const language clock = times_of_day(s, any_minute);
	if (!dated) return clock;
	language days =
		language_of_regex(ls, &(struct regex_text){date, sizeof date - 1, TERM_A, (struct loc){0}, "date"}, s->d);
	ASSERT(days != LANGUAGE_ERROR);
	return language_then(ls, days, clock);
}

static language texts_of(struct schema *s, const struct format *f)
{
	const struct regex_text text = {f->pattern, (uint32_t)strlen(f->pattern), TERM_A, (struct loc){0}, f->name};
	const language l = language_of_regex(s->languages, &text, s->d);
	ASSERT(l != LANGUAGE_ERROR);
	return l;
}

static const struct format *format_named(const struct json *name, const struct format *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (json_is(name, list[i].name)) return &list[i];
	return NULL;
}
#define FORMAT_NAMED(name, list) format_named(name, list, sizeof(list) / sizeof *(list))

static language format_texts(struct schema *s, const struct format *f)
{
	language l = texts_of(s, f);
	if (strcmp(f->name, "ipv4network") == 0 || strcmp(f->name, "ipvanynetwork") == 0)
		l = language_or(s->languages, l, ipv4_networks(s));
	if (strcmp(f->name, "ipv6network") == 0 || strcmp(f->name, "ipvanynetwork") == 0)
		l = language_or(s->languages, l, ipv6_networks(s));
	return l;
}

bool format_is_narrow(const struct json *name) { return FORMAT_NAMED(name, uppers); }

bool format_value(struct schema *s, const struct json *name, struct value *out)
{
	*out = value_any();
	if (json_is(name, "time") || json_is(name, "date-time")) {
		const bool dated = json_is(name, "date-time");
		out->strings.of = times(s, dated, false);
		if (format_is_denied(s, DENIED_TIME))
			out->strings.syntax = SYNTAX_BETWEEN, out->strings.upper = times(s, dated, true);
		return true;
	}
	for (size_t i = 0; i < sizeof number_formats / sizeof *number_formats; i++) {
		const struct number_format *f = &number_formats[i];
		if (!json_is(name, f->name)) continue;
		struct decimal least, most;
		decimal_read(f->least, (uint32_t)strlen(f->least), &least);
		decimal_read(f->most, (uint32_t)strlen(f->most), &most);
		struct numbers n = numbers_and(s, numbers_bound(s, NUMBER_LEAST, &least), numbers_bound(s, NUMBER_MOST, &most));
		n = numbers_and(s, n, numbers_integer(s, false));
		out->numbers = n.of, out->numbers_plain = n.is_plain;
		return true;
	}
	if (json_is(name, "regex")) {
		out->strings.syntax = SYNTAX_REGEX;
		return true;
	}
	const struct format *f = FORMAT_NAMED(name, formats), *upper = FORMAT_NAMED(name, uppers);
	if (f) {
		out->strings.of = format_texts(s, f);
		if (upper && format_is_denied(s, DENIED_NARROW))
			out->strings.syntax = SYNTAX_BETWEEN, out->strings.upper = texts_of(s, upper);
		return true;
	}
	for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++)
		if (json_is(name, annotations[i])) return true;
	return false;
}

language schema_format_language(struct languages *store, const char *name, struct diag *d)
{
	struct schema s = {.languages = store, .d = d};
	const struct json said = {.kind = JSON_STRING, .text = name, .len = (uint32_t)strlen(name)};
	struct value v;
	bool is_known = format_value(&s, &said, &v) && v.strings.syntax != SYNTAX_REGEX;
	return is_known ? v.strings.of : LANGUAGE_ERROR;
}
