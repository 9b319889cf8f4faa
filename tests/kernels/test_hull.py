import numpy as np

from deacs.kernels.hull import _chain


def corners(points):
    points = np.array(points, dtype=float)
    chain = np.empty(len(points), dtype=np.int64)
    return chain[: _chain(points, 0, len(points) - 1, 0, chain)].tolist()


def test_a_chain_keeps_the_points_that_stand_out():
    assert corners([[4, 0], [4, 1], [2, 1], [3, 3], [1, 4], [0, 4]]) == [0, 1, 3, 4, 5]


def test_points_on_a_link_and_equal_points_are_no_corners_of_their_own():
    assert corners([[4, 0], [4, 1], [3, 2], [2, 3], [2, 3], [0, 3]]) == [0, 1, 4, 5]


def test_points_on_an_axis_are_behind_the_specialists():
    assert corners([[4, 0], [2, 0], [3, 3], [0, 1], [0, 3]]) == [0, 2, 4]


def test_a_ray_with_several_points_in_any_order_has_one_corner():
    """The products round: 1/3 and 2/3 are no multiples of each other's slopes."""
    assert corners([[1.5, 0], [1.5, 1], [0.5, 1 / 3], [1, 2 / 3], [0, 1]]) == [0, 1, 4]
    assert corners([[1.5, 0], [0.5, 1 / 3], [1.5, 1], [1, 2 / 3], [0, 1]]) == [0, 2, 4]
