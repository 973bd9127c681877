"""The corpus: `.lark` files that others wrote, as they are. Where each comes from (a PyPI package, pinned by version and SHA-256), how
its project loads it with Lark, and what gcdc must be told that Lark learns from Python code.

Wheels are unpacked into build/corpus, sdists into build/sdist (lark_tools.py); nothing of a package is imported or run. (To
download an sdist pip asks the sdist's build backend for its metadata; pip checks the hash before that.)
"""
import dataclasses
import hashlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from lark_tools import INDENT_LARK, INDENT_SYNCODE, LARK_SDIST, SYNCODE, SYNCODE_NAMES, TOP

# Package and version: SHA-256 of its wheel (or sdist), what pip calls the file's kind.
PACKAGES = {
    "beancount-parser==1.2.3": "8d8415a06dbd9fe07170071fdb45e7063c6e81239ee48bda46292ce9d1bd68dc",
    "cel-python==0.5.0": "d0f85008b89655c2bb18d797d2fa3f96f2ed80f4a3b43b0e8138c6646581e5f6",
    "d20==1.1.2": "1195bfc643aa4bd984bf6d26327491795272bfab8b19ac15108b4352a9de3166",
    "docstub==0.6.0": "142e69ca8fc4d8c5b9f8cc488e363735200bfdf32678eb6b7c10ab8410590cf4",
    "dotmotif==0.18.0": "121d12b275aeafb046e36847b3a030117f77058d78fc7599ca8d53e0e00374cf",
    "gdtoolkit==4.5.0": "f25c5bf7f7fe861e1127164c5d73e0a7fb204ec74cf05d375b76a5dcf8610cdb",
    "gersemi==0.19.3": "0e8dad5d228bc516982d3bd49076d0608cb77f1822756e21748ef77d41301032",
    "jaclang==0.7.17": "5e8d06dd056c0e25d0a9f9c2d77f8e469cabbab3f3be5b5d2bfd3f552fe95b1c",
    "mappyfile==1.2.0": "0b875a35035f6fc712b153b134de27bdcbb42f732a5a05801c9bead7a123fa72",
    "mistql==0.4.12": "686b8b8f0d6a2ec2ac33f3ba62483c8519d45d2496d0869b30a322fa3a5e025a",
    "optimade==1.5.0": "7f197dee08015b24226aa623e72af6534aaaedf19fe11517c4b71ff33696a541",
    "pddl==0.5.1": "91a3c21656458b895347b83e971e072cc87393dede760fb7b67b5500401f6fd6",
    "poetry-core==2.5.0": "98ee465b66f7e14bb9fbe68fb5e00d0cff184f036993ec94610ae4b5612f3add",
    "pygeofilter==0.4.0": "ddb74c8233f4fd1b62b80a0ecf4e4f9aff178b8c61334754288d1622c8db71ec",
    "pylogics==0.2.1": "de536b6e335d30bc7956dfef89f281c4aaa1f787be7547450d613c8d268bf176",
    "pyquil==3.5.4": "ef36458b38b314f647f0e6cb067358e92033821f90fb7a533baa5ff59bfbaaf1",
    "python-hcl2==8.1.4": "75738bd95717d692a683495babf4d00063f1b211e2eca04b156c6d79b9a0feae",
    "tartiflette==0.7.1": "3e4840d6fdf8b873a0a8efe00040bcff8f338ad8bf35bfc00125806d8714fd5e",
    "ucumvert==0.3.2": "b1c3c5b875843642f52f5f015fc8728ff997ce9c337b64bd25141ae44848bdd0",
    "undate==0.8.0": "a19c103b7215ff0d2c501cbbcbce9f6e18846c9b02cb3b810ee8d9ad1128013c",
    "vyper==0.4.3": "3b9671727c888363740dc678e60336759871487d0e4e9fdd973048fa9635c4fd",
}
SDISTS = {
    "lark==1.3.1": "b426a7a6d6d53189d318f2b6236ab5d6429eaf09259f1ca33eb716eed10d2905",
    "syncode==0.4.16": "de4e7358249475c1487c2f6ecc45ea54d18347632479a2c32e1ae4f2d1290dec",
}
# Wheels that ask for a newer Python than this one are read all the same.
PYTHON = {"--only-binary": ["--python-version", "3.12"], "--no-binary": []}


@dataclasses.dataclass
class Entry:
    """A grammar file and how its project reads it."""
    name: str  # in tables, and of its texts: tests/corpus/texts/<name>.txt
    package: str  # of PACKAGES or SDISTS
    path: str  # inside the package
    start: str = "start"
    parser: str = "lalr"  # "earley" reads without a lexer (Lark's lexer="dynamic")
    indent: str = ""  # for gcdc compile --indent: what the project's Indenter says
    imports: str = ""  # folder inside the package: the project's import_paths
    regex: bool = False  # the project uses the package `regex` instead of `re`
    flags: int = 0  # the project's g_regex_flags
    ending: str = ""  # what the project puts behind a text before parsing
    texts: str = ""  # glob inside the package: texts that come with it
    note: str = ""  # what the project's Python code does to texts beside Lark


GRAMMARS = "syncode/parsers/grammars"
ENTRIES = [
    Entry("lark", "lark==1.3.1", "lark/grammars/lark.lark", texts="**/*.lark"),
    Entry("lark-python", "lark==1.3.1", "lark/grammars/python.lark", "file_input", indent=INDENT_LARK, ending="\n",
          texts="examples/*.py"),
    Entry("lark-python2", "lark==1.3.1", "examples/advanced/python2.lark", "file_input", indent=INDENT_LARK, ending="\n",
          texts="examples/*.py"),
    Entry("lark-template", "lark==1.3.1", "examples/advanced/template_lark.lark"),
    Entry("lark-verilog", "lark==1.3.1", "examples/grammars/verilog.lark"),
    Entry("lark-json", "lark==1.3.1", "examples/composition/json.lark", parser="earley"),
    Entry("lark-csv", "lark==1.3.1", "examples/composition/csv.lark", parser="earley"),
    Entry("lark-storage", "lark==1.3.1", "examples/composition/storage.lark", parser="earley",
          texts="examples/composition/*.txt"),
    Entry("lark-standalone", "lark==1.3.1", "examples/standalone/json.lark"),
    Entry("lark-multiples", "lark==1.3.1", "examples/relative-imports/multiples.lark"),
    *[Entry(f"syncode-{n}", SYNCODE.replace("-0", "==0"), f"{GRAMMARS}/{n}.lark", indent=INDENT_SYNCODE if n == "python" else "",
            ending="\n" if n == "python" else "") for n in SYNCODE_NAMES],
    Entry("beancount", "beancount-parser==1.2.3", "beancount_parser/grammar/beancount.lark"),
    Entry("cel", "cel-python==0.5.0", "celpy/cel.lark", "expr", flags=8),
    Entry("d20", "d20==1.1.2", "d20/grammar.lark", "expr"),
    Entry("docstub", "docstub==0.6.0", "docstub/doctype.lark", parser="earley"),
    Entry("dotmotif", "dotmotif==0.18.0", "dotmotif/parsers/v2/grammar.lark", parser="earley"),
    Entry("gdscript", "gdtoolkit==4.5.0", "gdtoolkit/parser/gdscript.lark", regex=True, ending="\n",
          indent=INDENT_SYNCODE, note="its Indenter puts a newline behind each dedent, and blocks into brackets"),
    Entry("gdscript-comments", "gdtoolkit==4.5.0", "gdtoolkit/parser/comments.lark", regex=True),
    Entry("cmake", "gersemi==0.19.3", "gersemi/cmake.lark"),
    Entry("jac", "jaclang==0.7.17", "jaclang/compiler/jac.lark", texts="**/*.jac"),
    Entry("mappyfile", "mappyfile==1.2.0", "mappyfile/mapfile.lark"),
    Entry("mistql", "mistql==0.4.12", "mistql/grammar.lark", parser="earley"),
    Entry("optimade", "optimade==1.5.0", "optimade/grammar/v1.2.0.lark", parser="earley"),
    Entry("pddl", "pddl==0.5.1", "pddl/parser/grammar.lark", "domain"),
    Entry("markers", "poetry-core==2.5.0", "poetry/core/version/grammars/markers.lark"),
    Entry("pep508", "poetry-core==2.5.0", "poetry/core/version/grammars/pep508.lark"),
    Entry("ecql", "pygeofilter==0.4.0", "pygeofilter/parsers/ecql/grammar.lark", imports="pygeofilter/parsers"),
    Entry("cql2", "pygeofilter==0.4.0", "pygeofilter/parsers/cql2_text/grammar.lark", imports="pygeofilter/parsers"),
    *[Entry(f"pylogics-{n}", "pylogics==0.2.1", f"pylogics/parsers/{n}.lark") for n in ("pl", "ltl", "pltl", "ldl")],
    Entry("quil", "pyquil==3.5.4", "pyquil/_parser/grammar.lark", "quil"),
    Entry("hcl2", "python-hcl2==8.1.4", "hcl2/hcl2.lark", note="its PostLexer drops newlines before an operator"),
    Entry("graphql-sdl", "tartiflette==0.7.1", "tartiflette/sdl/grammar/graphql_sdl_grammar.lark", "document"),
    Entry("ucum", "ucumvert==0.3.2", "ucumvert/ucum_grammar.lark", "main_term", parser="earley"),
    Entry("undate", "undate==0.8.0", "undate/converters/grammars/combined.lark", parser="earley"),
    Entry("undate-edtf", "undate==0.8.0", "undate/converters/grammars/edtf.lark", "edtf", parser="earley"),
    Entry("undate-hebrew", "undate==0.8.0", "undate/converters/grammars/hebrew.lark", "hebrew_date", parser="earley"),
    Entry("undate-holidays", "undate==0.8.0", "undate/converters/grammars/holidays.lark", "holiday_date", parser="earley"),
    Entry("vyper", "vyper==0.4.3", "vyper/ast/grammar.lark", "module", indent=INDENT_LARK, ending="\n"),
]


def folder_of(package):
    """Where a package lies, unpacked."""
    return TOP / ("build/sdist" if package in SDISTS else "build/corpus") / package.replace("==", "-")


def download(package, digest, kind, parent):
    """The one file that pip gives for a pinned package; pip refuses any other bytes."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"{package} --hash=sha256:{digest}\n")
        wanted.flush()
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", kind, ":all:",
                        *PYTHON[kind], "--dest", parent, "--requirement", wanted.name], check=True)
    return next(p for p in sorted(parent.iterdir()) if p.is_file() and hashlib.sha256(p.read_bytes()).hexdigest() == digest)


def fetch(package):
    """Folder of a package of the corpus; fetched and unpacked when it is not there."""
    folder = folder_of(package)
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    if package in SDISTS:
        with tarfile.open(download(package, SDISTS[package], "--no-binary", folder.parent)) as archive:
            archive.extractall(folder.parent, filter="data")
    else:
        with zipfile.ZipFile(download(package, PACKAGES[package], "--only-binary", folder.parent)) as archive:
            archive.extractall(folder)
    print(f"fetched {package}", file=sys.stderr)
    return folder


def grammar_path(entry):
    """Path of an entry's grammar."""
    return fetch(entry.package) / entry.path


assert LARK_SDIST == "lark-1.3.1" and SYNCODE == "syncode-0.4.16", "the pins here and in lark_tools.py are the same"
