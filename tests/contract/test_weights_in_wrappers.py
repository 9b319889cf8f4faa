"""Sample weights in estimators around others: for the selector, the classifier and the scores."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import DEACS, DEACSCV, JMI, MIM, Blocks, OneHotCodes, ReliefF, StabilitySelection, encode
from deacs.exceptions import InputError
from deacs.selection import row_subsets

BAYES = GaussianNB(var_smoothing=1e-12)
PIPELINE = make_pipeline(OneHotCodes(), LogisticRegression(tol=1e-9, max_iter=500))


@pytest.fixture(scope="module")
def table():
    X, y = load_wine(return_X_y=True, as_frame=True)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    return X.iloc[:, [0, 2, 6, 9, 10, 12]], y, weights


@pytest.fixture(scope="module")
def messy(table):
    X, y, weights = table
    origin = pd.Series(["north", "south", None]).sample(
        len(y), replace=True, random_state=0, ignore_index=True
    )
    return X.assign(origin=origin), y, weights


def repeated(X, y, weights):
    rows = np.repeat(np.arange(len(y)), weights)
    return X.iloc[rows], y.iloc[rows]


def splits(fold_of_row):
    """The folds that leave out the rows of 0, 1 and 2."""
    return [(np.flatnonzero(fold_of_row != k), np.flatnonzero(fold_of_row == k)) for k in range(3)]


@pytest.mark.parametrize("sampling", ["pairs", "halves", "bootstrap"])
@pytest.mark.parametrize("encode_once", [False, True])
def test_whole_numbers_are_repeated_rows_for_stability(messy, sampling, encode_once):
    stable = StabilitySelection(
        JMI(3), n_resamples=6, sampling=sampling, encode_once=encode_once, random_state=0
    )
    weighted = stable.fit(*messy[:2], sample_weight=messy[2]).selections_
    np.testing.assert_array_equal(weighted, stable.fit(*repeated(*messy)).selections_)
    assert (weighted.sum(axis=1) == 3).all()


def test_columns_count_as_selected_if_the_rows_that_they_stand_for_are_worth_a_cut():
    rng = np.random.default_rng(1)
    y = pd.Series(np.arange(30) % 2)
    X = pd.DataFrame(rng.normal(size=(30, 6)) + 0.5 * y.to_numpy()[:, None])
    weights = np.full(30, 4)
    stable = StabilitySelection(MIM(6), n_resamples=6, random_state=0)
    weighted = stable.fit(X, y, sample_weight=weights).selections_
    np.testing.assert_array_equal(weighted, stable.fit(*repeated(X, y, weights)).selections_)
    # Seldom worth one in fifteen rows.
    assert weighted.mean() > 2 * stable.fit(X, y).frequencies_.mean()


def test_rows_of_great_weight_are_drawn_whole(table, monkeypatch):
    X, y, weights = table
    selector = JMI(2, discretizer="equal-frequency")
    stable = StabilitySelection(selector, n_resamples=6, random_state=0)
    few = stable.fit(X, y, sample_weight=0.5 * weights).selections_
    assert (stable.fit(X, y, sample_weight=weights).selections_ != few).any()
    monkeypatch.setattr(row_subsets, "MOST_ROWS", weights.sum() - 1)
    np.testing.assert_array_equal(stable.fit(X, y, sample_weight=weights).selections_, few)


def test_coded_data_of_whole_weights_is_drawn_as_rows(table):
    X, y, weights = table
    stable = StabilitySelection(DEACS.published(2), n_resamples=6, random_state=0)
    weighted = stable.fit(encode(X, y, sample_weight=weights)).selections_
    rows = encode(*repeated(X, y, weights))
    np.testing.assert_array_equal(weighted, stable.fit(rows).selections_)


@pytest.mark.parametrize("estimator", [None, BAYES, PIPELINE], ids=["none", "bayes", "pipeline"])
def test_whole_numbers_are_repeated_rows_for_every_score_of_a_fold(messy, estimator):
    X, y, weights = messy
    if estimator is BAYES:
        X = X.drop(columns="origin")
    folds = np.arange(len(y)) % 3
    how = {"estimator": estimator, "max_features": 4}
    weighted = DEACSCV(cv=splits(folds), **how).fit(X, y, sample_weight=weights)
    rows = DEACSCV(cv=splits(folds.repeat(weights)), **how).fit(*repeated(X, y, weights))
    for name, scores in rows.cv_results_.items():
        np.testing.assert_allclose(weighted.cv_results_[name], scores, rtol=1e-9, err_msg=name)
    np.testing.assert_array_equal(weighted.ranking_, rows.ranking_)
    np.testing.assert_array_equal(weighted.label_scores_, rows.label_scores_)


def test_every_score_is_what_weights_by_hand_give(table):
    X, y, _ = table
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    folds = splits(np.arange(len(y)) % 3)
    how = {"discretizer": "equal-frequency"}
    fitted = DEACSCV(JMI(**how), estimator=BAYES, cv=folds, max_features=3)
    fitted.fit(X, y, sample_weight=weights)
    for fold, (train, test) in enumerate(folds):
        by_hand = []
        for m in (1, 2, 3):
            selector = JMI(m, **how).fit(X.iloc[train], y[train], sample_weight=weights[train])
            model = BAYES.fit(selector.transform(X.iloc[train]), y[train], weights[train])
            by_hand.append(model.score(selector.transform(X.iloc[test]), y[test], weights[test]))
        np.testing.assert_array_equal(fitted.cv_results_[f"split{fold}_test_score"], by_hand)
    alone = JMI(fitted.n_features_, **how).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(fitted.scores_, alone.scores_)


@pytest.mark.parametrize("selector", [JMI(3), DEACS.published(3, conditioning=Blocks(8, 1))])
@pytest.mark.parametrize("coded", [False, True])
def test_equal_fractions_are_no_weights(selector, coded):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    X = rng.integers(0, 3, (120, 8)) + np.where(np.arange(8) % 2, y[:, None], 0)
    halves = np.full(len(y), 0.5)
    stable = StabilitySelection(selector, n_resamples=6, random_state=0)
    expected = stable.fit(X, y).selections_
    if coded:
        found = stable.fit(encode(X, y, sample_weight=halves)).selections_
    else:
        found = stable.fit(X, y, sample_weight=halves).selections_
    np.testing.assert_array_equal(found, expected)
    plain, weighted = DEACSCV(selector, cv=3).fit(X, y), DEACSCV(selector, cv=3)
    weighted.fit(*((encode(X, y, sample_weight=halves),) if coded else (X, y, halves)))
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )


@pytest.mark.parametrize("scale", [1, 0.3], ids=["whole", "fractions"])
def test_a_row_of_weight_zero_is_not_there(table, scale):
    X, y, weights = table
    there, weights = weights > 0, scale * weights
    few, few_y, few_weights = X[there], y[there], weights[there]
    stable = StabilitySelection(
        JMI(2, discretizer="equal-frequency"), n_resamples=4, random_state=0
    )
    np.testing.assert_array_equal(
        stable.fit(X, y, sample_weight=weights).selections_,
        stable.fit(few, few_y, sample_weight=few_weights).selections_,
    )
    coder = OneHotCodes().fit(X, y, sample_weight=weights)
    names = OneHotCodes().fit(few, few_y, sample_weight=few_weights).get_feature_names_out()
    assert coder.get_feature_names_out().tolist() == names.tolist()


def test_kinds_of_columns_are_those_of_the_rows_that_count():
    y = np.arange(80) % 2
    X = np.column_stack([np.where(np.arange(80) < 40, np.arange(80) % 4, np.arange(80)), y])
    weights = (np.arange(80) < 40).astype(int)
    stable = StabilitySelection(JMI(2), n_resamples=4, random_state=0)
    # Of four values where they count; 44 in all would be numbers.
    assert stable.fit(X, y, sample_weight=weights).frequencies_.tolist() == [1.0, 1.0]
    assert stable.fit(X, y).frequencies_[0] < 1


def test_whole_weights_cut_columns_as_repeated_rows_do(table):
    X, y, weights = table
    weighted = OneHotCodes().fit(X, y, sample_weight=weights)
    rows = OneHotCodes().fit(*repeated(X, y, weights))
    assert weighted.get_feature_names_out().tolist() == rows.get_feature_names_out().tolist()
    assert weighted.transform(X).tolist() == rows.transform(X).tolist()


def test_a_classifier_that_takes_no_weights_is_scored_by_them(table):
    X, y, weights = table
    folds = splits(np.arange(len(y)) % 3)
    fitted = DEACSCV(JMI(1), estimator=KNeighborsClassifier(), cv=folds)
    fitted.fit(X, y, sample_weight=weights)
    for fold, (train, test) in enumerate(folds):
        chosen = JMI(1).fit(X.iloc[train], y[train], sample_weight=weights[train]).transform(X)
        model = KNeighborsClassifier().fit(chosen[train], y[train])
        by_hand = model.score(chosen[test], y[test], weights[test])
        assert fitted.cv_results_[f"split{fold}_test_score"].tolist() == [by_hand]


def test_scores_are_weighted_where_the_metric_takes_weights(table):
    X, y, weights = table

    def unweighted(y_true, y_predicted):
        return accuracy_score(y_true, y_predicted)

    def fit(**how):
        selector = DEACSCV(JMI(2), estimator=BAYES, cv=3, **how)
        return selector.fit(X, y, sample_weight=weights).cv_results_["mean_test_score"]

    np.testing.assert_array_equal(fit(), fit(scoring="accuracy"))
    by_rows = fit(scoring=make_scorer(unweighted))
    assert (by_rows != fit()).any()
    by_hand = fit(scoring=lambda model, X, y: unweighted(y, model.predict(X)))
    np.testing.assert_array_equal(by_hand, by_rows)


def test_weights_are_routed_to_the_wrappers(table):
    X, y, weights = table
    stable = StabilitySelection(JMI(2), n_resamples=4, random_state=0)
    with config_context(enable_metadata_routing=True):
        tree = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=False)
        for wrapper in (stable, DEACSCV(JMI(), estimator=BAYES, cv=3)):
            asked = wrapper.set_fit_request(sample_weight=True)
            fitted = make_pipeline(asked, tree).fit(X, y, sample_weight=weights)[0]
            alone = wrapper.fit(X, y, sample_weight=weights)
            np.testing.assert_array_equal(fitted.ranking_, alone.ranking_)


def test_steps_of_a_pipeline_ask_for_weights_where_they_are_routed(table):
    X, y, weights = table
    tree = DecisionTreeClassifier(min_samples_leaf=9, random_state=0)

    def fit(*steps):
        inner = make_pipeline("passthrough", *steps)
        selector = DEACSCV(JMI(2), estimator=inner, cv=3).fit(X, y, sample_weight=weights)
        return selector.cv_results_["mean_test_score"].tolist()

    by_name = fit(tree)
    with config_context(enable_metadata_routing=True):
        unasked = fit(clone(tree))
        asked = clone(tree).set_fit_request(sample_weight=True)
        assert fit(asked.set_score_request(sample_weight=True)) == by_name != unasked


@pytest.mark.parametrize(
    "wrapper", [DEACSCV, StabilitySelection], ids=lambda wrapper: wrapper.__name__
)
def test_useless_weights_are_named(wrapper, table):
    X, y, weights = table
    with pytest.raises(InputError, match="takes weights, got ReliefF, which counts every row once"):
        wrapper(ReliefF(2)).fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match="sample_weight must be None when X is CodedData"):
        wrapper(JMI(2)).fit(encode(X, y), sample_weight=weights)
    with pytest.raises(InputError, match="sample_weight must be finite and not negative"):
        wrapper(JMI(2)).fit(X, y, sample_weight=-1.0 - weights)
