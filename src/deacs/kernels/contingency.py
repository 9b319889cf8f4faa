"""What the margins of contingency tables tell: degrees of freedom, and how near chi-square G is.

One table for each feature and group of S: values against labels, on the rows in which the feature
is present. Tables with one value or one label have no freedom and take no part.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import lean_kernel

__all__ = ["N_MARGINS", "Strata", "table_margins"]

N_MARGINS = 5
"""Numbers that `table_margins` fills for each feature."""


class Strata(NamedTuple):
    """Rows by group of S; groups with one label left out."""

    rows: NDArray[np.int32]
    """Row numbers, ordered by group."""
    starts: NDArray[np.int64]
    """Where each group begins in `rows`; one more entry closes the last."""


@lean_kernel
def table_margins(codes, features, ignored, strata, labels, log_types, in_value, in_label, margins):
    """Sum over groups what depends on the margins of each feature's tables.

    IN codes (n_features, n_rows), features (k,) rows of codes, ignored (n_features,) the code that
    does not count or -1, strata, labels (n_rows,), log_types (n_rows + 1,): ln n! - n ln n; TEMP
    in_value (at least max(n_values),), in_label (n_labels,), both zero on entry and exit; OUT
    margins (k, 5): degrees of freedom (V - 1)(K - 1); V (K - 1); minus the logarithm of the chance
    that labels drawn with these frequencies have exactly these counts; by how much the mean of G
    exceeds the degrees of freedom (Williams, 1976); the least expected count.
    """
    rows, starts = strata
    for k in range(features.shape[0]):
        column = codes[features[k]]
        skipped = ignored[features[k]]
        freedom, shape = np.int64(0), np.int64(0)
        surprise, excess, least = 0.0, 0.0, np.inf
        for g in range(starts.shape[0] - 1):
            n = np.int64(0)
            for r in range(starts[g], starts[g + 1]):
                value = column[rows[r]]
                if value != skipped:
                    in_value[value] += 1
                    in_label[labels[rows[r]]] += 1
                    n += 1
            # Each value and label of the group once: the first row that has it clears its count.
            n_values, n_labels = np.int64(0), np.int64(0)
            values_inverse, labels_inverse, types = 0.0, 0.0, 0.0
            least_value, least_label = n, n
            for r in range(starts[g], starts[g + 1]):
                value = column[rows[r]]
                if value == skipped:
                    continue
                count = in_value[value]
                if count > 0:
                    n_values += 1
                    values_inverse += 1.0 / count
                    least_value = min(least_value, count)
                    in_value[value] = 0
                count = in_label[labels[rows[r]]]
                if count > 0:
                    n_labels += 1
                    labels_inverse += 1.0 / count
                    least_label = min(least_label, count)
                    types += log_types[count]
                    in_label[labels[rows[r]]] = 0
            if n_values > 1 and n_labels > 1:
                freedom += (n_values - 1) * (n_labels - 1)
                shape += n_values * (n_labels - 1)
                surprise += types - log_types[n]
                excess += (n * values_inverse - 1.0) * (n * labels_inverse - 1.0) / (6.0 * n)
                least = min(least, least_value * least_label / n)
        margins[k, 0], margins[k, 1], margins[k, 2] = freedom, shape, surprise
        margins[k, 3], margins[k, 4] = excess, least
