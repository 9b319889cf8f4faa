"""Sequential p-values: against every order of shuffles, and as a p-value must behave."""

import itertools

import numpy as np
import pytest

from deacs.significance.sequential import Design, NullScores
from tests.naive.independence import sequential_levels


@pytest.mark.parametrize(("n_early", "n_all"), [(0, 5), (2, 6), (3, 9), (4, 5)])
def test_p_values_are_the_chances_of_all_orders(n_early, n_all):
    found = Design(1.0, n_all, n_early).p_values
    np.testing.assert_allclose(found, sequential_levels(n_early, n_all), rtol=1e-12)


@pytest.mark.parametrize("level", [0.05, 0.01, 0.2, 1 / 3])
@pytest.mark.parametrize("early", [True, False])
def test_the_level_holds_in_every_order_of_the_scores(level, early):
    # The score seen is the k-th largest of n + 1; each set of k - 1 shuffles reaches it as often.
    design = Design(level, 9, 4 if early else 0)
    taken = []
    for n_reached in range(10):
        places = list(itertools.combinations(range(9), n_reached))
        small = [
            NullScores(iter([1.0 if k in chosen else -1.0 for k in range(9)]), design).p_value(0.0)
            <= level
            for chosen in places
        ]
        taken.append(np.mean(small))
    assert np.mean(taken) <= level + 1e-12


def test_the_usual_design_spends_most_of_its_level():
    design = Design.for_level(0.025)
    assert (design.n_early, design.n_all) == (59, 199)
    last = design.p_values[design.too_many - 1]
    assert 0.02 < last <= 0.025 < design.p_values[-1]


def test_a_score_beyond_all_is_taken_at_the_first_look():
    drawn = []
    chance = NullScores((drawn.append(k) or 0.0 for k in range(199)), Design.for_level(0.025))
    assert chance.p_value(1.0) == 1 / 60
    assert len(drawn) == 59


def test_a_score_among_many_is_given_up_soon():
    drawn = []
    chance = NullScores((drawn.append(k) or 1.0 for k in range(199)), Design.for_level(0.025))
    assert chance.p_value(1.0) == 1.0
    assert len(drawn) == Design.for_level(0.025).too_many


def test_without_an_early_look_all_shuffles_measure():
    # The score is reached by 3 of 99 shuffles.
    chance = NullScores(iter([2.0] * 3 + [0.0] * 96), Design(0.05, 99))
    assert chance.p_value(1.0) == pytest.approx(4 / 100)


def test_answers_do_not_depend_on_who_asks_first():
    rng = np.random.default_rng(0)
    scores, draws = rng.normal(2, 1, 20), rng.normal(size=199)
    up, down = (NullScores(iter(draws), Design.for_level(0.025)) for _ in range(2))
    ascending = [up.p_value(score) for score in np.sort(scores)]
    descending = [down.p_value(score) for score in -np.sort(-scores)]
    assert ascending == descending[::-1]
