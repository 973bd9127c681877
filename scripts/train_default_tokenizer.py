#!/usr/bin/env python3
"""Trains tokenizers/default/tokenizer.json: a small byte-level BPE tokenizer of our own, built into gcdc.

    python3 scripts/train_default_tokenizer.py [--check]

4,096 entries: the 256 bytes (id = byte), 3,839 merged ones, and `<|end|>` (4095). The text is what this repository
ships (documentation, C, grammars, Python) and generated JSON, SQL, code and number samples, so the result depends on
the tree it is run in; the committed file is the tokenizer, and changing it changes ids in golden tests. Same tree,
same file: no randomness but a seeded generator, ties go to the smaller pair of ids. Plain Python, about a minute.
"""
import argparse
import collections
import heapq
import json
import pathlib
import random
import re
import sys

import byte_level

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / 'tokenizers' / 'default'
SIZE = 4096
LONGEST = 32  # bytes of a token
END = '<|end|>'
# The cl100k family's way to cut, in HuggingFace's syntax, and the same for Python's `re`.
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
           r"\s*[\r\n]+|\s+(?!\S)|\s+")
PYTHON = re.compile(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|(?:[^\r\n\w]|_)?[^\W\d_]+|\d{1,3}| ?(?:[^\s\w]|_)+[\r\n]*|"
                    r"\s*[\r\n]+|\s+(?!\S)|\s+")


NAMES = ('Ada Alan Barbara Claude Dennis Edsger Frances Grace Hedy Ivan John Ken Leslie Margaret Niklaus Ole Peter '
         'Radia Sophie Tony Ursula Vint Wanda Xenia Yukihiro Zoe').split()
NOUNS = ('name id type value key list item user order price count total date time path file text title message status '
         'code error result data node edge tree token table column row index query city country email address phone '
         'street number state version size length width height color image url description tags comment author '
         'language model input output function argument parameter property object array string boolean integer').split()
VERBS = 'get set add remove find make read write open close send load save parse print check update delete'.split()
WORDS = ('the of and to in is that it for was on are as with they be at one have this from or had by not but what all '
         'were when we there can an your which their if do will each how them then many some so these would into has '
         'more her two like him time see no could people than first water been call who its now find long down day did '
         'come made may part over new sound take only little work know place year live back give most very after thing '
         'our just good sentence man think say great where help through much before line right too mean old any same '
         'tell boy follow came want show also around form three small put end does another well large must big even '
         'such because turn here why ask went men read need land different home us move try kind hand picture again '
         'change off play spell air away animal house point page letter mother answer found study still learn should '
         'world high every near add food between own below country plant last school father keep tree never start city '
         'earth eye light thought head under story saw left few while along might close something seem next hard open '
         'example begin life always those both paper together got group often run important until children side').split()


def generated(r):
    def value(depth):
        k = r.random()
        if depth > 3 or k < .25:
            return r.choice([r.randint(0, 100), r.randint(-5, 99999), round(r.uniform(-100, 100), r.randint(1, 4)), True,
                             False, None, r.choice(NAMES), r.choice(NOUNS), f'{r.choice(NAMES).lower()}@example.com',
                             f'20{r.randint(10, 29)}-{r.randint(1, 12):02}-{r.randint(1, 28):02}', sentence(r)])
        if k < .5:
            return [value(depth + 1) for _ in range(r.randint(0, 5))]
        return {r.choice(NOUNS): value(depth + 1) for _ in range(r.randint(1, 6))}

    for i in range(500):
        yield json.dumps({r.choice(NOUNS): value(0) for _ in range(r.randint(1, 5))},
                         indent=[None, 2, 4, None, '\t'][i % 5], separators=(',', ':') if i % 7 == 0 else None)
    for _ in range(500):
        a, b, c = r.sample(NOUNS, 3)
        yield r.choice([
            f'SELECT {a}, {b} FROM {c}s WHERE {a} = \'{r.choice(NAMES)}\' AND {b} > {r.randint(1, 999)} ORDER BY {a} DESC LIMIT 10;\n',
            f'INSERT INTO {a}s ({b}, {c}) VALUES ({r.randint(1, 99)}, \'{r.choice(NAMES)}\');\n',
            f'SELECT COUNT(*) AS {a} FROM {b}s t1 LEFT JOIN {c}s t2 ON t1.id = t2.{b}_id GROUP BY t1.{a} HAVING COUNT(*) >= 2;\n',
            f'UPDATE {a}s SET {b} = NULL WHERE {c} IS NOT NULL OR {b} IN (1, 2, 3);\n'])
        v = r.choice(VERBS)
        yield r.choice([
            f'def {v}_{a}({b}, {c}=None):\n    if {b} is not None and len({b}) > 0:\n        return {b}[0]\n    for i in range(10):\n        print(i)\n    return {{"{a}": {c}}}\n\n',
            f'class {a.capitalize()}(object):\n    def __init__(self, {b}):\n        self.{b} = {b}\n\n    def {v}(self):\n        raise ValueError(f"{{self.{b}}}")\n\n',
            f'function {v}{a.capitalize()}({b}, {c}) {{\n  const x = {b}.map((e) => e.{c});\n  if (x === null || x.length !== 0) {{ return true; }}\n  console.log("{a}");\n}}\n',
            f'public static void {v}(String {a}, int {b}) {{\n\tSystem.out.println({a} + {b});\n\tfor (int i = 0; i < {b}; i++) {{ {c} += i; }}\n}}\n',
            f'<div class="{a}"><a href="https://example.com/{b}">{c}</a></div>\n<p id="{a}">{sentence(r)}</p>\n',
            f'{a}: {b}\n  - {c}: "{r.choice(NAMES)}"\n  - {v}: {r.randint(0, 9)}\n'])
        yield sentence(r) + r.choice([' ', '\n', '\n\n'])
    yield ' '.join(str(r.randint(0, 10 ** r.randint(1, 6))) for _ in range(2000))
    for n in range(2, 17):
        yield (' ' * n + 'x\n') * 60
        yield '-' * n + '\n' + '=' * n + '\n' + '*' * n + '\n'


def sentence(r):
    words = [r.choice(WORDS) for _ in range(r.randint(4, 14))]
    return ' '.join(words).capitalize() + r.choice(['.', '.', '?', '!'])


def texts():
    patterns = ['docs/**/*.md', 'formats/*', 'lib/**/*.[ch]', 'cmd/*.c', 'grammars/**/*', 'scripts/*.py', 'README.md']
    for path in sorted({p for g in patterns for p in ROOT.glob(g) if p.is_file()}):
        if '/reject/' in str(path) or (path.suffix != '.lark' and 'grammars' in path.parts and path.stat().st_size > 3000):
            continue  # stress samples: thousands of brackets
        try:
            yield path.read_text('utf-8')[:60000]
        except UnicodeDecodeError:
            continue
    yield from generated(random.Random(20240501))


def count_words():
    words = collections.Counter()
    for text in texts():
        words.update(m.group().encode() for m in PYTHON.finditer(text))
    return words


def train(words, size):
    """(left, right, merged) ids: the commonest pair of neighbours, again and again, until there are `size` tokens.

    A pair whose bytes are already a token is merged into that one.
    """
    symbols = [list(w) for w in sorted(words)]
    counts = [words[w] for w in sorted(words)]
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for k, s in enumerate(symbols):
        for pair in zip(s, s[1:]):
            pairs[pair] += counts[k]
            where[pair].add(k)
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    spelled = [bytes([b]) for b in range(256)]
    known = {b: i for i, b in enumerate(spelled)}
    merges = []
    while len(spelled) < size and heap:
        n, pair = heapq.heappop(heap)
        if pairs[pair] != -n or n == 0:
            continue
        text = spelled[pair[0]] + spelled[pair[1]]
        if len(text) > LONGEST:
            continue
        if text not in known:
            known[text] = len(spelled)
            spelled.append(text)
        new = known[text]
        merges.append((*pair, new))
        touched = set()
        for k in sorted(where.pop(pair)):
            s, i = symbols[k], 0
            for p in zip(s, s[1:]):
                pairs[p] -= counts[k]
                touched.add(p)
            while i + 1 < len(s):
                if (s[i], s[i + 1]) == pair:
                    s[i:i + 2] = [new]
                i += 1
            for p in zip(s, s[1:]):
                pairs[p] += counts[k]
                where[p].add(k)
                touched.add(p)
        for p in touched:
            if pairs[p] > 0:
                heapq.heappush(heap, (-pairs[p], p))
    return spelled, merges


def tokenizer(spelled, merges):
    chars = [byte_level.LETTERS[b] for b in range(256)]
    names = [''.join(chars[b] for b in text) for text in spelled]
    lines = [f'{names[a]} {names[b]}' for a, b, _ in merges]
    vocab = {name: i for i, name in enumerate(names)}
    end = len(vocab)
    vocab[END] = end
    added = {'id': end, 'content': END, 'single_word': False, 'lstrip': False, 'rstrip': False, 'normalized': False, 'special': True}
    level = {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': True, 'use_regex': False}
    split = {'type': 'Split', 'pattern': {'Regex': PATTERN}, 'behavior': 'Isolated', 'invert': False}
    return {'version': '1.0', 'truncation': None, 'padding': None, 'added_tokens': [added], 'normalizer': None,
            'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [split, level]}, 'post_processor': None,
            'decoder': level,
            'model': {'type': 'BPE', 'dropout': None, 'unk_token': None, 'continuing_subword_prefix': None,
                      'end_of_word_suffix': None, 'fuse_unk': False, 'byte_fallback': False, 'ignore_merges': False,
                      'vocab': vocab, 'merges': lines}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--check', action='store_true', help='only say whether the committed file is what would be made')
    check = parser.parse_args().check
    spelled, merges = train(count_words(), SIZE - 1)
    text = json.dumps(tokenizer(spelled, merges), ensure_ascii=False, indent=0) + '\n'
    path = OUT / 'tokenizer.json'
    if check:
        same = path.read_text('utf-8') == text
        print('same' if same else 'different (the texts of the tree have changed since it was trained)')
        return not same
    OUT.mkdir(parents=True, exist_ok=True)
    path.write_text(text, 'utf-8')
    (OUT / 'tokenizer_config.json').write_text(json.dumps({'eos_token': END, 'clean_up_tokenization_spaces': False}, indent=1) + '\n')
    print(f'{path}: {len(merges)} merges, {len(text.encode())} bytes')
    return 0


if __name__ == '__main__':
    sys.exit(main())
