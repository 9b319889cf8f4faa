"""Filters with several labels a row: of sets of labels, and summed over labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification

from deacs import CIFE, CMIM, JMI, MIM, CodedData, encode
from deacs.exceptions import InputError
from tests.naive import filters as naive_filters
from tests.naive import labels as naive_labels
from tests.naive.filters import coded, greedy, same_path
from tests.real_data import read_labelled_codes
from tests.tables_of_codes import labelled_tables
from tests.unit.selection.test_filters import TWINS


@pytest.mark.parametrize("selector", TWINS, ids=repr)
@settings(max_examples=12)
@given(table=labelled_tables(max_rows=20))
def test_the_set_of_labels_is_the_class(selector, table):
    columns, y = table
    twin = greedy(naive_labels.of_sets(TWINS[selector]), columns, y)
    same_path(selector.fit(coded(columns, y)), twin)


@pytest.mark.parametrize("selector", TWINS, ids=repr)
@settings(max_examples=12)
@given(table=labelled_tables(max_rows=20))
def test_criteria_are_summed_over_labels(selector, table):
    columns, y = table
    twin = greedy(naive_labels.summed(TWINS[selector]), columns, y)
    summed = clone(selector).set_params(sum_labels=True)
    same_path(summed.fit(coded(columns, y)), twin)


@given(labelled_tables(), st.integers(0, 4))
def test_included_features_lead_with_exact_scores(table, included):
    columns, y = table
    include = [min(included, len(columns) - 1)]
    selector = CMIM(sum_labels=True, include=include).fit(coded(columns, y))
    twin = greedy(naive_labels.summed(naive_filters.cmim), columns, y, include=include)
    same_path(selector, twin)


def test_ignored_missing_values_are_refused():
    X, Y = make_multilabel_classification(60, 6, random_state=0)
    X[0, 0] = np.nan
    with pytest.raises(InputError, match="missing='ignore' is not for criteria that are summed"):
        JMI(sum_labels=True, missing="ignore").fit(X, Y)
    assert len(JMI(2, missing="ignore").fit(X, Y).ranking_) == 2


def test_one_label_is_a_class_of_two():
    X, Y = make_multilabel_classification(80, 8, n_classes=2, random_state=0)
    data, twin = encode(X, Y[:, :1], target="labels"), encode(X, Y[:, 0])
    assert MIM().fit(data).ranking_.tolist() == MIM().fit(twin).ranking_.tolist()
    summed = MIM(sum_labels=True).fit(data)
    np.testing.assert_allclose(summed.scores_, MIM().fit(twin).scores_, rtol=1e-9)


@pytest.mark.parametrize("table", ["flags", "emotions"])
def test_cife_summed_over_labels_selects_as_another_program_s_d2f(table):
    # J. Lee, D.-W. Kim, "Mutual information-based multi-label feature selection using interaction
    # information", Expert Systems with Applications 42(4) (2015) 2013-2025: the same formula.
    codes, Y, golden = read_labelled_codes(table)
    selector = CIFE(len(golden["D2F"]), sum_labels=True).fit(CodedData.from_codes(codes, Y))
    assert selector.ranking_.tolist() == golden["D2F"]
