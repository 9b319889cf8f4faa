"""Moved to `deacs._kernels.arrays`; here until the last import has followed."""

from deacs._kernels.arrays import Columns

__all__ = ["Columns"]
