import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import best_unit, score_of, super_efficiency
from deacs.exceptions import InputError
from tests.unit.dea.failures import fast_paths_fail, highs_fails
from tests.unit.dea.strategies import outputs

RULES = st.sampled_from(["sum", "last"])


def winner_of_all_scores(y, tie_break):
    """The tie rule, word for word, on the scores of all units."""
    scores = super_efficiency(None, y).scores
    tied = [p for p in range(len(y)) if scores[p] >= scores.max() * (1 - 1e-9)]
    if tie_break == "last":
        return tied[-1], scores
    sums = y.sum(axis=1)
    richest = max(sums[p] for p in tied)
    return next(p for p in tied if sums[p] >= richest * (1 - 1e-9)), scores


def assert_wins(y, tie_break):
    winner = best_unit(y, tie_break=tie_break)
    unit, scores = winner_of_all_scores(y, tie_break)
    assert winner.unit == unit
    assert winner.score == pytest.approx(scores[unit], rel=1e-9)
    return winner


@given(outputs(max_units=9, max_outputs=5).filter(np.any), RULES)
def test_the_winner_is_that_of_all_scores(y, tie_break):
    assert_wins(y, tie_break)


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(1, 8), RULES)
def test_the_winner_of_random_tables_is_that_of_all_scores(seed, n, s, tie_break):
    rng = np.random.default_rng(seed)
    y = rng.random((n, s)) if seed % 2 else rng.integers(1, 9, (n, s)).astype(float)
    assert_wins(y, tie_break)


@pytest.mark.parametrize("tie_break", ["sum", "last"])
def test_few_programs_are_solved(tie_break):
    y = np.random.default_rng(0).random((400, 6))
    assert assert_wins(y, tie_break).n_solved < 80


@pytest.mark.parametrize("tie_break", ["sum", "last"])
def test_the_winner_is_the_same_where_fast_methods_fail(tie_break, monkeypatch):
    """A unit is then tried by the race, alone, and by HiGHS."""
    y = np.random.default_rng(1).integers(1, 6, (40, 5)).astype(float)
    expected = best_unit(y, tie_break=tie_break)
    fast_paths_fail(monkeypatch)
    winner = best_unit(y, tie_break=tie_break)
    assert winner.unit == expected.unit
    assert winner.score == pytest.approx(expected.score, rel=1e-12)
    assert winner.n_solved > expected.n_solved


@pytest.mark.system
def test_highs_is_loaded_only_where_it_is_needed():
    code = """
import sys, numpy as np
from deacs.dea import bcc, best_unit, cross_efficiency, super_efficiency
y = np.random.default_rng(0).random((500, 10))
best_unit(y), super_efficiency(None, y), bcc(y[:20, :2], y[:20])
print("highspy" in sys.modules)
cross_efficiency(y[:20, :2], y[:20])
print("highspy" in sys.modules)
"""
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert printed.stdout.split() == ["False", "True"]


def test_sole_producers_win_without_a_program():
    """Units 1 and 2 are sole producers, unit 2 with the larger sum."""
    winner = best_unit([[9.0, 0, 0], [8.0, 1, 0], [9.0, 0, 1]])
    assert (winner.unit, winner.score, winner.n_solved) == (2, np.inf, 0)


def test_one_distinct_output_takes_no_program():
    """Equal columns, as with two classes: 5 against 4."""
    winner = best_unit([[3.0, 3.0], [5.0, 5.0], [4.0, 4.0]])
    assert (winner.unit, winner.score, winner.n_solved) == (1, 5 / 4, 0)


def test_a_unit_alone_wins():
    assert best_unit([[0.5, 0.0]]).score == np.inf


def test_units_tied_at_one_take_no_program():
    """All are equal, so that L = U = 1 for each."""
    winner = best_unit(np.full((50, 3), 0.7))
    assert (winner.unit, winner.score, winner.n_solved) == (0, 1.0, 0)
    assert best_unit(np.full((50, 3), 0.7), tie_break="last").unit == 49


@pytest.mark.parametrize(("difference", "unit"), [(1e-11, 0), (1e-7, 1)])
def test_sums_tie_up_to_a_billionth(difference, unit):
    """Units 0 and 1 are sole producers, so both score +inf."""
    assert best_unit([[1.0, 0.0], [0.0, 1.0 + difference]]).unit == unit


@pytest.mark.parametrize(("difference", "unit"), [(1e-11, 1), (1e-7, 0)])
def test_scores_tie_up_to_a_billionth(difference, unit):
    """θ_0 = 2 + 2d by the first output, θ_1 = 2 by the second; unit 1 has the larger sum."""
    y = [[2 + 2 * difference, 1.0, 0.0], [1.0, 2.0, 1.0], [1.0, 1.0, 1.0]]
    assert best_unit(y).unit == unit


def test_a_table_of_zeros_has_no_winner():
    with pytest.raises(InputError, match="outputs must have a positive number, got only zeros"):
        best_unit([[0.0, 0.0]])


def test_an_unknown_tie_rule_is_refused():
    with pytest.raises(InputError, match="tie_break must be 'sum' or 'last', got 'first'"):
        best_unit([1.0], tie_break="first")


@given(outputs())
def test_the_score_of_one_unit_is_that_among_all(y):
    scores = super_efficiency(None, y).scores
    assert [score_of(y, p) for p in range(len(y))] == pytest.approx(scores.tolist(), rel=1e-9)


@pytest.mark.parametrize("unit", [-1, 2])
def test_a_unit_that_does_not_exist_is_refused(unit):
    with pytest.raises(InputError, match=f"unit must be between 0 and 1, got {unit}"):
        score_of([1.0, 2.0], unit)


def test_an_uncertain_score_is_not_silent(monkeypatch):
    fast_paths_fail(monkeypatch)
    highs_fails(monkeypatch)
    with pytest.warns(RuntimeWarning, match="of unit 1 is uncertain"):
        score_of([[4, 1], [3, 3], [1, 4]], 1)
