"""CFS: Weka's subsets, Hall's merit, and the search from its description."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import datasets

from deacs import CodedData, encode
from deacs.greedy.counts import CountsHere
from deacs.selection.subsets import CFS
from tests.naive import subsets as naive_subsets
from tests.tables_of_codes import coded_tables
from tests.unit.selection.weka_subsets import FOUND, NAMES, coded_set

OPTIONS = {
    "CfsSubsetEval -P 1 -E 1; BestFirst -D 1 -N 5": {},
    "CfsSubsetEval -L -P 1 -E 1; BestFirst -D 1 -N 5": {"locally_predictive": False},
    "CfsSubsetEval -L -P 1 -E 1; BestFirst -D 1 -N 1": {
        "locally_predictive": False,
        "max_stale": 1,
    },
    "CfsSubsetEval -P 1 -E 1; BestFirst -P 1,2 -D 1 -N 5": {"include": [0, 1]},
}


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
def test_selection_equals_the_naive_twin(table, options, data):
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


def test_a_number_of_features_keeps_the_first(wine):
    every, few = CFS().fit(*wine), CFS(3).fit(*wine)
    assert few.stop_reason_ == "n_features_to_select"
    np.testing.assert_array_equal(few.ranking_, every.ranking_[:3])
    np.testing.assert_array_equal(every.truncate(3).scores_, few.scores_)
    more = CFS(13).fit(*wine)
    assert more.stop_reason_ == "exhausted"
    assert more.result_.ending == "the search for the subset of highest merit ended"


def test_copies_and_features_that_tell_nothing_are_left_out():
    y = np.repeat([0, 1, 2], 30)
    strong = np.where(np.arange(90) % 7 == 0, 0, y)
    X = np.column_stack([np.zeros(90), strong, 2 - strong, strong]).astype(int)
    assert CFS().fit(X, y).ranking_.tolist() == [1]
    nothing = CFS().fit(X[:, :1], y)
    assert nothing.ranking_.tolist() == []
    assert nothing.stop_reason_ == "exhausted"


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


def test_whole_weights_count_as_repeated_rows(wine):
    X, y = wine
    weight = np.arange(len(y)) % 3 + 1
    data = encode(X, y)
    codes = np.column_stack([data.column(j) for j in range(data.n_features)])
    options = {"discrete_features": True}
    weighted = CFS(**options).fit(codes, y, sample_weight=weight)
    repeated = CFS(**options).fit(np.repeat(codes, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.ranking_, repeated.ranking_)
    np.testing.assert_allclose(weighted.scores_, repeated.scores_, atol=1e-9)


def test_a_group_is_taken_as_one(wine):
    X, y = wine
    selector = CFS(groups={"both": ["flavanoids", "ash"]}).fit(X, y)
    names = selector.selected_names_
    assert ("flavanoids" in names) == ("ash" in names)


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


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_a_bit():
    data = encode(*datasets.load_digits(return_X_y=True))
    one, two = CFS().fit(data), CFS(n_jobs=2).fit(data)
    np.testing.assert_array_equal(one.ranking_, two.ranking_)
    np.testing.assert_array_equal(one.scores_, two.scores_)
