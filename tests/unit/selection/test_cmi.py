"""CMI against its definition, and beside DEA-CS."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import CMI, DEACS, encode
from tests.naive import filters as naive_filters
from tests.naive import mutual_information
from tests.naive.filters import coded, greedy, joined, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    twin = greedy(naive_filters.cmi, columns, y, ends_at_zero=True)
    same_path(CMI().fit(coded(columns, y)), twin)


@given(coded_tables(max_labels=2))
def test_with_two_classes_it_selects_what_dea_cs_selects(table):
    columns, y = table
    data = coded(columns, y)
    cmi, dea_cs = CMI().fit(data), DEACS.published().fit(data)
    assert cmi.ranking_.tolist() == dea_cs.ranking_.tolist()
    np.testing.assert_allclose(cmi.scores_, dea_cs.label_scores_[:, 0], rtol=1e-9)


def test_it_ends_when_the_class_is_settled():
    # Three fair bits settle y; their copies and the constant have nothing to add.
    a, b, c = np.indices((2, 2, 2)).reshape(3, -1).repeat(3, axis=1)
    y = a + 2 * b + 4 * c
    selector = CMI().fit(coded([a, np.zeros_like(a), b, a, c, b], y))
    assert selector.ranking_.tolist() == [0, 2, 4]
    np.testing.assert_allclose(selector.scores_, [1, 1, 1], rtol=1e-12)
    assert selector.stop_reason_ == "exhausted"


def test_scores_add_up_to_what_the_selected_tell_together():
    data = encode(*load_wine(return_X_y=True))
    selector = CMI().fit(data)
    together = joined(*(data.column(j).tolist() for j in selector.ranking_))
    expected = mutual_information(together, data.labels.tolist())
    assert selector.scores_.sum() == pytest.approx(expected, rel=1e-9)


def test_an_included_feature_may_tell_nothing():
    y = [0, 1] * 8
    selector = CMI(include=[0]).fit(coded([[0] * 16, y], y))
    assert selector.ranking_.tolist() == [0, 1]
    assert selector.scores_.tolist() == [0.0, 1.0]
