"""Judges: which model ranks the candidates."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine

from deacs import DEACS, Radial
from deacs.dea import bam, ram, sbm, super_efficiency, super_sbm
from deacs.exceptions import InputError
from deacs.selection.judges import JUDGES, Judge, register_judge
from deacs.selection.ties import first_among_equals, ordered_by_tie_rule, ranked
from tests import naive


@st.composite
def score_tables(draw):
    """Label scores of candidates, none all zero."""
    n, k = draw(st.integers(2, 8)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    R = rng.integers(0, 6, (n, k)).astype(float)
    R[~R.any(axis=1), 0] = 1.0
    return R


@pytest.mark.parametrize("name", ["sbm", "ram", "bam"])
@given(score_tables())
def test_inefficient_candidates_keep_the_models_score_and_efficient_ones_are_ordered(name, R):
    model = {"sbm": sbm, "ram": ram, "bam": bam}[name]
    scores = JUDGES[name]().scores(R, None)
    plain = model(None, R).scores
    efficient = plain >= 1 - 1e-9
    np.testing.assert_allclose(scores[~efficient], plain[~efficient], rtol=1e-9)
    assert (scores[efficient] >= 1).all()
    beyond = super_sbm(None, R) if name == "sbm" else super_efficiency(None, R)
    np.testing.assert_allclose(
        scores[efficient], np.maximum(beyond.scores[efficient], 1), rtol=1e-9
    )


@pytest.mark.parametrize("name", sorted(JUDGES))
@given(score_tables())
def test_the_best_is_the_first_by_the_tie_rule(name, R):
    judge = JUDGES[name]().given(np.arange(R.shape[1]), np.ones(R.shape[1]))
    scores = judge.scores(R, None)
    row, score = judge.best(R, None)
    assert row == naive.first_by_tie_rule(scores, R.sum(axis=1))
    assert score == pytest.approx(scores[row], rel=1e-9)
    assert judge.score(R, None, row) == pytest.approx(scores[row], rel=1e-9)


def test_slacks_decide_before_the_sum_when_asked():
    # Beside row 0, rows 1 and 2 have theta 1. Row 1 lacks 3 of 4 of label 1; row 2 lacks 1 of 4
    # of it and 10 of 100 of label 2; row 1 has the larger sum.
    R = np.array([[4.0, 4.0, 10.0], [4.0, 1.0, 10.0], [4.0, 3.0, 0.0], [0.0, 0.0, 100.0]])
    tied = np.array([0.5, 1.0, 1.0, 0.5])
    assert first_among_equals(tied, R) == 1
    assert first_among_equals(tied, R, None, "slacks") == 2
    assert first_among_equals(np.array([1.0, 1.0, 0.5, 0.5]), R, None, "last") == 1


@given(score_tables())
def test_an_order_by_the_tie_rule_takes_the_first_of_those_left(R):
    theta = super_efficiency(None, R).scores
    order, left = ordered_by_tie_rule(theta, R), list(range(len(R)))
    for row in order:
        assert row == left[naive.first_by_tie_rule(theta[left], R[left].sum(axis=1))]
        left.remove(row)
    assert left == []


@given(
    st.lists(st.sampled_from([-3.0, 0.0, 0.5, 0.5 + 0.6e-10, 0.5 + 1.2e-10, 2.0]), min_size=1),
    st.data(),
)
def test_a_ranking_takes_the_first_among_equals_of_those_left(values, data):
    scores = np.array(values)
    n = data.draw(st.integers(1, len(scores)))
    left = list(range(len(scores)))
    for row in ranked(scores, n):
        assert row == left.pop(first_among_equals(scores[left]))
    assert len(left) == len(scores) - n


@pytest.mark.parametrize("judge", ["sbm", "ram", "bam"])
def test_the_first_feature_of_a_judge_is_that_of_its_model(judge):
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS.published(1, judge=judge, store_candidates=True).fit(X, y)
    table = selector.candidates_[0]
    plain = {"sbm": sbm, "ram": ram, "bam": bam}[judge](None, table.label_scores).scores
    winner = int(np.flatnonzero(table.features == selector.ranking_[0])[0])
    assert plain[winner] == pytest.approx(plain.max(), rel=1e-9)


@given(score_tables())
def test_where_all_thetas_are_one_the_largest_sum_has_no_slack(R):
    # Every row twice: no theta is above 1. A mix of rows with weights of 1 in all has no larger sum
    # than the largest, so that row lacks nothing, and both rules find it.
    twice = np.repeat(R, 2, axis=0)
    for tie_break in ("sum", "slacks"):
        row, theta = Radial(tie_break=tie_break).best(twice, None)
        assert theta == pytest.approx(1.0)
        assert twice[row].sum() == pytest.approx(R.sum(axis=1).max())


class Cheapest(Judge):
    """A toy: the least sum of label scores wins."""

    def scores(self, R, x):
        return 1.0 / R.sum(axis=1)


def test_a_judge_of_ones_own_is_known_by_a_word_once_registered(monkeypatch):
    monkeypatch.setattr("deacs.selection.judges.JUDGES", dict(JUDGES))
    register_judge("cheapest", Cheapest)
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS.published(1, judge="cheapest", store_candidates=True).fit(X, y)
    sums = selector.candidates_[0].label_scores.sum(axis=1)
    least = sums[sums > 0].min()
    assert selector.label_scores_[0].sum() == pytest.approx(least, rel=1e-9)


class Penalty(Judge):
    """A toy with negative scores: the largest sum of label scores has the least penalty."""

    def scores(self, R, x):
        return -1.0 / R.sum(axis=1)


def test_scores_of_a_judge_may_be_negative():
    X, y = load_wine(return_X_y=True, as_frame=True)
    by_penalty = DEACS(5, judge=Penalty()).fit(X, y)
    assert by_penalty.ranking_.tolist() == DEACS(5, judge="sum").fit(X, y).ranking_.tolist()


class Power(Judge):
    """A judge of one's own with a parameter."""

    def __init__(self, power=1.0):
        self.power = power

    def scores(self, R, x):
        return R.sum(axis=1) ** self.power


def test_a_judge_of_ones_own_needs_only_scores():
    judge = Penalty()
    assert repr(judge) == "Penalty()"
    assert judge.get_params() == {}
    assert clone(judge) == judge == Penalty()
    assert judge != Cheapest()
    with pytest.raises(InputError, match="Penalty has no parameter 'power'"):
        judge.set_params(power=2)
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS(3, judge=judge)
    assert "judge=Penalty()" in repr(selector)
    fitted = clone(selector).fit(X, y)
    assert fitted.get_params()["judge"] == judge
    assert len(fitted._repr_html_()) > 0
    assert pickle.loads(pickle.dumps(fitted)).ranking_.tolist() == fitted.ranking_.tolist()


def test_a_judge_of_ones_own_may_have_parameters_as_estimators_have():
    assert repr(Power()) == "Power()"
    assert repr(Power(2.0)) == "Power(power=2.0)"
    assert Power(2.0) != Power()
    assert clone(Power(2.0)) == Power(2.0)
    selector = DEACS(3, judge=Power(2.0))
    assert selector.get_params()["judge__power"] == 2.0
    assert selector.set_params(judge__power=3.0).judge == Power(3.0)


@pytest.mark.parametrize("wrong", [np.nan, [1.0, 2.0]], ids=["NaN", "a number too few"])
def test_a_judge_that_does_not_score_every_candidate_is_named(wrong):
    class Wrong(Judge):
        def scores(self, R, x):
            return np.full(len(R), wrong) if np.isscalar(wrong) else np.array(wrong)

    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match=r"judge must score each of the 13 candidates.*Wrong\.sc"):
        DEACS(2, judge=Wrong()).fit(X, y)


def test_the_first_of_infinite_scores_is_best():
    scores = np.array([1.0, np.inf, np.inf, -np.inf])
    assert first_among_equals(scores) == 1
    assert ranked(scores, 4) == [1, 2, 0, 3]
