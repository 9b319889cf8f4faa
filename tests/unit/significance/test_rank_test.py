"""The test by rank against least squares, and where it does not trust F."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, f

from deacs import encode
from deacs.coding import normal_scores, order_view
from deacs.counts import OrderConditioning
from deacs.significance.rank_test import RankTest


def by_rank(data, given=(), candidates=None):
    order = OrderConditioning(data)
    for feature in given:
        order.add(feature)
    return RankTest(
        order, data, given, np.arange(data.n_features) if candidates is None else candidates
    )


def p_of_f(response, columns, more):
    """The p-value of partial F, by least squares twice."""
    n = len(response)
    S = np.column_stack([np.ones(n), *columns])
    both = np.column_stack([S, more])
    without, beyond = (
        np.sum((response - A @ np.linalg.lstsq(A, response, rcond=None)[0]) ** 2) for A in (S, both)
    )
    df1 = np.linalg.matrix_rank(both) - np.linalg.matrix_rank(S)
    df2 = n - np.linalg.matrix_rank(both)
    return f.sf((without - beyond) / df1 / (beyond / df2), df1, df2)


def table(seed, target, n=120):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5))).add_prefix("n")
    X["n1"] += X["n0"]
    X["counts"] = rng.poisson(3, n)
    X["words"] = rng.choice(list("abcd"), n)
    y = X["n0"] + X["n2"] + rng.normal(size=n)
    if target == "classes":
        return encode(X, np.digitize(y, [-1, 1]), order=True, recodable=True)
    if target == "labels":
        return encode(X, np.column_stack((y > 0, X["n3"] + y > 1)).astype(int), order=True)
    return encode(X, y, order=True)


@pytest.mark.parametrize("target", ["classes", "labels", "numbers"])
@pytest.mark.parametrize("given", [[], [0], [0, 6, 5]])
def test_p_values_are_those_of_least_squares_twice(target, given):
    data = table(0, target)
    view = order_view(data)
    columns = [view.scores[list(view.features).index(j)].astype(float) for j in range(6)]
    columns.append((data.column(6)[:, None] == np.arange(4)).astype(float))
    S = [columns[j] for j in given]
    if target == "numbers":
        z_y = normal_of(data.numbers)
        expected = {j: p_of_f(z_y, S, columns[j]) for j in range(7) if j not in given}
    else:
        members = data.about.indicators(data.labels).astype(float)
        expected = {j: p_of_f(columns[j], S, members) for j in range(6) if j not in given}
    left = [j for j in range(7) if j not in given]
    test = by_rank(data, given, np.array(left))
    for place, j in enumerate(left):
        p = min(len(expected) * expected.get(j, 1.0), 1.0)
        assert test.p_value(place, 0.0) == pytest.approx(p, rel=1e-5, abs=1e-300)
        if data.features[j].kind == "continuous":  # normal, so nothing else is needed
            assert test.p_value(place, 1.0) == pytest.approx(p, rel=1e-5, abs=1e-300)


def normal_of(numbers):
    return normal_scores(np.asarray(numbers)).astype(float)


def test_a_class_of_five_rows_keeps_the_level():
    n_runs, alpha, n_passed = 400, 0.1, 0
    y = np.repeat([0, 1], [95, 5])
    for seed in range(n_runs):
        data = encode(np.random.default_rng(seed).normal(size=(100, 4)), y, order=True)
        test = by_rank(data)
        n_passed += min(test.p_value(k, alpha) for k in range(4)) <= alpha
    assert n_passed <= binom.ppf(0.999, n_runs, alpha)
    assert n_passed >= binom.ppf(0.001, n_runs, alpha)


def test_a_column_that_is_mostly_zero_is_not_taken_for_normal():
    # Two of five ones in a class of 2 %: a chance of 1 in 300, by F of 1e-9.
    column, y = np.zeros((500, 1)), np.zeros(500, dtype=int)
    column[:5], y[3:13] = 1.0, 1
    test = by_rank(encode(column, y, order=True))
    assert test.p_value(0, 0.0) < 1e-8
    assert test.p_value(0, 0.05) > 1 / 300


def test_a_handful_of_rows_is_left_to_the_counts():
    X = np.random.default_rng(0).normal(size=(9, 2))
    assert by_rank(encode(X, [0, 1, 2] * 3, order=True)).p_value(0, 1.0) == 1.0
