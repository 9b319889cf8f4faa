"""MDLP against Weka's numbers, its naive twin and its contract."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from deacs import MDLP
from deacs.coding import cuts
from deacs.exceptions import InputError
from deacs.tables import Labels
from tests import naive
from tests.naive import cuts as naive_cuts
from tests.naive.numbers import naive_thresholds
from tests.real_data import read_set

WEKA = json.loads((Path(__file__).parents[2] / "golden" / "weka-mdl-cuts.json").read_text())


@pytest.mark.real_data
@pytest.mark.parametrize("name", sorted(WEKA["cuts"]))
def test_cut_points_equal_those_of_weka(name):
    X, y = read_set(name)
    columns = WEKA["cuts"][name]
    cut_points = MDLP().fit(X.select(list(columns)), y).cut_points_
    for found, (column, expected) in zip(cut_points, columns.items(), strict=True):
        assert len(found) == len(expected), column
        # Weka prints six decimals.
        np.testing.assert_allclose(found, expected, rtol=0, atol=5.1e-7, err_msg=column)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_cut_points_equal_the_naive_twin_on_data_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    X = X[:, :16]
    for j, found in enumerate(MDLP().fit(X, y).cut_points_):
        np.testing.assert_allclose(found, naive.mdlp(X[:, j].tolist(), y.tolist()))


@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(2, 4), st.integers(2, 40))
def test_cut_points_equal_the_naive_twin(seed, n, n_labels, n_values):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    y[:2] = 0, 1
    values = (y * rng.integers(0, 3) + rng.integers(0, n_values, n)).astype(float)
    values[rng.random(n) < 0.1] = np.nan
    [found] = MDLP().fit(values.reshape(-1, 1), y).cut_points_
    np.testing.assert_allclose(found, naive.mdlp(values.tolist(), y.tolist()))


def random_column(seed, n, n_labels, n_values):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    y[:2] = 0, 1
    return (y * rng.integers(0, 8) + rng.integers(0, n_values, n)).astype(float), y, rng


COLUMNS = st.builds(
    random_column,
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),
    st.integers(2, 4),
    st.integers(2, 40),
)


def cuts_of(values, y, sample_weight=None, **parameters):
    mdlp = MDLP(**parameters).fit(np.reshape(values, (-1, 1)), y, sample_weight)
    return mdlp.cut_points_[0].tolist()


@given(COLUMNS)
def test_both_twins_agree(column):
    values, y, _ = column
    assert naive_cuts.mdlp(values.tolist(), y.tolist()) == naive.mdlp(values.tolist(), y.tolist())


@given(COLUMNS, st.integers(0, 4))
def test_integer_weights_give_exactly_what_repeated_rows_give(column, largest):
    values, y, rng = column
    values[rng.random(len(y)) < 0.1] = np.nan
    weights = rng.integers(0, largest + 2, len(y))
    weights[:2] = 1, 2  # both classes are there
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = cuts_of(values[repeated], y[repeated])
    assert cuts_of(values, y, weights) == expected
    assert cuts_of(values, y, weights.astype(float)) == expected


@given(COLUMNS, st.integers(1, 3))
def test_large_weights_are_counted_as_small_ones_are(column, min_samples):
    # 2**17 times every row: beyond the table, with a gain that pays for any cut.
    values, y, _ = column
    weights = np.full(len(y), 1 << 17)
    twin = naive_cuts.mdlp(values, y.tolist(), weights.tolist(), min_samples=min_samples << 17)
    assert cuts_of(values, y, weights, min_samples=min_samples << 17) == twin


@given(COLUMNS, st.floats(0.3, 3))
def test_fractions_weigh_rows_in_units_of_one_row(column, mean):
    values, y, rng = column
    weights = rng.gamma(4, mean / 4, len(y))
    weights[rng.random(len(y)) < 0.1] = 0
    weights[:2] = 0.5
    twin = naive_cuts.mdlp(values, y.tolist(), weights.tolist())
    np.testing.assert_allclose(cuts_of(values, y, weights), twin)


@given(COLUMNS)
def test_estimates_and_tables_lead_to_the_same_cuts(column):
    values, y, rng = column
    weights = rng.integers(1, 50, len(y)) * 100
    weights[: len(y) // 2] = 5_000  # equal counts, so that entropies tie
    found = []
    for look_ups in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cuts, "LOOK_UPS_A_ROW", look_ups)
            found.append(cuts_of(values, y, weights))
    assert found[0] == found[1]


def test_halving_all_weights_halves_the_evidence():
    # Parts of 16:4 and 4:16 gain 0.278 bits a row; 40 rows pay 8.98 bits, 20 rows need 7.94.
    values = np.repeat([0.0, 1.0], 20)
    y = np.repeat([0, 1, 0, 1], [16, 4, 4, 16])
    assert cuts_of(values, y) == [0.5]
    assert cuts_of(values, y, np.full(40, 0.5)) == []


def test_rows_that_weigh_one_together_are_not_cut():
    assert cuts_of([0.0, 1.0], [0, 1], [0.5, 0.5]) == []


@given(COLUMNS, st.integers(0, 4), st.integers(1, 5))
def test_limits_equal_the_naive_twin(column, max_cuts, min_samples):
    values, y, _ = column
    found = cuts_of(values, y, max_cuts=max_cuts, min_samples=min_samples)
    limits = {"max_cuts": max_cuts, "min_samples": min_samples}
    assert found == naive_cuts.mdlp(values, y.tolist(), **limits)


@given(COLUMNS)
def test_a_limit_that_does_not_bind_changes_nothing_and_tighter_ones_take_cuts_away(column):
    values, y, _ = column
    all_cuts = cuts_of(values, y)
    assert cuts_of(values, y, max_cuts=len(all_cuts)) == all_cuts
    for fewer in range(len(all_cuts)):
        kept = cuts_of(values, y, max_cuts=fewer)
        assert len(kept) == fewer
        assert set(kept) <= set(cuts_of(values, y, max_cuts=fewer + 1))


def test_the_first_of_few_cuts_is_the_one_with_the_largest_gain():
    # One value in the middle tells eight rows apart, the far ones twenty.
    values = np.repeat([0.0, 1.0, 2.0, 3.0], [20, 20, 8, 8])
    y = np.repeat([0, 1, 2, 1], [20, 20, 8, 8])
    assert cuts_of(values, y, max_cuts=1) == [0.5]


def test_values_that_only_a_plain_sort_can_order_are_cut_in_the_right_place():
    values = 1.0 + np.random.default_rng(0).permutation(1 << 14) * 2.0**-52
    values[0] = 1e300
    y = (values > 1.0 + 2.0**13 * 2.0**-52).astype(int)
    [cut] = cuts_of(values, y)
    assert ((values > cut) == y).all()


@pytest.mark.parametrize(
    "parameters", [{"max_cuts": -1}, {"min_samples": 0}, {"output": "words"}, {"n_jobs": 1.5}]
)
def test_parameters_out_of_range_are_named(parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        MDLP(**parameters).fit([[1.0], [2.0]], [0, 1])


def test_an_interval_is_closed_above_and_the_outer_ones_are_open():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]])
    mdlp = MDLP().fit(X, [0] * 4 + [1] * 4)
    assert mdlp.cut_points_[0].tolist() == [6.5]
    codes = mdlp.transform([[6.5], [np.nextafter(6.5, 7)], [-np.inf], [np.inf], [np.nan]])
    np.testing.assert_array_equal(codes[:, 0], [0, 1, 0, 1, np.nan])


def test_a_cut_separates_neighbours_that_have_no_number_between_them():
    low = 1.0
    high = np.nextafter(low, 2)
    mdlp = MDLP().fit(np.array([[low]] * 6 + [[high]] * 6), [0] * 6 + [1] * 6)
    assert mdlp.transform([[low], [high]]).ravel().tolist() == [0, 1]


@pytest.mark.parametrize("edge", [(-np.inf, 0.0), (0.0, np.inf), (-np.inf, np.inf)])
def test_infinities_can_be_cut_off(edge):
    X = np.repeat(np.array(edge), 6).reshape(-1, 1)
    mdlp = MDLP().fit(X, [0] * 6 + [1] * 6)
    assert mdlp.transform(X).ravel().tolist() == [0] * 6 + [1] * 6


def test_noise_and_constants_are_not_cut():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(200), np.ones(200), np.full(200, np.nan)])
    mdlp = MDLP().fit(X, rng.integers(0, 2, 200))
    assert [len(cuts) for cuts in mdlp.cut_points_] == [0, 0, 0]
    assert mdlp.n_bins_.tolist() == [1, 1, 1]


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_the_answer():
    X, y = load_digits(return_X_y=True)
    one, many = MDLP(n_jobs=1).fit(X, y), MDLP(n_jobs=7).fit(X, y)
    assert [c.tolist() for c in one.cut_points_] == [c.tolist() for c in many.cut_points_]


def test_order_of_rows_does_not_matter():
    X, y = load_wine(return_X_y=True)
    shuffled = np.random.default_rng(0).permutation(len(y))
    before, after = MDLP().fit(X, y), MDLP().fit(X[shuffled], y[shuffled])
    assert [c.tolist() for c in before.cut_points_] == [c.tolist() for c in after.cut_points_]


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_keep_their_names(library):
    X, y = load_iris(return_X_y=True)
    frame = library.DataFrame({f"c{j}": X[:, j] for j in range(4)})
    out = MDLP().set_output(transform=library.__name__).fit(frame, y).transform(frame)
    assert isinstance(out, library.DataFrame)
    assert list(out.columns) == ["c0", "c1", "c2", "c3"]


def test_text_is_refused_by_name():
    frame = pl.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(InputError, match="'colour' holds text such as 'blue'"):
        MDLP().fit(frame, [0, 1])


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_cuts_against_a_number_are_those_of_every_threshold(seed, has_zeros):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 25, 80).astype(float)
    y = (x > 12) * 4.0 + (x > 20) * 6.0 + rng.normal(size=80)
    y = np.where(y < 1.0, 0.0, y) if has_zeros else y
    thresholds = naive_thresholds(y.tolist())
    found = {cut for q in thresholds for cut in naive.mdlp(x.tolist(), (y <= q).tolist())}
    np.testing.assert_allclose(MDLP().fit(x[:, None], y).cut_points_[0], sorted(found))


def test_powers_of_three_are_those_of_the_rule():
    rule = cuts.mdlp_rule(Labels(np.arange(700), np.arange(700)), None, None, 1, 1)
    assert rule.log_powers.tolist() == [0.0, *(math.log2(3**k - 2) for k in range(1, 701))]
