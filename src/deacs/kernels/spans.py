"""Codes without gaps: every code from 0 to n_values - 1 occurs."""

import numpy as np

from deacs.kernels.jit import kernel

__all__ = ["close_gaps"]


@kernel
def close_gaps(codes, spans, occurs):
    """Renumber the codes of each feature by those that occur.

    IN OUT codes (n_features, n_rows), below spans[feature]; IN spans (n_features,); OUT occurs
    (n_features, at least max(spans)), False on entry: which of the codes occurred. Most features
    use all of their span, and show it in their first rows.
    """
    new = np.empty(occurs.shape[1], dtype=codes.dtype)
    for j in range(codes.shape[0]):
        n_missing = spans[j]
        for r in range(codes.shape[1]):
            if not occurs[j, codes[j, r]]:
                occurs[j, codes[j, r]] = True
                n_missing -= 1
                if n_missing == 0:
                    break
        if n_missing > 0:
            n_seen = 0
            for code in range(spans[j]):
                new[code] = n_seen
                n_seen += occurs[j, code]
            for r in range(codes.shape[1]):
                codes[j, r] = new[codes[j, r]]
