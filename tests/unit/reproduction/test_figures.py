"""The figures of an experiment: the numbers in them, and which files they are."""

import math

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib", reason="needs deacs[report]")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402
from reproduction.curves import Comparison  # noqa: E402
from reproduction.datasets import load_dataset  # noqa: E402
from reproduction.figures import draw_curves, draw_every_set, write_figures  # noqa: E402


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


def comparison(curves):
    sets = tuple(dict.fromkeys(name for name, _ in curves))
    methods = tuple(dict.fromkeys(method for _, method in curves))
    arrays = {where: np.array(curve) for where, curve in curves.items()}
    return Comparison(sets, methods, ("nb",), arrays, {}, {})


TWO = comparison({
    ("s", "a"): [50.0, 70.0], ("s", "b"): [60.0, math.nan, 65.0, 65.0],
    ("t/u", "a"): [80.0], ("t/u", "b"): [90.0, 85.0],
})  # fmt: skip


def test_lines_are_the_curves_each_to_its_end_and_over_what_was_not_scored():
    display = draw_curves(TWO, "s")
    a, b = (line.get_xydata().tolist() for line in display.lines_)
    assert a == [[1, 50.0], [2, 70.0]]
    assert b == [[1, 60.0], [3, 65.0], [4, 65.0]]
    assert display.ax_.get_ylabel() == "average accuracy (%)"


def test_rings_are_around_the_best_points():
    display = draw_curves(TWO, "s")
    rings = [ring.get_offsets()[0].tolist() for ring in display.ax_.collections]
    assert rings == [[2.0, 70.0], [3.0, 65.0]]


def test_curves_that_hardly_differ_lie_in_the_middle_of_two_points_of_accuracy():
    flat = comparison({("s", "a"): [200 / 3, 66.66], ("s", "b"): [200 / 3]})
    display = draw_curves(flat, "s")
    low, high = display.ax_.get_ylim()
    assert high - low == pytest.approx(2.0)
    assert (high + low) / 2 == pytest.approx(200 / 3, abs=0.2)
    for ring in display.ax_.collections:
        assert ring.get_offsets()[0].tolist() == [1.0, 200 / 3]


def test_every_set_has_its_panel_and_all_methods_one_legend():
    figure = draw_every_set(TWO)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["s", "t/u"]
    assert all(ax.get_legend() is None for ax in figure.axes)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]


def test_a_method_without_a_curve_on_a_set_is_left_out_there_alone():
    part = comparison({("s", "a"): [50.0], ("s", "b"): [60.0], ("t", "b"): [70.0]})
    assert [line.get_label() for line in draw_curves(part, "t").lines_] == ["b"]
    figure = draw_every_set(part)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b"]


def test_all_figures_are_written_under_names_that_are_no_paths(tmp_path):
    written = write_figures(tmp_path / "new", TWO, [load_dataset("iris")])
    assert [path.name for path in written] == [
        "curves-s.png", "curves-t_u.png", "curves.png", "critical-difference.png",
        "frontier-iris.png",
    ]  # fmt: skip
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)
    assert plt.get_fignums() == []


def test_sets_whose_names_make_the_same_file_name_do_not_overwrite_each_other(tmp_path):
    pair = comparison({("t u", "a"): [50.0], ("t_u", "a"): [60.0]})
    written = write_figures(tmp_path, pair)
    assert [path.name for path in written] == ["curves-t_u.png", "curves-t_u_.png", "curves.png"]
    assert sorted(written) == sorted(tmp_path.iterdir())


def test_one_set_has_no_critical_difference_and_formats_can_be_chosen(tmp_path):
    one = comparison({("s", "a"): [50.0], ("s", "b"): [60.0]})
    [path] = write_figures(tmp_path, one, format="svg")
    assert path.name == "curves-s.svg"
    assert b"<svg" in path.read_bytes()
