"""Explanations: the sentence is right for each reason why a feature is there, or is not."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine

from deacs import DEACS, MRMR
from deacs.exceptions import InputError

N = 600


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    sign = rng.integers(0, 2, N)
    columns = {
        "clear": y + 0.7 * rng.normal(size=N),
        "noise": rng.normal(size=N),
        "useful": y + rng.normal(size=N),
        "sign": sign.astype(bool),
        "product": (sign ^ y).astype(bool),
    }
    columns["copy"] = -2 * columns["clear"]
    return pl.DataFrame(columns), np.array(["ill", "well"])[y]


def test_a_duplicate_is_redundant_given_its_original(table):
    for selector in (DEACS(1), MRMR(1)):
        found = selector.fit(*table).explain("copy")
        assert (found.rank, found.redundant_given) == (None, ("clear",))
        assert found.taken > 0.99
        assert found.sentence.startswith("copy is redundant: alone it says ")
        assert "clear takes 100% of its information" in found.sentence
        assert sum(found.given_selected.values()) < 0.01


def test_a_noise_column_says_nothing(table):
    found = DEACS(1).fit(*table).explain("noise")
    assert found.sentence == (
        "noise says nothing about the classes beyond chance, alone or given the selected features."
    )
    assert found.partner is None
    assert found.redundant_given == ()


def test_of_an_exclusive_or_the_other_half_is_named(table):
    X, y = table
    both_left_out = DEACS(1).fit(X, y)
    for one, other in (("sign", "product"), ("product", "sign")):
        found = both_left_out.explain(one)
        assert found.partner == other
        assert f"together with {other}" in found.sentence
    one_selected = DEACS(1, include=["sign"]).fit(X, y).explain("product")
    assert one_selected.given_selected["ill"] > 0.45  # half of a bit: order says nothing of it
    assert one_selected.sentence.startswith("product says nothing alone, but now it would add ")
    assert "together with sign" in one_selected.sentence


def test_a_useful_column_would_add_something_now(table):
    found = DEACS(1).fit(*table).explain("useful")
    assert found.sentence.startswith("useful is useful: now it would add 0.")
    assert found.sentence.endswith(
        "beyond chance; the selection had ended because the requested number of features is "
        "reached."
    )
    assert found.given_selected["ill"] > 0.02


def test_a_selected_feature_says_for_whom_which_values_and_what_could_replace_it():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS(3).fit(X, y)
    found, held_out = selector.explain("flavanoids"), selector.held_out_
    assert found.rank == 1
    assert found.bits["2"] == selector.label_scores_[0, 2]
    assert "it says most about 2: low: <= 1.575 (100% of its rows" in found.sentence
    assert (found.chosen, found.n_refits) == (held_out.chosen[0], held_out.n_refits)
    [first, *_] = selector.substitutes()["flavanoids"].substitutes
    assert found.substitutes[first.name] == first.share
    assert f"{first.name} could replace it" in str(found)


def test_candidates_that_were_stored_say_when_it_was_nearest(table):
    selector = DEACS(3, store_candidates=True).fit(*table)
    assert selector.selected_names_[:2] == ["clear", "useful"]
    found = selector.explain("copy")
    assert (found.nearest, found.nearness) == (1, 1.0)
    assert "It was nearest at step 1" in found.sentence


def test_an_empty_selection_explains_its_columns(table):
    rng = np.random.default_rng(1)
    X = pl.DataFrame({f"c{j}": rng.normal(size=200) for j in range(4)})
    selector = DEACS().fit(X, rng.integers(0, 2, 200))
    assert selector.selected_names_ == []
    assert selector.explain("c1").sentence == "c1 says nothing about the classes beyond chance."


def test_an_unknown_column_is_an_error_that_names_the_parameter(table):
    with pytest.raises(InputError, match="feature names 'cleer'"):
        DEACS(1).fit(*table).explain("cleer")
