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
gcdc=$1 out=$2 n_accept=$3 n_refuse=$4
shift 4
"$gcdc" compile "${@:n_accept+n_refuse+1}" --quiet --provenance --jobs 1 --output "$out"
[ "$n_accept" = 0 ] || "$gcdc" check "$out" --greedy "${@:1:n_accept}" >&2
[ "$n_refuse" = 0 ] || "$gcdc" check "$out" --greedy --expect reject "${@:n_accept+1:n_refuse}" >&2
"""

def _artifact(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".gcdc")
    vocabulary = ctx.attr.vocabulary[GcdcVocabularyInfo].file
    arguments = ctx.actions.args()
    arguments.add_all([ctx.file.gcdc, out])
    arguments.add_all([str(len(ctx.files.accept)), str(len(ctx.files.refuse))])
    arguments.add_all(ctx.files.accept + ctx.files.refuse)
    arguments.add(ctx.file.grammar)
    arguments.add_all(["--tokenizer", vocabulary])
    arguments.add_all(ctx.attr.options)
    ctx.actions.run_shell(
        command = _COMPILE_AND_CHECK,
        arguments = [arguments],
        inputs = [ctx.file.grammar, vocabulary] + ctx.files.imports + ctx.files.accept + ctx.files.refuse,
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
