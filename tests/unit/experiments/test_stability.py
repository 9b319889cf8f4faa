"""Stability: the published formulas and numbers, and selections by resampling."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from deacs import DEACS, MIM, ReliefF, encode
from deacs.exceptions import InputError
from deacs.experiments.stability import (
    jaccard,
    kuncheva,
    nogueira,
    resampled_selections,
    stability,
)
from tests.naive import stability as naive


@st.composite
def selections(draw, equal_sizes=False):
    d = draw(st.integers(2, 8))
    features = st.sets(st.integers(0, d - 1))
    if equal_sizes:
        k = draw(st.integers(1, d - 1))
        features = st.sets(st.integers(0, d - 1), min_size=k, max_size=k)
    found = draw(st.lists(features.map(sorted), min_size=2, max_size=7))
    assume(0 < sum(map(len, found)) < d * len(found))
    return found, d


def test_the_numbers_of_the_authors_own_demonstration():
    # github.com/nogueirs/JMLR2018, stabilityDemo.ipynb: Z1, Z2, Z3 and the variance of Z3.
    assert nogueira([[0, 1]] * 3, 3).value == 1.0
    assert nogueira([[0, 1], [1, 2], [0, 2]], 3).value == pytest.approx(-0.5)
    rows = """1111000000 0001011100 0100011100 1100101000 0110110000
              0111001000 1001000011 0001011100 0011110000 0000100111"""
    Z = np.array([[digit == "1" for digit in row] for row in rows.split()])
    found = nogueira(Z)
    assert found.value == pytest.approx(-0.037037037037, abs=1e-12)
    assert found.variance == pytest.approx(0.00516666666667, abs=1e-14)
    # 1.959964: the standard normal quantile of 0.975.
    assert found.high - found.value == pytest.approx(1.959964 * math.sqrt(found.variance), rel=1e-6)
    assert found.low == pytest.approx(2 * found.value - found.high)


def test_kunchevas_index_at_its_landmarks():
    assert kuncheva([[0, 1, 2]] * 4, 10) == 1.0
    # Half of the features and the other half: r = 0, so -k^2 / (k n - k^2) = -1.
    assert kuncheva([[0, 1], [2, 3]], 4) == -1.0
    # k^2 / n features in common are what chance gives.
    assert kuncheva([[0, 1], [1, 2]], 4) == 0.0


@given(selections())
def test_measures_equal_their_naive_twins(case):
    found, d = case
    result = nogueira(found, d)
    assert result.value == pytest.approx(naive.nogueira(found, d), abs=1e-12)
    assert result.variance == pytest.approx(naive.nogueira_variance(found, d), abs=1e-12)
    if any(len(set(a) | set(b)) for i, a in enumerate(found) for b in found[:i]):
        assert jaccard(found) == pytest.approx(naive.jaccard(found))


@given(selections(equal_sizes=True))
def test_for_selections_of_one_size_both_measures_are_one(case):
    found, d = case
    assert kuncheva(found, d) == pytest.approx(naive.kuncheva(found, d))
    assert kuncheva(found, d) == pytest.approx(nogueira(found, d).value, abs=1e-12)


@given(selections(), st.randoms())
def test_neither_the_order_of_selections_nor_of_features_matters(case, random):
    found, d = case
    names = random.sample(range(d), d)
    moved = random.sample([[names[f] for f in s] for s in found], len(found))
    assert nogueira(moved, d).value == pytest.approx(nogueira(found, d).value, abs=1e-12)
    assert nogueira(moved, d).variance == pytest.approx(nogueira(found, d).variance, abs=1e-12)


def test_random_selections_have_no_stability_and_the_interval_says_so():
    rng = np.random.default_rng(0)
    held, values = 0, []
    for _ in range(200):
        Z = rng.permuted(np.arange(20) < rng.integers(3, 9, (60, 1)), axis=1)
        found = nogueira(Z)
        values.append(found.value)
        held += found.low <= 0 <= found.high
    assert abs(np.mean(values)) < 0.005
    assert held >= 180  # 190 expected; below 180 has a probability of 3e-3 at 95 %


def test_a_random_selector_looks_stable_to_jaccard_alone():
    rng = np.random.default_rng(1)
    Z = rng.permuted(np.tile(np.arange(10) < 8, (40, 1)), axis=1)
    assert jaccard(Z) > 0.6
    assert abs(nogueira(Z).value) < 0.1


@pytest.mark.parametrize("found", [[[], []], [[0, 1], [0, 1]]])
def test_where_there_is_nothing_to_agree_on_measures_are_undefined(found):
    assert math.isnan(nogueira(found, 2).value)
    assert math.isnan(kuncheva(found, 2))
    assert math.isnan(jaccard([[], []]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nogueira([[0], [1]]), "n_features must be given"),
        (lambda: nogueira([[0], [3]], 3), "indices from 0 to 2"),
        (lambda: nogueira([[0]], 3), "two or more, got 1"),
        (lambda: nogueira(np.zeros((2, 3))), "matrix of bool"),
        (lambda: nogueira([[0], [1]], 3, confidence=95), "confidence must lie"),
        (lambda: kuncheva([[0], [1, 2]], 3), "equally many features .* from 1 to 2; nogueira"),
        (lambda: stability(MIM(), *load_wine(return_X_y=True), sampling="jackknife"), "jackknife"),
        (lambda: stability(MIM(), *load_wine(return_X_y=True), n_resamples=1), "2 or more"),
        (
            lambda: stability(MIM(), *load_wine(return_X_y=True), sampling="pairs", n_resamples=3),
            "n_resamples must be even",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_selector_is_refitted_to_every_bootstrap_sample():
    X, y = load_wine(return_X_y=True)
    found = resampled_selections(DEACS.published(3), X, y, n_resamples=6, random_state=0)
    assert found.shape == (6, 13)
    np.testing.assert_array_equal(found.sum(axis=1), 3)
    assert len(np.unique(found, axis=0)) > 1
    again = resampled_selections(DEACS.published(3), X, y, n_resamples=6, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(found, again)
    other = resampled_selections(DEACS.published(3), X, y, n_resamples=6, random_state=1)
    assert (found != other).any()


def test_a_bootstrap_sample_keeps_the_size_of_every_class():
    seen = []

    class Spy(MIM):
        def fit(self, X, y=None):
            seen.append((len(np.unique(X[:, -1])), np.bincount(y).tolist()))
            return super().fit(X, y)

    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, np.arange(len(y))])
    resampled_selections(Spy(2), X, y, n_resamples=4, random_state=0)
    assert all(sizes == [59, 71, 48] for _, sizes in seen)
    # Of n rows about n (1 - 1 / e) are drawn at all: 112 of 178.
    assert all(95 < n_rows < 130 for n_rows, _ in seen)


@pytest.mark.parametrize("selector", [MIM(3), ReliefF(3, n_samples=20)])
@pytest.mark.parametrize("sampling", ["bootstrap", "halves", "pairs"])
def test_any_selector_has_a_stability(selector, sampling):
    X, y = load_wine(return_X_y=True, as_frame=True)
    found = [
        stability(selector, table, y, n_resamples=8, sampling=sampling, random_state=0)
        for table in (X, pl.DataFrame(X))
    ]
    assert found[0] == found[1]
    assert 0.3 < found[0].value <= 1


def test_coded_data_is_resampled_as_it_is_coded():
    X, y = load_wine(return_X_y=True)
    codes = stability(MIM(3), encode(X, y), n_resamples=8, random_state=0)
    assert 0.3 < codes.value <= 1
