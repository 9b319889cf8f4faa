"""The seam between criteria and columns."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import CMI, CMIM, DEACS, FCBF, JMI, MRMR, Significant
from deacs.coding import CodedData, CodedTable
from deacs.exceptions import InputError
from deacs.greedy.engine import LocalCounts, LocalEngine


@pytest.mark.parametrize("selector", [DEACS, CMI, CMIM, FCBF, JMI, MRMR])
def test_naming_the_local_engine_changes_nothing(selector):
    X, y = load_wine(return_X_y=True, as_frame=True)
    usual, named = selector().fit(X, y), selector(engine=LocalEngine()).fit(X, y)
    assert named.ranking_.tolist() == usual.ranking_.tolist()
    assert named.scores_.tolist() == usual.scores_.tolist()
    assert named.feature_names_in_.tolist() == list(X.columns)
    assert named.to_frame().equals(usual.to_frame())


def test_as_many_as_are_significant_by_a_named_engine_too():
    X, y = load_wine(return_X_y=True, as_frame=True)
    usual = DEACS.published("auto", stop=Significant(random_state=0)).fit(X, y)
    named = DEACS.published("auto", stop=Significant(random_state=0), engine=LocalEngine()).fit(
        X, y
    )
    assert named.ranking_.tolist() == usual.ranking_.tolist()
    assert named.p_values_.tolist() == usual.p_values_.tolist()


def test_fresh_counts_know_nothing_of_what_was_selected():
    rng = np.random.default_rng(0)
    data = CodedData.from_codes(rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60))
    counts, everything = LocalCounts(data), np.arange(4)
    before = counts.label_scores(everything)
    counts.condition_on(1)
    assert counts.label_scores(everything).tolist() != before.tolist()
    assert counts.fresh().label_scores(everything).tolist() == before.tolist()


def test_a_table_that_lives_elsewhere_needs_an_engine_of_its_own():
    class Elsewhere(CodedTable):
        classes, features, feature_names, is_named = np.arange(2), (), (), False
        n_rows = 3

    with pytest.raises(InputError, match="LocalEngine needs CodedData, got Elsewhere"):
        DEACS.published(engine=LocalEngine()).fit(Elsewhere())


def test_an_engine_is_something_that_encodes_and_opens():
    with pytest.raises(ValueError, match="'engine' parameter of DEACS"):
        DEACS.published(engine="dask").fit([[0], [1]], [0, 1])
