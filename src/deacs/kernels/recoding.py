"""Recode sorted columns under other labels, without sorting again."""

import numpy as np

from deacs.kernels.cuts import mdlp_cuts
from deacs.kernels.jit import lean_kernel

__all__ = ["recode"]


@lean_kernel
def recode(
    order, ranks, n_present, columns, labels, rule, total, left, sorted_labels, pending, cuts,
    codes, n_values,
):  # fmt: skip
    """Cut columns by Fayyad and Irani's rule.

    IN order (n_columns, n_rows) rows by ascending value, missing ones last, ranks (n_columns,
    n_rows) of these values, equal for equal values, n_present (n_columns,), columns (k,),
    labels (n_rows,), rule; TEMP total, left (n_labels,), sorted_labels (n_rows,), pending (n_rows
    + 1, 4), cuts (n_rows,); OUT codes (k, n_rows), n_values (k,): missing values have the last
    code. Codes are written only where there is more than one.
    """
    bits = cuts[:0].view(np.float64)
    for k in range(columns.shape[0]):
        rows, values = order[columns[k]], ranks[columns[k]]
        n = n_present[columns[k]]
        for i in range(n):
            sorted_labels[i] = labels[rows[i]]
        n_cuts = mdlp_cuts(
            values[:n], sorted_labels[:n], None, rule, total, left, bits, pending, cuts
        )
        n_values[k] = n_cuts + 1 + (n < rows.shape[0])
        if n_values[k] == 1 or n_values[k] > np.iinfo(codes.dtype).max:
            continue
        for i in range(n_cuts):  # few: insertion sort
            at, place = cuts[i], i
            while place > 0 and cuts[place - 1] > at:
                cuts[place] = cuts[place - 1]
                place -= 1
            cuts[place] = at
        begin = np.int64(0)
        for code in range(n_cuts + 1):
            end = cuts[code] + 1 if code < n_cuts else n
            for i in range(begin, end):
                codes[k, rows[i]] = code
            begin = end
        for i in range(n, rows.shape[0]):
            codes[k, rows[i]] = n_cuts + 1
