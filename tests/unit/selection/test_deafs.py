"""DEAFS: one ranking over relevance and all conditional informations."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import DEAFS, CodedData
from deacs.exceptions import DiscriminationWarning
from tests import naive
from tests.tables_of_codes import coded_tables


@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
@given(coded_tables(max_features=8))
def test_scores_are_super_efficiencies_over_relevance_and_conditional_informations(table):
    columns, y = table
    outputs = np.array(
        [
            [
                naive.mutual_information(x, y),
                *(
                    0.0 if i == j else naive.conditional_mutual_information(x, y, [other])
                    for j, other in enumerate(columns)
                ),
            ]
            for i, x in enumerate(columns)
        ]
    )
    outputs[outputs < 1e-10] = 0
    theta = naive.super_efficiency(np.ones((len(columns), 1)), outputs)
    selector = DEAFS().fit(CodedData.from_codes(np.array(columns).T, y))
    np.testing.assert_allclose(selector.scores_, theta[selector.ranking_], rtol=1e-7, atol=1e-9)
    assert sorted(selector.ranking_) == list(range(len(columns)))


def test_the_rule_of_thumb_is_a_warning():
    with pytest.warns(DiscriminationWarning, match="14 outputs"):
        selector = DEAFS(4).fit(*load_wine(return_X_y=True))
    assert len(selector.ranking_) == 4


@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
def test_a_table_wide_enough_for_the_growing_model_agrees_with_the_general_one(monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    codes = np.where(rng.random((200, 80)) < 0.5, y[:, None], rng.integers(0, 3, (200, 80)))
    data = CodedData.from_codes(codes, y)
    growing = DEAFS().fit(data)
    monkeypatch.setattr("deacs.selection.dea_selector.MANY_OUTPUTS", 1000)
    general = DEAFS().fit(data)
    np.testing.assert_array_equal(growing.ranking_, general.ranking_)
    np.testing.assert_allclose(growing.scores_, general.scores_, rtol=1e-9)
