"""The setting of `DEACS.recommended`; alone, so that its names are known before numba is loaded."""

from typing import Any

__all__ = ["RECOMMENDED"]

RECOMMENDED: dict[str, Any] = {
    "conditioning": "blocks",
    "min_group_size": 10,
    "estimator": "excess",
    "judge": "sum",
}
"""The setting that docs/conditioning.md recommends where accuracy is what counts."""
