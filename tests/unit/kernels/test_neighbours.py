"""The sketch never lies, and looking at it changes nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs._kernels import at_level, levels, neighbours
from deacs._kernels.neighbours import ROWS_AT_ONCE
from deacs.selection._points import STEPS, Instances, Sketch
from tests.naive.relief import differences


def make_instances(seed, n_rows, n_numeric, n_nominal, n_values=4, holes=0.1):
    rng = np.random.default_rng(seed)
    columns = np.vstack(
        [rng.random((n_numeric, n_rows)), rng.integers(0, n_values, (n_nominal, n_rows))]
    )
    columns[rng.random(columns.shape) < holes] = np.nan
    if n_numeric:  # as after scaling
        columns[:n_numeric, 0], columns[:n_numeric, -1] = 0.0, 1.0
    kinds = np.array([-1] * n_numeric + [n_values] * n_nominal)
    return Instances(columns, kinds, rng.integers(0, 2, n_rows).astype(np.int32), 2)


def weigh(instances, sketch, k=3, kernel=neighbours):
    n_rows = len(instances.labels)
    weights = np.zeros((-(-n_rows // 16), len(instances.columns)))
    groups, gains = np.array([[0, 1], [0, 1]]), np.array([[-1.0, 1.0], [1.0, -1.0]])
    where = instances.labels, groups, gains, instances.points(), sketch
    kernel.add_nearest(0, len(weights), np.arange(n_rows), *where, k, weights)
    return weights


@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(0, 6))
def test_the_sketch_bounds_every_distance_from_below(seed, n_numeric, n_nominal):
    if n_numeric + n_nominal == 0:
        return
    instances = make_instances(seed, 8, n_numeric, n_nominal, n_values=300)
    words, n_steps, slack = instances.sketch()
    bytes_ = words.view(np.uint8).reshape(len(words), -1, 8).astype(int)
    steps, codes = bytes_[:n_steps].swapaxes(0, 1), bytes_[n_steps:].swapaxes(0, 1)
    kinds = [None if n < 0 else n for n in instances.n_values.tolist()]
    diff = differences(list(zip(kinds, instances.columns.tolist(), strict=True)))
    for i in range(8):
        for j in range(8):
            distance = sum(diff(f, i, j) for f in range(n_numeric + n_nominal))
            bound = np.abs(steps[i] - steps[j]).sum() - slack[i] - slack[j]
            bound += STEPS * (codes[i] != codes[j]).sum()
            assert bound <= STEPS * distance + 1e-9


@pytest.mark.parametrize(("n_numeric", "n_nominal"), [(5, 0), (200, 0), (0, 7), (0, 150), (40, 40)])
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_looking_at_the_sketch_changes_no_bit(n_numeric, n_nominal, holes):
    instances = make_instances(0, 150, n_numeric, n_nominal, holes=holes)
    n_rows = len(instances.labels)
    n_padded = -(-n_rows // ROWS_AT_ONCE) * ROWS_AT_ONCE
    blind = Sketch(np.zeros((0, n_padded), dtype=np.uint64), 0, np.zeros(n_padded, dtype=np.int64))
    seen = weigh(instances, instances.sketch())
    assert seen.tobytes() == weigh(instances, blind).tobytes()
    assert np.abs(seen).sum() > 0


@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_every_level_of_the_processor_gives_the_same_bits(holes):
    instances = make_instances(1, 150, 40, 0 if holes == 0 else 40, holes=holes)
    points, scales = instances.points(), np.ones(len(instances.columns))
    found = set()
    for level in levels():
        kernel = at_level("neighbours", level)
        near = np.zeros((-(-150 // kernel.NEAR_ROWS), len(instances.columns)))
        how = instances.labels, 2, instances.columns, scales, points
        kernel.add_near(0, len(near), *how, near)
        nearest = weigh(instances, instances.sketch(), kernel=kernel)
        found.add((near.tobytes(), nearest.tobytes()))
    assert len(found) == 1
