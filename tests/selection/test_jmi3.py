"""JMI3 against its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_wine

from deacs import DEACS, JMI, JMI3, encode
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.exceptions import InputError
from tests import naive
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, joined, same_path
from tests.real_data import MADELON, suite_table
from tests.tables_of_codes import coded_tables


@settings(max_examples=40, deadline=None)
@given(coded_tables(max_features=5))
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(JMI3().fit(coded(columns, y)), greedy(naive_filters.jmi3, columns, y))


def test_missing_values_are_ignored_row_by_row():
    X = np.array(load_wine().data[:90])
    X[::7, 0] = np.nan
    X[3::5, 6] = np.nan
    data = encode(X[:, [0, 6, 9, 12]], load_wine().target[:90], missing="ignore")
    columns = [
        [None if code == data.ignored(j) else code for code in data.column(j).tolist()]
        for j in range(4)
    ]
    same_path(JMI3().fit(data), greedy(naive_filters.jmi3, columns, data.labels.tolist()))


def test_all_three_parts_of_a_parity_are_found_where_pairs_tell_nothing():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 12))
    y = X[:, 2] ^ X[:, 5] ^ X[:, 9]
    selector = JMI3(3, include=[2, 5]).fit(X, y)
    assert selector.ranking_.tolist() == [2, 5, 9]
    assert selector.scores_[2] == pytest.approx(1.0, abs=0.01)
    assert JMI(3, include=[2, 5]).fit(X, y).scores_[2] < 0.1


@pytest.mark.parametrize("selector", [JMI3(20), JMI3(20, discrete_features=False), DEACS(20)])
def test_the_columns_of_madelon_that_matter_come_first(selector):
    """Also where 43 columns of noise, integers with up to 32 values, pass for categories."""
    X, y = suite_table("madelon")
    first = selector.fit(X, y).selected_names_
    assert len(set().union(*MADELON) & set(first)) >= 18


def test_a_column_of_noise_with_many_values_does_not_win():
    """By plug-in estimates it tells more, with two parts of a parity, than the third part does."""
    rng = np.random.default_rng(0)
    X, other = rng.integers(0, 2, (500, 6)), rng.integers(0, 2, 500)
    X[:, 5] = rng.integers(0, 32, 500)
    y = np.where(rng.random(500) < 0.35, X[:, 0] ^ X[:, 1] ^ X[:, 2], other)
    selector = JMI3(3, include=[0, 1], discrete_features=True).fit(X, y)
    assert selector.ranking_.tolist() == [0, 1, 2]
    told = {j: naive.mutual_information(joined(X[:, 0], X[:, 1], X[:, j]), y) for j in (2, 5)}
    assert told[5] > told[2]


def test_a_table_on_the_disk_is_refused(tmp_path):
    store = CodedStore.write(encode(*load_wine(return_X_y=True)), tmp_path / "store")
    with pytest.raises(InputError, match="JMI3 counts three features together"):
        JMI3(3, engine=OutOfCoreEngine(columns_at_once=3)).fit(store)
