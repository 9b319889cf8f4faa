"""DEASelector: any criteria as outputs, greedy or at once; DEAFS: all conditional informations."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import CMIM, DEACS, DEAFS, MRMR, CodedData, DEASelector
from deacs.exceptions import DiscriminationWarning, InputError
from deacs.selection.dea_selector import rule_of_thumb
from deacs.selection.ties import ordered_by_tie_rule
from tests import naive
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_greedy_with_label_scores_is_dea_cs(table):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y)
    selector, twin = DEASelector().fit(data), DEACS.published().fit(data)
    np.testing.assert_array_equal(selector.ranking_, twin.ranking_)
    np.testing.assert_array_equal(selector.scores_, twin.scores_)
    assert selector.stop_reason_ == "exhausted"


@given(coded_tables())
def test_one_shot_ranks_by_super_efficiency_over_all_criteria(table):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y)
    outputs = np.array(
        [
            [naive.mutual_information(x, y), *(naive.label_score(x, y, c, []) for c in set(y))]
            for x in columns
        ]
    )
    outputs[outputs < 1e-12] = 0
    theta = naive.super_efficiency(np.ones((len(columns), 1)), outputs)
    selector = DEASelector(["relevance", "label-scores"], mode="one-shot").fit(data)
    np.testing.assert_allclose(selector.scores_, theta[selector.ranking_], rtol=1e-8, atol=1e-9)
    assert sorted(selector.ranking_) == list(range(len(columns)))
    for better, worse in pairwise(selector.scores_):
        assert worse <= better * (1 + 1e-9)


def test_filters_and_functions_are_criteria_too():
    X, y = load_wine(return_X_y=True)
    named = DEASelector([CMIM(), MRMR()], 4).fit(X, y)

    def same(terms):
        least = np.minimum(terms.relevance, terms.conditional.min(axis=1, initial=np.inf))
        n = max(terms.redundancy.shape[1], 1)
        difference = terms.relevance - terms.redundancy.sum(axis=1) / n
        return np.column_stack([least, np.maximum(difference, 0)])

    own = DEASelector([same], 4).fit(X, y)
    np.testing.assert_array_equal(own.ranking_, named.ranking_)
    np.testing.assert_allclose(own.scores_, named.scores_, rtol=1e-9)


def test_included_features_lead_a_one_shot_ranking():
    X, y = load_wine(return_X_y=True)
    selector = DEASelector(["relevance"], 3, mode="one-shot", include=[5]).fit(X, y)
    assert selector.ranking_[0] == 5
    assert len(selector.ranking_) == 3


def test_ties_go_to_the_larger_sum_then_to_the_lower_column():
    theta = np.array([1.0, np.inf, 1.0 + 1e-12, 1.0, np.inf, 0.5])
    sums = np.array([2.0, 1.0, 1.0, 2.0, 3.0, 9.0])
    assert ordered_by_tie_rule(theta, sums[:, np.newaxis]) == [4, 1, 0, 3, 2, 5]


def test_too_few_units_for_the_outputs_are_noted():
    assert rule_of_thumb(12, 3) == []
    [note] = rule_of_thumb(11, 3)
    assert "at least 12" in note
    X, y = load_wine(return_X_y=True)
    assert DEASelector(["label-scores"], mode="one-shot").fit(X, y).notes_ == []


@pytest.mark.parametrize("criteria", [[], ["relevence"], [3]])
def test_unknown_criteria_are_named(criteria):
    with pytest.raises(InputError, match="criteria must"):
        DEASelector(criteria).fit(*load_wine(return_X_y=True))


@pytest.mark.parametrize("mode", ["greedy", "one-shot"])
def test_too_few_features_for_the_outputs_are_noted(mode):
    X, y = load_wine(return_X_y=True)
    [note] = DEASelector(["conditional"], 2, mode=mode).fit(X, y).notes_
    assert note.startswith("13 features compete on 13 outputs")
    assert DEASelector(["relevance"], 2, mode=mode).fit(X, y).notes_ == []


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
