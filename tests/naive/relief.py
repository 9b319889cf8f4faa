"""Brute-force twins of the Relief family, from the definitions: loops over rows and features.

A table is a list of columns, each a pair: the number of values of a nominal column, or None for
numbers; and its values, floats, NaN where missing.
"""

import math


def differences(columns):
    """A function (feature, row, row) -> difference, from the definition of diff."""
    scaled = []
    for n_values, values in columns:
        known = [v for v in values if not math.isnan(v)]
        low, high = (min(known), max(known)) if known else (0.0, 0.0)
        width = high - low if high > low else 1.0
        scaled.append([v if n_values is not None else (v - low) / width for v in values])

    def diff(f, i, j):
        a, b = scaled[f][i], scaled[f][j]
        n_values = columns[f][0]
        n_missing = math.isnan(a) + math.isnan(b)
        if n_values is not None:
            return float(a != b) if n_missing == 0 else 1 - 1 / n_values
        if n_missing == 0:
            return abs(a - b)
        if n_missing == 2:
            return 1.0
        number = b if math.isnan(a) else a
        return max(number, 1 - number)

    return diff


def nearest(distances, candidates, k):
    """The k nearest, offered in order: a nearer one takes the first of the farthest places."""
    places = []
    for j in candidates:
        if len(places) < k:
            places.append(j)
        else:
            worst = max(distances[p] for p in places)
            if distances[j] < worst:
                places[[distances[p] for p in places].index(worst)] = j
    return places


def relieff(columns, y, k, rows=None):
    n, n_features = len(y), len(columns)
    diff = differences(columns)
    priors = {c: y.count(c) / n for c in set(y)}
    rows = range(n) if rows is None else rows
    weights = [0.0] * n_features
    for i in rows:
        distances = [sum(diff(f, i, j) for f in range(n_features)) for j in range(n)]
        for c in priors:
            neighbours = nearest(distances, [j for j in range(n) if j != i and y[j] == c], k)
            gain = -1.0 if c == y[i] else priors[c] / (1 - priors[y[i]])
            for f in range(n_features):
                for j in neighbours:
                    weights[f] += gain * diff(f, i, j) / len(neighbours) / len(rows)
    return weights


def relief(columns, y):
    n, n_features = len(y), len(columns)
    diff = differences(columns)
    weights = [0.0] * n_features
    for i in range(n):
        distances = [sum(diff(f, i, j) for f in range(n_features)) for j in range(n)]
        hits = [j for j in range(n) if j != i and y[j] == y[i]]
        misses = [j for j in range(n) if y[j] != y[i]]
        for f in range(n_features):
            if hits:
                weights[f] -= diff(f, i, min(hits, key=distances.__getitem__)) / n
            weights[f] += diff(f, i, min(misses, key=distances.__getitem__)) / n
    return weights


def multisurf(columns, y):
    n, n_features, n_classes = len(y), len(columns), len(set(y))
    diff = differences(columns)
    nominal = [n_values is not None for n_values, _ in columns]
    mixed = any(nominal) and not all(nominal)
    scales = [n_features / sum(nominal) if mixed and is_nominal else 1.0 for is_nominal in nominal]
    ramps = [_deviation(v) if mixed and k is None else math.inf for k, v in columns]

    def said(f, i, j):
        return 1.0 if diff(f, i, j) > ramps[f] else diff(f, i, j)

    weights = [0.0] * n_features
    for i in range(n):
        others = [j for j in range(n) if j != i]
        distances = {j: sum(scales[f] * diff(f, i, j) for f in range(n_features)) for j in others}
        mean = sum(distances.values()) / len(others)
        deviation = math.sqrt(sum((d - mean) ** 2 for d in distances.values()) / len(others))
        near = [j for j in others if distances[j] < (mean - deviation / 2) * (1 - 1e-12)]
        hits = [j for j in near if y[j] == y[i]]
        misses = [j for j in near if y[j] != y[i]]
        for f in range(n_features):
            for j in hits:
                weights[f] -= said(f, i, j) / len(hits) / n
            for j in misses:
                share = sum(y[m] == y[j] for m in misses) / len(misses)
                weights[f] += (n_classes - 1) * share * said(f, i, j) / len(misses) / n
    return weights


def _deviation(values):
    """The standard deviation of a column as a share of its range."""
    known = [v for v in values if not math.isnan(v)]
    mean = sum(known) / len(known)
    variance = sum((v - mean) ** 2 for v in known) / len(known)
    return math.sqrt(variance) / ((max(known) - min(known)) or 1.0)


def rrelieff(columns, y, k, influence, rows=None):
    """The listing of RReliefF, the neighbours of a row counting `influence` / k each."""
    n, n_features = len(y), len(columns)
    diff = differences(columns)
    width = max(y) - min(y)
    rows = range(n) if rows is None else rows
    of_target, of_features, of_both = 0.0, [0.0] * n_features, [0.0] * n_features
    for i in rows:
        distances = [sum(diff(f, i, j) for f in range(n_features)) for j in range(n)]
        others = sorted((j for j in range(n) if j != i), key=lambda j: (distances[j], -j))
        for j in others[:k]:
            d = influence / min(k, n - 1)
            apart = abs(y[i] - y[j]) / width
            of_target += apart * d
            for f in range(n_features):
                of_features[f] += diff(f, i, j) * d
                of_both[f] += apart * diff(f, i, j) * d
    m = len(rows)
    return [
        (both / of_target if of_target else 0.0)
        - ((one - both) / (m - of_target) if of_target < m else 0.0)
        for one, both in zip(of_features, of_both, strict=True)
    ]
