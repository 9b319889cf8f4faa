"""The one gate: `X` and `y` of any kind to typed columns and integer labels."""

from deacs.tables.columns import Column, Kind, Table
from deacs.tables.gate import is_frame, read_columns
from deacs.tables.labels import Labels, read_labels

__all__ = ["Column", "Kind", "Labels", "Table", "is_frame", "read_columns", "read_labels"]
