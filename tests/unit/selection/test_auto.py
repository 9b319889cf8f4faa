"""`n_features_to_select="auto"`: nothing from noise, the informative ones where there are any."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_wine

from deacs import CMI, DEACS, MRMR, EqualFrequency, Significant, encode
from deacs.exceptions import InputError


def informative(n_rows, n_informative, n_noise, seed, *, continuous):
    """Classes from independent bits; each informative column shows one bit, in most rows."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (n_rows, n_informative))
    y = bits @ (1 << np.arange(n_informative))
    shown = np.where(rng.random(bits.shape) < 0.9, bits, 1 - bits)
    X = np.hstack([shown, rng.integers(0, 2, (n_rows, n_noise))])
    return (X + rng.normal(scale=0.2, size=X.shape) if continuous else X), y


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("selector", [DEACS.published, CMI])
def test_it_finds_the_informative_features_and_stops(selector, continuous):
    X, y = informative(600, 3, 12, 0, continuous=continuous)
    found = selector(n_features_to_select="auto", stop=Significant(random_state=0)).fit(X, y)
    assert sorted(found.ranking_) == [0, 1, 2]
    assert (found.p_values_ <= 0.05).all()
    if continuous:  # noise has no cut, so nothing is left to test
        assert found.stop_reason_ == "exhausted"
        assert np.isnan(found.next_p_value_)
    else:
        assert found.stop_reason_ == "not significant"
        assert found.next_p_value_ > 0.05


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
def test_from_noise_it_selects_nothing(kind):
    n_runs, n_fooled = 40, 0
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 12)), rng.integers(0, 3, 80)
        every = {"discrete": 1, "mixed": 2, "continuous": 13}[kind]
        discrete = np.arange(1, 13) % every == 0
        X[:, discrete] = rng.integers(0, 4, (80, discrete.sum()))
        found = DEACS.published(
            "auto", discrete_features=discrete, stop=Significant(random_state=seed)
        ).fit(X, y)
        n_fooled += len(found.ranking_) > 0
        if len(found.ranking_) == 0:
            assert found.stop_reason_ in ("not significant", "exhausted")
            assert found.p_values_.shape == (0,)
    assert n_fooled <= binom.ppf(0.999, n_runs, 0.05)


def test_a_favourite_that_is_not_significant_gives_way():
    # Column 0 alone tells anything of a class of two rows, by one of them: theta is infinite, and
    # of eleven columns that mark a row one will mark such a row by chance every tenth time.
    y = np.repeat([0, 1, 2], [99, 99, 2])
    strong = np.r_[np.repeat([0, 1], [89, 10]), np.repeat([0, 1], [10, 89]), 0, 1]
    marks = [np.arange(200) == row for row in (199, *range(0, 100, 10))]
    X = np.column_stack([*marks, strong]).astype(int)
    assert DEACS.published().fit(X, y).ranking_[0] == 0
    found = DEACS.published("auto", stop=Significant(random_state=0)).fit(X, y)
    assert found.ranking_.tolist() == [11]
    assert found.stop_reason_ == "not significant"


@pytest.mark.parametrize("conditioning", ["joint", "blocks", "cmim", "jmi"])
def test_every_conditioning_can_be_tested(conditioning):
    X, y = informative(400, 2, 6, 1, continuous=False)
    found = DEACS.published(
        "auto", conditioning=conditioning, stop=Significant(random_state=0)
    ).fit(X, y)
    assert sorted(found.ranking_) == [0, 1]


def test_a_seed_makes_it_repeatable_on_any_number_of_threads():
    X, y = load_wine(return_X_y=True)
    first = DEACS.published("auto", stop=Significant(random_state=3)).fit(X, y)
    for again in (
        DEACS.published("auto", stop=Significant(random_state=3)),
        DEACS.published("auto", stop=Significant(random_state=3), n_jobs=2),
    ):
        again.fit(X, y)
        assert again.ranking_.tolist() == first.ranking_.tolist()
        np.testing.assert_array_equal(again.p_values_, first.p_values_)
        assert again.next_p_value_ == first.next_p_value_


def test_coded_data_that_keeps_its_values_gives_the_same():
    X, y = load_wine(return_X_y=True)
    table = DEACS.published("auto", stop=Significant(random_state=0)).fit(X, y)
    coded = DEACS.published("auto", stop=Significant(random_state=0)).fit(
        encode(X, y, recodable=True)
    )
    np.testing.assert_array_equal(table.p_values_, coded.p_values_)
    with pytest.raises(InputError, match="recodable=True"):
        DEACS.published("auto").fit(encode(X, y))


def test_included_features_are_not_tested():
    X, y = informative(300, 2, 4, 2, continuous=False)
    found = DEACS.published("auto", include=[5], stop=Significant(random_state=0)).fit(X, y)
    assert found.ranking_[0] == 5
    assert np.isnan(found.p_values_[0])
    assert sorted(found.ranking_[1:]) == [0, 1]


def test_fewer_features_keep_their_p_values():
    X, y = informative(300, 3, 4, 3, continuous=False)
    found = DEACS.published("auto", stop=Significant(random_state=0)).fit(X, y)
    shorter = found.truncate(1)
    assert shorter.p_values_.tolist() == found.p_values_[:1].tolist()
    assert shorter.next_p_value_ == found.p_values_[1]
    assert list(found.to_frame()["p_value"]) == found.p_values_.tolist()


def test_a_fit_without_a_test_has_no_p_values():
    X, y = informative(100, 2, 2, 4, continuous=False)
    selector = DEACS.published("auto", stop=Significant(random_state=0)).fit(X, y)
    selector.set_params(n_features_to_select=2, stop=None).fit(X, y)
    assert not hasattr(selector, "p_values_")
    assert not hasattr(clone(selector), "next_p_value_")


def test_groups_of_cut_columns_are_refused():
    X, y = informative(200, 2, 2, 5, continuous=True)
    with pytest.raises(InputError, match="groups with a test that ends the selection"):
        DEACS.published("auto", groups=[[0, 1]]).fit(X, y)
    halves = EqualFrequency(n_bins=2)
    found = DEACS.published(
        "auto", groups=[[0, 1]], discretizer=halves, stop=Significant(random_state=0)
    ).fit(X, y)
    assert sorted(found.ranking_) == [0, 1]


def test_a_ranking_filter_has_no_test():
    X, y = informative(100, 2, 2, 6, continuous=False)
    with pytest.raises(ValueError, match="n_features_to_select"):
        MRMR("auto").fit(X, y)


def test_weak_linear_effects_are_found_by_rank():
    # Six logistic effects; counts alone find half of them.
    found = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 16))
        y = rng.random(300) < 1 / (1 + np.exp(-0.8 * X[:, :6].sum(axis=1)))
        selector = DEACS("auto", stop=Significant(random_state=seed)).fit(X, y)
        found += len(set(selector.ranking_.tolist()) & set(range(6)))
        assert (selector.p_values_ <= 0.05).all()
        assert selector.next_p_value_ > 0.05
    assert found >= 22


def test_a_number_is_tested_by_rank_against_numbers_and_categories():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 8))).add_prefix("n")
    X["shelf"] = rng.choice(["bad", "good", "medium"], 400)
    effects = {"n0": 1.0, "n1": 0.7, "n2": 0.5, "n3": -0.5, "n4": 0.3}
    y = sum(effect * X[name] for name, effect in effects.items())
    y += X["shelf"].map({"bad": -1.5, "good": 1.5, "medium": 0.0}) + rng.normal(scale=0.8, size=400)
    selector = DEACS("auto", stop=Significant(random_state=0)).fit(X, y)
    assert set(selector.selected_names_) == {*effects, "shelf"}
    assert selector.stop_reason_ == "not significant"


@pytest.mark.parametrize("kind", ["five rows", "zeros", "missing", "wide"])
def test_from_noise_neither_view_selects(kind):
    n_runs, fooled = 40, 0
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 10)), rng.permutation(120) < 30
        if kind == "five rows":
            y = rng.permutation(120) < 5
        elif kind == "zeros":
            X = (rng.random((120, 10)) < 0.04).astype(float)
        elif kind == "missing":
            X[rng.random(X.shape) < 0.6] = np.nan
        else:
            X, y = rng.normal(size=(30, 150)), rng.permutation(30) < 15
        selector = DEACS("auto", stop=Significant(random_state=seed)).fit(X, y)
        fooled += len(selector.ranking_) > 0
    assert fooled <= binom.ppf(0.999, n_runs, 0.05)


def test_a_tiny_level_is_tested_without_endless_shuffles():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (100, 6)), rng.integers(0, 2, 100)
    X[:, 0] = y
    stop = Significant(alpha=1e-9, random_state=0)
    for selector in (DEACS("auto", stop=stop), DEACS.published("auto", stop=stop)):
        selector.fit(X, y)
        assert selector.ranking_.tolist() == [0]
        assert selector.p_values_[0] <= 1e-9
        assert selector.stop_reason_ in ("not significant", "exhausted")
