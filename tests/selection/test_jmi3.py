"""JMI3 against its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_wine

from deacs import JMI, JMI3, encode
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.exceptions import InputError
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.real_data import suite_table
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


def test_the_columns_of_madelon_that_matter_come_first():
    X, y = suite_table("madelon")
    useful = {29, 49, 65, 106, 129, 154, 242, 282, 319, 337, 339, 379, 434, 443, 452, 454, 456}
    useful |= {473, 476, 494}  # as published with the set, counted from 1
    first = JMI3(20, discrete_features=False).fit(X, y).ranking_ + 1
    assert len(useful & set(first.tolist())) >= 18


def test_a_table_on_the_disk_is_refused(tmp_path):
    store = CodedStore.write(encode(*load_wine(return_X_y=True)), tmp_path / "store")
    with pytest.raises(InputError, match="JMI3 counts three features together"):
        JMI3(3, engine=OutOfCoreEngine(columns_at_once=3)).fit(store)
