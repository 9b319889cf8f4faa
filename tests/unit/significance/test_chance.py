"""Bounds on chance against exact chances, by enumeration, and against chi-square."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, norm

from deacs.coding import normal_scores
from deacs.significance import chance as bounds
from deacs.significance.chance import (
    log_stratified_bound,
    log_tail_of_counts,
    log_tail_of_order,
)
from tests.naive.independence import chance_of_overlap
from tests.naive.tails import chance, information, moment


@st.composite
def small_tables(draw, n_values):
    n = draw(st.integers(2, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, draw(st.integers(2, 3)), n)
    signal = rng.random(n) < draw(st.sampled_from([0.0, 0.5, 0.9]))
    values = np.where(signal, labels, rng.integers(0, n_values, n))
    return values, labels, rng.integers(0, draw(st.integers(1, 5)), n)


def splits_of(values, ordered):
    if ordered:
        return [values <= v for v in range(values.max())]
    return [values == v for v in range(values.max() + 1)]


def exact(values, labels, groups, ordered):
    """The least exact chance of any split and label, either side, times their number."""
    numbers = np.unique(groups)
    n = [int((groups == g).sum()) for g in numbers]
    chances = []
    for split in splits_of(values, ordered):
        for label in range(labels.max() + 1):
            has = labels == label
            a = [int((split & (groups == g)).sum()) for g in numbers]
            b = [int((has & (groups == g)).sum()) for g in numbers]
            chances += chance_of_overlap(a, b, n, int((split & has).sum()))
    return min([1.0, *chances]) * len(chances)


@given(table=small_tables(n_values=3), ordered=st.booleans())
@example(table=(np.array([2, 1, 1, 2]), np.array([0, 1, 0, 1]), np.array([0] * 4)), ordered=False)
def test_no_chance_passes_its_bound(table, ordered):
    assert math.exp(log_stratified_bound(*table, ordered=ordered)) >= min(
        1.0, exact(*table, ordered) * (1 - 1e-9)
    )


def test_it_is_near_the_exact_chance_where_groups_are_tiny():
    # 60 groups of 4 rows; in each the split and the label agree in 2 rows, which chance does in
    # one group of 6.
    values = np.tile([0, 0, 1, 1], 60)
    groups = np.repeat(np.arange(60), 4)
    found = log_stratified_bound(values, values, groups, ordered=True)
    # One split, two labels, either side; with replacement instead of without, (1/4) for (1/6).
    assert 60 * math.log(1 / 6) <= found <= 60 * math.log(1 / 4) + math.log(4) + 0.5


@pytest.mark.parametrize("ordered", [True, False])
def test_independent_values_prove_nothing(ordered):
    values, labels = np.tile([0, 0, 1, 1], 10), np.tile([0, 1], 20)
    assert log_stratified_bound(values, labels, np.zeros(40, int), ordered=ordered) == 0.0


def test_one_value_or_one_label_proves_nothing():
    nothing, y = np.zeros(6, int), np.array([0, 1] * 3)
    assert log_stratified_bound(nothing, y, nothing, ordered=True) == 0.0
    assert log_stratified_bound(nothing, y, nothing, ordered=False) == 0.0
    assert log_stratified_bound(y, nothing, nothing, ordered=True) == 0.0


def test_rows_may_come_in_any_order():
    rng = np.random.default_rng(0)
    labels, groups = rng.integers(0, 3, 200), rng.integers(0, 9, 200)
    values = np.where(rng.random(200) < 0.7, labels, rng.integers(0, 4, 200))
    order = rng.permutation(200)
    found = log_stratified_bound(values, labels, groups, ordered=False)
    assert found < math.log(1e-6)
    again = log_stratified_bound(values[order], labels[order], groups[order], ordered=False)
    assert again == pytest.approx(found)


def test_too_many_cells_prove_nothing(monkeypatch):
    y = np.array([0, 1] * 50)
    assert log_stratified_bound(y, y, np.zeros(100, int), ordered=True) < -20
    monkeypatch.setattr(bounds, "MAX_CELLS", 3)
    assert log_stratified_bound(y, y, np.zeros(100, int), ordered=True) == 0.0


@st.composite
def grouped_counts(draw):
    """Up to three groups of values: the rows of each, and those with the label."""
    groups = []
    for _ in range(draw(st.integers(1, 3))):
        sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
        groups.append((sizes, [draw(st.integers(0, size)) for size in sizes]))
    return groups


def log_tail(groups):
    number = np.repeat(np.arange(len(groups)), [len(sizes) for sizes, _ in groups])
    sizes, counts = (np.array([n for group in groups for n in group[i]]) for i in (0, 1))
    return log_tail_of_counts(number, sizes, counts)


@settings(max_examples=80, deadline=None)
@given(groups=grouped_counts())
def test_no_table_is_less_probable_than_its_bound_says(groups):
    observed = sum(information(*group) for group in groups if 0 < sum(group[1]) < sum(group[0]))
    exact = chance([(sizes, sum(counts)) for sizes, counts in groups], observed)
    assert math.exp(log_tail(groups)) >= min(exact, 1.0) * (1 - 1e-9)


@settings(max_examples=60, deadline=None)
@given(sizes=st.lists(st.integers(1, 7), min_size=2, max_size=3), data=st.data())
def test_moments_are_those_of_all_tables(sizes, data):
    n_labelled = data.draw(st.integers(1, sum(sizes) // 2))
    steepness = np.array([0.3, 0.9, 1.4])
    found = bounds._log_moments(n_labelled, np.array([sorted(sizes)]), steepness)[0]
    expected = [math.log(moment(sizes, n_labelled, s)) for s in steepness.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_where_sums_are_not_fixed_the_bound_is_only_larger(monkeypatch):
    steepness, sizes = np.array([0.4, 0.8]), np.array([[2, 2, 5, 9], [1, 3, 3, 20]])
    exact = bounds._log_moments(6, sizes, steepness)
    monkeypatch.setattr(bounds, "MAX_PRODUCTS", 0)
    loose = bounds._log_moments(6, sizes, steepness)
    assert (loose >= exact).all()
    assert (loose <= exact + 3).all()


def test_a_rare_class_among_many_values_is_near_its_exact_chance():
    # Three of five labelled rows in one of 40 values: by chi-square, freedom 39, nothing at all.
    sizes, counts = [7] * 40, [3, 1, 1] + [0] * 37
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_hypergeometric(sizes, 5, 200_000).max(axis=1)
    share = (drawn >= 3).mean()
    assert chi2.sf(2 * information(sizes, counts), 39) > 0.5
    assert share <= math.exp(log_tail([(sizes, counts)])) <= 10 * share


@pytest.mark.parametrize("n_values", [2, 5, 20])
def test_where_cells_are_large_it_is_the_bound_on_chi_square(n_values):
    sizes = [400] * n_values
    counts = [200 + 25 * (-1) ** v for v in range(n_values)]
    if n_values % 2:
        counts[-1] = 200
    twice, freedom = 2 * information(sizes, counts), n_values - 1
    bound = -(twice - freedom - freedom * math.log(twice / freedom)) / 2
    assert log_tail([(sizes, counts)]) == pytest.approx(bound, rel=0.05)


def test_nothing_that_varies_proves_nothing():
    assert log_tail([([5], [2]), ([3, 4], [0, 0]), ([3, 4], [3, 4])]) == 0.0


def test_rare_and_large_values_together_are_near_what_shuffles_find():
    sizes, n_labelled = np.array([900, 900, 4, 4, 4]), 200
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_hypergeometric(sizes, n_labelled, 100_000)
    found = np.sort([information(sizes.tolist(), counts) for counts in drawn[:20_000].tolist()])
    for rank in (200, 20):
        at = found[-rank]
        counts = next(c for c in drawn.tolist() if information(sizes.tolist(), c) >= at)
        share = (found >= information(sizes.tolist(), counts) - 1e-9).mean()
        assert share <= math.exp(log_tail([(sizes.tolist(), counts)])) <= 30 * share


def normal_and(label, seed):
    """A normal column, next to a label."""
    column = normal_scores(np.random.default_rng(seed).normal(size=len(label))).astype(float)
    return column - column.mean(), label - label.mean(), np.ones(len(label))


def test_a_normal_column_is_as_improbable_as_a_normal_variable():
    column, label, weights = normal_and(np.repeat([0.0, 1.0], 200), 0)
    column += 0.35 * column.std() * np.sign(label)
    product = column @ label / np.linalg.norm(label) / column.std()
    assert log_tail_of_order(column, label, weights) == pytest.approx(
        math.log(2) - product**2 / 2, rel=0.15
    )
    assert log_tail_of_order(column, label, weights) >= norm.logsf(product)
    assert log_tail_of_order(-column, label, weights) == pytest.approx(
        log_tail_of_order(column, label, weights), rel=1e-3
    )


def test_two_rare_kinds_of_rows_may_well_meet():
    column, label = np.zeros(500), np.zeros(500)
    column[:5], label[3:13] = 1.0, 1.0
    column, label = column - column.mean(), label - label.mean()
    log_tail = log_tail_of_order(column, label, np.ones(500))
    # Two of five ones in a class of 2 %: a chance of 1 in 300, by a normal variable of 1e-9.
    product = column @ label / np.linalg.norm(label) / column.std()
    assert 2 * norm.sf(product) < 1e-8
    assert chance([([495, 5], 10)], information([495, 5], [8, 2])) <= math.exp(log_tail) < 0.2


def test_a_direction_that_was_chosen_is_less_improbable():
    column, label, weights = normal_and(np.repeat([0.0, 1.0], 200), 1)
    column += 0.4 * column.std() * np.sign(label)
    alone, chosen = (log_tail_of_order(column, label, weights, d) for d in (1.0, 5.0))
    assert alone < chosen < 0


def test_rows_of_weight_two_are_two_rows():
    column, label, weights = normal_and(np.repeat([0.0, 1.0], 30), 2)
    column += label
    twice = log_tail_of_order(column, label, 2 * weights)
    repeated = log_tail_of_order(np.tile(column, 2), np.tile(label, 2), np.ones(120))
    assert twice == pytest.approx(repeated, rel=1e-9)


def test_a_column_without_anything_left_proves_nothing():
    assert log_tail_of_order(np.zeros(4), np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4)) == 0.0
