"""The panels of a step: the frontiers in them, who is taken out, what the sum picks."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

matplotlib = pytest.importorskip("matplotlib", reason="needs deacs[report]")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402
from reproduction.frontier_panels import FrontierPanelsDisplay  # noqa: E402

from deacs import DEACS, encode  # noqa: E402
from deacs.dea import super_efficiency  # noqa: E402
from deacs.exceptions import InputError  # noqa: E402
from deacs.report.races import outline  # noqa: E402
from deacs.selection import CandidateTable  # noqa: E402

TRIANGLE = np.array([[4.0, 1.0], [3.0, 3.0], [1.0, 4.0], [1.0, 1.0]])


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def wine():
    bunch = load_wine(as_frame=True)
    return encode(bunch.data, bunch.target_names[bunch.target])


def display(points, winner=1):
    points = np.asarray(points, dtype=float)
    table = CandidateTable(np.arange(len(points)), points, points.sum(axis=1))
    names = [f"f{j}" for j in range(len(points))]
    return FrontierPanelsDisplay(table, winner, [0, 1], names, ["a", "b"]).plot()


def test_there_is_a_panel_for_the_frontier_each_efficient_feature_and_the_sum():
    drawn = display(TRIANGLE)
    assert drawn.efficient.tolist() == [2, 1, 0]  # from left to right
    assert len(drawn.axes_) == 5
    titles = [ax.get_title(loc="left") for ax in drawn.axes_]
    # Without (3, 3) the others reach (2.5, 2.5): 1.2. Without (4, 1) they reach (3, 0.75).
    assert titles == [
        "(a) step 1: 4 candidates",
        "(b) without f2: θ = 1.333",
        "(c) without f1: θ = 1.200, selected",
        "(d) without f0: θ = 1.333",
        "(e) plain sum: f1, too",
    ]


def test_every_new_frontier_is_that_of_the_others():
    drawn = display(TRIANGLE)
    first, *others = (line.get_xydata() for line in drawn.frontiers_)
    np.testing.assert_array_equal(first, outline(TRIANGLE))
    for p, frontier, removed in zip(drawn.efficient, others, drawn.removed_, strict=True):
        np.testing.assert_array_equal(frontier, outline(np.delete(TRIANGLE, p, axis=0)))
        np.testing.assert_array_equal(removed.get_offsets()[0], TRIANGLE[p])


def test_scores_are_super_efficiencies_of_the_two_outputs(wine):
    drawn = FrontierPanelsDisplay.from_data(wine, step=2)
    expected = super_efficiency(None, drawn.points).scores[drawn.efficient]
    np.testing.assert_allclose(drawn.scores, expected)


def test_a_feature_that_nobody_else_rivals_is_infinite():
    drawn = display([[2.0, 1.0], [1.0, 0.0]], winner=0)
    assert drawn.axes_[1].get_title(loc="left") == "(b) without f0: θ = ∞, selected"


def test_the_sum_picks_the_largest_sum_and_its_line_touches_it():
    drawn = display([[5.0, 1.0], [3.0, 2.5], [0.0, 4.0]], winner=2)
    assert drawn.sum_pick == 0
    np.testing.assert_array_equal(drawn.summed_.get_offsets()[0], [5.0, 1.0])
    np.testing.assert_array_equal(drawn.winner_.get_offsets()[0], [0.0, 4.0])
    line = next(line for line in drawn.axes_[-1].get_lines() if line.get_linestyle() == "--")
    np.testing.assert_array_equal(line.get_xydata(), [[0.0, 6.0], [6.0, 0.0]])
    assert drawn.axes_[-1].get_title(loc="left").endswith("plain sum: f0, not f2")


def test_the_step_of_a_table_is_that_of_dea_cs(wine):
    selector = DEACS.published(n_features_to_select=3, store_candidates=True).fit(wine)
    drawn = FrontierPanelsDisplay.from_data(wine, step=3, labels=["class_2", "class_0"])
    np.testing.assert_array_equal(drawn.points, selector.candidates_[2].label_scores[:, [2, 0]])
    assert drawn.feature_names[drawn.winner] == selector.selected_names_[2]
    assert drawn.labels == ["class_2", "class_0"]
    by_sum = selector.candidates_[2].label_scores.sum(axis=1)
    assert by_sum[drawn.sum_pick] == by_sum.max()  # over all three classes


def test_the_step_is_the_first_at_which_the_sum_differs(wine):
    drawn = FrontierPanelsDisplay.from_data(wine)
    assert drawn.sum_pick != drawn.winner
    for step in range(1, drawn.step):
        earlier = FrontierPanelsDisplay.from_data(wine, step=step)
        assert earlier.sum_pick == earlier.winner


def test_two_classes_are_drawn_by_divergences_which_differ():
    data = encode(*load_breast_cancer(return_X_y=True))
    drawn = FrontierPanelsDisplay.from_data(data, step=1)
    assert not np.allclose(drawn.points[:, 0], drawn.points[:, 1])
    assert drawn.what == "divergence (bits) of"
    equal = FrontierPanelsDisplay.from_data(data, step=1, label_score="one-vs-rest")
    np.testing.assert_array_equal(equal.points[:, 0], equal.points[:, 1])
    assert len(equal.efficient) == 1


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"step": 0}, "step must be between 1 and"),
        ({"step": 14}, "step must be between 1 and"),
        ({"step": 1, "labels": ["class_0"]}, "labels must be two of the classes"),
    ],
)
def test_what_cannot_be_drawn_is_said(wine, how, words):
    with pytest.raises(InputError, match=words):
        FrontierPanelsDisplay.from_data(wine, **how)
