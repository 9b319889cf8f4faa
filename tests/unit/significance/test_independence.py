"""The statistic of independence and its scale, against counts by hand and exact distributions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy
from scipy.stats import chi2, hypergeom

from deacs.coding import CodeBlock
from deacs.significance.conditional_test import LARGE, TEST_SHARE
from deacs.significance.independence import (
    Margins,
    g_test,
    margins_of,
    standard_score,
    strata_of,
)
from tests.naive import independence as naive


def table(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    n_labels = int(rng.integers(2, 5))
    labels = rng.integers(0, n_labels, n_rows).astype(np.int32)
    groups = rng.integers(-1, rng.integers(1, 12), n_rows)
    codes = rng.integers(0, 5, (3, n_rows)).astype(np.uint8)
    return codes, labels, groups, n_labels


def margins(codes, labels, groups, n_labels, ignored=-1, n_jobs=None):
    n = len(codes)
    block = CodeBlock(np.arange(n), codes, np.full(n, 5), np.full(n, ignored))
    strata = strata_of(groups, labels)
    return margins_of((block,), np.arange(n), strata, labels, n_labels, n_jobs)


@given(st.integers(0, 2**32 - 1), st.sampled_from([-1, 2]))
def test_margins_equal_the_naive_twins(seed, ignored):
    codes, labels, groups, n_labels = table(seed)
    found = margins(codes, labels, groups, n_labels, ignored)
    kept = groups >= 0
    for k, column in enumerate(codes):
        values = [None if value == ignored else value for value in column[kept].tolist()]
        rest = labels[kept].tolist(), groups[kept].tolist()
        assert found.freedom[k] == naive.degrees_of_freedom(values, *rest)
        assert found.least[k] == pytest.approx(naive.least_expected_count(values, *rest))
        assert found.excess[k] == pytest.approx(naive.williams_excess(values, *rest))


def test_strata_hold_the_rows_whose_label_is_open():
    groups = np.array([2, 0, -1, 1, 0, 2, 1, -1])
    labels = np.array([0, 1, 0, 1, 0, 0, 1, 1], dtype=np.int32)
    # Group 0 has rows 1 and 4 with labels 1 and 0; groups 1 and 2 have one label each.
    strata = strata_of(groups, labels)
    assert strata.rows.tolist() == [1, 4]
    assert strata.starts.tolist() == [0, 2]


def test_no_open_row_leaves_no_stratum():
    strata = strata_of(np.array([0, 1, 2]), np.array([0, 1, 0], dtype=np.int32))
    assert strata.rows.tolist() == []
    assert strata.starts.tolist() == [0]


def test_g_test_is_chi_square_of_the_statistic_over_williams_factor():
    found = Margins(*(np.array([v]) for v in (4.0, 0.5, 30.0)))
    assert g_test(np.array([12.0]), found)[0] == pytest.approx(chi2.sf(12.0 / (1 + 0.5 / 4), 4))


def test_without_freedom_nothing_is_significant():
    found = Margins(*(np.array([v]) for v in (0.0, 0.0, math.inf)))
    assert g_test(np.array([0.0]), found).tolist() == [1.0]
    assert standard_score(np.array([0.0]), found.freedom).tolist() == [-math.inf]


@pytest.mark.parametrize(
    ("n", "share"), [(400, 0.5), (1000, 0.5), (1000, 0.3), (4000, 0.5), (4000, 0.3), (4000, 0.1)]
)
def test_where_counts_are_large_half_of_the_level_covers_what_chi_square_lacks(n, share):
    # Two values, two labels: the overlap is hypergeometric, so the tail is a sum. The worst level
    # is one that is just attained: the overlap is a whole number.
    n_value = int(share * n)
    n_label = math.ceil(LARGE * n / n_value)
    overlap = np.arange(max(0, n_value + n_label - n), min(n_value, n_label) + 1)
    cells = np.array([overlap, n_value - overlap, n_label - overlap])
    cells = np.vstack([cells, n - cells.sum(axis=0)])
    sides = xlogy(*2 * [np.array([n_value, n - n_value, n_label, n - n_label])]).sum()
    G = np.maximum(2 * (xlogy(cells, cells).sum(axis=0) - sides + xlogy(n, n)), 0)
    inverse = (n / n_value + n / (n - n_value) - 1) * (n / n_label + n / (n - n_label) - 1)
    one = np.ones(len(G))
    p = g_test(G, Margins(one, one * inverse / (6 * n), one))
    chances = hypergeom(n, n_value, n_label).pmf(overlap)
    levels = p[(p > 1e-6) & (p < 1e-2)] * (1 + 1e-9)
    assert len(levels) > 10
    assert all(chances[p <= level].sum() <= level / TEST_SHARE for level in levels)


@given(st.floats(0, 500), st.integers(1, 300))
def test_score_equals_the_naive_twin_and_ascends(statistic, freedom):
    found = standard_score(np.array([statistic, statistic + 1]), np.full(2, float(freedom)))
    assert found[0] == pytest.approx(naive.standard_score(statistic, freedom), abs=1e-9)
    assert found[0] < found[1]


def test_threads_do_not_change_the_margins():
    codes, labels, groups, n_labels = table(0, n_rows=40_000)
    one = margins(codes, labels, groups, n_labels)
    two = margins(codes, labels, groups, n_labels, n_jobs=2)
    np.testing.assert_array_equal(one.excess, two.excess)
