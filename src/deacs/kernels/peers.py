"""From the basis of the simplex method to peers and weights: the upper bound on a score."""

from deacs.kernels.jit import routine

__all__ = ["NOISE", "best_other", "use_peers"]

NOISE = 1e-13
"""A weight below this share of all weights is rounding, not a peer."""


@routine
def best_other(refs, p, r):
    """Return the unit, not p, that makes most of output r."""
    return refs.best[1, r] if refs.best[0, r] == p else refs.best[0, r]


@routine
def use_peers(refs, t, p, m, score_scale, peers, weights):
    """Write the peers, multiplied until they make what p does; return the sum of weights.

    Whatever the basis says, the sum is an upper bound on θ, but for rounding of a few sums of
    non-negative numbers.
    """
    total = 0.0
    for i in range(m):
        if t.basis[i] >= -m:
            total += max(t.amounts[i], 0.0)
    factor = _read_peers(refs, t, p, m, NOISE * total, score_scale, peers, weights)
    if factor > 1.0 + NOISE:  # small is not noise where a small amount is demanded
        factor = _read_peers(refs, t, p, m, 0.0, score_scale, peers, weights)
    total = 0.0
    for k in range(m):
        weights[k] *= factor
        total += weights[k]
    return total


@routine
def _read_peers(refs, t, p, m, noise, score_scale, peers, weights):
    """Write the peers with amounts above the noise; return by what they fall short of p."""
    for k in range(len(peers)):
        peers[k], weights[k] = -1, 0.0
    n_peers = 0
    for i in range(m):
        code = t.basis[i]
        if code >= -m and t.amounts[i] > noise:
            j = t.members[code] if code >= 0 else best_other(refs, p, t.rows[-1 - code])
            k = 0
            while k < n_peers and peers[k] != j:
                k += 1
            if k == n_peers:
                peers[k] = j
                n_peers += 1
            weights[k] += t.amounts[i] * score_scale
    factor = 0.0
    for i in range(m):
        made = 0.0
        for k in range(n_peers):
            made += weights[k] * refs.outputs[peers[k], t.rows[i]]
        factor = max(factor, refs.outputs[p, t.rows[i]] / made)
    return factor
