"""Input validation: any kind of `X` and `y` becomes typed columns and integer labels."""

from deacs.tables.columns import Column, Kind, Table, distinct_integers
from deacs.tables.gate import in_memory, is_frame, is_sparse, read_columns
from deacs.tables.labels import labels_that_vary, read_labels
from deacs.tables.targets import ONE_COLUMN_TARGETS, TARGETS, Labels, Target, TargetOption
from deacs.tables.weights import Weights, read_weights

__all__ = [
    "ONE_COLUMN_TARGETS",
    "TARGETS",
    "Column",
    "Kind",
    "Labels",
    "Table",
    "Target",
    "TargetOption",
    "Weights",
    "distinct_integers",
    "in_memory",
    "is_frame",
    "is_sparse",
    "labels_that_vary",
    "read_columns",
    "read_labels",
    "read_weights",
]
