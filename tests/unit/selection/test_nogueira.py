"""Nogueira's measure: published numbers, the naive twin, what chance gives."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deacs.exceptions import InputError
from deacs.selection.stability_selection import nogueira
from tests.naive import stability as naive


@st.composite
def selections(draw, equal_sizes=False):
    d = draw(st.integers(2, 8))
    features = st.sets(st.integers(0, d - 1))
    if equal_sizes:
        k = draw(st.integers(1, d - 1))
        features = st.sets(st.integers(0, d - 1), min_size=k, max_size=k)
    found = draw(st.lists(features.map(sorted), min_size=2, max_size=7))
    assume(0 < sum(map(len, found)) < d * len(found))
    return found, d


def test_the_numbers_of_the_authors_own_demonstration():
    # github.com/nogueirs/JMLR2018, stabilityDemo.ipynb: Z1, Z2 and Z3.
    assert nogueira([[0, 1]] * 3, 3) == 1.0
    assert nogueira([[0, 1], [1, 2], [0, 2]], 3) == pytest.approx(-0.5)
    rows = """1111000000 0001011100 0100011100 1100101000 0110110000
              0111001000 1001000011 0001011100 0011110000 0000100111"""
    Z = np.array([[digit == "1" for digit in row] for row in rows.split()])
    assert nogueira(Z, 10) == pytest.approx(-0.037037037037, abs=1e-12)


@given(selections())
def test_it_equals_its_naive_twin_from_lists_and_from_a_matrix(case):
    found, d = case
    Z = np.array([[f in selection for f in range(d)] for selection in found])
    assert nogueira(found, d) == pytest.approx(naive.nogueira(found, d), abs=1e-12)
    assert nogueira(Z, d) == nogueira(found, d)


@given(selections(equal_sizes=True))
def test_for_selections_of_one_size_it_is_kunchevas_index(case):
    found, d = case
    assert nogueira(found, d) == pytest.approx(naive.kuncheva(found, d), abs=1e-12)


def test_a_random_selector_has_no_stability_though_its_selections_overlap():
    rng = np.random.default_rng(1)
    Z = rng.permuted(np.tile(np.arange(10) < 8, (40, 1)), axis=1)
    assert naive.jaccard([np.flatnonzero(row).tolist() for row in Z]) > 0.6
    assert abs(nogueira(Z, 10)) < 0.1


@pytest.mark.parametrize("found", [[[], []], [[0, 1], [0, 1]]])
def test_where_there_is_nothing_to_agree_on_it_is_undefined(found):
    assert math.isnan(nogueira(found, 2))


def test_one_selection_is_too_few():
    with pytest.raises(InputError, match="selections must be two or more, got 1"):
        nogueira([[0]], 3)
