"""The default: counts corrected for chance plus the order view, and where it ends."""

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom
from sklearn.datasets import load_digits, load_wine

from deacs import DEACS, MDLP, Blocks, OneVsRest, encode
from deacs.counts import OrderConditioning


def noise(kind, n_rows, n_columns, seed):
    rng = np.random.default_rng(seed)
    X = {
        "numbers": lambda: rng.normal(size=(n_rows, n_columns)),
        "counts": lambda: rng.integers(0, 6, (n_rows, n_columns)),
        "categories": lambda: rng.choice(list("abcdefgh"), (n_rows, n_columns)),
    }[kind]()
    return X, rng.integers(0, 3, n_rows)


def test_scores_are_the_mean_of_both_views():
    data = encode(*load_wine(return_X_y=True), order=True)
    both = DEACS(1, store_candidates=True).fit(data).candidates_[0]
    counted = DEACS(1, label_score=OneVsRest("excess"), store_candidates=True).fit(data)
    ordered = OrderConditioning(data).scores(np.arange(13))
    mean = (counted.candidates_[0].label_scores + ordered) / 2
    np.testing.assert_allclose(both.label_scores, mean, rtol=1e-12)
    selector = DEACS(4).fit(data)
    assert selector.views_.shape == (4, 2, 3)
    np.testing.assert_allclose(selector.views_.mean(axis=1), selector.label_scores_, rtol=1e-12)
    assert (selector.views_ <= selector.residual_[0] * (1 + 1e-9)).all()
    assert selector.truncate(2).views_.shape == (2, 2, 3)


@pytest.mark.parametrize("kind", ["numbers", "counts", "categories"])
def test_from_noise_nothing_is_selected(kind):
    n_runs = 30
    fooled = sum(
        len(DEACS().fit(*noise(kind, n_rows, 40, seed)).ranking_) > 0
        for n_rows in (60, 300)
        for seed in range(n_runs // 2)
    )
    # The bound lets through less than one of all candidates on average; in fact far fewer.
    assert fooled <= binom.ppf(0.999, n_runs, 0.1)


def test_all_informative_columns_come_before_a_random_category_of_many_levels():
    rng = np.random.default_rng(0)
    n = 10_000
    hidden = rng.normal(size=(n, 6))
    y = (hidden.sum(axis=1) + rng.normal(size=n) > 0).astype(int)
    X = pl.DataFrame({f"informative {j}": hidden[:, j] for j in range(6)})
    X = X.with_columns(random=pl.Series(rng.choice([f"level {k}" for k in range(50)], n)))
    for selector in (DEACS(), DEACS(7)):
        assert set(selector.fit(X, y).selected_names_[:6]) == set(X.columns[:6])
    ended = DEACS().fit(X, y)
    assert "random" not in ended.selected_names_
    assert ended.stop_reason_ in ("chance", "exhausted")


def test_it_ends_by_chance_where_noise_still_has_scores():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = np.column_stack([y + rng.normal(size=400), rng.normal(size=(400, 30))])
    selector = DEACS(store_candidates=True).fit(X, y)
    assert selector.ranking_.tolist() == [0]
    assert selector.stop_reason_ == "chance"
    assert len(DEACS(10).fit(X, y).ranking_) == 10


def test_columns_that_nothing_cuts_get_an_answer():
    # Columns whose shift between the classes is too small for a cut.
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 40)) + 0.12 * y[:, np.newaxis]
    X = X[:, [len(cuts) == 0 for cuts in MDLP().fit(X, y).cut_points_]]
    assert X.shape[1] > 30
    assert len(DEACS.published().fit(X, y).ranking_) == 0
    assert len(DEACS(5).fit(X, y).ranking_) == 5


def test_features_that_only_tell_together_are_found_once_one_of_them_is_in():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (600, 8))
    y = bits[:, 0] ^ bits[:, 1]
    selector = DEACS(2, include=[0]).fit(bits, y)
    assert selector.ranking_.tolist() == [0, 1]


@pytest.mark.usefixtures("work_is_shared")
def test_neither_threads_nor_the_order_of_rows_change_a_bit():
    X, y = load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))
    one = DEACS(8).fit(X, y)
    for other in (DEACS(8, n_jobs=3).fit(X, y), DEACS(8).fit(X[rows], y[rows])):
        assert other.ranking_.tolist() == one.ranking_.tolist()
        assert other.scores_.tolist() == one.scores_.tolist()
        assert other.label_scores_.tolist() == one.label_scores_.tolist()


def test_a_coded_table_is_fitted_as_the_table_itself():
    X, y = load_wine(return_X_y=True, as_frame=True)
    plain, coded = DEACS(6).fit(X, y), DEACS(6).fit(encode(X, y, order=True))
    assert coded.ranking_.tolist() == plain.ranking_.tolist()
    assert coded.label_scores_.tolist() == plain.label_scores_.tolist()


@pytest.mark.parametrize("caution", [0.0, 0.5, 1.0])
def test_caution_weighs_the_least_against_the_mean_over_blocks(caution):
    data = encode(*load_wine(return_X_y=True))
    how = {"label_score": "one-vs-rest", "judge": "sum", "include": [0, 6, 9, 12, 2]}
    tables = {
        c: DEACS(6, conditioning=Blocks(20, c), store_candidates=True, **how).fit(data)
        for c in (0.0, 1.0, caution)
    }
    least, mean, found = (tables[c].candidates_[5].label_scores for c in (1.0, 0.0, caution))
    np.testing.assert_allclose(found, caution * least + (1 - caution) * mean, rtol=1e-12)
    assert (mean >= least).all()
    assert (mean > least).any()


def words(codes):
    return pl.DataFrame(np.char.add("v", codes.astype(int).astype(str)))


def rare_ones(rng):
    """Ones in 1 % of the rows, and a class of 2 %."""
    return words(rng.random((500, 50)) < 0.01), rng.permutation(500) < 10


def many_values(rng):
    """Forty categories, and five rows in a class."""
    return words(rng.integers(0, 40, (300, 30))), rng.permutation(300) < 5


def an_identifier(rng):
    """Words of which 58 of 63 are distinct, among noise."""
    ids = rng.permutation(np.r_[:58, rng.integers(0, 58, 5)])
    return words(np.column_stack((ids, rng.integers(0, 5, (63, 8))))), rng.permutation(63) % 3


def mixed_kinds(rng):
    """Numbers beside categories with many rare values, and two rare classes."""
    numbers = pl.DataFrame(rng.normal(size=(250, 15)), schema=[f"n{j}" for j in range(15)])
    categories = words(rng.zipf(1.6, (250, 15)))
    return numbers.hstack(categories), rng.choice(3, 250, p=[0.9, 0.07, 0.03])


@pytest.mark.parametrize("make", [rare_ones, many_values, mixed_kinds, an_identifier])
def test_from_noise_nothing_is_selected_where_cells_are_rare(make):
    n_runs = 25
    fooled = sum(
        len(DEACS().fit(*make(np.random.default_rng(seed))).ranking_) > 0 for seed in range(n_runs)
    )
    assert fooled <= binom.ppf(0.995, n_runs, 0.05)


def test_a_value_of_one_rare_class_is_found():
    rng = np.random.default_rng(0)
    X, y = many_values(rng)
    marks = np.where(y, "v1", np.where(rng.random(300) < 0.05, "v1", "v2"))
    X = X.with_columns(mark=pl.Series(marks))
    assert DEACS().fit(X, y).selected_names_ == ["mark"]


@pytest.mark.usefixtures("work_is_shared")
def test_where_cells_are_rare_neither_threads_nor_rows_decide():
    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.3, (400, 30)), rng.integers(0, 4, 400)
    X[:, 3] += 2 * ((y == 1) & (rng.random(400) < 0.4))
    X[:, 7] += 2 * ((y == 2) & (rng.random(400) < 0.3))
    rows = rng.permutation(400)
    one = DEACS().fit(X, y)
    assert 0 < len(one.ranking_) < 30
    for other in (DEACS(n_jobs=3).fit(X, y), DEACS().fit(X[rows], y[rows])):
        assert other.ranking_.tolist() == one.ranking_.tolist()


def test_weights_decide_as_repeated_rows():
    rng = np.random.default_rng(1)
    X, y, weights = rng.poisson(0.3, (200, 12)), rng.integers(0, 2, 200), rng.integers(1, 4, 200)
    X[:, 3] += 2 * (y & (rng.random(200) < 0.4))
    weighted = DEACS(discrete_features=True).fit(X, y, sample_weight=weights)
    repeated = DEACS(discrete_features=True).fit(X.repeat(weights, 0), y.repeat(weights))
    assert weighted.ranking_.tolist() == repeated.ranking_.tolist()
    assert weighted.ranking_[0] == 3
