"""DEA-CS on the paper's data sets, against the naive twin, other programs and the paper."""

import json
from pathlib import Path

import numpy as np
import pytest

from deacs import DEACS, encode
from tests import naive
from tests.real_data import nominal_columns, read_set

pytestmark = pytest.mark.real_data

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "selections.json").read_text())

# How many features the naive twin can afford: one linear program for each candidate.
AFFORDABLE = {
    "flags": 30,
    "kr-vs-kp": 12,
    "mfeat-zernike": 30,
    "synthetic-control": 9,
    "splice": 30,
    "dna": 12,
    "musk2": 13,
    "arrhythmia": 12,
    "isolet5": 2,
    "gisette-standin-mnist4v9": 2,
    "gisette-standin-basehock": 1,
}


def coded(name, exclude=()):
    X, y = read_set(name)
    X = X.drop(exclude)
    return encode(X, y, discrete_features=nominal_columns(name, X))


@pytest.mark.parametrize("name", AFFORDABLE)
def test_selection_equals_the_naive_twin(name):
    data = coded(name, exclude=["name"] if name == "flags" else [])
    columns = [data.column(j).astype(int) for j in range(data.n_features)]
    twin = naive.dea_cs_by_arrays(columns, data.labels, data.n_classes, AFFORDABLE[name])
    selector = DEACS.published().fit(data).truncate(len(twin))
    assert selector.ranking_.tolist() == [feature for feature, _, _ in twin]
    np.testing.assert_allclose(selector.scores_, [theta for _, theta, _ in twin], rtol=1e-9)
    scores = np.array([scores for _, _, scores in twin])
    np.testing.assert_allclose(selector.label_scores_, scores, rtol=1e-9, atol=1e-12)


def test_with_two_classes_the_selection_is_that_of_greedy_conditional_information():
    # FEAST and praznik, two independent programs, agree on these 28 features.
    expected = GOLDEN["selections"]["kr-vs-kp"]["CMI"]
    [order] = expected.values()
    assert DEACS.published(len(order)).fit(coded("kr-vs-kp")).ranking_.tolist() == order


def test_synthetic_control_ends_after_nine_features_as_the_paper_says():
    selector = DEACS.published().fit(coded("synthetic-control"))
    assert len(selector.ranking_) == 9
    assert selector.stop_reason_ == "exhausted"


def test_flags_ends_after_eight_features_as_the_paper_says_when_counts_are_nominal():
    X, y = read_set("flags")
    X = X.drop("name")
    # Weka's ARFF declares everything but area and population nominal.
    nominal = [name for name in X.columns if name not in ("area", "population")]
    assert len(DEACS.published(discrete_features=nominal).fit(X, y).ranking_) == 8
    assert len(DEACS.published().fit(coded("flags", exclude=["name"])).ranking_) == 11


@pytest.fixture
def zernike():
    return read_set("mfeat-zernike")


# The data come first: where they are absent the test skips before it watches the threads.
def test_threads_and_order_of_rows_do_not_change_a_bit(zernike, work_is_shared):
    X, y = zernike
    shuffled = np.random.default_rng(0).permutation(len(y))
    expected = DEACS.published().fit(X, y)
    for n_jobs, rows in ((2, slice(None)), (7, shuffled)):
        other = DEACS.published(n_jobs=n_jobs).fit(X[rows], y[rows])
        np.testing.assert_array_equal(other.ranking_, expected.ranking_)
        np.testing.assert_array_equal(other.scores_, expected.scores_)
        np.testing.assert_array_equal(other.label_scores_, expected.label_scores_)
        np.testing.assert_array_equal(other.residual_, expected.residual_)
