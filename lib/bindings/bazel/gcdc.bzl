"""Rules that make artifacts with Bazel, one action each, for its caches and for remote execution.

gcdc itself is an input of each action (`gcdc`, a label of the program): what runs is what the key of the cache says, on whichever machine.
An action reads its inputs and nothing else, runs on one thread, and gives the same bytes everywhere.
"""

GcdcVocabularyInfo = provider("A compiled vocabulary.", fields = {"file": "the .gcdv", "tokenizer": "its name"})

_GCDC = attr.label(
    doc = "the program: a file, or a target that makes one",
    default = "//tools:gcdc",
    allow_single_file = True,
    cfg = "host",
)

def _vocabulary(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".gcdv")
    arguments = ctx.actions.args()
    arguments.add("vocab")
    if ctx.files.tokenizer:
        arguments.add(ctx.files.tokenizer[0])
    arguments.add_all(["--quiet", "--provenance", "--output", out])
    arguments.add_all(ctx.attr.options)
    ctx.actions.run(
        executable = ctx.file.gcdc,
        arguments = [arguments],
        inputs = ctx.files.tokenizer,
        tools = [ctx.file.gcdc],
        outputs = [out],
        mnemonic = "GcdcVocabulary",
        progress_message = "Vocabulary %{label}",
        env = {},
    )
    return [
        DefaultInfo(files = depset([out])),
        GcdcVocabularyInfo(file = out, tokenizer = ctx.attr.tokenizer_name or ctx.label.name),
    ]

gcdc_vocabulary = rule(
    implementation = _vocabulary,
    doc = "NAME.gcdv, compiled once and shared by artifacts.",
    attrs = {
        "tokenizer": attr.label_list(doc = "tokenizer.json first, then what lies beside it; none: the built-in one", allow_files = True),
        "tokenizer_name": attr.string(doc = "its name in those of artifacts (the target's)"),
        "options": attr.string_list(doc = "words for gcdc vocab: [\"--eos\", \"256\"]"),
        "gcdc": _GCDC,
    },
)

# Compiles, then checks; the artifact is there when both went well. Paths come as arguments: nothing is quoted.
_COMPILE_AND_CHECK = """
set -e
gcdc=$1 out=$2 vocabulary=$3 manifest=$4 n_accept=$5 n_refuse=$6
shift 6
"$gcdc" compile "${@:n_accept+n_refuse+1}" --quiet --provenance --jobs 1 --output "$out"
[ "$n_accept" = 0 ] || "$gcdc" check "$out" --greedy "${@:1:n_accept}" >&2
[ "$n_refuse" = 0 ] || "$gcdc" check "$out" --greedy --expect reject "${@:n_accept+1:n_refuse}" >&2
name=${out##*/}
[ -z "$manifest" ] || "$gcdc" build "$PWD/$manifest" --check "${name%.gcdc}" --output "$PWD/${out%/*}" --vocab "$PWD/$vocabulary" >&2
"""

def _artifact(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".gcdc")
    vocabulary = ctx.attr.vocabulary[GcdcVocabularyInfo].file
    arguments = ctx.actions.args()
    arguments.add_all([ctx.file.gcdc, out, vocabulary])
    arguments.add(ctx.file.manifest or "")
    arguments.add_all([str(len(ctx.files.accept)), str(len(ctx.files.refuse))])
    arguments.add_all(ctx.files.accept + ctx.files.refuse)
    arguments.add(ctx.file.grammar)
    arguments.add_all(["--tokenizer", vocabulary])
    arguments.add_all(ctx.attr.options)
    ctx.actions.run_shell(
        command = _COMPILE_AND_CHECK,
        arguments = [arguments],
        inputs = [ctx.file.grammar, vocabulary] + ctx.files.imports + ctx.files.accept + ctx.files.refuse + ctx.files.manifest,
        tools = [ctx.file.gcdc],
        outputs = [out],
        mnemonic = "GcdcCompile",
        progress_message = "Compiling %{label}",
        env = {},
    )
    return [DefaultInfo(files = depset([out]))]

gcdc_artifact = rule(
    implementation = _artifact,
    doc = "NAME.gcdc from a grammar, for a vocabulary; checked before it is there.",
    attrs = {
        "grammar": attr.label(doc = "a Lark grammar, a JSON Schema, ...", allow_single_file = True, mandatory = True),
        "imports": attr.label_list(doc = "what it imports or refers to", allow_files = True),
        "vocabulary": attr.label(doc = "a gcdc_vocabulary", providers = [GcdcVocabularyInfo], mandatory = True),
        "options": attr.string_list(doc = "words for gcdc compile: [\"--start\", \"program\"]"),
        "accept": attr.label_list(doc = "texts that the artifact must accept", allow_files = True),
        "refuse": attr.label_list(doc = "texts that it must refuse", allow_files = True),
        "manifest": attr.label(doc = "a manifest whose checks of NAME it must pass; what they name is among the imports", allow_single_file = True),
        "gcdc": _GCDC,
    },
)

def gcdc_artifacts(name, grammars, vocabularies, **more):
    """GRAMMAR-VOCABULARY.gcdc for each pair; NAME is all of them. more: as for gcdc_artifact, the same for each.

    Args:
        name: the target of all
        grammars: files, mostly a glob(); a file's name up to its first dot names the grammar
        vocabularies: labels of gcdc_vocabulary
        **more: attributes of each gcdc_artifact
    """
    made = []
    for grammar in grammars:
        for vocabulary in vocabularies:
            of = "%s-%s" % (grammar.split("/")[-1].split(".")[0], vocabulary.split(":")[-1])
            gcdc_artifact(name = of, grammar = grammar, vocabulary = vocabulary, **more)
            made.append(of)
    native.filegroup(name = name, srcs = made)

# A manifest of one artifact, as JSON, which is YAML; paths from its folder.
def _checks(artifact):
    checks = dict(artifact["checks"])
    for key in ("accept-files", "refuse-files"):
        if key in checks:
            checks[key] = [_FILES + file for file in checks[key]]
    return json.encode({
        "tokenizers": [{"file": _FILES + artifact["files"][0], "name": artifact["tokenizer"]}],  # --check reads none
        "grammars": [{"file": _FILES + artifact["files"][0], "name": artifact["grammar"]}],
        "checks": checks,
    })

_FILES = "files/"

def _call(function, **attributes):
    return "%s(\n%s)\n" % (function, "".join(["    %s = %r,\n" % item for item in attributes.items()]))

def _manifest(ctx):
    manifest = ctx.path(ctx.attr.manifest)
    done = ctx.execute([ctx.path(ctx.attr.gcdc), "build", manifest, "--list", "--json"])
    if done.return_code:
        fail(done.stderr)
    plan = json.decode(done.stdout)
    rules = str(ctx.attr.rules)
    text = ["load(%r, \"gcdc_artifact\", \"gcdc_vocabulary\")\n" % (rules if rules.startswith("@") else "@" + rules)]
    text.append("package(default_visibility = [\"//visibility:public\"])\n")
    files = {}
    for t in plan["tokenizers"]:
        files.update([(f, None) for f in t["files"]])
        text.append(_call("gcdc_vocabulary", name = "vocabulary/" + t["name"], tokenizer = [_FILES + f for f in t["files"]], options = t["options"]))
    for a in plan["artifacts"]:
        used = a["files"] + a["checks"].get("accept-files", []) + a["checks"].get("refuse-files", [])
        files.update([(f, None) for f in used])
        more = {}
        if a["checks"]:
            more["manifest"] = a["name"] + ".yaml"
            ctx.file(more["manifest"], _checks(a), executable = False)
        text.append(_call(
            "gcdc_artifact",
            name = a["name"],
            grammar = _FILES + used[0],
            imports = [_FILES + f for f in depset(used[1:]).to_list() if f != used[0]],
            options = a["options"],
            vocabulary = "vocabulary/" + a["tokenizer"],
            **more
        ))
    for file in files:
        if file.startswith("/") or ".." in file.split("/"):
            fail("%s lies outside of the manifest's folder" % file)
        ctx.symlink(ctx.path(str(manifest.dirname) + "/" + file), _FILES + file)
    beside = depset(["vocabulary/" + a["tokenizer"] for a in plan["artifacts"] if "--no-vocab" in a["options"]]).to_list()
    text.append(_call("filegroup", name = "artifacts", srcs = [a["name"] for a in plan["artifacts"]] + beside))
    ctx.file("BUILD", "\n".join(text), executable = False)

gcdc_manifest = repository_rule(
    implementation = _manifest,
    doc = "A repository with a target for each artifact of a manifest, and `artifacts`, all of them with the vocabularies that they need. For WORKSPACE.",
    attrs = {
        "manifest": attr.label(doc = "gcdc.yaml", mandatory = True),
        "gcdc": attr.label(doc = "the program, which reads the manifest here", default = "//tools:gcdc"),
        "rules": attr.label(doc = "this file", default = "//:gcdc.bzl"),
    },
    local = True,
)
