"""FCBF: the listing of Yu and Liu, what it removes, and how few pairs it looks at."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from deacs import CodedData, encode
from deacs.greedy.counts import CountsHere
from deacs.selection.subsets import FCBF, SymmetricalUncertainty, Uncertainties
from tests.naive import subsets as naive_subsets
from tests.tables_of_codes import coded_tables
from tests.unit.selection.weka_subsets import FOUND, NAMES, coded_set

PACKAGE = "fcbf 0.1.2, su_threshold=1e-9"


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("name", NAMES)
def test_order_equals_that_of_the_package_fcbf(name):
    assert FCBF().fit(coded_set(name)).ranking_.tolist() == FOUND[name][PACKAGE]


@given(coded_tables(), st.sampled_from([0.0, 0.05, 0.3]), st.data())
def test_selection_equals_the_naive_twin(table, delta, data):
    columns, y = table
    everything = st.lists(st.integers(0, len(columns) - 1), unique=True, max_size=2)
    include = data.draw(everything)
    coded = CodedData.from_codes(np.array(columns).T, y)
    selector = FCBF(delta=delta, include=include or None).fit(coded)
    assert selector.ranking_.tolist() == naive_subsets.fcbf(columns, y, delta, include)
    assert selector.stop_reason_ == "exhausted"


@given(coded_tables())
def test_beside_the_class_itself_nothing_is_taken(table):
    """SU(F, s) = SU(F, C) then, and the two are counted in different ways."""
    columns, y = table
    coded = CodedData.from_codes(np.array([y, *columns]).T, y)
    assert FCBF().fit(coded).ranking_.tolist() == [0]


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_what_is_left_out_is_irrelevant_or_has_a_better_peer(load):
    data = encode(*load(return_X_y=True))
    table = Uncertainties(CountsHere(data))
    taken = FCBF().fit(data).ranking_
    assert 0 < len(taken) < data.n_features
    everything = np.arange(data.n_features)
    between = np.array([table.with_feature(j, everything) for j in taken])
    relevance = table.with_class
    for j in everything:
        better = [k for k, s in enumerate(taken) if s != j and relevance[s] >= relevance[j]]
        stands_for_it = (between[better, j] >= relevance[j]).any()
        assert (j in taken) == (relevance[j] > 0 and not stands_for_it)


def test_scores_are_the_symmetrical_uncertainties_in_falling_order(wine):
    selector = FCBF().fit(*wine)
    ranked = SymmetricalUncertainty().fit(*wine)
    score = dict(zip(ranked.ranking_, ranked.scores_, strict=True))
    assert selector.scores_.tolist() == [score[j] for j in selector.ranking_]
    assert (np.diff(selector.scores_) <= 0).all()


def test_copies_and_constants_are_left_out():
    y = np.repeat([0, 1, 2], 30)
    strong = np.where(np.arange(90) % 7 == 0, 0, y)
    X = np.column_stack([np.zeros(90), strong, 2 - strong, strong])
    selector = FCBF().fit(X.astype(int), y)
    assert selector.ranking_.tolist() == [1]


def test_features_below_delta_are_irrelevant(wine):
    scores = FCBF().fit(*wine).scores_
    # The last place is the limit itself, which is not below.
    selector = FCBF(delta=float(scores[3])).fit(*wine)
    np.testing.assert_array_equal(selector.scores_, scores[:4])
    assert selector.stop_reason_ == "exhausted"


def test_a_number_of_features_keeps_the_first(wine):
    every, few = FCBF().fit(*wine), FCBF(3).fit(*wine)
    np.testing.assert_array_equal(few.ranking_, every.ranking_[:3])
    assert few.stop_reason_ == "n_features_to_select"
    np.testing.assert_array_equal(every.truncate(3).ranking_, few.ranking_)
    # More than are predominant: the end is its own.
    more = FCBF(13).fit(*wine)
    assert more.stop_reason_ == "exhausted"
    assert more.result_.ending.startswith("every other feature is irrelevant, or redundant")
    np.testing.assert_array_equal(more.ranking_, every.ranking_)


def test_included_features_remove_others(wine):
    X, y = wine
    X = X.assign(copy=X["flavanoids"])
    selector = FCBF(include=["copy"]).fit(X, y)
    assert selector.selected_names_[0] == "copy"
    assert "flavanoids" not in selector.selected_names_


def test_only_features_in_the_race_are_counted(wine, monkeypatch):
    asked = []
    redundancy = CountsHere.redundancy

    def counted(self, selected, candidates):
        asked.append((selected, candidates.tolist()))
        return redundancy(self, selected, candidates)

    monkeypatch.setattr(CountsHere, "redundancy", counted)
    relevance = SymmetricalUncertainty().fit(*wine).scores_
    selector = FCBF().fit(*wine)
    racing = [set(features) for _, features in asked]
    assert [taken for taken, _ in asked] == selector.ranking_[: len(asked)].tolist()
    assert len(racing[0]) == int((relevance > 0).sum()) - 1
    assert all(later < earlier for earlier, later in pairwise(racing))


def test_a_group_is_taken_as_one(wine):
    X, y = wine
    selector = FCBF(groups={"both": ["flavanoids", "hue"]}).fit(X, y)
    names = selector.selected_names_
    assert ("flavanoids" in names) == ("hue" in names)


@pytest.mark.parametrize("delta", [-0.1, 1.5, "high"])
def test_a_bad_delta_is_named(wine, delta):
    with pytest.raises(ValueError, match="'delta' parameter of FCBF"):
        FCBF(delta=delta).fit(*wine)


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_a_bit():
    data = encode(*load_digits(return_X_y=True))
    one, two = FCBF().fit(data), FCBF(n_jobs=2).fit(data)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)
    np.testing.assert_array_equal(one.scores_, two.scores_)
