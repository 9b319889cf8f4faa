"""SymmetricalUncertainty: the definition, Weka's numbers, and where it is 0 and 1."""

import numpy as np
import pytest
from hypothesis import given
from sklearn import datasets

from deacs import CodedData, encode
from deacs.greedy.counts import CountsHere
from deacs.selection.subsets import SymmetricalUncertainty, Uncertainties
from tests.naive import subsets as naive_subsets
from tests.tables_of_codes import coded_tables
from tests.unit.selection.weka_subsets import FOUND, NAMES, coded_set


@pytest.mark.parametrize("name", NAMES)
def test_ranking_and_scores_equal_weka(name):
    expected = np.array(FOUND[name]["SymmetricalUncertAttributeEval"])
    selector = SymmetricalUncertainty().fit(coded_set(name))
    assert selector.stop_reason_ == "exhausted"
    assert sorted(selector.ranking_) == list(range(len(expected)))
    np.testing.assert_allclose(selector.scores_, expected[selector.ranking_], atol=1e-12)
    order = np.argsort(-np.round(expected, 10), kind="stable")
    np.testing.assert_array_equal(selector.ranking_, order)


@given(coded_tables())
def test_uncertainties_equal_their_definition(table):
    columns, y = table
    found = Uncertainties(CountsHere(CodedData.from_codes(np.array(columns).T, y)))
    with_class = [naive_subsets.symmetrical_uncertainty(x, y) for x in columns]
    np.testing.assert_allclose(found.with_class, with_class, atol=2e-9)
    everything = np.arange(len(columns))
    expected = [[naive_subsets.symmetrical_uncertainty(x, s) for x in columns] for s in columns]
    between = [found.with_feature(j, everything) for j in everything]
    np.testing.assert_allclose(between, expected, atol=2e-9)


def test_a_renamed_class_scores_one_and_a_constant_zero():
    y = np.array([0, 0, 1, 1, 2])
    X = np.column_stack([np.zeros(5), np.array(["b", "c", "a"])[y], [0, 1, 0, 1, 0]])
    selector = SymmetricalUncertainty(discrete_features=True).fit(X.astype(object), y)
    assert selector.ranking_.tolist() == [1, 2, 0]
    assert selector.scores_[0] == 1.0
    assert selector.scores_[2] == 0.0


def test_many_values_are_no_merit():
    y = np.repeat([0, 1], 8)
    # Both tell the class; the second has 16 values: 2 * 1 / (4 + 1).
    X = np.column_stack([y, np.arange(16)])
    data = CodedData.from_codes(X, y)
    np.testing.assert_allclose(SymmetricalUncertainty().fit(data).scores_, [1.0, 0.4])


def test_equals_keep_the_order_of_the_columns():
    y = np.repeat([0, 1, 2], 20)
    weak = np.where(np.arange(60) % 3 == 0, 0, y)
    X = np.column_stack([weak, 2 - weak, y, (weak + 1) % 3])
    assert SymmetricalUncertainty().fit(X, y).ranking_.tolist() == [2, 0, 1, 3]


def test_whole_weights_count_as_repeated_rows():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (50, 6)), rng.integers(0, 2, 50)
    weight = rng.integers(1, 4, 50)
    weighted = SymmetricalUncertainty().fit(X, y, sample_weight=weight)
    repeated = SymmetricalUncertainty().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, atol=1e-12)


def test_ignored_missing_values_leave_each_term_on_its_own_rows():
    y = [0, 0, 1, 1, 1, 1]
    X = np.array([[0, 0, 1, 1, np.nan, np.nan]], dtype=object).T
    selector = SymmetricalUncertainty(missing="ignore", discrete_features=True).fit(X, y)
    # I = H(F) = 1 on four rows, H(C) = 0.9183 on six: more than 1, and cut.
    assert selector.scores_.tolist() == [1.0]
    kept = SymmetricalUncertainty(discrete_features=True).fit(X, y)
    values = [0, 0, 1, 1, 2, 2]
    expected = naive_subsets.symmetrical_uncertainty(values, y)
    np.testing.assert_allclose(kept.scores_, [expected], atol=1e-9)


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_a_bit():
    X, y = datasets.load_digits(return_X_y=True)
    data = encode(X, y)
    one = SymmetricalUncertainty().fit(data)
    two = SymmetricalUncertainty(n_jobs=2).fit(data)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)
    np.testing.assert_array_equal(one.scores_, two.scores_)
