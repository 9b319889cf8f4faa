"""`n_features_to_select="auto"`: nothing from noise, the informative ones where there are any."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_wine

from deacs import CMI, DEACS, MRMR, Significant, encode
from deacs.discretize import EqualFrequency
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
