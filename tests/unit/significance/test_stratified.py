"""The bound against the exact chance, by convolution of hypergeometric distributions."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deacs.significance import stratified
from deacs.significance.stratified import log_stratified_bound
from tests.naive.independence import chance_of_overlap


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
    monkeypatch.setattr(stratified, "MAX_CELLS", 3)
    assert log_stratified_bound(y, y, np.zeros(100, int), ordered=True) == 0.0
