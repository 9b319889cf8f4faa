import numpy as np
import pytest

from deacs.dea.constant_input import ConstantInput


def score(y, p):
    answers = ConstantInput(np.array(y, dtype=float), cut=False).solve(np.array([p]))
    return answers[0]


def test_the_ray_through_a_unit_meets_the_plane_of_three_others():
    """(3, 0, 0), (0, 3, 0) and (0, 0, 3) span x + y + z = 3; (2, 1, 3) is worth 6."""
    answer = score([[2, 1, 3], [3, 0, 0], [0, 3, 0], [0, 0, 3]], 0)
    assert answer.score == pytest.approx(2.0, rel=1e-15)
    assert dict(zip(answer.peers.tolist(), answer.weights.tolist(), strict=True)) == pytest.approx(
        {1: 2 / 3, 2: 1 / 3, 3: 1.0}, rel=1e-15
    )


def test_an_output_that_the_peers_make_too_much_of_has_price_zero():
    """(1, 1, 9) takes 1/5 of (5, 5, 1) for two outputs, but (0, 0, 9) for the third."""
    answer = score([[1, 1, 9], [5, 5, 1], [0, 0, 9], [1, 1, 1]], 0)
    assert answer.score == pytest.approx(1 / 5 + (9 - 1 / 5) / 9, rel=1e-15)


def test_outputs_that_the_unit_lacks_do_not_matter():
    assert score([[1, 0, 0], [2, 0, 5], [1, 7, 0]], 0).score == 0.5


def test_a_degenerate_program_ends():
    """All units are permutations of one another."""
    y = [np.roll([1.0, 2, 3, 4, 5, 6], k) for k in range(6)]
    answers = ConstantInput(np.vstack([y, y]), cut=True).solve(np.arange(12))
    np.testing.assert_allclose(answers.scores, 1.0, rtol=1e-14)
    assert answers.gaps.max() <= 1e-12
