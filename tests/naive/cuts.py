"""Brute-force twins of the discretisers, straight from their definitions."""

import math


def mdlp(values, y, weights=None, *, max_cuts=math.inf, min_samples=1):
    """Fayyad and Irani's cuts, the segment with the largest gain first; weights as real numbers.

    Whole weights could be repeated rows; here they are sums, so fractions are rows' shares.
    """
    weights = [1] * len(values) if weights is None else weights
    rows = sorted(
        (v, c, w) for v, c, w in zip(values, y, weights, strict=True) if w > 0 and not math.isnan(v)
    )
    pending, cuts = [_best(rows, min_samples)], []
    while len(cuts) < max_cuts:
        pending = [best for best in pending if best is not None]
        if not pending:
            break
        largest = max(gain for gain, *_ in pending)
        # Of equal gains the lowest segment; gains are floats here.
        chosen = min(
            (best for best in pending if best[0] >= largest * (1 - 1e-9)), key=lambda b: b[1]
        )
        pending.remove(chosen)
        _, _, cut, low, high = chosen
        cuts.append(cut)
        pending += [_best(low, min_samples), _best(high, min_samples)]
    return sorted(cuts)


def _best(rows, min_samples):
    """The gain, the first value, the cut and both parts of the best cut, if it pays."""
    best = None
    for i in range(1, len(rows)):
        low, high = rows[:i], rows[i:]
        if low[-1][0] < high[0][0] and min(_size(low), _size(high)) >= min_samples:
            left = _bits(low) + _bits(high)
            if best is None or left < best[0] - 1e-9:
                best = left, i
    if best is None or _bits(rows) - best[0] <= 1e-9:
        return None
    low, high = rows[: best[1]], rows[best[1] :]
    k, k1, k2 = (len({c for _, c, _ in part}) for part in (rows, low, high))
    n, gain = _size(rows), _bits(rows) - best[0]
    spent = k * _bits(rows) / n - k1 * _bits(low) / _size(low) - k2 * _bits(high) / _size(high)
    if n <= 1 or gain <= math.log2(n - 1) + math.log2(3**k - 2) - spent:
        return None
    return gain, rows[0][0], (low[-1][0] + high[0][0]) / 2, low, high


def _size(rows):
    return sum(w for *_, w in rows)


def _bits(rows):
    """N H of the labels."""
    labels = {c for _, c, _ in rows}
    sizes = [sum(w for _, c, w in rows if c == label) for label in labels]
    return -sum(w * math.log2(w / sum(sizes)) for w in sizes)


def equal_width(values, n_bins):
    finite = [v for v in values if math.isfinite(v)]
    low, high = min(finite), max(finite)
    return [low + (high - low) * k / n_bins for k in range(1, n_bins)] if low < high else []


def equal_frequency(values, n_bins):
    """For each wanted share try every place between two neighbours; integers throughout."""
    values = sorted(v for v in values if not math.isnan(v))
    places = [i for i in range(1, len(values)) if values[i - 1] < values[i]]
    chosen = set()
    for k in range(1, n_bins):
        if places:
            chosen.add(min(places, key=lambda i: (abs(n_bins * i - k * len(values)), i)))
    return [(values[i - 1] + values[i]) / 2 for i in sorted(chosen)]
