"""Judges: which model ranks the candidates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from deacs import DEACS
from deacs.dea import bam, ram, sbm, super_efficiency, super_sbm
from deacs.selection._judges import JUDGES, first_by_tie_rule


@st.composite
def score_tables(draw):
    """Label scores of candidates, none all zero."""
    n, k = draw(st.integers(2, 8)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    R = rng.integers(0, 6, (n, k)).astype(float)
    R[~R.any(axis=1), 0] = 1.0
    return R


@pytest.mark.parametrize("name", ["sbm", "ram", "bam"])
@settings(max_examples=25)  # a program or two for each candidate
@given(score_tables())
def test_inefficient_candidates_keep_the_models_score_and_efficient_ones_are_ordered(name, R):
    model = {"sbm": sbm, "ram": ram, "bam": bam}[name]
    scores = JUDGES[name].scores(R, None)
    plain = model(None, R).scores
    efficient = plain >= 1 - 1e-9
    np.testing.assert_allclose(scores[~efficient], plain[~efficient], rtol=1e-9)
    assert (scores[efficient] >= 1).all()
    beyond = super_sbm(None, R) if name == "sbm" else super_efficiency(None, R)
    np.testing.assert_allclose(
        scores[efficient], np.maximum(beyond.scores[efficient], 1), rtol=1e-9
    )


@pytest.mark.parametrize("name", sorted(JUDGES))
@settings(max_examples=25)
@given(score_tables())
def test_the_best_is_the_first_by_the_tie_rule(name, R):
    judge = JUDGES[name]
    scores = judge.scores(R, None)
    row, score = judge.best(R, None, "sum")
    assert row == first_by_tie_rule(scores, R, None, "sum")
    assert score == pytest.approx(scores[row], rel=1e-9)
    assert judge.score(R, None, row) == pytest.approx(scores[row], rel=1e-9)


def test_slacks_decide_before_the_sum_when_asked():
    # Rows 1 and 2 are weakly efficient beside row 0: theta 1; row 2 lacks less of label 1.
    R = np.array([[4.0, 4.0, 0.0], [4.0, 1.0, 0.0], [4.0, 3.0, 0.0], [0.0, 0.0, 9.0], [0, 0, 9.0]])
    assert JUDGES["radial"].best(R, None, "sum")[0] == 0
    assert first_by_tie_rule(np.ones(5), R[:, :], None, "slacks") in (0, 3, 4)
    tied = np.array([0.5, 1.0, 1.0, 0.5, 0.5])
    assert first_by_tie_rule(tied, R, None, "slacks") == 2
    assert first_by_tie_rule(tied, R, None, "last") == 2


@pytest.mark.parametrize("judge", ["sbm", "ram", "bam"])
def test_every_judge_selects(judge):
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS(3, judge=judge).fit(X, y)
    assert len(selector.ranking_) == 3
    assert selector.selected_names_[0] in ("flavanoids", "proline", "color_intensity")


def test_slacks_break_ties_in_a_selection():
    X, y = load_wine(return_X_y=True, as_frame=True)
    assert len(DEACS(tie_break="slacks").fit(X, y).ranking_) >= 3
