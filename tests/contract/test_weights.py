"""Sample weights: whole numbers are repeated rows, for every selector that counts."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline

from deacs import DEACS, JMI, encode
from deacs.exceptions import InputError
from tests.contract.all_selectors import CODED, quick
from tests.each import each


@pytest.fixture(scope="module")
def table():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X.iloc[:, :6].assign(
        origin=pd.Series(["north", "south", None]).sample(
            len(y), replace=True, random_state=0, ignore_index=True
        )
    )
    return X, y, np.random.default_rng(0).integers(0, 4, len(y))


@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
@each("missing", ["category", "ignore"])
@pytest.mark.parametrize("name", [name for name in CODED if name != "MarkovBlanket"])
def test_whole_numbers_are_repeated_rows_to_the_last_bit(name, missing, table):
    X, y, weights = table
    rows = np.repeat(np.arange(len(y)), weights)
    selector = quick(name, missing=missing)
    weighted = selector.fit(X, y, sample_weight=weights)
    ranking, scores = weighted.ranking_, weighted.scores_
    repeated = selector.fit(X.iloc[rows], y.iloc[rows])
    np.testing.assert_array_equal(ranking, repeated.ranking_)
    np.testing.assert_array_equal(scores, repeated.scores_)


def test_weights_of_one_are_no_weights(table):
    X, y, _ = table
    assert encode(X, y, sample_weight=np.ones(len(y))).weights is None


def test_a_row_of_weight_zero_is_not_there(table):
    X, y, weights = table
    data = encode(X, y, sample_weight=np.minimum(weights, 1))
    assert data.n_rows == (weights > 0).sum()
    assert data.weights is None


def test_fractions_count_in_proportion(table):
    X, y, weights = table
    whole = DEACS.published(3, discretizer="equal-width").fit(X, y, sample_weight=weights + 1)
    parts = DEACS.published(3, discretizer="equal-width").fit(
        X, y, sample_weight=(weights + 1) / 16
    )
    np.testing.assert_array_equal(parts.ranking_, whole.ranking_)
    np.testing.assert_allclose(parts.label_scores_, whole.label_scores_, rtol=1e-9)


@pytest.mark.parametrize(
    ("weights", "message"),
    [([-1.0] * 178, "not negative"), ([1.0] * 3, "178"), ([np.nan] * 178, "finite")],
)
def test_useless_weights_are_named(weights, message):
    with pytest.raises(InputError, match=f"sample_weight.*{message}"):
        JMI().fit(*load_wine(return_X_y=True), sample_weight=weights)


def test_coded_data_holds_its_weights(table):
    X, y, weights = table
    data = encode(X, y, sample_weight=weights)
    np.testing.assert_array_equal(
        JMI(4).fit(data).ranking_, JMI(4).fit(X, y, sample_weight=weights).ranking_
    )
    with pytest.raises(InputError, match="sample_weight must be None when X is CodedData"):
        JMI().fit(data, sample_weight=weights)


def test_weights_are_routed_through_a_pipeline():
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(
            DEACS.published(2).set_fit_request(sample_weight=True),
            LogisticRegression(max_iter=5000).set_fit_request(sample_weight=False),
        )
        folds = cross_validate(
            pipeline,
            X,
            y,
            cv=3,
            scoring=make_scorer(accuracy_score).set_score_request(sample_weight=False),
            params={"sample_weight": weights},
            return_indices=True,
            return_estimator=True,
        )
        for train, fitted in zip(folds["indices"]["train"], folds["estimator"], strict=True):
            alone = DEACS.published(2).fit(X[train], y[train], sample_weight=weights[train])
            np.testing.assert_array_equal(fitted[0].ranking_, alone.ranking_)
