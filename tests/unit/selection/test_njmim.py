"""NJMIM against its definition."""

import numpy as np
from hypothesis import given

from deacs import JMIM, NJMIM
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(NJMIM().fit(coded(columns, y)), greedy(naive_filters.njmim, columns, y))


def test_values_that_tell_nothing_count_against_a_feature():
    # `split` is `plain` with one value cut in two halves: the same information.
    c, n, half = np.indices((2, 8, 2)).reshape(3, -1)
    s, plain = np.where(n < 2, 1 - c, c), np.where(n % 4 == 0, 1 - c, c)
    split = plain + 2 * half * plain
    data = coded([s, split, plain], c)
    assert JMIM(include=[0]).fit(data).ranking_.tolist() == [0, 1, 2]
    assert NJMIM(include=[0]).fit(data).ranking_.tolist() == [0, 2, 1]
