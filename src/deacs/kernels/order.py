"""Inner products of ordered columns, and their update when a direction is projected out.

Products are sums of integers, so they do not depend on the order of rows or on threads; derived
quantities are computed for each coordinate separately, in a fixed order.
"""

import numpy as np

from deacs.kernels.jit import lean_kernel, patient_kernel

__all__ = ["block_shares", "code_sums", "inner_products"]


@patient_kernel
def inner_products(scores, rows, column, products):
    """Multiply columns by one column.

    IN scores (m, n) int16, rows (k,) of them, column (n,) int16 or int64; OUT products (k,).
    """
    for k in range(rows.shape[0]):
        row = rows[k]
        total = np.int64(0)
        for i in range(column.shape[0]):
            total += np.int64(scores[row, i]) * np.int64(column[i])
        products[k] = total


@patient_kernel
def code_sums(codes, column, sums):
    """Sum a column by the codes of another.

    IN codes (n,), column (n,) int16 or int64; OUT sums (n_values,), zero on entry.
    """
    for i in range(column.shape[0]):
        sums[codes[i]] += np.int64(column[i])


@lean_kernel
def block_shares(blocks, counts, total, factor, n_done, cross, tolerance, work, shares, ranks):
    """Compute squared lengths of the labels' projections onto the indicators of each category.

    The Gram matrix of a block of indicators, S projected out, is n_f [f = g] - n_f n_g / n less
    sum over t of L_ft L_gt. A Cholesky factor of it, made row by row, solves for the labels' share;
    rows that depend on others (one always does) are left out.

    IN blocks (b, 2): the first coordinate of each and the one after its last, counts (m,): the rows
    of each coordinate, factor (m, t), cross (m, K), tolerance relative to the diagonal; TEMP work
    (v, v + K + 1): the factor, its labels, and which coordinate a row is; OUT shares (b, K), ranks
    (b,).
    """
    n_labels = cross.shape[1]
    who = work.shape[1] - 1
    label = who - n_labels
    for block in range(blocks.shape[0]):
        rank = 0
        for i in range(n_labels):
            shares[block, i] = 0.0
        for a in range(blocks[block, 0], blocks[block, 1]):
            diagonal = 0.0
            for kept in range(rank + 1):
                b = np.int64(work[kept, who]) if kept < rank else a
                entry = (counts[a] if a == b else 0.0) - counts[a] * counts[b] / total
                for t in range(n_done):
                    entry -= factor[a, t] * factor[b, t]
                for t in range(kept):
                    entry -= work[rank, t] * work[kept, t]
                if kept < rank:
                    work[rank, kept] = entry / work[kept, kept]
                else:
                    diagonal = entry
            if diagonal <= tolerance * counts[a] * (1.0 - counts[a] / total):
                continue
            length = np.sqrt(diagonal)
            work[rank, rank] = length
            work[rank, who] = a
            for i in range(n_labels):
                entry = cross[a, i]
                for t in range(rank):
                    entry -= work[rank, t] * work[t, label + i]
                entry /= length
                work[rank, label + i] = entry
                shares[block, i] += entry * entry
            rank += 1
        ranks[block] = rank
