"""The frontier in two outputs against its definition and against the linear programs of DEA."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from deacs.dea import super_efficiency
from deacs.report.races import corners, lead, outline, telling_pair

tables = arrays(
    np.float64,
    st.tuples(st.integers(2, 12), st.just(2)),
    elements=st.integers(0, 6).map(float),
)


def theta(points, unit):
    """max u y_p over the directions that could be best: edges between others, and the axes."""
    others = np.delete(points, unit, axis=0)
    directions = [(1.0, 0.0), (0.0, 1.0)]
    for a in others:
        directions += [(a[1] - b[1], b[0] - a[0]) for b in others]
    best = 0.0
    for u in directions:
        if min(u) < 0 or max(u) == 0:
            continue
        reach, own = (others @ u).max(), points[unit] @ u
        best = max(best, own / reach if reach > 0 else (np.inf if own > 0 else 0.0))
    return best


@given(tables)
def test_no_point_is_beyond_the_frontier_and_every_corner_is_a_point(points):
    rows = corners(points)
    if not points.any():
        assert len(rows) == 0
        return
    hull = points[rows]
    assert (np.diff(hull[:, 0]) > 0).all()
    assert (np.diff(hull[:, 1]) < 0).all()
    line = outline(points)
    normals = np.column_stack([-np.diff(line[:, 1]), np.diff(line[:, 0])])
    normals[:, 0], normals[:, 1] = np.abs(normals[:, 0]), np.abs(normals[:, 1])
    for normal, start in zip(normals, line[:-1], strict=True):
        assert (points @ normal <= start @ normal + 1e-9).all()


@given(tables)
def test_dropping_a_corner_changes_the_frontier(points):
    for row in corners(points):
        rest = np.delete(points, row, axis=0)
        is_repeated = (rest == points[row]).all(axis=1).any()
        assert (
            is_repeated
            or len(outline(rest)) != len(outline(points))
            or (outline(rest) != outline(points)).any()
        )


@given(tables)
@example(np.array([[0.0, 1.0], [0.0, 1.0]]))
def test_the_lead_is_the_super_efficiency_in_two_outputs(points):
    for unit in range(len(points)):
        assert lead(points, unit) == pytest.approx(theta(points, unit))


def test_the_lead_is_what_the_models_of_dea_give():
    points = np.random.default_rng(0).random((30, 2))
    expected = super_efficiency(None, points).scores
    np.testing.assert_allclose([lead(points, p) for p in range(30)], expected, rtol=1e-9)


def test_the_telling_pair_is_where_the_winner_leads_most():
    scores = np.array([[1.0, 3.0, 1.0, 2.9], [1.0, 1.0, 1.0, 3.0], [2.0, 1.0, 1.0, 0.0]])
    a, b = telling_pair(scores, 0)
    assert 1 in (a, b)
    leads = {(i, j): lead(scores[:, [i, j]], 0) for i in range(4) for j in range(i + 1, 4)}
    assert leads[a, b] == max(leads.values())
