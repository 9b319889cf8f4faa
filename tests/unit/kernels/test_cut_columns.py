"""Cutting several sorted columns: the definition, in every way that the kernels are run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.discretize import rows as sorting
from deacs.discretize.cuts import mdlp_rule
from deacs.discretize.rows import sort_columns
from deacs.kernels import cut_columns as kernels
from deacs.kernels import cuts
from deacs.kernels.cut_columns import (
    cut_columns,
    cut_scratch,
    equals_of,
    number_intervals,
    values_repeat,
)
from deacs.kernels.interpreting import Interpreted
from deacs.tables import Column
from deacs.tables.weights import Weights
from tests.naive.cuts import mdlp


def cut(order, labels, counts, rule, cutter, numberer):
    together = counts is not None or values_repeat(order)
    equals = equals_of(len(labels)) if together else None
    columns = np.arange(len(order.rows))
    is_last = np.zeros(order.rows.shape, dtype=bool)
    scratch = cut_scratch(len(labels), 4, labels.dtype)
    codes, n_values = np.zeros(order.rows.shape, dtype=np.uint8), np.ones(len(columns), np.int64)
    cutter(order, columns, labels, counts, rule, scratch, equals, is_last, codes, n_values)
    again, n_again = np.empty_like(codes), np.empty_like(n_values)
    numberer(order, columns, is_last, again, n_again)
    np.testing.assert_array_equal(codes, again)
    np.testing.assert_array_equal(n_values, n_again)
    has_missing = order.n_present < len(labels)
    np.testing.assert_array_equal(n_values, is_last.sum(axis=1) + 1 + has_missing)
    return is_last, codes


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.sampled_from([3, 12, 1000]),
    st.sampled_from([1, 5]),
    st.booleans(),
    st.booleans(),
)
def test_cuts_and_codes_equal_the_definition(seed, n, n_values, least, is_weighted, by_words):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n).astype(np.uint8)
    table = rng.integers(0, n_values, (3, n)) + rng.integers(0, n_values, (3, 1)) * labels / 2
    table[2, rng.random(n) < 0.3] = np.nan
    counts = rng.integers(0, 4, n) if is_weighted else None
    weights = None if counts is None else Weights(counts, 1.0)
    columns = [Column("", "float", values, np.isnan(values)) for values in table]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "FEW_ROWS", 0 if by_words else 1 << 62)
        patch.setattr(sorting, "unpack_rows", NeverReady(sorting.unpack_rows))
        order, values = sort_columns(columns, weights)
    rule = mdlp_rule(4, n, weights, None, least, 3)
    is_last, codes = cut(order, labels, counts, rule, cut_columns, number_intervals)
    for k, column in enumerate(table):
        ends = np.flatnonzero(is_last[k])
        expected = mdlp(column, labels, counts, min_samples=least)
        assert ((values[k, ends] + values[k, ends + 1]) / 2).tolist() == pytest.approx(expected)
        numbers = (column[:, np.newaxis] > np.array(expected)).sum(axis=1)
        absent = np.isnan(column) if counts is None else np.isnan(column) | (counts == 0)
        np.testing.assert_array_equal(codes[k], np.where(absent, len(ends) + 1, numbers))
    ways = Interpreted(cut_columns.py_func), Interpreted(number_intervals.py_func)
    by_numpy = cut(order, labels, counts, rule, *ways)
    with pytest.MonkeyPatch.context() as patch:
        for module in (kernels, cuts):
            for routine in [r for r in vars(module).values() if getattr(r, "by_numpy", None)]:
                patch.setattr(routine, "by_numpy", None)
        ways = Interpreted(cut_columns.py_func), Interpreted(number_intervals.py_func)
        by_statements = cut(order, labels, counts, rule, *ways)
    for found in (by_numpy, by_statements):
        np.testing.assert_array_equal(found[0], is_last)
        np.testing.assert_array_equal(found[1], codes)


class NeverReady:
    """A kernel that counts as not compiled."""

    is_ready = False

    def __init__(self, kernel):
        self._kernel = kernel

    def __call__(self, *arguments):
        return self._kernel(*arguments)
