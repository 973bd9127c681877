"""A reasoning parser for vLLM's test (reasoning_parser_plugin): a random model says no </think>, so reasoning ends with the first
token whose id has the remainder R by M, of REASONING_END=R/M."""
import os

from vllm.reasoning import ReasoningParser, ReasoningParserManager


def ends(tokens):
    """Reasoning ends in them."""
    remainder, by = map(int, os.environ["REASONING_END"].split("/"))
    return any(t % by == remainder for t in tokens)


@ReasoningParserManager.register_module("gcdc_test")
class Reasoner(ReasoningParser):
    """As vLLM's own ask: whole output, and what is new."""

    def is_reasoning_end(self, input_ids):
        return ends(input_ids)

    def is_reasoning_end_streaming(self, input_ids, delta_ids):
        return ends(delta_ids)

    def extract_content_ids(self, input_ids):
        return []

    def extract_reasoning(self, model_output, request):
        return None, model_output
