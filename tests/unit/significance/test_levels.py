"""At which level steps are tested, and what that promises."""

import math

import numpy as np
import pytest

from deacs import CMI, DEACS, Significant
from deacs.exceptions import InputError
from deacs.selection import p_text
from deacs.significance.levels import LEVELS, AnyFalse, FalseShare


def taken(levels, p_values):
    """How many steps are taken of a sequence of p-values."""
    for n, p in enumerate(p_values):
        if p > levels.level:
            return n
        levels.take(p)
    return len(p_values)


def forward_stop(p_values, alpha):
    """The first m at which the mean of -ln(1 - p) over m steps exceeds alpha; from the paper."""
    spent = 0.0
    for m, p in enumerate(p_values, start=1):
        spent -= math.log(1 - p) if p < 1 else -math.inf
        if spent / m > alpha:
            return m - 1
    return len(p_values)


def test_levels_spend_as_forward_stop_does():
    rng = np.random.default_rng(0)
    for _ in range(500):
        p = rng.random(12) ** rng.integers(1, 6)
        assert taken(FalseShare(0.1), p) == forward_stop(p, 0.1)


def test_every_step_has_the_same_level_where_any_false_one_counts():
    levels = AnyFalse(0.05)
    levels.take(0.04)
    assert levels.level == levels.usual == 0.05


@pytest.mark.parametrize("n_true", [0, 1, 5, 20])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_false_steps_are_as_few_as_promised(n_true, alpha):
    """E[V] <= alpha (E[R] + 1), also where each p-value depends on the one before it."""
    rng = np.random.default_rng(n_true)
    n_false, n_taken, n_runs = 0.0, 0.0, 4000
    for _ in range(n_runs):
        uniform = rng.random(60)
        p = np.empty(60)
        p[:n_true] = uniform[:n_true] ** 8
        for k in range(n_true, 60):  # uniform given the past, and not independent of it
            p[k] = (uniform[k] + (p[k - 1] if k else 0.0)) % 1.0
        n = taken(FalseShare(alpha), p)
        n_taken += n
        n_false += max(n - n_true, 0)
    # Three standard errors of a mean that is about alpha (R + 1), with a deviation of that size.
    most = alpha * (n_taken / n_runs + 1)
    assert n_false / n_runs <= most * (1 + 3 * 2 / math.sqrt(n_runs))


def informative(seed, n_rows=150, n_true=8, n_noise=30):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = rng.integers(0, 2, (n_rows, n_true + n_noise))
    X[:, :n_true] = np.where(rng.random((n_rows, n_true)) < 0.3, y[:, None], X[:, :n_true])
    return X, y


def test_a_share_of_false_features_finds_more_than_none_at_all():
    found = {"any": 0, "fdr": 0}
    for seed in range(8):
        X, y = informative(seed, n_rows=250)
        for rate in found:
            stop = Significant(0.1, random_state=seed, rate=rate)
            chosen = DEACS(stop=stop, discrete_features=True).fit(X, y).ranking_
            found[rate] += int((chosen < 8).sum())
    assert found["fdr"] >= found["any"] + 4


def test_noise_seldom_passes():
    fooled = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, (80, 20)), rng.integers(0, 2, 80)
        stop = Significant(0.1, random_state=seed, rate="fdr")
        fooled += len(CMI(stop=stop, discrete_features=True).fit(X, y).ranking_) > 0
    assert fooled <= 8  # binomial(40, 0.095) passes 8 with chance 0.02


def test_an_unknown_rate_is_refused():
    X, y = informative(0)
    with pytest.raises(InputError, match="rate must be one of 'any', 'fdr', got 'all'"):
        DEACS(stop=Significant(rate="all")).fit(X, y)
    assert list(LEVELS) == ["any", "fdr"]


def test_p_values_at_the_floor_of_the_shuffles_say_so():
    X, y = informative(3)
    selector = CMI(stop=Significant(random_state=0), discrete_features=True).fit(X, y)
    assert selector.p_is_bound_.shape == selector.p_values_.shape
    floor = selector.p_values_[selector.p_is_bound_]
    assert len(floor)
    assert (floor <= 1 / 30 + 1e-12).all()
    shown = selector._repr_html_() + selector._repr_mimebundle_()["text/html"]
    for p, is_bound in zip(selector.p_values_, selector.p_is_bound_, strict=True):
        assert p_text(p, is_bound).replace("<", "&lt;") in shown
    assert selector.to_frame()["p_is_bound"].tolist() == selector.p_is_bound_.tolist()


def test_p_values_that_were_counted_are_no_bounds():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    X = np.where(rng.random((5000, 2)) < 0.04, y[:, None], rng.integers(0, 2, (5000, 2)))
    selector = CMI(stop=Significant(0.2, random_state=0), discrete_features=True).fit(X, y)
    assert len(selector.p_values_)
    assert not selector.p_is_bound_.any()
