// A judge of JSON Schema beside python's jsonschema: ajv 8 with ajv-formats. scripts/schema_corpus --ajv FOLDER runs it.
//
//     node scripts/ajv_judge.mjs FOLDER      where FOLDER/node_modules has ajv, ajv-formats and ajv-draft-04 (npm)
//
// In:  a line [schema, {uri: document, ...}, asserts formats?], then one line for each instance. Out: a line for each:
// null where the schema is read, or why it is not; then true or false.
// Without $schema it is read as 2019-09 where it has lists of items or older keywords, else as 2020-12. Up to draft 7 what
// stands beside a $ref is taken away first: the drafts ignore it, ajv does not. ajv reads `nullable` as OpenAPI 3.0 does.
import {createRequire} from "module";
import {resolve} from "path";
import {createInterface} from "readline";

const require = createRequire(resolve(process.argv[2], "package.json"));
const options = {strict: false, allErrors: false, validateFormats: false, multipleOfPrecision: 9, logger: false};

function classOf(schema) {
	const said = typeof schema === "object" ? schema.$schema : undefined;
	if (/draft-04/.test(said)) return require("ajv-draft-04");
	if (/draft-0[67]/.test(said)) return require("ajv").default;
	if (/2020-12/.test(said)) return require("ajv/dist/2020").default;
	if (/2019-09/.test(said)) return require("ajv/dist/2019").default;
	const old = /"(items":\s*\[|dependencies"|additionalItems"|\$recursiveRef")/.test(JSON.stringify(schema));
	return require(old ? "ajv/dist/2019" : "ajv/dist/2020").default;
}

function withReferencesAlone(schema) {
	if (Array.isArray(schema)) return schema.map(withReferencesAlone);
	if (!schema || typeof schema !== "object") return schema;
	const stays = ["$ref", "$id", "id", "$schema", "definitions"], alone = typeof schema.$ref === "string";
	const kept = Object.entries(schema).filter(([key]) => !alone || stays.includes(key));
	return Object.fromEntries(kept.map(([key, x]) => [key, key === "enum" || key === "const" ? x : withReferencesAlone(x)]));
}

function read(line) {
	let [schema, documents, asserts] = JSON.parse(line);
	if (/draft-0[467]/.test(schema.$schema)) schema = withReferencesAlone(schema);
	const Ajv = classOf(schema), ajv = new (Ajv.default ?? Ajv)({...options, validateFormats: asserts});
	if (/draft-06/.test(schema.$schema)) ajv.addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"));
	if (asserts) require("ajv-formats")(ajv);
	for (const [uri, document] of Object.entries(documents)) if (!ajv.getSchema(uri)) ajv.addSchema(document, uri);
	return ajv.compile(schema);
}

let validate;
for await (const line of createInterface({input: process.stdin})) {
	let answer = null;
	try {
		if (validate)
			answer = validate(JSON.parse(line));
		else
			validate = read(line);
	} catch (e) {
		answer = String(e.message);
	}
	process.stdout.write(JSON.stringify(answer) + "\n");
}
