"""JMIM against its definition."""

import numpy as np
from hypothesis import given

from deacs import JMI, JMIM
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(JMIM().fit(coded(columns, y)), greedy(naive_filters.jmim, columns, y))


def test_the_worst_pair_decides():
    # b does wonders beside a and nothing beside s; d does a little beside either.
    a, b, n = np.indices((2, 2, 16)).reshape(3, -1)
    y = a ^ b
    s, d = np.where(n < 6, 1 - y, y), np.where(n >= 12, 1 - y, y)
    data = coded([s, a, b, d], y)
    assert JMI(include=[0, 1]).fit(data).ranking_.tolist() == [0, 1, 2, 3]
    assert JMIM(include=[0, 1]).fit(data).ranking_.tolist() == [0, 1, 3, 2]
