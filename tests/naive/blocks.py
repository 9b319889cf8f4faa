"""Naive twins of conditioning: S is split anew for every score, and every block counted anew.

Each returns a score(x, y, label, given) that `naive.dea_cs` takes; given are the values of S, in
the order of selection.
"""

from tests import naive


def partition(given, min_group_size):
    """Blocks that grow while N / (joint values that occur) >= min_group_size."""
    blocks = []
    for column in given:
        if blocks and _mean_size([*blocks[-1], column]) >= min_group_size:
            blocks[-1].append(column)
        else:
            blocks.append([column])
    return blocks


def _mean_size(block):
    return len(block[0]) / len(set(zip(*block, strict=True)))


def least(min_group_size, score=naive.label_score):
    """min over blocks of R(F; c | B)."""

    def of_blocks(x, y, label, given):
        blocks = partition(given, min_group_size) or [[]]
        return min(score(x, y, label, block) for block in blocks)

    return of_blocks


def cmim(score=naive.label_score):
    """min over s of R(F; c | s)."""
    return lambda x, y, label, given: min(
        (score(x, y, label, [s]) for s in given), default=score(x, y, label, [])
    )


def jmi(score=naive.label_score):
    """Mean over s of R(F; c | s)."""

    def mean(x, y, label, given):
        scores = [score(x, y, label, [s]) for s in given] or [score(x, y, label, [])]
        return sum(scores) / len(scores)

    return mean
