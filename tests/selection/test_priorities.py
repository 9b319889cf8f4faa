"""Bounds on label weights: between the paper's free weights and the plain sum."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import DEACS
from deacs.exceptions import InputError


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_a_ratio_of_one_selects_as_the_plain_sum(wine):
    bounded, plain = DEACS(weight_ratio=1).fit(*wine), DEACS(judge="sum").fit(*wine)
    np.testing.assert_array_equal(bounded.ranking_, plain.ranking_)


def test_a_wide_ratio_selects_as_the_paper(wine):
    bounded, free = DEACS(3, weight_ratio=1e6).fit(*wine), DEACS(3).fit(*wine)
    np.testing.assert_array_equal(bounded.ranking_, free.ranking_)
    np.testing.assert_allclose(bounded.scores_, free.scores_, rtol=1e-4)
    unbounded = DEACS(weight_ratio=float("inf")).fit(*wine)
    np.testing.assert_array_equal(unbounded.ranking_, DEACS().fit(*wine).ranking_)


def test_theta_lies_between_that_of_the_sum_and_that_of_the_paper(wine):
    thetas = [
        DEACS(1, weight_ratio=ratio, store_candidates=True).fit(*wine).candidates_[0].scores
        for ratio in (1, 3, 10, None)
    ]
    for tighter, wider in pairwise(thetas):
        assert (tighter <= wider * (1 + 1e-9)).all()


@pytest.fixture(scope="module")
def rare():
    """`common` tells the two large classes apart; `fraud_flag` tells the rare class, a little."""
    rng = np.random.default_rng(0)
    y = rng.choice(["buy", "leave", "fraud"], 3000, p=[0.5, 0.45, 0.05])
    common = np.where(rng.random(3000) < 0.75, y == "buy", rng.random(3000) < 0.5)
    fraud_flag = np.where(rng.random(3000) < 0.5, y == "fraud", False)
    return np.column_stack([common, fraud_flag]).astype(int), y


def test_weights_move_the_bounded_prices(rare):
    X, y = rare
    assert DEACS(1, weight_ratio=1).fit(X, y).ranking_[0] == 0
    assert DEACS(1, weight_ratio=1, label_weights={"fraud": 50}).fit(X, y).ranking_[0] == 1
    assert DEACS(1, judge="sum", label_weights=[1, 50, 1]).fit(X, y).ranking_[0] == 1


def test_shares_count_a_bit_of_a_rare_label_for_more(rare):
    X, y = rare
    bits = DEACS(1, weight_ratio=1, store_candidates=True).fit(X, y)
    shares = DEACS(1, weight_ratio=1, weight_unit="share", store_candidates=True).fit(X, y)
    R, H = bits.candidates_[0].label_scores, bits.residual_[0]
    by_share = (R / H).sum(axis=1)
    expected = by_share / by_share[::-1]
    np.testing.assert_allclose(shares.candidates_[0].scores, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"label_weights": {0: 2}}, "needs a finite weight_ratio"),
        ({"weight_ratio": 2, "label_weights": {"x": 2}}, "must name classes, got 'x'"),
        ({"weight_ratio": 2, "label_weights": [1, 0, 1]}, "positive number for each of the 3"),
        ({"weight_ratio": 2, "judge": "ram"}, "needs judge='radial'"),
    ],
)
def test_useless_priorities_are_named(parameters, message, wine):
    with pytest.raises(InputError, match=message):
        DEACS(**parameters).fit(*wine)


def test_a_ratio_below_one_is_refused(wine):
    with pytest.raises(ValueError, match="weight_ratio"):
        DEACS(weight_ratio=0.5).fit(*wine)
