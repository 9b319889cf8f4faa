"""What a step's test asks of its table, and that its level holds."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from deacs import CodedData, encode
from deacs.counts import groups_given
from deacs.exceptions import InputError
from deacs.significance import Significance


def noise(kind, n_rows, n_columns, n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = range(n_classes)
    X = rng.normal(size=(n_rows, n_columns))
    fixed = {"fixed": np.ones, "cut": np.zeros}.get(kind, lambda n: np.arange(n) % 2)(n_columns)
    codes = rng.integers(0, rng.integers(2, 5, n_columns), (n_rows, n_columns))
    is_fixed = fixed.astype(bool)
    X[:, is_fixed] = codes[:, is_fixed]
    return encode(X, y, discrete_features=is_fixed, recodable=True)


@pytest.mark.parametrize("kind", ["fixed", "cut", "mixed"])
def test_noise_passes_no_more_often_than_alpha_says(kind):
    n_runs, alpha = 60, 0.2
    n_passed = 0
    for seed in range(n_runs):
        data = noise(kind, 60, 10, 2, seed)
        test = Significance(data, alpha, random_state=seed).given([[]], np.arange(10))
        n_passed += test.p_values.min() <= alpha
    # More than this, and a level of 0.2 would be a chance of one in a thousand.
    assert n_passed <= binom.ppf(0.999, n_runs, alpha)


def test_cut_points_that_are_taken_as_given_make_noise_significant():
    # Why cut columns are cut again: taken as fixed codes, most tables with any cut pass.
    n_runs = n_taken = n_tested = 0
    for seed in range(15):
        data = noise("cut", 50, 250, 2, seed)
        if (data.n_values == 1).all():
            continue
        n_runs += 1
        codes = np.column_stack([data.column(j) for j in range(250)]).astype(int)
        taken = Significance(CodedData.from_codes(codes, data.labels), random_state=seed)
        n_taken += taken.given([[]], np.arange(250)).p_values.min() <= 0.05
        tested = Significance(data, random_state=seed)
        n_tested += tested.given([[]], np.arange(250)).p_values.min() <= 0.05
    assert n_runs >= 5
    assert n_taken >= 0.9 * n_runs
    assert n_tested <= binom.ppf(0.999, 15, 0.05)


def test_a_candidate_must_be_significant_given_every_block():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    x = np.where(rng.random(400) < 0.8, y, 1 - y)
    other = rng.integers(0, 2, 400)
    data = CodedData.from_codes(np.column_stack([x, other, x]), y)
    significance = Significance(data, random_state=0)
    candidates = np.array([2])
    assert significance.given([[1]], candidates).measured(0).value < 1e-6
    # Given its own copy it has nothing to tell.
    assert significance.given([[0]], candidates).measured(0).value == 1.0
    assert significance.given([[1], [0]], candidates).measured(0).value == 1.0
    assert significance.given([[1], [0]], candidates).p_values.tolist() == [1.0]


def test_rows_in_which_a_selected_feature_is_ignored_are_in_no_group():
    column = [["a"], [None], ["b"], ["a"]]
    data = encode(column, [0, 1, 0, 1], missing="ignore")
    assert groups_given(data, [0])[0].tolist() == [0, -1, 1, 0]


def test_the_seed_decides():
    data = noise("fixed", 60, 10, 2, 0)
    steps = [
        Significance(data, 0.9, 499, random_state=seed).given([[]], np.arange(10)).p_values
        for seed in (1, 1, np.random.RandomState(1), np.random.default_rng(1), None, None)
    ]
    np.testing.assert_array_equal(steps[0], steps[1])
    assert len({tuple(p) for p in steps}) > 2


def test_the_number_of_permutations_is_the_resolution_of_p_values():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 60)
    # In groups of two: XOR with the group, so that no split alone goes with a label.
    group = np.repeat([0, 1], 30)
    data = CodedData.from_codes(np.column_stack([y ^ group, group]), y)
    test = Significance(data, n_permutations=999, random_state=0).given([[1]], np.array([0]))
    assert test.measured(0).value == pytest.approx(1 / 1000 / 0.5)


def test_weights_are_refused():
    data = encode(
        np.random.default_rng(0).normal(size=(9, 2)), [0, 1, 2] * 3, sample_weight=range(9)
    )
    with pytest.raises(InputError, match="rows that count once, got sample_weight; leave it out"):
        Significance(data)


def test_cuts_that_cannot_be_placed_again_are_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), [0, 1] * 10
    with pytest.raises(InputError, match=r"cut points again .* as those of 'x0'.*recodable=True"):
        Significance(encode(X, y))
    Significance(encode(X, y, discretizer="equal-width"))


def test_the_order_of_other_rows_is_refused():
    data = noise("cut", 20, 2, 2, 0)
    Significance(pickle.loads(pickle.dumps(data)))
    other = replace(data, labels=data.labels[::-1].copy())
    with pytest.raises(InputError, match="must place cut points again"):
        Significance(other)


def test_what_is_no_coded_table_is_refused():
    with pytest.raises(InputError, match="needs a coded table, got list"):
        Significance([])


@pytest.mark.parametrize("alpha", [0, 1, -0.1, float("nan"), "0.05"])
def test_alpha_is_a_chance(alpha):
    with pytest.raises(InputError, match="alpha must lie between 0 and 1"):
        Significance(noise("fixed", 20, 2, 2, 0), alpha)


def test_too_few_permutations_are_refused():
    data = noise("fixed", 20, 2, 2, 0)
    with pytest.raises(InputError, match=r"n_permutations must be .* at least 39 for alpha=0.05"):
        Significance(data, 0.05, 38)
    Significance(data, 0.05, 39)
    for wrong in ("100", 100.5):
        with pytest.raises(InputError, match="n_permutations must be a whole number"):
            Significance(data, 0.05, wrong)


@pytest.mark.parametrize("seed", ["a", -1, [1, 2]], ids=repr)
def test_an_unusable_seed_is_named(seed):
    with pytest.raises(InputError, match="random_state must be a whole number from 0 on"):
        Significance(noise("fixed", 20, 2, 2, 0), random_state=seed)


def test_a_seed_may_be_an_integer_of_numpy():
    Significance(noise("fixed", 20, 2, 2, 0), random_state=np.int64(3))
