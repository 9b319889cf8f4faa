"""Moved to `deacs._kernels.threads`; here until the last import has followed."""

from deacs._kernels.threads import WORTH_NS, map_blocks, n_threads

__all__ = ["WORTH_NS", "map_blocks", "n_threads"]
