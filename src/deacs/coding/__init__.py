"""Code typed columns as small integers; missing values get the last code."""

from deacs.coding.blocks import CodeBlock, stack_blocks
from deacs.coding.copies import copied_rows, mixed, row_contents
from deacs.coding.data import (
    CodedData,
    CodedTable,
    FeatureCoding,
    take_columns,
    take_rows,
)
from deacs.coding.discretizers import DISCRETIZERS, Discretizer, register_discretizer
from deacs.coding.encode import MISSING, Missing, code_values, encode
from deacs.coding.kinds import named_features
from deacs.coding.new_rows import code_new_rows
from deacs.coding.order import OrderView, normal_scores, order_view

__all__ = [
    "DISCRETIZERS",
    "MISSING",
    "CodeBlock",
    "CodedData",
    "CodedTable",
    "Discretizer",
    "FeatureCoding",
    "Missing",
    "OrderView",
    "code_new_rows",
    "code_values",
    "copied_rows",
    "encode",
    "mixed",
    "named_features",
    "normal_scores",
    "order_view",
    "register_discretizer",
    "row_contents",
    "stack_blocks",
    "take_columns",
    "take_rows",
]
