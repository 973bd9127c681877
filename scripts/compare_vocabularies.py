#!/usr/bin/env python3
"""Are the bytes of every token those of the reference library? For files other than BPE tokenizer.json.

The references, from PyPI, as far as they are installed: sentencepiece (*.model), tokenizers (Unigram and WordPiece
tokenizer.json); tekken.json and tiktoken files are base64, which Python itself reads (mistral-common and tiktoken do
nothing else). A token's bytes are what it adds behind another one.

  compare_vocabularies.py DUMP FILE...      DUMP: build/release/tests/vocab_dump
"""
import base64
import json
import struct
import subprocess
import sys
from pathlib import Path

UNUSED, TEXT, CONTROL = 0, 1, 2


def ours(dump, path):
    """[(kind, bytes)] and the EOS ids."""
    done = subprocess.run([dump, str(path)], capture_output=True, check=False)
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
    out = []
    for i in range(s.get_piece_size()):
        if s.is_control(i) or s.is_unknown(i):
            out.append((CONTROL, b""))
        elif s.is_unused(i):
            out.append((UNUSED, b""))
        elif s.is_byte(i):
            out.append((TEXT, bytes([int(s.id_to_piece(i)[3:5], 16)])))
        else:
            # Behind a piece, so that the first blank of a text is not taken away.
            other = next(k for k in range(s.get_piece_size()) if s.id_to_piece(k) in ("a", "\u2581a", "e", "1"))
            before, both = s.decode([other]), s.decode([other, i])
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
    before = t.decode([other])
    out = []
    for i in range(t.get_vocab_size()):
        if i in special:
            out.append((CONTROL, b""))
            continue
        both = t.decode([other, i])
        out.append((TEXT, both[len(before) :].encode() if both.startswith(before) else None))
    return out, None


def main():
    dump, failed, total = sys.argv[1], 0, 0
    for path in sys.argv[2:]:
        head = Path(path).read_bytes()[:4096]
        if head[:1] == b"\n":
            theirs, eos = of_sentencepiece(path)
        elif b"default_num_special_tokens" in head or b'"config"' in head:
            theirs, eos = of_tekken(path)
        elif head.lstrip()[:1] == b"{":
            theirs, eos = of_tokenizers(path)
        else:
            theirs, eos = of_tiktoken(path)
        mine, my_eos = ours(dump, path)
        wrong = [i for i in range(max(len(mine), len(theirs))) if i >= len(mine) or i >= len(theirs) or mine[i] != theirs[i]]
        if eos is not None and my_eos != eos:
            wrong.append(("eos", my_eos, eos))
        for i in wrong[:5]:
            print(f"{path}: {i}: {mine[i] if isinstance(i, int) and i < len(mine) else ''} "
                  f"{theirs[i] if isinstance(i, int) and i < len(theirs) else ''}")
        print(f"{path}: {len(mine)} tokens, {len(wrong)} differ")
        failed += bool(wrong)
        total += len(mine)
    print(f"{len(sys.argv) - 2} files, {total} tokens, {failed} files differ")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
