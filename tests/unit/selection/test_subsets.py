"""Symmetrical uncertainty, FCBF and CFS: definitions, the numbers of other programs, and edges."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from deacs import CodedData, encode
from deacs.counts.counts import CountsHere
from deacs.selection.subsets import CFS, FCBF, SymmetricalUncertainty, Uncertainties
from tests.naive import subsets as naive_subsets
from tests.tables_of_codes import coded_tables
from tests.unit.selection.weka_subsets import FOUND, NAMES, coded_set

PACKAGE = "fcbf 0.1.2, su_threshold=1e-9"

OPTIONS = {
    "CfsSubsetEval -P 1 -E 1; BestFirst -D 1 -N 5": {},
    "CfsSubsetEval -L -P 1 -E 1; BestFirst -D 1 -N 5": {"locally_predictive": False},
    "CfsSubsetEval -L -P 1 -E 1; BestFirst -D 1 -N 1": {
        "locally_predictive": False,
        "max_stale": 1,
    },
    "CfsSubsetEval -P 1 -E 1; BestFirst -P 1,2 -D 1 -N 5": {"include": [0, 1]},
}


@pytest.mark.parametrize("name", NAMES)
def test_ranking_and_scores_equal_weka(name):
    expected = np.array(FOUND[name]["SymmetricalUncertAttributeEval"])
    selector = SymmetricalUncertainty().fit(coded_set(name))
    assert selector.stop_reason_ == "exhausted"
    assert sorted(selector.ranking_) == list(range(len(expected)))
    np.testing.assert_allclose(selector.scores_, expected[selector.ranking_], atol=1e-12)
    order = np.argsort(-np.round(expected, 10), kind="stable")
    np.testing.assert_array_equal(selector.ranking_, order)


@given(coded_tables())
def test_uncertainties_equal_their_definition(table):
    columns, y = table
    found = Uncertainties(CountsHere(CodedData.from_codes(np.array(columns).T, y)))
    with_class = [naive_subsets.symmetrical_uncertainty(x, y) for x in columns]
    np.testing.assert_allclose(found.with_class, with_class, atol=2e-9)
    everything = np.arange(len(columns))
    expected = [[naive_subsets.symmetrical_uncertainty(x, s) for x in columns] for s in columns]
    between = [found.with_feature(j, everything) for j in everything]
    np.testing.assert_allclose(between, expected, atol=2e-9)


def test_a_renamed_class_scores_one_and_a_constant_zero():
    y = np.array([0, 0, 1, 1, 2])
    X = np.column_stack([np.zeros(5), np.array(["b", "c", "a"])[y], [0, 1, 0, 1, 0]])
    selector = SymmetricalUncertainty(discrete_features=True).fit(X.astype(object), y)
    assert selector.ranking_.tolist() == [1, 2, 0]
    assert selector.scores_[0] == 1.0
    assert selector.scores_[2] == 0.0


def test_many_values_are_no_merit():
    y = np.repeat([0, 1], 8)
    # Both tell the class; the second has 16 values: 2 * 1 / (4 + 1).
    X = np.column_stack([y, np.arange(16)])
    data = CodedData.from_codes(X, y)
    np.testing.assert_allclose(SymmetricalUncertainty().fit(data).scores_, [1.0, 0.4])


def test_equals_keep_the_order_of_the_columns():
    y = np.repeat([0, 1, 2], 20)
    weak = np.where(np.arange(60) % 3 == 0, 0, y)
    X = np.column_stack([weak, 2 - weak, y, (weak + 1) % 3])
    assert SymmetricalUncertainty().fit(X, y).ranking_.tolist() == [2, 0, 1, 3]


def test_ignored_missing_values_leave_each_term_on_its_own_rows():
    y = [0, 0, 1, 1, 1, 1]
    X = np.array([[0, 0, 1, 1, np.nan, np.nan]], dtype=object).T
    selector = SymmetricalUncertainty(missing="ignore", discrete_features=True).fit(X, y)
    # I = H(F) = 1 on four rows, H(C) = 0.9183 on six: more than 1, and cut.
    assert selector.scores_.tolist() == [1.0]
    kept = SymmetricalUncertainty(discrete_features=True).fit(X, y)
    values = [0, 0, 1, 1, 2, 2]
    expected = naive_subsets.symmetrical_uncertainty(values, y)
    np.testing.assert_allclose(kept.scores_, [expected], atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_order_equals_that_of_the_package_fcbf(name):
    assert FCBF().fit(coded_set(name)).ranking_.tolist() == FOUND[name][PACKAGE]


@given(coded_tables(), st.sampled_from([0.0, 0.05, 0.3]), st.data())
def test_selection_of_fcbf_equals_the_naive_twin(table, delta, data):
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


def test_features_below_delta_are_irrelevant(wine):
    scores = FCBF().fit(*wine).scores_
    # The last place is the limit itself, which is not below.
    selector = FCBF(delta=float(scores[3])).fit(*wine)
    np.testing.assert_array_equal(selector.scores_, scores[:4])
    assert selector.stop_reason_ == "exhausted"


ENDINGS = {
    FCBF: "every other feature is irrelevant, or redundant",
    CFS: "the search for the subset of highest merit ended",
}


@pytest.mark.parametrize("selector", ENDINGS)
def test_a_number_of_features_keeps_the_first(selector, wine):
    every, few = selector().fit(*wine), selector(3).fit(*wine)
    assert few.stop_reason_ == "n_features_to_select"
    np.testing.assert_array_equal(few.ranking_, every.ranking_[:3])
    np.testing.assert_array_equal(every.truncate(3).scores_, few.scores_)
    # More than there are: the end is its own.
    more = selector(13).fit(*wine)
    assert more.stop_reason_ == "exhausted"
    assert more.result_.ending.startswith(ENDINGS[selector])
    np.testing.assert_array_equal(more.ranking_, every.ranking_)


@pytest.mark.parametrize("selector", ENDINGS)
def test_a_group_is_taken_as_one(selector, wine):
    X, y = wine
    names = selector(groups={"both": ["flavanoids", "ash"]}).fit(X, y).selected_names_
    assert ("flavanoids" in names) == ("ash" in names)


@pytest.mark.parametrize("selector", ENDINGS)
def test_copies_and_features_that_tell_nothing_are_left_out(selector):
    y = np.repeat([0, 1, 2], 30)
    strong = np.where(np.arange(90) % 7 == 0, 0, y)
    X = np.column_stack([np.zeros(90), strong, 2 - strong, strong]).astype(int)
    assert selector().fit(X, y).ranking_.tolist() == [1]
    nothing = selector().fit(X[:, :1], y)
    assert nothing.ranking_.tolist() == []
    assert nothing.stop_reason_ == "exhausted"


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


@pytest.mark.parametrize("delta", [-0.1, 1.5, "high"])
def test_a_bad_delta_is_named(wine, delta):
    with pytest.raises(ValueError, match="'delta' parameter of FCBF"):
        FCBF(delta=delta).fit(*wine)


@pytest.fixture(scope="module")
def wine():
    return datasets.load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("name", NAMES)
def test_subsets_equal_weka(name):
    data = coded_set(name)
    for key, options in OPTIONS.items():
        expected = FOUND[name][key]
        selector = CFS(**options).fit(data)
        assert sorted(selector.ranking_.tolist()) == expected["selected"], key
        if not selector.locally_predictive:
            merit = expected["merit before postProcess"]
            # Weka keeps correlations in single precision.
            assert selector.scores_[-1] == pytest.approx(merit, rel=1e-6)


@given(
    coded_tables(),
    st.fixed_dictionaries(
        {
            "max_stale": st.integers(1, 5),
            "locally_predictive": st.booleans(),
            "independent_is_redundant": st.booleans(),
        }
    ),
    st.data(),
)
def test_selection_of_cfs_equals_the_naive_twin(table, options, data):
    columns, y = table
    include = data.draw(st.lists(st.integers(0, len(columns) - 1), unique=True, max_size=2))
    coded = CodedData.from_codes(np.array(columns).T, y)
    selector = CFS(include=include or None, **options).fit(coded)
    expected = naive_subsets.cfs(columns, y, include=include, **options)
    assert selector.ranking_.tolist() == expected
    assert selector.stop_reason_ == "exhausted"
    correlations = naive_subsets.Correlations(
        columns, y, independent_is_redundant=options["independent_is_redundant"]
    )
    merits = [correlations.merit(expected[: k + 1]) for k in range(len(expected))]
    np.testing.assert_allclose(selector.scores_, merits, atol=1e-8)


def test_independent_informants_are_copies_for_weka_and_partners_by_definition():
    # y = 2 a + b: each tells one bit of two and nothing of the other.
    a, b = np.repeat([0, 0, 1, 1], 5), np.repeat([0, 1, 0, 1], 5)
    X, y = np.column_stack([a, b]), 2 * a + b
    options = {"locally_predictive": False}
    assert CFS(**options).fit(X, y).ranking_.tolist() == [0]
    selector = CFS(independent_is_redundant=False, **options).fit(X, y)
    assert selector.ranking_.tolist() == [0, 1]
    # SU(a, y) = 2 / (1 + 2); two of them, uncorrelated: 2 * 2/3 / sqrt(2).
    np.testing.assert_allclose(selector.scores_, [2 / 3, 2 * 2 / 3 / np.sqrt(2)], atol=1e-9)


def test_locally_predictive_features_come_last_in_falling_order(wine):
    found = CFS(locally_predictive=False).fit(*wine)
    more = CFS().fit(*wine)
    n = len(found.ranking_)
    assert len(more.ranking_) > n
    np.testing.assert_array_equal(more.ranking_[:n], found.ranking_)
    weka = FOUND["wine"]["SymmetricalUncertAttributeEval"]
    added = [weka[j] for j in more.ranking_[n:]]
    assert added == sorted(added, reverse=True)


def test_correlations_of_a_feature_are_computed_once_and_only_if_it_enters(monkeypatch):
    asked = []
    redundancy = CountsHere.redundancy

    def counted(self, selected, candidates):
        asked.append(selected)
        return redundancy(self, selected, candidates)

    monkeypatch.setattr(CountsHere, "redundancy", counted)
    data = encode(*datasets.load_breast_cancer(return_X_y=True))
    selector = CFS(max_stale=1, locally_predictive=False).fit(data)
    assert len(asked) == len(set(asked)) <= 2 * len(selector.ranking_)
    assert set(selector.ranking_[:-1].tolist()) <= set(asked)


def test_progress_names_the_features_in_order(wine):
    seen = []
    selector = CFS().set_progress(lambda step, name: seen.append((step, name))).fit(*wine)
    assert seen == list(enumerate(selector.selected_names_, start=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_stale": 0}, "'max_stale' parameter of CFS"),
        ({"locally_predictive": "yes"}, "'locally_predictive' parameter of CFS"),
        ({"independent_is_redundant": None}, "'independent_is_redundant' parameter of CFS"),
        ({"n_features_to_select": 14}, "n_features_to_select must be between 1 and 13"),
        ({"include": ["alcool"]}, "did you mean 'alcohol'"),
    ],
)
def test_bad_parameters_are_named(wine, options, message):
    with pytest.raises(ValueError, match=message):
        CFS(**options).fit(*wine)
