"""Typed columns to codes: every value a small integer, missing a value of its own."""

from deacs.coding.data import CodeBlock, CodedData, FeatureCoding, stack_blocks
from deacs.coding.encode import code_values, encode
from deacs.coding.kinds import named_features, unknown_name

__all__ = [
    "CodeBlock",
    "CodedData",
    "FeatureCoding",
    "code_values",
    "encode",
    "named_features",
    "stack_blocks",
    "unknown_name",
]
