"""Format a p-value for terminal, report and notebook."""

from __future__ import annotations

import math

__all__ = ["p_text"]


def p_text(p: float, is_bound: bool = False) -> str:
    """Return a p-value as text.

    A test with n permutations cannot resolve a p-value below about 1 / n. At that floor, or if only
    a bound was computed, the text shows an upper bound.

    Examples
    --------
    >>> p_text(0.0333, is_bound=True), p_text(0.0121), p_text(1e-9), p_text(float("nan"))
    ('<= 0.033', '0.012', '< 0.001', '-')
    """
    if math.isnan(p):
        return "-"
    if p < 0.001:
        return "< 0.001"
    return f"<= {p:.3f}" if is_bound else f"{p:.3f}"
