import numpy as np
import pytest

from deacs.kernels.ratios import upper_bounds


def naive_upper_bound(y, p):
    """U_p = min over j != p of max over r of y_pr / y_jr, with 0/0 = 0 and x/0 = inf."""
    smallest = np.inf
    for j in range(len(y)):
        if j != p:
            pairs = zip(y[p], y[j], strict=True)
            ratios = [0.0 if a == 0 else np.inf if b == 0 else a / b for a, b in pairs]
            smallest = min(smallest, max(ratios))
    return smallest


def bounds_of(y, threshold=0.0, order=None):
    bounds = np.full(len(y), np.inf)
    through = np.empty(len(y), dtype=np.int64)
    rivals = np.arange(len(y)) if order is None else order
    upper_bounds(y, y.sum(axis=1), rivals, threshold, bounds, through)
    for p in np.flatnonzero(np.isfinite(bounds)):
        made = y[through[p]]
        assert through[p] != p
        assert bounds[p] == max(y[p, made > 0] / made[made > 0])
    return bounds


@pytest.mark.parametrize("seed", range(10))
def test_bounds_equal_the_definition_in_any_order(seed):
    rng = np.random.default_rng(seed)
    y = rng.random((15, 4))
    y[rng.random(y.shape) < 0.2] = 0
    expected = [naive_upper_bound(y, p) for p in range(len(y))]
    np.testing.assert_allclose(bounds_of(y), expected, rtol=1e-15)
    np.testing.assert_allclose(bounds_of(y, order=rng.permutation(15)), expected, rtol=1e-15)


def test_below_the_threshold_a_bound_is_still_a_bound():
    y = np.random.default_rng(0).random((40, 3))
    exact, bounds = bounds_of(y), bounds_of(y, threshold=1.0)
    np.testing.assert_array_equal(bounds[exact >= 1.0], exact[exact >= 1.0])
    assert (bounds[exact < 1.0] < 1.0).all()
    assert (bounds >= exact).all()


def test_a_unit_alone_has_no_bound():
    assert bounds_of(np.ones((1, 2))).tolist() == [np.inf]


def test_a_bound_known_before_is_kept_where_it_is_lower():
    y = np.random.default_rng(1).random((20, 3))
    exact, known = bounds_of(y), np.random.default_rng(2).random(20) * 2
    bounds = known.copy()
    through = np.empty(20, dtype=np.int64)
    upper_bounds(y, y.sum(axis=1), np.arange(20), 0.0, bounds, through)
    np.testing.assert_array_equal(bounds, np.minimum(exact, known))
    np.testing.assert_array_equal(through < 0, known <= exact)
