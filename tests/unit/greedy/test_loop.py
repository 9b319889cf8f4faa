"""Selections without rounds: the same path as round by round."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CFS, FCBF, MIM, CodedData
from deacs.greedy.choosers import ByJudge
from deacs.greedy.judges import Largest
from deacs.greedy.loop import select_greedily, select_ranked
from tests.tables_of_codes import coded_tables


def as_tuples(path):
    return [(s.feature, s.score, s.n_competitors) for s in path.steps]


@pytest.mark.parametrize("selector", [MIM(), FCBF(), FCBF(delta=0.05), CFS()])
@given(table=coded_tables(), n=st.none() | st.integers(1, 3), copied=st.booleans())
def test_a_sequence_equals_the_rounds(selector, table, n, copied):
    columns, y = table
    codes = np.array(columns + columns[:1] if copied else columns).T  # copies tie
    data = CodedData.from_codes(codes, y)
    n = None if n is None else min(n, data.n_features)
    selector.fit(data)  # a search that begins with included features looks for their names
    told: list[int] = []
    found = select_ranked(selector._criterion(data), n, told.append)
    expected = select_greedily(selector._criterion(data), ByJudge(Largest()), n)
    assert as_tuples(found) == as_tuples(expected)
    assert found.stop_reason == expected.stop_reason
    assert told == found.ranking.tolist()
