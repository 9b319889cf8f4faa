"""The simplex method on a whole tableau, for programs with few rows and columns."""

from functools import partial

import numpy as np

from deacs.kernels.jit import lean_routine, patient_kernel

__all__ = ["solve_tableau"]

SMALLEST = 1e-13
"""A pivot or a gain up to this is zero."""


@patient_kernel
def solve_tableau(table, basic, others, column, most_pivots, entering):
    """Pivot until no column improves the objective; return whether that was reached.

    IN column: the first to enter the basis, most_pivots; TEMP entering (m + 1,); IN OUT table
    (m + 1, n + 1): the last row is the objective, the last column the right-hand side, basic (m,)
    and others (n,): the variables of rows and columns.
    """
    m, n = basic.shape[0], others.shape[0]
    for _ in range(most_pivots):
        row, shortest = -1, np.inf
        for r in range(m + 1):
            entering[r] = table[r, column]
            if r < m and entering[r] > SMALLEST:
                step = table[r, n] / entering[r]
                if step < shortest:
                    row, shortest = r, step
        if row < 0:
            return False
        _exchange(table, entering, row, column)
        basic[row], others[column] = others[column], basic[row]
        column = 0
        for c in range(1, n):
            if table[m, c] < table[m, column]:
                column = c
        if table[m, column] >= -SMALLEST:
            return True
    return False


def _exchange_by_numpy(table, entering, row, column):
    table, entering = np.asarray(table), np.asarray(entering)
    pivot = entering[row]
    line = table[row] / pivot
    table -= entering[:, np.newaxis] * line
    table[row], table[:, column] = line, -entering / pivot
    table[row, column] = 1.0 / pivot


@partial(lean_routine, by_numpy=_exchange_by_numpy)
def _exchange(table, entering, row, column):
    """Exchange the variables of a row and a column.

    IN entering (m + 1,): the column, row, column; IN OUT table (m + 1, n + 1).
    """
    pivot = entering[row]
    for c in range(table.shape[1]):
        table[row, c] = table[row, c] / pivot
    for r in range(table.shape[0]):
        if r != row:
            for c in range(table.shape[1]):
                table[r, c] -= entering[r] * table[row, c]
            table[r, column] = -entering[r] / pivot
    table[row, column] = 1.0 / pivot
