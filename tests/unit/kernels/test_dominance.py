import numpy as np

from deacs.kernels.dominance import maximal_units
from tests.each import each


def split(y):
    order = np.argsort(-y.sum(axis=1), kind="stable")
    core, shadow = np.empty(len(y), dtype=np.int64), np.empty(len(y), dtype=np.int64)
    return core[: maximal_units(y, order, core, shadow)].tolist(), shadow.tolist(), order.tolist()


@each("seed", range(20))
def test_core_and_shadows_equal_the_definition(seed):
    """Whole numbers, so that units are often equal; the first in order then dominates."""
    y = np.random.default_rng(seed).integers(0, 4, (40, 3)).astype(float)
    core, shadow, order = split(y)
    rank = {p: k for k, p in enumerate(order)}

    def dominators(p):
        return [
            j
            for j in range(len(y))
            if (y[j] >= y[p]).all() and ((y[j] > y[p]).any() or rank[j] < rank[p])
        ]

    assert sorted(core) == [p for p in range(len(y)) if not dominators(p)]
    for p in range(len(y)):
        behind = [j for j in dominators(p) if j in core]
        assert shadow[p] == (behind[0] if len(behind) == 1 else -1)


def test_equal_units_leave_the_first_in_the_core():
    core, shadow, _ = split(np.ones((3, 2)))
    assert core == [0]
    assert shadow == [-1, 0, 0]
