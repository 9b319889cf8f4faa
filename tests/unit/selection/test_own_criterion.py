"""A criterion of the user's, in the same loop."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import CIFE, CMIM, DISR, JMI, MIFSU, OwnCriterion, encode
from tests.naive import entropy, mutual_information
from tests.naive.filters import coded
from tests.tables_of_codes import coded_tables


def jmi(terms):
    return terms.joint.sum(axis=1) if terms.joint.size else terms.relevance


def cmim(terms):
    return np.column_stack([terms.relevance, terms.conditional]).min(axis=1)


def disr(terms):
    pairs = terms.joint / terms.joint_entropy
    return pairs.sum(axis=1) if pairs.size else terms.relevance


def cife(terms):
    return terms.relevance - (terms.redundancy - terms.class_redundancy).sum(axis=1)


def mifsu(terms):
    shares = np.divide(
        terms.selected_relevance,
        terms.selected_entropy,
        out=np.zeros_like(terms.selected_entropy),
        where=terms.selected_entropy > 0,
    )
    return terms.relevance - terms.redundancy @ shares


def symmetrical_uncertainty(terms):
    return terms.relevance / np.maximum(terms.entropy, 1e-9)


SAME = {JMI: jmi, CMIM: cmim, DISR: disr, CIFE: cife, MIFSU: mifsu}


@pytest.mark.parametrize("method", SAME)
@given(table=coded_tables())
def test_a_criterion_written_out_selects_what_the_built_in_one_does(method, table):
    data = coded(*table)
    own, built_in = OwnCriterion(SAME[method]).fit(data), method().fit(data)
    assert own.ranking_.tolist() == built_in.ranking_.tolist()
    np.testing.assert_allclose(own.scores_, built_in.scores_, rtol=1e-12, atol=1e-12)


def test_every_term_has_a_row_for_each_candidate_and_a_column_for_each_selected():
    shapes = []

    def criterion(terms):
        pairs = ("redundancy", "conditional", "joint", "joint_entropy", "class_redundancy")
        shapes.append({getattr(terms, name).shape for name in pairs})
        assert terms.relevance.shape == terms.entropy.shape
        assert terms.selected_relevance.shape == terms.selected_entropy.shape
        return terms.relevance

    X, y = load_wine(return_X_y=True)
    OwnCriterion(criterion, 4).fit(X, y)
    assert shapes == [{(13, 0)}, {(12, 1)}, {(11, 2)}, {(10, 3)}]


@given(coded_tables())
def test_entropies_are_those_of_the_candidates(table):
    columns, y = table
    selector = OwnCriterion(symmetrical_uncertainty).fit(coded(columns, y))
    for feature, score in zip(selector.ranking_, selector.scores_, strict=True):
        x = columns[feature]
        expected = mutual_information(x, y) / max(entropy(x), 1e-9)
        assert score == pytest.approx(expected, abs=1e-9)


def test_included_features_lead_with_their_scores():
    data = encode(*load_wine(return_X_y=True))
    own, built_in = OwnCriterion(jmi, include=[12, 2]), JMI(include=[12, 2])
    np.testing.assert_array_equal(own.fit(data).ranking_, built_in.fit(data).ranking_)
    np.testing.assert_allclose(own.scores_, built_in.scores_, rtol=1e-12)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (lambda terms: terms.relevance[:-1], "one number for each of the 13 candidates"),
        (lambda terms: terms.redundancy, "one number for each of the 13 candidates"),
        (lambda terms: terms.relevance * np.nan, "13 NaN"),
        ("jmi", "criterion"),
    ],
)
def test_a_bad_criterion_is_named(criterion, message):
    with pytest.raises(ValueError, match=message):
        OwnCriterion(criterion).fit(*load_wine(return_X_y=True))


def test_a_criterion_may_be_infinite():
    X, y = load_wine(return_X_y=True)

    def rare(terms):
        return np.where(terms.relevance < np.sort(terms.relevance)[2], np.inf, terms.relevance)

    found = OwnCriterion(rare, 2).fit(X, y)
    assert np.isinf(found.scores_).all()
