"""The order view by least squares, from its definition."""

import numpy as np


def centred(columns):
    return columns - columns.mean(axis=0)


def residual(columns, given):
    """What is left of columns after the best linear prediction from others."""
    columns = centred(columns)
    if given is None:
        return columns
    given = centred(given)
    return columns - given @ np.linalg.lstsq(given, columns, rcond=1e-10)[0]


def rank(columns):
    size = np.linalg.norm(columns, axis=0).max(initial=0.0)
    return int(np.linalg.matrix_rank(columns, tol=1e-6 * size)) if size > 0 else 0


def explained(column, target, selected):
    """Adjusted r^2 of a target with S projected out, and the share of the target that is left.

    `column` and those in `selected` are of shape (n, q): one column of scores, or indicators. None
    where nothing can be told.
    """
    given = np.hstack(selected) if selected else None
    dimension = 0 if given is None else rank(centred(given))
    target = np.asarray(target, dtype=float)[:, np.newaxis]
    left, whole = residual(target, given), centred(target)
    share = (left**2).sum() / (whole**2).sum()
    z = residual(np.asarray(column, dtype=float), given)
    keep = np.linalg.norm(z, axis=0) > 1e-4 * np.maximum(np.linalg.norm(centred(column), axis=0), 1)
    z = z[:, keep]
    q, free = rank(z), len(target) - 1 - dimension
    if q == 0 or free - q < 1 or share < 1e-9:
        return None
    told = z @ np.linalg.lstsq(z, left, rcond=1e-8)[0]
    r2 = (told**2).sum() / (left**2).sum()
    return min(max(1 - (1 - r2) * free / (free - q), 0.0), 1 - 1e-15), share


def entropy(p):
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def order_score(column, y, label, selected=()):
    """-1/2 log2(1 - adjusted r^2), at most H(C_i), times the share of y_i that is left."""
    is_label = np.asarray(y) == label
    found = explained(column, is_label, selected)
    if found is None:
        return 0.0
    adjusted, share = found
    return min(-0.5 * np.log2(1 - adjusted), entropy(is_label.mean())) * share


def order_score_of_numbers(column, z_y, below, selected=()):
    """The score about an indicator `below` of a number with normal scores `z_y`.

    The indicator counts as z_y plus noise: what is explained of it is kappa, their squared
    correlation, times what is explained of z_y.
    """
    found = explained(column, z_y, selected)
    if found is None:
        return 0.0
    adjusted, share = found
    kappa = np.corrcoef(z_y, below)[0, 1] ** 2
    left_of_label = 1 - kappa * (1 - share)
    bits = -0.5 * np.log2(1 - kappa * share * adjusted / left_of_label)
    return min(bits, entropy(np.mean(below))) * left_of_label
