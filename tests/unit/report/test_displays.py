"""What the displays draw: the data in the artists, not that something was drawn."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_wine

matplotlib = pytest.importorskip("matplotlib", reason="needs deacs[report]")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402

from deacs import DEACS, MRMR  # noqa: E402
from deacs.exceptions import InputError  # noqa: E402
from deacs.report import (  # noqa: E402
    AccuracyCurveDisplay,
    FrontierDisplay,
    LabelScoresDisplay,
    ResidualDisplay,
    SelectionPathDisplay,
)
from deacs.report.names import apart  # noqa: E402
from deacs.report.races import outline  # noqa: E402


@pytest.fixture(scope="module")
def selector():
    bunch = load_wine(as_frame=True)
    return DEACS.published(store_candidates=True).fit(bunch.data, bunch.target_names[bunch.target])


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[..., :3]


def test_the_frontier_has_all_candidates_the_winner_and_the_runner_up(selector):
    display = FrontierDisplay.from_estimator(selector, step=2, labels=["class_0", "class_2"])
    table = selector.candidates_[1]
    points = table.label_scores[:, [0, 2]]
    np.testing.assert_array_equal(display.candidates_.get_offsets(), points)
    winner = int(np.flatnonzero(table.features == selector.ranking_[1])[0])
    np.testing.assert_array_equal(display.winner_.get_offsets()[0], points[winner])
    assert display.winner_.get_label() == f"winner: {selector.selected_names_[1]}"
    # Who leads when the winner is gone: the largest super-efficiency among the others.
    assert display.runner_up != winner
    np.testing.assert_array_equal(display.runner_up_.get_offsets()[0], points[display.runner_up])
    assert display.ax_.get_xlabel() == "bits about class_0"
    assert display.ax_.get_ylabel() == "bits about class_2"


def test_both_frontiers_are_drawn(selector):
    display = FrontierDisplay.from_estimator(selector, step=2)
    points = display.candidates_.get_offsets()
    np.testing.assert_array_equal(display.frontier_.get_xydata(), outline(np.asarray(points)))
    others = np.delete(points, display.winner, axis=0)
    without = display.frontier_without_winner_.get_xydata()
    np.testing.assert_array_equal(without, outline(np.asarray(others)))
    assert not np.array_equal(display.frontier_.get_xydata(), without)


def test_a_frontier_needs_stored_candidates():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match=r"fit DEACS\(store_candidates=True\)"):
        FrontierDisplay.from_estimator(DEACS.published(n_features_to_select=2).fit(X, y))


@pytest.mark.parametrize("step", [0, 6, 1.5])
def test_a_frontier_of_no_step_is_an_error(selector, step):
    with pytest.raises(InputError, match="step must be between 1 and 5"):
        FrontierDisplay.from_estimator(selector, step=step)


@pytest.mark.parametrize("labels", [["class_0"], "class_0", ["class_0", "class_9"]])
def test_a_frontier_takes_two_classes(selector, labels):
    with pytest.raises(InputError, match="labels must be two of the classes class_0, class_1"):
        FrontierDisplay.from_estimator(selector, labels=labels)


def test_the_frontier_of_groups_is_drawn_by_group():
    bunch = load_wine(as_frame=True)
    grouped = DEACS.published(groups={"acid": ["malic_acid", "ash"]}, store_candidates=True)
    grouped.fit(bunch.data, bunch.target)
    display = FrontierDisplay.from_estimator(grouped, step=len(grouped.groups_))
    assert len(display.points) == 12 - len(grouped.groups_) + 1
    first = FrontierDisplay.from_estimator(grouped)
    assert "malic_acid and 1 more" in first.feature_names
    assert "ash" not in first.feature_names


def test_the_heat_map_holds_the_bits(selector):
    display = LabelScoresDisplay.from_estimator(selector)
    np.testing.assert_array_equal(display.image_.get_array(), selector.label_scores_)
    numbers = [text.get_text() for text in display.texts_]
    assert numbers == [f"{bits:.2f}" for bits in selector.label_scores_.ravel()]
    names = [tick.get_text() for tick in display.ax_.get_yticklabels()]
    assert names == [f"{r}. {name}" for r, name in enumerate(selector.selected_names_, 1)]


def test_a_heat_map_of_another_shape_is_an_error():
    with pytest.raises(InputError, match=r"got shape \(1, 2\)"):
        LabelScoresDisplay([[1, 2]], ["a"], ["x", "y", "z"])


def test_the_residual_has_a_line_for_each_class(selector):
    display = ResidualDisplay.from_estimator(selector)
    drawn = np.column_stack([line.get_ydata() for line in display.lines_])
    np.testing.assert_array_equal(drawn, selector.residual_)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["class_0", "class_1", "class_2"]


def test_the_residual_of_labels_is_titled_so():
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 2, (80, 3))
    selector = DEACS(2, target="labels").fit(Y + rng.normal(0, 0.5, Y.shape), Y)
    display = ResidualDisplay.from_estimator(selector)
    assert display.ax_.get_legend().get_title().get_text() == "label"


def test_classes_that_are_not_named_are_counted():
    rng = np.random.default_rng(0)
    display = ResidualDisplay(rng.random((4, 26)), [f"_{i}" for i in range(26)]).plot()
    legend = display.ax_.get_legend()
    assert len(display.lines_) == 26
    assert len(legend.get_texts()) == 16
    assert legend.get_title().get_text() == "class (grey: 10 more)"
    least = [line.get_label() != "_other" for line in display.lines_]
    assert display.residual[-1][least].min() >= display.residual[-1][~np.array(least)].max()


def test_infinite_scores_stand_above_the_others():
    display = SelectionPathDisplay([1.5, np.inf, 1.2], ["a", "b", "c"]).plot()
    np.testing.assert_array_equal(display.line_.get_ydata(), [1.5, np.nan, 1.2])
    assert display.infinite_.get_xdata().tolist() == [2]
    assert display.infinite_.get_ydata()[0] > 1.5


def test_the_path_of_any_selector_is_drawn(selector):
    X, y = load_wine(return_X_y=True)
    ranked = MRMR(n_features_to_select=4).fit(X, y)
    display = SelectionPathDisplay.from_estimator(ranked)
    np.testing.assert_array_equal(display.line_.get_ydata(), ranked.scores_)
    assert display.ax_.get_ylabel() == "score"
    by_dea = SelectionPathDisplay.from_estimator(selector)
    assert by_dea.ax_.get_ylabel() == "super-efficiency"


def test_accuracy_bands_are_one_standard_error_wide():
    display = AccuracyCurveDisplay([1, 2], {"ours": [[0.6, 0.8], [0.8, 0.8]]}).plot()
    np.testing.assert_allclose(display.lines_[0].get_ydata(), [0.7, 0.8])
    # The standard error of 0.6 and 0.8 is sqrt(0.02) / sqrt(2) = 0.1.
    heights = display.bands_[0].get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(0.6)
    assert heights.max() == pytest.approx(0.8)


def test_a_fold_that_ended_early_leaves_the_curve_to_the_others():
    nan = np.nan
    folds = [[0.6, 0.8, 0.7, nan], [0.8, 0.8, nan, nan], [0.7, nan, nan, nan]]
    display = AccuracyCurveDisplay([1, 2, 3, 4], {"ours": folds, "one": folds[1]}).plot()
    np.testing.assert_allclose(display.lines_[0].get_ydata(), [0.7, 0.8, 0.7, nan])
    np.testing.assert_allclose(display.lines_[1].get_ydata(), folds[1])
    # The standard error of 0.6, 0.7 and 0.8 is 0.1 / sqrt(3), that of a single fold unknown.
    heights = display.bands_[0].get_paths()[0].vertices[:, 1]
    assert np.nanmin(heights) == pytest.approx(0.7 - 0.1 / np.sqrt(3))


def test_accuracies_of_another_length_are_an_error():
    with pytest.raises(InputError, match="'ours' must have 3 columns"):
        AccuracyCurveDisplay([1, 2, 3], {"ours": [[0.6, 0.8]]})


@pytest.mark.parametrize(
    "display",
    [FrontierDisplay, LabelScoresDisplay, ResidualDisplay, SelectionPathDisplay],
)
def test_displays_draw_on_given_axes_and_not_elsewhere(selector, display):
    figure, ax = plt.subplots()
    drawn = display.from_estimator(selector, ax=ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is figure
    assert plt.get_fignums() == [figure.number]
    assert len(np.unique(pixels(figure).reshape(-1, 3), axis=0)) > 20


@pytest.mark.parametrize("display", [LabelScoresDisplay, ResidualDisplay])
def test_selectors_without_bits_are_told_what_to_use(display):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match="use DEACS"):
        display.from_estimator(MRMR(n_features_to_select=2).fit(X, y))
    with pytest.raises(InputError, match="call its fit"):
        display.from_estimator(DEACS.published())


def test_names_are_text_and_no_formulas():
    names = ["$x^2", "$\\frac", "_hidden", "a" * 10_000]
    display = LabelScoresDisplay(np.eye(4), names, names).plot()
    assert pixels(display.figure_).std() > 0
    longest = max(len(tick.get_text()) for tick in display.ax_.get_yticklabels())
    assert longest < 40


@pytest.mark.parametrize("n_classes", [3, 13, 26])
def test_long_names_that_differ_differ_on_every_display(n_classes):
    rng = np.random.default_rng(0)
    classes = [f"diagnosis number {i} with a long description" for i in range(n_classes)]
    features = [f"measurement {j} of the ventricle in the morning" for j in range(8)]
    displays = (
        LabelScoresDisplay(rng.random((8, n_classes)), features, classes).plot(),
        ResidualDisplay(rng.random((9, n_classes)), classes, features).plot(),
        SelectionPathDisplay(rng.random(8), features).plot(),
        AccuracyCurveDisplay([1, 2], {name: [[0.5, 0.6]] for name in features}).plot(),
    )
    for display in displays:
        ticks = display.ax_.get_xticklabels() + display.ax_.get_yticklabels()
        legend = display.ax_.get_legend()
        shown = [text.get_text() for text in ticks + (legend.get_texts() if legend else [])]
        named = [text for text in shown if "diag" in text or "meas" in text]
        assert len(named) == len(set(named)) > 0
        display.figure_.canvas.draw()  # nothing overflows what constrained layout can hold


def test_names_shown_apart_are_short_and_keep_what_tells_them_apart():
    assert apart(["alpha", "beta"], 10) == ["alpha", "beta"]
    assert apart(["same", "same"], 10) == ["same", "same"]
    long = [f"{'x' * 50}{k}{'y' * 50}" for k in range(3)]
    shown = apart(long, 20)
    assert len(set(shown)) == 3
    assert all(len(text) <= 20 and str(k) in text for k, text in enumerate(shown))
    hidden = ["a" * 30 + "\x00" + "b" * 30, "a" * 30 + "\x01" + "b" * 30]
    assert len(set(apart(hidden, 20))) == 2


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch, selector):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"pip install 'deacs\[report\]'"):
        ResidualDisplay.from_estimator(selector)
