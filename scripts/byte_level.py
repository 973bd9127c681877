"""GPT-2's alphabet, in which byte-level tokenizers spell bytes, and random vocabularies in it as a tokenizer.json."""
import json

PLAIN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
OTHERS = [b for b in range(256) if b not in PLAIN]
LETTERS = {b: chr(b) for b in PLAIN} | {b: chr(0x100 + i) for i, b in enumerate(OTHERS)}  # of each byte
BYTES = {letter: b for b, letter in LETTERS.items()}


def spell(token):
    return "".join(LETTERS[b] for b in token)


def write_tokenizer(path, spelled):
    """These tokens, without merges; behind them "<end>", a control token."""
    model = {"type": "BPE", "vocab": {t: i for i, t in enumerate(spelled)}, "merges": []}
    end = {"id": len(spelled), "content": "<end>", "special": True, "single_word": False, "lstrip": False, "rstrip": False,
           "normalized": False}
    path.write_text(json.dumps({"model": model, "added_tokens": [end], "decoder": {"type": "ByteLevel"},
                                "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False}}))
