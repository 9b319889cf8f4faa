"""Stability selection: frequencies as if counted by hand, the error bound, the contract."""

import math
import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import CFS, DEACS, DEACSCV, JMI, MIM, ReliefF, SelectorCV, encode
from deacs.exceptions import IdentifierWarning, InputError
from deacs.selection import stability_selection
from deacs.selection.stability_selection import StabilitySelection, nogueira
from tests.contract.test_every_table import KINDS, table_of
from tests.naive.stability import stable_features


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


class Spy(JMI):
    """A filter that keeps what it was fitted to and what it selected."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, y)
        Spy.seen.append((X, y, self.ranking_.tolist()))
        return self


@pytest.fixture
def seen():
    Spy.seen = []
    return lambda: Spy.seen[1:]  # the first fit is to all rows


@pytest.mark.parametrize("sampling", ["pairs", "halves", "bootstrap"])
@pytest.mark.parametrize("threshold", [0.3, 0.6, 1.0])
def test_frequencies_and_order_are_counted_by_hand(wine, seen, sampling, threshold):
    X, y = wine
    fitted = StabilitySelection(
        Spy(4), threshold=threshold, n_resamples=20, sampling=sampling, random_state=0
    ).fit(X, y)
    expected = stable_features([ranking for _, _, ranking in seen()], 13, threshold)
    assert fitted.ranking_.tolist() == [feature for feature, _ in expected]
    np.testing.assert_allclose(fitted.scores_, [share for _, share in expected])
    np.testing.assert_array_equal(fitted.scores_, fitted.frequencies_[fitted.ranking_])
    np.testing.assert_array_equal(fitted.selections_.mean(axis=0), fitted.frequencies_)
    assert fitted.stop_reason_ == "threshold"


def test_a_frequency_reaches_the_threshold_that_is_its_own_share(wine, monkeypatch):
    places = np.full((100, 13), -1)
    places[:7, 4] = 0
    monkeypatch.setattr(stability_selection, "places_on_resamples", lambda *_, **__: places)
    # In floats 0.07 * 100 is more than 7.
    fitted = StabilitySelection(JMI(1), threshold=0.07, n_resamples=100).fit(*wine)
    assert fitted.ranking_.tolist() == [4]


def test_pairs_are_complementary_halves_with_the_shares_of_the_classes(seen):
    X, y = load_wine(return_X_y=True)
    numbered = np.column_stack([X, np.arange(len(y))])
    StabilitySelection(Spy(2), n_resamples=6, random_state=1).fit(numbered, y)
    halves = [(X[:, -1].astype(int), y) for X, y, _ in seen()]
    for (first, first_y), (second, second_y) in zip(halves[::2], halves[1::2], strict=True):
        assert sorted([*first, *second]) == list(range(178))
        assert np.abs(np.bincount(first_y) - np.bincount(second_y)).max() <= 1
    assert halves[0][0].tolist() != halves[2][0].tolist()


def test_halves_of_an_odd_number_of_rows_have_equal_size(seen):
    X, y = load_wine(return_X_y=True)
    StabilitySelection(Spy(2), n_resamples=4, random_state=1).fit(X[:-1], y[:-1])
    assert [len(y) for _, y, _ in seen()] == [88] * 4


def test_informative_features_are_stable_and_noise_is_not():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    X = rng.normal(size=(240, 40))
    X[:, :3] += y[:, None]
    fitted = StabilitySelection(JMI(5), n_resamples=40, random_state=0).fit(X, y)
    assert sorted(fitted.ranking_) == [0, 1, 2]
    assert (fitted.frequencies_[:3] == 1).all()
    assert fitted.frequencies_[3:].max() < 0.6


def test_the_bound_holds_for_features_that_are_no_better_than_chance():
    """Shah & Samworth, Theorem 1: at most q^2 / ((2 tau - 1) p) of them are expected."""
    rng = np.random.default_rng(0)
    kept, bounds = [], []
    for run in range(15):
        y = np.arange(60) % 2
        X = rng.integers(0, 2, (60, 30))
        fitted = StabilitySelection(MIM(5), n_resamples=10, random_state=run).fit(X, y)
        kept.append(len(fitted.ranking_))
        bounds.append(fitted.error_bound_)
    # Five of thirty on every half: 25 / (0.2 * 30).
    np.testing.assert_allclose(bounds, 25 / 6)
    assert np.mean(kept) <= 25 / 6


@pytest.mark.parametrize(
    "options",
    [{"sampling": "bootstrap"}, {"threshold": 0.5}, {"n_features_to_select": 3}],
)
def test_no_bound_is_claimed_where_there_is_none(wine, options):
    fitted = StabilitySelection(JMI(3), n_resamples=4, random_state=0, **options).fit(*wine)
    assert math.isnan(fitted.error_bound_)


def test_a_number_of_features_takes_the_most_frequent(wine):
    X, y = wine
    fitted = StabilitySelection(n_features_to_select=4, n_resamples=10, random_state=0).fit(X, y)
    assert fitted.stop_reason_ == "n_features_to_select"
    assert fitted.ranking_.shape == fitted.scores_.shape == (4,)
    assert fitted.scores_.tolist() == sorted(fitted.frequencies_)[::-1][:4]
    # The selector takes as many on each half, if there are, when it has no number of its own.
    assert fitted.selections_.sum(axis=1).max() == 4
    shorter = fitted.truncate(2)
    np.testing.assert_array_equal(shorter.ranking_, fitted.ranking_[:2])
    assert shorter.transform(X).shape == (178, 2)
    share = StabilitySelection(JMI(6), 0.25, n_resamples=10, random_state=0).fit(X, y)
    assert len(share.ranking_) == 3
    assert (share.selections_.sum(axis=1) == 6).all()


def test_it_keeps_the_contract(wine):
    X, y = wine
    fitted = StabilitySelection(DEACS.published(3), n_resamples=10, random_state=0).fit(X, y)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.classes_.tolist() == [0, 1, 2]
    table = fitted.to_frame()
    assert list(table.columns) == ["rank", "feature", "index", "score", "frequency"]
    assert list(table["feature"]) == fitted.selected_names_
    np.testing.assert_array_equal(fitted.selector_.ranking_, DEACS.published(3).fit(X, y).ranking_)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.ranking_, fitted.ranking_)
    assert clone(fitted).get_params()["selector__n_features_to_select"] == 3
    assert isinstance(fitted.fit(pl.DataFrame(X), y).to_frame(), pl.DataFrame)
    assert not hasattr(fitted.fit(X.to_numpy(), y), "feature_names_in_")
    assert 0 < nogueira(fitted.selections_, fitted.n_features_in_) <= 1


def test_included_features_lead(wine):
    selector = JMI(5, include=["hue", "ash"])
    fitted = StabilitySelection(selector, n_resamples=10, random_state=0).fit(*wine)
    assert fitted.selected_names_[:2] == ["hue", "ash"]
    assert fitted.scores_[:2].tolist() == [1.0, 1.0]


@pytest.mark.usefixtures("work_is_shared")
@pytest.mark.parametrize("selector", [DEACS.published(3), ReliefF(3, n_samples=30)])
def test_threads_do_not_change_a_bit_and_seeds_do(wine, selector):
    def fit(seed, n_jobs=None):
        stable = StabilitySelection(selector, n_resamples=12, random_state=seed, n_jobs=n_jobs)
        return stable.fit(*wine).selections_

    np.testing.assert_array_equal(fit(0), fit(0, n_jobs=3))
    assert (fit(0) != fit(1)).any()


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_every_kind_of_table_gives_the_same_frequencies(missing):
    columns, y = table_of(missing)
    found = {
        kind: StabilitySelection(n_resamples=4, random_state=0).fit(make(columns), y)
        for kind, make in KINDS.items()
    }
    for kind, fitted in found.items():
        np.testing.assert_array_equal(
            fitted.frequencies_, found["polars"].frequencies_, err_msg=kind
        )


def test_a_column_keeps_its_kind_on_a_half_of_the_rows(seen):
    """33 whole numbers are continuous on all rows; a half has fewer, and would make them values."""
    rng = np.random.default_rng(0)
    y = np.arange(70) % 2
    X = np.column_stack([np.arange(70) % 35, rng.integers(0, 2, 70)])
    fitted = StabilitySelection(DEACS.published(), n_resamples=10, random_state=0).fit(X, y)
    # As 35 values it would separate the classes of 35 rows, always.
    assert fitted.frequencies_[0] < 0.5


def test_a_column_that_a_half_has_nothing_of_does_no_harm():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.full((40, 2), None, dtype=object)
    X[:, 0], X[3, 1] = (y + rng.normal(0, 0.3, 40)).tolist(), 0.5
    assert StabilitySelection(n_resamples=6, random_state=0).fit(X, y).ranking_.tolist() == [0]


def test_codes_made_once_leak_what_all_rows_know():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 300))
    # Noise that is cut by chance where all rows are known; a half must find its own cuts.
    by_chance = encode(X, y).n_values > 1
    assert by_chance.any()
    inside, once = (
        StabilitySelection(
            DEACS.published(3), n_resamples=10, encode_once=once, random_state=0
        ).fit(X, y)
        for once in (False, True)
    )
    assert inside.frequencies_[by_chance].max() < 0.6 <= once.frequencies_[by_chance].max()


def test_columns_that_tell_nothing_are_not_stable_for_being_first(wine):
    """MIM goes on with constants when nothing is left, always with the same ones."""
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = np.column_stack([np.zeros((80, 3)), y + rng.normal(0, 0.2, 80)])
    for table in ((X, y), (encode(X, y),)):
        fitted = StabilitySelection(MIM(3), n_resamples=6, random_state=0).fit(*table)
        assert fitted.ranking_.tolist() == [3]
    kept = StabilitySelection(MIM(3, include=[1]), n_resamples=6, random_state=0).fit(X, y)
    assert kept.ranking_.tolist() == [1, 3]


def test_encoding_once_is_resampling_coded_data(wine):
    X, y = wine
    stable = StabilitySelection(DEACS.published(3), n_resamples=8, random_state=0, encode_once=True)
    one, two = clone(stable).fit(X, y), clone(stable).fit(encode(X, y))
    np.testing.assert_array_equal(one.selections_, two.selections_)
    with pytest.raises(InputError, match="encode_once must be False for ReliefF"):
        stable.set_params(selector=ReliefF(3)).fit(X, y)


@pytest.mark.parametrize("selector", [JMI(3), DEACS.published(3), CFS()], ids=repr)
def test_rows_of_coded_data_select_what_the_same_rows_of_the_table_do(selector):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    X = rng.integers(0, 3, (120, 8)) + np.where(np.arange(8) % 2, y[:, None], 0)
    stable = StabilitySelection(selector, n_resamples=6, random_state=0)
    expected = stable.fit(X, y).selections_
    np.testing.assert_array_equal(stable.fit(encode(X, y)).selections_, expected)
    np.testing.assert_array_equal(
        stable.set_params(encode_once=True).fit(X, y).selections_, expected
    )


def test_a_half_with_one_class_selects_nothing():
    y = np.array([0] * 19 + [1])
    X = np.random.default_rng(0).integers(0, 2, (20, 3))
    X[:, 0] = y
    fitted = StabilitySelection(DEACS.published(), n_resamples=10, random_state=0).fit(X, y)
    # The one row of its class is in one half of every pair.
    assert fitted.frequencies_[0] == 0.5


def test_a_selector_that_takes_everything_is_noted(wine):
    fitted = StabilitySelection(MIM(), n_resamples=4, random_state=0).fit(*wine)
    assert "give the selector n_features_to_select" in fitted.notes_[0]
    assert StabilitySelection(MIM(2), n_resamples=4, random_state=0).fit(*wine).notes_ == []


def test_identifiers_are_named_once():
    X = pl.DataFrame({"id": [f"p{k}" for k in range(20)], "size": [1, 2, 2, 2] * 5})
    with pytest.warns(IdentifierWarning, match="'id'") as found:
        StabilitySelection(n_resamples=4, random_state=0).fit(X, [0, 1] * 10)
    assert len(found) == 1


def test_it_stands_in_a_pipeline(wine):
    stable = StabilitySelection(JMI(4), n_resamples=6, random_state=0)
    pipeline = make_pipeline(stable, DecisionTreeClassifier(random_state=0))
    assert pipeline.fit(*wine).score(*wine) > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0}, "'threshold' parameter"),
        ({"threshold": 1.2}, "'threshold' parameter"),
        ({"sampling": "thirds"}, "'sampling' parameter"),
        ({"n_resamples": 1}, "'n_resamples' parameter"),
        ({"n_resamples": 7}, "n_resamples must be even with sampling='pairs', got 7"),
        ({"n_features_to_select": 40}, "between 1 and 13"),
        ({"selector": JMI(40)}, "between 1 and 13"),
        ({"selector": JMI(include=["asch"])}, "did you mean 'ash'"),
        ({"selector": DecisionTreeClassifier()}, "'selector' parameter"),
    ],
)
def test_bad_parameters_are_named(wine, options, message):
    with pytest.raises(ValueError, match=message):
        StabilitySelection(**options).fit(*wine)


def test_a_selection_that_keeps_nothing_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), rng.integers(0, 2, 60)
    stable = StabilitySelection(JMI(1), n_resamples=10, threshold=0.95, random_state=0).fit(X, y)
    assert len(stable.ranking_) == 0
    [note] = stable.notes_
    assert note.startswith("Nothing was kept")
    assert note.columns == (f"x{int(np.argmax(stable.frequencies_))}",)


@pytest.mark.parametrize(
    "selector",
    [
        DEACSCV(JMI(), max_features=3, cv=2),
        SelectorCV([MIM(), JMI()], [2], cv=2),
        StabilitySelection(MIM(2), n_resamples=2),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_a_selector_that_wraps_others_is_resampled_too(selector, wine):
    X, y = wine
    stable = StabilitySelection(selector, threshold=0.5, n_resamples=4, random_state=0).fit(X, y)
    assert len(stable.ranking_) > 0
    assert stable.classes_.tolist() == [0, 1, 2]
