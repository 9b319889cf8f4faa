"""Bounds on label weights: between the paper's free weights and the plain sum."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import DEACS, Radial, Sum
from deacs.exceptions import InputError


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_a_ratio_of_one_selects_as_the_plain_sum(wine):
    bounded, plain = (DEACS.published(judge=judge).fit(*wine) for judge in (Radial(1), "sum"))
    np.testing.assert_array_equal(bounded.ranking_, plain.ranking_)


def test_a_wide_ratio_selects_as_the_paper(wine):
    bounded, free = (DEACS.published(3, judge=Radial(r)).fit(*wine) for r in (1e6, None))
    np.testing.assert_array_equal(bounded.ranking_, free.ranking_)
    np.testing.assert_allclose(bounded.scores_, free.scores_, rtol=1e-4)
    unbounded = DEACS.published(judge=Radial(float("inf"))).fit(*wine)
    np.testing.assert_array_equal(unbounded.ranking_, DEACS.published().fit(*wine).ranking_)


def test_theta_lies_between_that_of_the_sum_and_that_of_the_paper(wine):
    thetas = [
        DEACS.published(1, judge=Radial(ratio), store_candidates=True)
        .fit(*wine)
        .candidates_[0]
        .scores
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
    assert DEACS.published(1, judge=Radial(1)).fit(X, y).ranking_[0] == 0
    assert DEACS.published(1, judge=Radial(1, {"fraud": 50})).fit(X, y).ranking_[0] == 1
    assert DEACS.published(1, judge=Sum([1, 50, 1])).fit(X, y).ranking_[0] == 1


def test_shares_count_a_bit_of_a_rare_label_for_more(rare):
    X, y = rare
    bits, shares = (
        DEACS.published(1, judge=Radial(1, unit=unit), store_candidates=True).fit(X, y)
        for unit in ("bits", "share")
    )
    R, H = bits.candidates_[0].label_scores, bits.residual_[0]
    by_share = (R / H).sum(axis=1)
    expected = by_share / by_share[::-1]
    np.testing.assert_allclose(shares.candidates_[0].scores, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (Radial(label_weights={0: 2}), "needs a finite weight_ratio"),
        (Radial(2, {"x": 2}), "must name classes, got 'x'"),
        (Radial(2, [1, 0, 1]), "positive number for each of the 3"),
        (Radial(2, {0: "twice"}), "positive number for each of the 3 classes, got {0: 'twice'}"),
        (Sum(["a", "b", "c"]), "positive number for each of the 3"),
        (Sum(unit="bytes"), "unit must be one of 'bits', 'share', got 'bytes'"),
        (Radial(0.5), "weight_ratio must be at least 1, got 0.5"),
        (Radial(tie_break="first"), "tie_break must be one of 'sum', 'slacks', 'last'"),
    ],
)
def test_useless_priorities_are_named(judge, message, wine):
    with pytest.raises(InputError, match=message):
        DEACS.published(judge=judge).fit(*wine)
