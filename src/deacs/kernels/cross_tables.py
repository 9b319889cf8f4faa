"""Cross tables of features with the class, counted row by row.

For tables in which all rows count, in the order of the table: each row takes one look-up and one
addition. Any number of values and any weights are supported.
"""

import numpy as np

from deacs.kernels.codes import JOINT, cell_term
from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import patient_kernel
from deacs.kernels.weights import weight_of

__all__ = ["table_sums"]


@patient_kernel
def table_sums(columns, starts, by_label, weights, kind, fixed, counts, sums, dependent):
    """Compute `feature_sums` for empty S if all rows count, from one table for each feature.

    IN columns, starts (n_rows,) of uint32: the offset of the counts of each row's label,
    by_label (n_labels,): the count of each label, weights, kind, fixed; TEMP counts (4, n_labels *
    at least max(n_values)) of uint32, zero on entry and exit; OUT sums, dependent.
    """
    codes, features, n_values, _ = columns
    table, logs, scale_bits = fixed
    n_labels, widest = by_label.shape[0], counts.shape[1] // by_label.shape[0]
    n_g = np.int64(0)
    for label in range(n_labels):
        n_g += by_label[label]
    covered = n_g < table.shape[0] and kind == JOINT
    one, two, three, four = counts[0], counts[1], counts[2], counts[3]
    in_fours = features.shape[0] & ~3
    for k in range(features.shape[0]):
        cells, column = counts[k & 3], codes[features[k]]
        if k >= in_fours:
            for row in range(starts.shape[0]):
                cells[np.uint64(starts[row]) + np.uint64(column[row])] += weight_of(weights, row)
        elif k & 3 == 0:  # four features each time labels are read
            b, c, d = codes[features[k + 1]], codes[features[k + 2]], codes[features[k + 3]]
            for row in range(starts.shape[0]):
                start, weight = np.uint64(starts[row]), weight_of(weights, row)
                one[start + np.uint64(column[row])] += weight
                two[start + np.uint64(b[row])] += weight
                three[start + np.uint64(c[row])] += weight
                four[start + np.uint64(d[row])] += weight
        total, differs = np.int64(0), False
        for value in range(n_values[features[k]]):
            n_f = np.int64(0)
            if covered and differs:  # after the first cells nearly always
                for label in range(n_labels):
                    cell = np.uint64(label * widest + value)
                    n_fi = np.int64(cells[cell])
                    cells[cell] = 0
                    n_f += n_fi
                    total += table[np.uint64(n_fi)]
                total -= table[np.uint64(n_f)]
                continue
            for label in range(n_labels):
                n_f += cells[label * widest + value]
            if kind == JOINT:
                total -= xlogx(n_f, table, scale_bits)
            for label in range(n_labels):
                cell = np.uint64(label * widest + value)
                n_fi, output = np.int64(cells[cell]), 0 if kind == JOINT else label
                cells[cell] = 0
                depends = n_fi * n_g != n_f * by_label[label]
                differs |= depends
                dependent[k, output] |= depends
                if covered:
                    total += table[n_fi]
                elif n_fi > 0:
                    sums[k, output] += cell_term(n_fi, n_f, kind, table, logs, scale_bits)
        sums[k, 0] += total
