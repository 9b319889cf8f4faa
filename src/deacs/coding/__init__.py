"""Typed columns to codes: every value a small integer; missing values the last one."""

from deacs.coding.data import CodeBlock, CodedData, CodedTable, FeatureCoding, stack_blocks
from deacs.coding.encode import MISSING, Missing, code_values, encode
from deacs.coding.kinds import named_features
from deacs.coding.order import OrderView, normal_scores

__all__ = [
    "MISSING",
    "CodeBlock",
    "CodedData",
    "CodedTable",
    "FeatureCoding",
    "Missing",
    "OrderView",
    "code_values",
    "encode",
    "named_features",
    "normal_scores",
    "stack_blocks",
]
