"""Names to selectors; and who wins when a linear program has no solution."""

import numpy as np
import pytest
from reproduction.methods import PAPER_METHODS, VARIANTS, FiniteRadial, known_methods
from sklearn.datasets import load_wine

import deacs
from deacs import DEACS, encode
from deacs.exceptions import InputError
from deacs.selection.methods import METHODS


def test_every_name_is_a_selector_with_a_number_of_features():
    selectors = known_methods([*METHODS, *VARIANTS])
    for name, selector in selectors.items():
        assert "n_features_to_select" in selector.get_params(), name
    assert set(PAPER_METHODS) <= selectors.keys()


def test_the_paper_s_relieff_has_its_parameters():
    parameters = known_methods(["relieff-paper"])["relieff-paper"].get_params()
    # Section 4 of the paper: "5 neighbors and 30 instances".
    assert (parameters["n_neighbors"], parameters["n_samples"]) == (5, 30)


def test_unknown_names_are_refused_and_own_selectors_keep_theirs():
    with pytest.raises(InputError, match=r"got 'mrmrr'; known names are deacs, cmi"):
        known_methods(["dea-cs", "mrmrr"])
    mine = deacs.MIFS(beta=0.3)
    assert known_methods({"mine": mine}) == {"mine": mine}


# Only the first column tells anything of b: of two rows the second has one of each value, as of
# all six rows it has three of each.
ROWS = np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1]])
CLASSES = np.array(list("aaccbb"))


def test_a_sole_informant_wins_by_infinity_and_loses_by_zero():
    data = encode(ROWS, CLASSES, discrete_features=True)
    ours = DEACS.published(2).fit(data)
    assert np.isinf(ours.scores_[0])
    assert ours.ranking_.tolist() == [0, 1]
    assert DEACS.published(2, judge=FiniteRadial()).fit(data).ranking_.tolist() == [1, 0]


def test_without_sole_informants_the_readings_agree():
    data = encode(*load_wine(return_X_y=True))
    ours = DEACS.published().fit(data)
    assert np.isfinite(ours.scores_[:-1]).all()  # at the last step one candidate is left
    other = DEACS.published(13, judge=FiniteRadial()).fit(data)
    assert other.ranking_.tolist() == ours.ranking_.tolist()
    assert other.stop_reason_ == ours.stop_reason_ == "exhausted"
    assert len(DEACS.published(2, judge=FiniteRadial()).fit(data).ranking_) == 2
