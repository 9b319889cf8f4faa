"""Names to selectors."""

import subprocess
import sys

import pytest

import deacs
from deacs.exceptions import InputError
from deacs.experiments import METHODS, PAPER_METHODS, VARIANTS, make_selector
from deacs.experiments.methods import known_methods
from tests.each import each


@each("name", METHODS)
def test_every_name_is_a_selector_with_a_number_of_features(name):
    selector = make_selector(name)
    assert type(selector) is getattr(deacs, METHODS[name])
    assert "n_features_to_select" in selector.get_params()


def test_the_paper_s_relieff_has_its_parameters():
    parameters = make_selector("relieff-paper").get_params()
    # Section 4 of the paper: "5 neighbors and 30 instances".
    assert (parameters["n_neighbors"], parameters["n_samples"]) == (5, 30)


def test_variants_and_methods_have_names_of_their_own():
    assert not set(METHODS) & set(VARIANTS)
    assert set(PAPER_METHODS) <= {*METHODS, *VARIANTS}


def test_unknown_names_and_none_are_refused():
    with pytest.raises(InputError, match=r"got 'mrmrr'; known names are deacs, cmi"):
        known_methods(["dea-cs", "mrmrr"])
    with pytest.raises(InputError, match="one selector or more"):
        known_methods([])


@pytest.mark.system
def test_names_are_there_without_scikit_learn():
    code = (
        "import sys; from deacs.experiments.methods import METHODS; print('sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_selectors_of_the_caller_keep_their_names():
    mine = deacs.MIFS(beta=0.3)
    assert known_methods({"mine": mine}) == {"mine": mine}
