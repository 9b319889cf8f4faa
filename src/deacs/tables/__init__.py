"""The one gate: `X` and `y` of any kind to typed columns and integer labels."""

from deacs.tables.columns import Column, Kind, Table
from deacs.tables.frames import in_memory, is_frame
from deacs.tables.gate import read_columns
from deacs.tables.labels import Labels, read_labels
from deacs.tables.weights import Weights, read_weights

__all__ = [
    "Column",
    "Kind",
    "Labels",
    "Table",
    "Weights",
    "in_memory",
    "is_frame",
    "read_columns",
    "read_labels",
    "read_weights",
]
