"""SelectorCV: every score as if made by hand, no row seen that is left out, and how sure it is."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFdr,
    SelectFromModel,
    SelectKBest,
    SelectorMixin,
    f_classif,
)
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import CFS, DEACS, JMI, MIM, MRMR, ReliefF, SelectorCV, StabilitySelection, encode
from deacs.exceptions import InputError
from deacs.selection.deacs_cv import choose
from deacs.selection.row_subsets import RowSubsets, seeding
from deacs.selection.selector_cv import corrected_interval, default_selectors
from deacs.selection.stopping import Significant
from tests.contract.test_every_table import table_of

BAYES = GaussianNB()
TREE = DecisionTreeClassifier(random_state=0)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


class Fixed(SelectorMixin, BaseEstimator):
    """Takes the columns it is told to, whatever the table."""

    def __init__(self, columns=(0,)):
        self.columns = columns

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return np.isin(np.arange(self.n_features_in_), self.columns)


class Ranks(BaseEstimator):
    """Gives every column a rank, as RFE does, the last column the first; has no get_support."""

    def fit(self, X, y=None):
        self.ranking_ = np.arange(X.shape[1], 0, -1)
        return self


def test_every_score_is_what_selecting_and_fitting_by_hand_gives(wine):
    X, y = wine
    selectors = {"jmi": JMI(), "f": SelectKBest(f_classif)}
    fitted = SelectorCV(selectors, [1, 2, 4], estimator=BAYES, cv=3, rule="best").fit(X, y)
    results = fitted.cv_results_
    assert results["selector"].tolist() == ["jmi"] * 3 + ["f"] * 3
    assert results["n_features"].tolist() == [1, 2, 4] * 2
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        by_hand = []
        for make in (JMI, lambda k: SelectKBest(f_classif, k=k)):
            for k in (1, 2, 4):
                selector = make(k).fit(X.iloc[train], y.iloc[train])
                columns = selector.get_support()
                model = clone(BAYES).fit(X.iloc[train, columns], y.iloc[train])
                by_hand.append(model.score(X.iloc[test, columns], y.iloc[test]))
        np.testing.assert_array_equal(results[f"split{fold}_test_score"], by_hand)
    splits = np.array([results[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
    means = splits.mean(axis=0)
    assert fitted.best_index_ == np.argmax(means >= means.max() - 1e-12)
    assert fitted.best_selector_ == results["selector"][fitted.best_index_]
    assert fitted.n_features_ == results["n_features"][fitted.best_index_] == len(fitted.ranking_)


def test_no_fit_of_a_fold_sees_a_row_that_it_is_scored_on():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([np.arange(60.0), y + rng.normal(size=60), rng.normal(size=60)])
    selected, learnt, scored = [], [], []

    class SpySelector(MIM):
        def fit(self, X, y=None, sample_weight=None):
            selected.append(frozenset(X[:, 0]))
            return super().fit(X, y)

    class SpyForeign(Fixed):
        def fit(self, X, y=None):
            selected.append(frozenset(X[:, 0]))
            return super().fit(X, y)

    class SpyClassifier(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            learnt.append(frozenset(X[:, 0]))
            return super().fit(X, y)

        def score(self, X, y, sample_weight=None):
            scored.append(frozenset(X[:, 0]))
            return super().score(X, y)

    selectors = {"a": SpySelector(include=[0]), "b": SpyForeign([0, 2])}
    SelectorCV(selectors, [2], estimator=SpyClassifier(), cv=3, nested=True).fit(X, y)
    everything = frozenset(np.arange(60.0))
    # The first two fits are those to all rows; those of fold and nested fold leave rows out.
    assert selected[:2] == [everything] * 2
    assert all(rows < everything for rows in selected[2:])
    assert len(learnt) == len(scored) == 3 * 2 + 3 * (3 * 2 + 1)
    for train, test in zip(learnt, scored, strict=True):
        assert not train & test
        assert train in selected
    # Within the training rows of an outer fold, inner folds leave out rows of their own.
    outer = [a | b for a, b in zip(learnt[:6], scored[:6], strict=True)]
    assert outer == [everything] * 6
    sizes = {len(a | b) for a, b in zip(learnt[6:], scored[6:], strict=True)}
    assert sizes == {40, 60}


@pytest.mark.parametrize(
    ("rule", "scores", "numbers", "chosen"),
    [
        # Means 0.8, 0.7, 0.8, 0.9; the last one's standard error is 0.1.
        ("best", [[0.8, 0.7, 0.8, 0.8], [0.8, 0.7, 0.8, 1.0]], [1, 2, 1, 2], 3),
        # Within it two candidates have one feature and equal means: the first.
        ("one-standard-error", [[0.8, 0.7, 0.8, 0.8], [0.8, 0.7, 0.8, 1.0]], [1, 2, 1, 2], 0),
        # Of two with one feature the better mean.
        ("one-standard-error", [[0.8, 0.7, 0.82, 0.8], [0.8, 0.7, 0.82, 1.0]], [1, 2, 1, 2], 2),
        # Out of reach: the best is sure of itself.
        ("one-standard-error", [[0.8, 0.7, 0.8, 0.9], [0.8, 0.7, 0.8, 0.9]], [1, 2, 1, 2], 3),
        # Equals of the best: the fewest features, whoever is named first.
        ("best", [[0.9, 0.9, 0.9], [0.7, 0.7, 0.7]], [3, 2, 2], 1),
        # A single fold has no standard error.
        ("one-standard-error", [[0.8, 0.9, 0.7]], [1, 2, 3], 1),
    ],
)
def test_the_rule_across_selectors(rule, scores, numbers, chosen):
    assert choose(np.array(scores), numbers, rule) == chosen


def test_the_selector_that_fits_the_table_is_chosen():
    """Exclusive or: relevance alone sees nothing of it, the joint value does."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (300, 8))
    y = X[:, 2] ^ X[:, 5]
    joint = DEACS.published(include=[2])
    fitted = SelectorCV({"alone": MIM(), "joint": joint}, 2, estimator=TREE, cv=3).fit(X, y)
    assert fitted.best_selector_ == "joint"
    assert sorted(fitted.ranking_) == [2, 5]
    assert fitted.comparison_["difference"].tolist()[1] == 0
    assert fitted.comparison_["low"][0] > 0
    assert fitted.comparison_["p_value"][0] < 0.05
    assert any("Every other selector differs significantly" in note for note in fitted.notes_)


def test_equals_are_level_and_the_first_is_taken(wine):
    fitted = SelectorCV({"b": JMI(), "a": JMI()}, [2, 3], cv=3).fit(*wine)
    assert fitted.best_selector_ == "b"
    assert fitted.comparison_["difference"].tolist() == [0, 0]
    assert fitted.comparison_["p_value"].tolist() == [1, 1]
    assert any("Not significantly different on these folds: a." in note for note in fitted.notes_)


def test_the_interval_is_the_corrected_resampled_one():
    differences = np.array([0.02, 0.05, -0.01, 0.04, 0.03])
    mean, low, high, p = corrected_interval(differences, 0.25)
    error = np.sqrt((1 / 5 + 1 / 4) * np.var(differences, ddof=1))
    np.testing.assert_allclose([mean, p], [0.026, 2 * stats.t.sf(0.026 / error, 4)])
    # 2.776 is the 97.5 % point of t with 4 degrees of freedom.
    np.testing.assert_allclose([low, high], [0.026 - 2.776 * error, 0.026 + 2.776 * error], 1e-3)
    assert corrected_interval(np.full(3, 0.5), 0.5) == (0.5, 0.5, 0.5, 0.0)
    assert np.isnan(corrected_interval(np.array([0.5]), 0.5)[1:]).all()


def test_it_is_the_selector_with_the_number_that_was_chosen(wine):
    X, y = wine
    fitted = SelectorCV([DEACS.published()], [1, 3, 5], cv=3, rule="best").fit(X, y)
    plain = DEACS.published(fitted.n_features_).fit(X, y)
    for name in ("ranking_", "scores_", "label_scores_", "residual_", "classes_"):
        np.testing.assert_array_equal(getattr(fitted, name), getattr(plain, name))
    assert fitted.to_frame().equals(plain.to_frame())
    assert fitted.best_selector_ == "deacs"
    assert type(fitted.selector_) is DEACS
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    np.testing.assert_array_equal(fitted.transform(X), plain.transform(X))
    shorter = fitted.truncate(1)
    assert (shorter.n_features_, shorter.stop_reason_) == (1, "n_features_to_select")
    assert "flavanoids" in fitted._repr_html_()
    restored = pickle.loads(pickle.dumps(fitted))
    assert restored.to_frame().equals(fitted.to_frame())


def test_selectors_of_scikit_learn_are_set_to_each_number(wine):
    X, y = wine
    trees = ExtraTreesClassifier(10, random_state=0)
    selectors = {
        "k": SelectKBest(k=9),
        "from model": SelectFromModel(trees, threshold=-np.inf),
        "rfe": RFE(TREE),
    }
    fitted = SelectorCV(selectors, [2, 4], estimator=BAYES, cv=3, rule="best").fit(X, y)
    assert fitted.cv_results_["n_features"].tolist() == [2, 4] * 3
    for name, (alone, number) in {
        "k": (SelectKBest(k=3), 3),
        "from model": (SelectFromModel(trees, threshold=-np.inf, max_features=3), 3),
        "rfe": (RFE(TREE, n_features_to_select=3), 3),
    }.items():
        found = SelectorCV({name: selectors[name]}, number, estimator=BAYES, cv=3).fit(X, y)
        expected = alone.fit(X, y).get_support()
        np.testing.assert_array_equal(found.get_support(), expected)
        assert type(found.selector_) is type(alone)
        np.testing.assert_array_equal(found.selector_.get_support(), expected)
    best = SelectorCV([SelectKBest()], 3, estimator=BAYES, cv=3).fit(X, y)
    assert (np.diff(best.scores_) <= 0).all()
    np.testing.assert_array_equal(best.scores_, best.selector_.scores_[best.ranking_])
    assert list(best.to_frame()["feature"]) == best.selected_names_
    assert best.truncate(2).ranking_.tolist() == best.ranking_[:2].tolist()


def test_a_smaller_number_of_a_foreign_selector_is_selected_anew(wine):
    fitted = SelectorCV([SelectKBest()], [1, 12], estimator=BAYES, cv=3).fit(*wine)
    small = SelectorCV([SelectKBest()], [1, 2], estimator=_Fewer(), cv=3).fit(*wine)
    assert small.n_features_ == len(small.ranking_) == 1
    assert small.selector_.k == 1
    assert small.stop_reason_ == "cross-validation"
    assert fitted.selector_.k == fitted.n_features_


class _Fewer(ClassifierMixin, BaseEstimator):
    """The fewer columns the better."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

    def score(self, X, y):
        return -X.shape[1]


def test_a_selector_that_takes_no_number_is_tried_with_its_own(wine):
    X, y = wine
    n_own = SelectFdr(alpha=1e-20).fit(X, y).get_support().sum()
    fitted = SelectorCV({"fdr": SelectFdr(alpha=1e-20)}, estimator=BAYES, cv=3).fit(X, y)
    assert fitted.cv_results_["n_features"].tolist() == [n_own]
    assert fitted.n_features_ == n_own
    with pytest.raises(InputError, match=r"got 'fdr', which selects .* k or max_features"):
        SelectorCV({"fdr": SelectFdr(alpha=1e-20)}, n_own - 1).fit(X, y)


def test_ranks_are_an_order_of_columns(wine):
    fitted = SelectorCV([Ranks()], 3, estimator=BAYES, cv=3).fit(*wine)
    assert fitted.ranking_.tolist() == [12, 11, 10]
    assert np.isnan(fitted.scores_).all()
    several = SelectorCV([Ranks()], [1, 3], estimator=_Fewer(), cv=3).fit(*wine)
    assert several.ranking_.tolist() == [12]


@pytest.mark.parametrize(
    "make", [pl.DataFrame, pa.table, lambda c: pd.DataFrame(c).to_numpy(), pd.DataFrame]
)
def test_foreign_selectors_take_tables_of_numbers_of_any_kind(make, wine):
    X, y = wine
    columns = {name: X[name].to_numpy() for name in X.columns}
    fitted = SelectorCV([SelectKBest(), MRMR()], [1, 4], cv=3).fit(make(columns), y)
    expected = SelectorCV([SelectKBest(), MRMR()], [1, 4], cv=3).fit(X, y)
    assert fitted.best_selector_ == expected.best_selector_
    np.testing.assert_array_equal(fitted.ranking_, expected.ranking_)
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_array_equal(fitted.cv_results_[name], expected.cv_results_[name])


def test_sparse_tables_stay_sparse():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.poisson(0.3, (90, 6))
    X[:, 4] += y
    fitted = SelectorCV([SelectKBest(), JMI()], 1, cv=3).fit(sparse.csr_array(X), y)
    assert fitted.ranking_.tolist() == [4]
    assert sparse.issparse(fitted.transform(sparse.csr_array(X)))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_text_is_for_selectors_of_this_library(library):
    columns, y = table_of(missing=True)
    fitted = SelectorCV([JMI(), CFS()], [1, 2], cv=3).fit(library(columns), y)
    assert fitted.n_features_ >= 1
    assert type(fitted.to_frame()) is library
    with pytest.raises(InputError, match="SelectKBest must be able to read every column, but") as e:
        SelectorCV([JMI(), SelectKBest()], [1, 2], cv=3).fit(library(columns), y)
    assert "colour" in e.value.columns


def test_coded_data_is_for_selectors_that_count(wine):
    data = encode(*wine)
    fitted = SelectorCV([JMI(), MRMR()], [2, 4], cv=3).fit(data)
    assert fitted.transform(wine[0]).shape == (178, fitted.n_features_)
    with pytest.raises(InputError, match="SelectKBest needs the table itself, got CodedData"):
        SelectorCV([SelectKBest()], 2).fit(data)


def test_the_short_list_is_made_for_the_table(wine):
    X, y = wine
    table = RowSubsets(X, y, DEACS())
    assert list(default_selectors(table)) == ["deacs", "cfs", "mrmr", "jmi", "cmim", "relieff"]
    weighted = RowSubsets(X, y, DEACS(), np.arange(178))
    assert "relieff" not in default_selectors(weighted)
    fitted = SelectorCV(cv=3).fit(X, y)
    assert fitted.cv_results_["n_features"].max() == 10
    assert fitted.best_selector_ in default_selectors(table)
    endless = X.assign(hue=X["hue"].where(X.index != 3, np.inf))
    tried = SelectorCV(n_features_to_select=[2], cv=3).fit(endless, y)
    assert "relieff" not in tried.cv_results_["selector"]
    assert any("relieff was not tried: X must be finite" in note for note in tried.notes_)


def test_numbers_are_those_that_the_table_and_the_selector_have(wine):
    X, y = wine
    fitted = SelectorCV([JMI(), JMI(4), CFS()], cv=3).fit(X, y)
    tried = {name: [] for name in ("jmi-1", "jmi-2", "cfs")}
    for name, number in zip(
        fitted.cv_results_["selector"], fitted.cv_results_["n_features"], strict=True
    ):
        tried[name].append(number)
    assert tried["jmi-1"] == [1, 2, 3, 5, 10]
    assert tried["jmi-2"] == [1, 2, 3, 4]
    n_most = min(len(CFS().fit(X, y).ranking_), 10)
    assert tried["cfs"] == sorted({min(n, n_most) for n in (1, 2, 3, 5, 10)})


def test_included_features_and_groups_are_kept(wine):
    X, y = wine
    fitted = SelectorCV([JMI(include=["ash", "hue"])], [1, 3], cv=3).fit(X, y)
    assert fitted.cv_results_["n_features"].tolist() == [2, 3]
    assert fitted.selected_names_[:2] == ["ash", "hue"]
    groups = {"phenols": ["total_phenols", "flavanoids"]}
    grouped = SelectorCV([DEACS.published(groups=groups)], 2, cv=3).fit(X, y)
    assert grouped.n_features_ == len(grouped.groups_) == 2
    with pytest.raises(InputError, match="more features than n_features_to_select"):
        SelectorCV([JMI(include=["ash", "hue"])], 1).fit(X, y)


def test_where_nothing_is_told_nothing_is_selected():
    X, y = np.zeros((30, 3), dtype=int), np.arange(30) % 2
    fitted = SelectorCV([DEACS.published(), CFS()], cv=3).fit(X, y)
    assert (fitted.n_features_, len(fitted.ranking_), fitted.best_index_) == (0, 0, -1)
    assert fitted.notes_[0] == "No selector selects anything."


def test_a_nested_estimate_repeats_the_choice_without_the_scored_rows(wine):
    X, y = wine
    how = {"estimator": BAYES, "cv": 3, "rule": "best"}
    selectors = {"jmi": JMI(), "f": SelectKBest()}
    fitted = SelectorCV(selectors, [1, 3], nested=True, **how).fit(X, y)
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        inner = SelectorCV(selectors, [1, 3], **how).fit(X.iloc[train], y.iloc[train])
        assert fitted.held_out_choices_[fold] == (inner.best_selector_, inner.n_features_)
        model = clone(BAYES).fit(inner.transform(X.iloc[train]), y.iloc[train])
        score = model.score(inner.transform(X.iloc[test]), y.iloc[test])
        assert fitted.held_out_scores_[fold] == score
    assert fitted.held_out_score_ == fitted.held_out_scores_.mean()
    assert any("On rows that took no part in the choice" in note for note in fitted.notes_)
    again = fitted.set_params(nested=False).fit(X, y)
    assert any("too high for new rows" in note for note in again.notes_)
    with pytest.raises(AttributeError, match="held_out_score_ needs nested=True"):
        again.held_out_score_  # noqa: B018


def test_of_noise_the_nested_estimate_knows_that_nothing_was_found():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 100)), np.arange(60) % 2
    selectors = [SelectKBest(), ReliefF(), MIM(discretizer="equal-frequency")]
    fitted = SelectorCV(selectors, [1, 2, 5], estimator=BAYES, cv=5, rule="best", nested=True).fit(
        X, y
    )
    best = fitted.cv_results_["mean_test_score"][fitted.best_index_]
    # Nine candidates on 60 rows: the best of them looks better than the truth, one half.
    assert best > fitted.held_out_score_
    assert abs(fitted.held_out_score_ - 0.5) < 0.15


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_a_bit(wine):
    selectors = {
        "mrmr": MRMR(),
        "trees": SelectFromModel(ExtraTreesClassifier(5)),
        "auto": DEACS("auto", stop=Significant(n_permutations=100)),
    }
    how = {"cv": 3, "nested": True, "random_state": 0, "estimator": ExtraTreesClassifier(5)}
    X, y = wine[0].iloc[::3, :4], wine[1].iloc[::3]
    alone = SelectorCV(selectors, [1, 2], **how).fit(X, y)
    shared = SelectorCV(selectors, [1, 2], n_jobs=3, **how).fit(X, y)
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(shared.cv_results_[name], values)
    np.testing.assert_array_equal(shared.held_out_scores_, alone.held_out_scores_)
    assert shared.notes_ == alone.notes_


def test_a_seed_reaches_all_that_draws():
    seeds = seeding(DEACS("auto"), 7)
    assert seeds == {"stop": Significant(random_state=7)}
    assert seeding(DEACS(stop="significant"), 7) == seeds
    assert seeding(DEACS(stop=Significant(0.1)), 7) == {"stop__random_state": 7}
    assert seeding(DEACS(stop=Significant(random_state=3)), 7) == {}
    assert seeding(ReliefF(random_state=3), 7) == {}
    trees = SelectFromModel(ExtraTreesClassifier())
    assert seeding(trees, 7) == {"estimator__random_state": 7}
    wrapped = StabilitySelection(DEACS("auto"), random_state=1)
    assert seeding(wrapped, 7) == {"selector__stop": Significant(random_state=7)}


def test_a_wrapper_draws_the_same_where_a_test_ends_the_selection():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = (rng.random((40, 5)) < np.where(np.arange(5) < 3, 0.35 + 0.3 * y[:, None], 0.5)).astype(int)
    stable = StabilitySelection(DEACS.published("auto"), n_resamples=8, random_state=0)
    first = stable.fit(X, y).selections_
    for _ in range(3):
        np.random.seed(None)  # noqa: NPY002
        np.testing.assert_array_equal(stable.fit(X, y).selections_, first)


def test_weights_reach_selectors_classifier_and_scores(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    folds = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), weights)

    def splits(fold_of_row):
        return [
            (np.flatnonzero(fold_of_row != k), np.flatnonzero(fold_of_row == k)) for k in range(3)
        ]

    how = {"selectors": [JMI(), MRMR()], "n_features_to_select": [1, 3]}
    weighted = SelectorCV(cv=splits(folds), **how).fit(X, y, sample_weight=weights)
    repeated = SelectorCV(cv=splits(folds[rows]), **how).fit(X.iloc[rows], y.iloc[rows])
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_allclose(weighted.cv_results_[name], repeated.cv_results_[name])
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)
    with pytest.raises(InputError, match="takes weights, got SelectKBest, which counts every row"):
        SelectorCV([SelectKBest()], 2).fit(X, y, sample_weight=weights)
    trees = SelectFromModel(ExtraTreesClassifier(5, random_state=0), threshold=-np.inf)
    found = SelectorCV([trees], 2, estimator=BAYES, cv=3).fit(X, y, sample_weight=weights)
    alone = clone(trees).set_params(max_features=2).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(found.get_support(), alone.get_support())


def test_parameters_of_selectors_are_parameters(wine):
    X, y = wine
    search = SelectorCV({"mrmr": MRMR(), "k": SelectKBest()}, 2, cv=3)
    assert search.get_params()["selectors__mrmr__include"] is None
    copy = clone(search).set_params(selectors__mrmr__include=["ash"], selectors__k__k=3)
    assert copy.selectors["mrmr"].include == ["ash"]
    assert search.selectors["mrmr"].include is None
    copy.set_params(selectors__k=JMI())
    assert type(copy.selectors["k"]) is JMI
    listed = SelectorCV([MRMR(), MRMR()]).set_params(**{"selectors__mrmr-2__include": ["hue"]})
    assert [one.include for one in listed.selectors] == [None, ["hue"]]
    with pytest.raises(InputError, match="selectors has no 'jmi'; it has mrmr, k"):
        search.set_params(selectors__jmi__include=["ash"])
    pipeline = make_pipeline(SelectorCV({"mrmr": MRMR()}, 2, cv=2), TREE)
    grid = {"selectorcv__selectors__mrmr__include": [None, ["ash"]]}
    assert GridSearchCV(pipeline, grid, cv=2).fit(X, y).best_score_ > 0.6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selectors": []}, "selectors must hold one selector or more, got \\[\\]"),
        ({"selectors": [JMI]}, "selectors must hold selectors, e.g. MRMR"),
        ({"selectors": {"a__b": JMI()}}, "named by words without '__', got 'a__b'"),
        ({"selectors": "JMI"}, "'selectors' parameter"),
        ({"selectors": [BAYES]}, "get_support or ranking_, got GaussianNB"),
        ({"n_features_to_select": 40}, "between 1 and 13"),
        ({"n_features_to_select": [1, 0]}, "between 1 and 13"),
        ({"n_features_to_select": []}, "must be an int, a list of ints or None, got \\[\\]"),
        ({"n_features_to_select": [0.5]}, "must be an int, a list of ints or None, got"),
        ({"rule": "worst"}, "'rule' parameter"),
        ({"cv": [(np.arange(90), np.arange(90, 178))], "nested": True}, "cv must be an int or a"),
        ({"scoring": lambda *_: np.nan}, "scoring must give a number in every fold, got NaN"),
    ],
)
def test_bad_parameters_are_named(wine, options, message):
    with pytest.raises(ValueError, match=message):
        SelectorCV(**{"selectors": [JMI()], "n_features_to_select": 2, **options}).fit(*wine)
