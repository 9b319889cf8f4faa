"""Filters with several labels a row: of sets of labels, and summed over labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification

import deacs
from deacs import CMIM, JMI, MIM, CodedData, encode
from deacs.exceptions import InputError
from tests.naive import filters as naive_filters
from tests.naive import labels as naive_labels
from tests.naive.filters import coded, greedy, same_path
from tests.real_data import read_labelled_codes
from tests.tables_of_codes import labelled_tables

CRITERIA = {
    "MIM": naive_filters.mim,
    "MIFS": naive_filters.mifs(1.0),
    "MIFSU": naive_filters.mifsu(1.0),
    "MRMR": naive_filters.mrmr,
    "JMI": naive_filters.jmi,
    "JMIM": naive_filters.jmim,
    "NJMIM": naive_filters.njmim,
    "DISR": naive_filters.disr,
    "CMIM": naive_filters.cmim,
    "ICAP": naive_filters.icap,
    "CIFE": naive_filters.cife,
    "CondRed": naive_filters.condred,
    "BetaGamma": naive_filters.beta_gamma(1.0, "mean", "mean"),
}


@pytest.mark.parametrize("name", CRITERIA)
@settings(max_examples=12)
@given(table=labelled_tables(max_rows=20))
def test_the_set_of_labels_is_the_class(name, table):
    columns, y = table
    selector = getattr(deacs, name)().fit(coded(columns, y))
    same_path(selector, greedy(naive_labels.of_sets(CRITERIA[name]), columns, y))


@pytest.mark.parametrize("name", CRITERIA)
@settings(max_examples=12)
@given(table=labelled_tables(max_rows=20))
def test_criteria_are_summed_over_labels(name, table):
    columns, y = table
    selector = getattr(deacs, name)(sum_labels=True).fit(coded(columns, y))
    same_path(selector, greedy(naive_labels.summed(CRITERIA[name]), columns, y))


@settings(max_examples=20)
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
@pytest.mark.parametrize("method", ["D2F", "SCLS", "LRFS"])
def test_selection_equals_that_of_another_program(table, method):
    codes, Y, golden = read_labelled_codes(table)
    selector = getattr(deacs, method)(len(golden[method])).fit(CodedData.from_codes(codes, Y))
    assert selector.ranking_.tolist() == golden[method]


@pytest.mark.parametrize("table", ["flags", "emotions"])
def test_the_other_program_counts_pairs_of_labels_twice_and_each_label_with_itself(table):
    # Its PMU is ours with the sum over all i and j in place of i < j; see docs/papers/pmu.md.
    codes, Y, golden = read_labelled_codes(table)
    columns, y = codes.T.tolist(), [set(np.flatnonzero(row).tolist()) for row in Y]

    def all_pairs(x, y, S):
        labels = [naive_labels.has(y, i) for i in naive_labels.labels_of(y)]
        shared = sum(naive_labels.interaction(x, a, b) for a in labels for b in labels)
        return naive_labels.d2f(x, y, S) - shared

    leading = golden["PMU"][:2]
    S, selected = [], []
    for _ in leading:
        left = [j for j in range(len(columns)) if j not in selected]
        scores = [all_pairs(columns[j], y, S) for j in left]
        selected.append(left[int(np.argmax(scores))])
        S.append(columns[selected[-1]])
    assert selected == leading
    assert deacs.PMU(2).fit(CodedData.from_codes(codes, Y)).ranking_.tolist() != leading
