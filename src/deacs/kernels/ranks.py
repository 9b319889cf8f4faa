"""Scores of mean ranks, written to the rows of a sorted column."""

from deacs.kernels.jit import patient_kernel

__all__ = ["score_ascending"]


@patient_kernel
def score_ascending(rows, values, table, scores):
    """Give equal values the score of their mean rank.

    IN rows (n,) by ascending values (n,), table (2 n,): the score of mean rank r at 2 r - 1; OUT
    scores[rows].
    """
    n = rows.shape[0]
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and values[end] == values[begin]:
            end += 1
        score = table[begin + end]
        for i in range(begin, end):
            scores[rows[i]] = score
        begin = end
