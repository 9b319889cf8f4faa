"""Selections by scores that do not depend on S are rankings: what the loop selects step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import MIM, CodedData, SymmetricalUncertainty
from deacs.selection.choosers import ByJudge, Included
from deacs.selection.judges import Largest
from deacs.selection.loop import select_greedily
from deacs.selection.select import select
from deacs.selection.source import Source
from tests.tables_of_codes import coded_tables


@pytest.mark.parametrize("selector", [MIM(), SymmetricalUncertainty()])
@given(
    table=coded_tables(),
    n=st.none() | st.integers(1, 3),
    copied=st.booleans(),
    includes=st.booleans(),
)
def test_a_ranking_equals_the_loop(selector, table, n, copied, includes):
    columns, y = table
    codes = np.array(columns + columns[:1] if copied else columns).T  # copies tie
    data = CodedData.from_codes(codes, y)
    n = None if n is None else min(n, data.n_features)
    included = [data.n_features - 1] if includes else []
    source = Source(data.feature_names, data.about, coded=data)
    criterion, judge = selector._criterion(source), ByJudge(Largest())
    told: list[tuple[int, str]] = []
    found = select(
        data,
        criterion,
        Largest(),
        n_features_to_select=n,
        include=included,
        progress=lambda *step: told.append(step),
    )
    expected = select_greedily(criterion, Included(judge, judge, criterion, included), n)
    for one, other in zip(found.steps, expected.steps, strict=True):
        assert (one.feature, one.score, one.n_competitors) == (
            other.feature,
            other.score,
            other.n_competitors,
        )
    assert found.stop_reason == expected.stop_reason
    names = [data.feature_names[j] for j in found.ranking]
    assert told == list(enumerate(names, start=1))
