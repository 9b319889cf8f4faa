"""Margins of contingency tables: degrees of freedom, and how close G is to chi-square.

One table for each feature and group of S: values against labels, on the rows in which the feature
is present. Tables with one value or one label have no degrees of freedom and are skipped.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import lean_kernel

__all__ = ["N_MARGINS", "Strata", "table_margins"]

N_MARGINS = 3
"""The number of results of `table_margins` for each feature."""


class Strata(NamedTuple):
    """Rows by group of S, without groups that have only one label."""

    rows: NDArray[np.int32]
    """Row numbers, ordered by group."""
    starts: NDArray[np.int64]
    """Where each group begins in `rows`; one more entry closes the last."""


@lean_kernel
def table_margins(columns, strata, labels, in_value, in_label, margins):
    """Sum, over groups, statistics of the margins of each feature's tables.

    IN columns, strata, labels (n_rows,); TEMP in_value (at least max(n_values),), in_label
    (n_labels,), both zero on entry and exit; OUT margins (k, 3): degrees of freedom
    (V - 1)(K - 1); the excess of the mean of G over them (Williams, 1976); the least expected
    count of any cell.
    """
    codes, features, _, ignored = columns
    rows, starts = strata
    for k in range(features.shape[0]):
        column = codes[features[k]]
        skipped = ignored[features[k]]
        freedom = np.int64(0)
        excess, least = 0.0, np.inf
        for g in range(starts.shape[0] - 1):
            n = np.int64(0)
            for r in range(starts[g], starts[g + 1]):
                value = column[rows[r]]
                if value != skipped:
                    in_value[value] += 1
                    in_label[labels[rows[r]]] += 1
                    n += 1
            # Visit each value and label of the group once: its first row clears the count.
            n_values, n_labels = np.int64(0), np.int64(0)
            by_value, by_label = 0.0, 0.0
            least_value, least_label = n, n
            for r in range(starts[g], starts[g + 1]):
                value, label = column[rows[r]], labels[rows[r]]
                if value == skipped:
                    continue
                if in_value[value] > 0:
                    n_values += 1
                    by_value += 1.0 / in_value[value]
                    least_value = min(least_value, in_value[value])
                    in_value[value] = 0
                if in_label[label] > 0:
                    n_labels += 1
                    by_label += 1.0 / in_label[label]
                    least_label = min(least_label, in_label[label])
                    in_label[label] = 0
            if n_values > 1 and n_labels > 1:
                freedom += (n_values - 1) * (n_labels - 1)
                excess += (n * by_value - 1.0) * (n * by_label - 1.0) / (6.0 * n)
                least = min(least, least_value * least_label / n)
        margins[k, 0], margins[k, 1], margins[k, 2] = freedom, excess, least
