"""DEACSCV: every score as if made by hand, the rule, and all that the selector inside promises."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import CFS, DEACS, JMI, ReliefF, SelectorCV, encode
from deacs.exceptions import InputError
from deacs.selection.deacs_cv import DEACSCV, choose
from deacs.selection.one_hot_codes import OneHotCodes
from tests.contract.test_every_table import KINDS, table_of
from tests.naive.stability import one_standard_error

TREE = DecisionTreeClassifier(random_state=0)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def test_every_score_is_what_selecting_anew_for_every_number_gives(wine):
    X, y = wine
    fitted = DEACSCV(JMI(), estimator=GaussianNB(), cv=3, max_features=6).fit(X, y)
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        by_hand = []
        for m in range(1, 7):
            selector = JMI(m).fit(X.iloc[train], y.iloc[train])
            model = GaussianNB().fit(selector.transform(X.iloc[train]), y.iloc[train])
            by_hand.append(model.score(selector.transform(X.iloc[test]), y.iloc[test]))
        np.testing.assert_array_equal(fitted.cv_results_[f"split{fold}_test_score"], by_hand)
    splits = np.array([fitted.cv_results_[f"split{fold}_test_score"] for fold in range(3)])
    np.testing.assert_allclose(fitted.cv_results_["mean_test_score"], splits.mean(axis=0))
    np.testing.assert_allclose(fitted.cv_results_["std_test_score"], splits.std(axis=0))
    np.testing.assert_array_equal(fitted.cv_results_["n_features"], np.arange(1, 7))
    assert fitted.n_features_ == one_standard_error(splits.tolist())


@given(
    st.integers(1, 6).flatmap(
        lambda m: st.lists(
            st.lists(st.sampled_from([0.5, 0.625, 0.75, 1.0]), min_size=m, max_size=m),
            min_size=2,
            max_size=5,
        )
    )
)
def test_the_rule_equals_its_naive_twin(curves):
    numbers = np.arange(1, len(curves[0]) + 1)
    careful = choose(np.array(curves), numbers, "one-standard-error")
    assert numbers[careful] == one_standard_error(curves)
    means = np.mean(curves, axis=0)
    best = np.argmax(np.isclose(means, means.max(), rtol=0, atol=1e-12))
    assert choose(np.array(curves), numbers, "best") == best


def test_a_fold_selects_once_whatever_the_number_of_features(wine):
    fits = []

    class Spy(JMI):
        def fit(self, X, y=None, sample_weight=None):
            fits.append(len(y))
            return super().fit(X, y)

    DEACSCV(Spy(), estimator=TREE, cv=4, max_features=8).fit(*wine)
    # All rows, and three quarters of them in each of four folds.
    assert sorted(fits) == [133, 133, 134, 134, 178]


def test_it_is_the_selector_with_the_number_that_was_chosen(wine):
    X, y = wine
    fitted = DEACSCV(DEACS.published(judge="radial"), cv=3).fit(X, y)
    plain = DEACS.published(fitted.n_features_).fit(X, y)
    for name in ("ranking_", "scores_", "label_scores_", "residual_", "efficiency_", "classes_"):
        np.testing.assert_array_equal(getattr(fitted, name), getattr(plain, name))
    assert fitted.to_frame().equals(plain.to_frame())
    assert fitted.selected_names_ == plain.selected_names_
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.stop_reason_ == "cross-validation"
    np.testing.assert_array_equal(fitted.transform(X), plain.transform(X))
    shorter = fitted.truncate(1)
    assert (shorter.n_features_, shorter.stop_reason_) == (1, "n_features_to_select")
    np.testing.assert_array_equal(shorter.ranking_, plain.ranking_[:1])
    assert len(fitted.ranking_) == fitted.n_features_ > 1
    assert "flavanoids" in fitted._repr_html_()


def test_clone_and_pickle_keep_everything(wine):
    fitted = DEACSCV(JMI(), cv=3, estimator=TREE).fit(*wine)
    assert not hasattr(clone(fitted), "ranking_")
    restored = pickle.loads(pickle.dumps(fitted))
    assert restored.to_frame().equals(fitted.to_frame())
    assert restored.n_features_ == fitted.n_features_


def test_what_the_selector_lacks_is_an_attribute_error(wine):
    fitted = DEACSCV(JMI(), cv=3).fit(*wine)
    assert not hasattr(fitted, "label_scores_")
    assert not hasattr(DEACSCV(), "ranking_")
    with pytest.raises(AttributeError, match="'DEACSCV' object has no attribute 'predict'"):
        fitted.predict(wine[0])


@pytest.mark.parametrize("missing", [False, True], ids=["complete", "missing"])
def test_every_kind_of_table_gives_the_same_number(missing):
    columns, y = table_of(missing)
    fits = [DEACSCV(cv=3, rule="best").fit(make(columns), y) for make in KINDS.values()]
    assert fits[0].n_features_ >= 2
    for fitted in fits[1:]:
        np.testing.assert_array_equal(fitted.ranking_, fits[0].ranking_)
        np.testing.assert_array_equal(
            fitted.cv_results_["mean_test_score"], fits[0].cv_results_["mean_test_score"]
        )


@pytest.mark.parametrize("selector", [JMI(), ReliefF(n_neighbors=3), CFS()])
def test_any_selector_has_its_number_chosen(selector, wine):
    fitted = DEACSCV(selector, cv=3, estimator=TREE).fit(*wine)
    best = fitted.cv_results_["mean_test_score"]
    assert best[fitted.n_features_ - 1] > 0.85
    assert type(fitted.selector_) is type(selector)
    assert selector.n_features_to_select is None


def test_noise_is_left_out_and_the_informative_features_are_found():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 400)
    X = rng.integers(0, 2, (400, 12))
    X[:, 3], X[:, 8] = y % 2, y // 2
    fitted = DEACSCV(JMI()).fit(X, y)
    assert fitted.n_features_ == 2
    assert sorted(fitted.ranking_) == [3, 8]


def test_the_default_classifier_sees_what_features_tell_together():
    """Exclusive or: neither input tells anything, and for naive Bayes both do not either."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (400, 2))
    y = X[:, 0] ^ X[:, 1]
    fitted = DEACSCV(DEACS.published(include=[0])).fit(X, y)
    assert sorted(fitted.ranking_) == [0, 1]
    alone, both = fitted.cv_results_["mean_test_score"]
    # Half of the difference is the tree's, from about one half to all rows.
    assert both - alone > 0.2


def test_the_best_number_is_never_below_the_careful_one():
    X, y = load_breast_cancer(return_X_y=True)
    careful, best = (
        DEACSCV(JMI(), estimator=GaussianNB(), rule=rule, max_features=12).fit(X, y)
        for rule in ("one-standard-error", "best")
    )
    assert careful.n_features_ < best.n_features_
    assert best.n_features_ == 1 + np.argmax(best.cv_results_["mean_test_score"])


@pytest.mark.parametrize(
    ("selector", "max_features", "n_tried", "reason"),
    [
        (JMI(), 4, 4, "max_features"),
        (JMI(4), 30, 4, "n_features_to_select"),
        (JMI(0.25), None, 3, "n_features_to_select"),
        (JMI(), None, 13, "exhausted"),
    ],
)
def test_what_limits_the_number(selector, max_features, n_tried, reason, wine):
    class Greedy(ClassifierMixin, BaseEstimator):
        """The more columns the better."""

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

        def score(self, X, y):
            return X.shape[1] / 100

    fitted = DEACSCV(selector, estimator=Greedy(), cv=3, max_features=max_features).fit(*wine)
    assert fitted.cv_results_["n_features"].tolist() == list(range(1, n_tried + 1))
    assert fitted.n_features_ == n_tried
    assert fitted.stop_reason_ == reason


def test_included_features_are_never_given_up(wine):
    fitted = DEACSCV(JMI(include=["ash", "hue"]), cv=3, max_features=3).fit(*wine)
    assert fitted.selected_names_[:2] == ["ash", "hue"]
    with pytest.raises(InputError, match="did you mean 'ash'"):
        DEACSCV(JMI(include=["asch"])).fit(*wine)


def test_included_features_stay_where_fewer_would_do():
    y = np.arange(60) % 2
    X = np.column_stack([y, np.arange(60) // 30, np.arange(60) % 3])
    assert DEACSCV(JMI(), cv=3).fit(X, y).ranking_.tolist() == [0]
    assert DEACSCV(JMI(include=[0, 2]), cv=3).fit(X, y).ranking_.tolist() == [0, 2]


def test_groups_are_taken_whole(wine):
    groups = {"phenols": ["total_phenols", "flavanoids", "nonflavanoid_phenols"]}
    fitted = DEACSCV(DEACS.published(groups=groups), cv=3).fit(*wine)
    assert len(fitted.groups_) == fitted.n_features_
    assert len(fitted.ranking_) == fitted.n_features_ + 2 * ("flavanoids" in fitted.selected_names_)
    assert fitted.cv_results_["n_features"].max() <= 11


def test_where_nothing_is_told_nothing_is_selected():
    X, y = np.zeros((30, 2), dtype=int), np.arange(30) % 2
    fitted = DEACSCV().fit(X, y)
    assert (fitted.n_features_, len(fitted.ranking_)) == (0, 0)
    assert fitted.stop_reason_ == "exhausted"
    assert len(fitted.cv_results_["mean_test_score"]) == 0


def test_a_fold_without_a_selection_goes_by_the_shares_of_the_classes():
    X, y = np.zeros((40, 1), dtype=int), np.arange(40) % 2
    X[:10, 0] = y[:10]
    # Where the first ten rows are left out the column is constant.
    folds = [(np.arange(10, 40), np.arange(10)), (np.arange(30), np.arange(30, 40))]
    fitted = DEACSCV(cv=folds, rule="best").fit(X, y)
    assert fitted.cv_results_["split0_test_score"].tolist() == [0.5]


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_a_bit(wine):
    alone = DEACSCV(DEACS.published(), cv=5).fit(*wine)
    shared = DEACSCV(DEACS.published(), cv=5, n_jobs=3).fit(*wine)
    for name, scores in alone.cv_results_.items():
        np.testing.assert_array_equal(shared.cv_results_[name], scores)


@pytest.mark.usefixtures("work_is_shared")
def test_threads_see_the_settings_of_the_caller(wine):
    seen = set()

    class Spy(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.add(get_config()["assume_finite"])
            return super().fit(X, y)

    with config_context(assume_finite=True):
        DEACSCV(JMI(2), estimator=Spy(), cv=4, n_jobs=2).fit(*wine)
    assert seen == {True}


def test_scoring_and_folds_are_those_of_scikit_learn(wine):
    X, y = wine
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    fitted = DEACSCV(JMI(3), estimator=GaussianNB(), cv=folds, scoring="neg_log_loss").fit(X, y)
    expected = cross_val_score(
        make_pipeline(JMI(3), GaussianNB()), X, y, cv=folds, scoring="neg_log_loss"
    )
    found = [fitted.cv_results_[f"split{k}_test_score"][2] for k in range(4)]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_classifier_gets_the_columns_as_they_are(library):
    columns, y = table_of(missing=True)
    kinds, orders = set(), []

    class Spy(RandomForestClassifier):
        def fit(self, X, y, sample_weight=None):
            kinds.add(type(X))
            orders.append([list(columns).index(name) for name in X.columns])
            return self

        def score(self, X, y, sample_weight=None):
            return 1.0

    last = list(columns)[-1]
    spied = DEACSCV(DEACS.published(include=[last]), estimator=Spy(), cv=3).fit(library(columns), y)
    assert kinds == {library}
    assert spied.ranking_[0] > min(orders[-1])
    assert orders == [sorted(order) for order in orders]
    forest = make_pipeline(OneHotCodes(), RandomForestClassifier(5, random_state=0))
    fitted = DEACSCV(estimator=forest, cv=3).fit(library(columns), y)
    assert fitted.cv_results_["mean_test_score"].max() > 0.8


def test_coded_data_is_taken_as_it_was_coded(wine):
    X, y = wine
    data = encode(X, y)
    for estimator in (None, TREE):
        fitted = DEACSCV(cv=3, estimator=estimator).fit(data)
        assert fitted.selected_names_[0] == "flavanoids"
        assert fitted.transform(X).shape == (178, fitted.n_features_)


def test_rare_classes_need_no_care():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [60, 57, 3])
    X = np.c_[y + rng.normal(0, 0.3, 120), rng.normal(size=120)]
    assert DEACSCV(cv=5).fit(X, y).ranking_.tolist() == [0]


def test_a_grid_reaches_the_parameters_of_the_selector(wine):
    X, y = wine
    pipeline = make_pipeline(DEACSCV(DEACS.published(), cv=3, max_features=4), TREE)
    search = GridSearchCV(pipeline, {"deacscv__selector__judge": ["radial", "sum"]}, cv=2)
    assert search.fit(X, y).best_score_ > 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "worst"}, "'rule' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
        ({"selector": "DEACS"}, "'selector' parameter"),
        ({"estimator": OneHotCodes()}, "'estimator' parameter"),
        ({"selector": JMI(40)}, "between 1 and 13"),
        ({"cv": 1}, "'cv' parameter"),
        ({"scoring": lambda *_: np.nan}, "scoring must give a number in every fold, got NaN"),
    ],
)
def test_bad_parameters_are_named(wine, options, message):
    with pytest.raises(ValueError, match=message):
        DEACSCV(**options).fit(*wine)


@pytest.mark.parametrize("numbers", [None, [2, 3]], ids=repr)
def test_a_selector_that_chooses_its_number_keeps_its_choice_of_numbers(numbers, wine):
    X, y = wine
    inner = SelectorCV([JMI()], numbers, cv=2, rule="best")
    outer = DEACSCV(inner, cv=2, max_features=30).fit(X, y)
    assert len(outer.cv_results_["n_features"]) == inner.fit(X, y).n_features_


@pytest.mark.parametrize("selector", [DEACSCV(), SelectorCV()], ids=repr)
def test_a_missing_target_is_named_as_scikit_learn_does(selector, wine):
    with pytest.raises(ValueError, match="requires y to be passed"):
        selector.fit(wine[0])


@pytest.mark.parametrize("selector", [DEACSCV(), SelectorCV()], ids=repr)
def test_too_few_rows_for_the_folds_are_named(selector, wine):
    X, _ = wine
    rare = np.arange(len(X)) == 0
    with pytest.raises(InputError, match=r"y must have two classes .* got only \[False\]"):
        selector.fit(X, rare)
    with pytest.raises(InputError, match="cv must be at most the number of rows, 4, got 5"):
        selector.fit(X[:4], [0, 1, 0, 1])
