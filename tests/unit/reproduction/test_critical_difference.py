"""The critical-difference diagram: ranks, names and bars as they are drawn."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

matplotlib = pytest.importorskip("matplotlib", reason="needs deacs[report]")
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402
from reproduction.critical_difference import CriticalDifferenceDisplay  # noqa: E402
from reproduction.curves import Comparison  # noqa: E402
from reproduction.statistics import nemenyi_distance  # noqa: E402

from deacs.exceptions import InputError  # noqa: E402

# The example of Demšar (2006), section 3.2.2: four algorithms on 14 sets, CD = 1.25 at 0.10.
DEMSAR = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"], [3.143, 2.000, 2.893, 1.964]


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


def drawn(artist):
    return artist.get_xydata().tolist()


def test_every_method_leads_from_its_rank_to_its_name():
    display = CriticalDifferenceDisplay.from_ranks(*DEMSAR, distance=1.25)
    for name, rank, line, text in zip(*DEMSAR, display.lines_, display.texts_, strict=True):
        points = drawn(line)
        assert points[0] == [rank, 0]
        assert points[-1][1] == text.get_position()[1]
        assert sorted(text.get_text().split("  ")) == sorted([name, f"{rank:.2f}"])
    rows = [text.get_position()[1] for text in display.texts_]
    # Two on each side: the best stands above the second, the worst above the third.
    assert rows[3] > rows[1]
    assert rows[0] > rows[2]
    assert [text.get_ha() for text in display.texts_] == ["left", "right", "left", "right"]


def test_bars_join_what_differs_by_less_than_the_distance():
    # 3.143 - 1.964 = 1.179 < 1.25: as Demšar says of 0.05, nothing differs.
    all_joined = CriticalDifferenceDisplay.from_ranks(*DEMSAR, distance=1.25)
    assert [sorted(np.asarray(bar.get_xdata())) for bar in all_joined.bars_] == [[1.964, 3.143]]
    # At 1.0 the two with -m (1.964, 2.000) part from C4.5, the better one also from none other.
    parted = CriticalDifferenceDisplay.from_ranks(*DEMSAR, distance=1.0)
    assert parted.groups == [[3, 1, 2], [2, 0]]
    spans = [bar.get_xdata().tolist() for bar in parted.bars_]
    assert spans == [[1.964, 2.893], [2.893, 3.143]]
    # Bars that meet are on two levels.
    assert len({bar.get_ydata()[0] for bar in parted.bars_}) == 2


def test_exactly_the_distance_is_a_difference():
    display = CriticalDifferenceDisplay.from_ranks(["a", "b"], [1.25, 1.75], distance=0.5)
    assert display.groups == []
    assert display.bars_ == []


def test_the_distance_is_drawn_at_the_scale_of_the_ranks():
    display = CriticalDifferenceDisplay.from_ranks(*DEMSAR, distance=1.25)
    assert display.distance_.get_xdata().tolist() == [1, 2.25]
    said = {text.get_text() for text in display.ax_.texts}
    assert "critical distance 1.25" in said
    wide = CriticalDifferenceDisplay.from_ranks(*DEMSAR, distance=3.5)
    assert wide.distance_.get_xdata().tolist() == [1, 4]
    said = {text.get_text() for text in wide.ax_.texts}
    assert "critical distance 3.50, more than ranks can differ" in said


@given(st.lists(st.integers(4, 28), min_size=2, max_size=7), st.integers(1, 30))
def test_groups_are_the_maximal_sets_without_a_difference(quarters, distance):
    ranks, distance = np.clip(np.array(quarters) / 4, 1, len(quarters)), distance / 4
    display = CriticalDifferenceDisplay(range(len(ranks)), ranks, distance)

    def equal(group):
        return all(abs(ranks[a] - ranks[b]) < distance for a, b in combinations(group, 2))

    subsets = [
        frozenset(s) for n in range(2, len(ranks) + 1) for s in combinations(range(len(ranks)), n)
    ]
    joined = [s for s in subsets if equal(s)]
    longest = {s for s in joined if not any(s < other for other in joined)}
    assert {frozenset(group) for group in display.groups} == longest
    assert len(display.groups) == len(longest)


@pytest.mark.parametrize("k", range(2, 13))
def test_names_do_not_overlap_and_stay_within_the_figure(k):
    names = ["sequential forward selection" if i % 5 == 0 else f"method {i}" for i in range(k)]
    ranks = np.linspace(1, k, k)[::-1]
    display = CriticalDifferenceDisplay.from_ranks(names, ranks, nemenyi_distance(k, 30))
    figure = display.figure_
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in display.ax_.texts]
    for box in boxes:
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y0 >= 0
        assert box.y1 <= figure.bbox.height
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    ticks = [tick.get_window_extent() for tick in display.ax_.get_xticklabels()]
    assert not any(a.overlaps(b) for a, b in pairwise(ticks))
    assert display.ax_.get_xticks().tolist() == list(range(1, k + 1))


def test_bars_on_one_level_do_not_touch():
    ranks = [1, 1.2, 2.0, 2.5, 3.1, 4.5, 4.6, 6.0, 6.5, 9]
    display = CriticalDifferenceDisplay.from_ranks(list("abcdefghij"), ranks, distance=1.1)
    spans = [(bar.get_ydata()[0], *bar.get_xdata()) for bar in display.bars_]
    assert len(spans) >= 4
    for (y, low, high), (other_y, other_low, other_high) in combinations(spans, 2):
        assert y != other_y or high < other_low or other_high < low


def test_a_comparison_is_ranked_over_the_sets_that_every_method_has():
    best = {"s": (91, 80, 70), "t": (60, 70, 60)}
    curves = {
        (name, m): np.array([a, 5.0])
        for name in best
        for m, a in zip("abc", best[name], strict=True)
    }
    curves["u", "a"] = np.array([10.0])
    comparison = Comparison(("s", "t", "u"), ("a", "b", "c"), ("nb",), curves, {}, {})
    display = CriticalDifferenceDisplay.from_comparison(comparison)
    # s: a 1, b 2, c 3; t: b 1, a and c share 2.5; u lacks b and c.
    assert display.ranks.tolist() == [1.75, 1.5, 2.75]
    assert display.names == ["a", "b", "c"]
    # Demšar, table 5: q = 2.343 for three methods at 0.05; sqrt(3 * 4 / (6 * 2)) = 1.
    assert display.distance == pytest.approx(2.343, abs=1e-3)
    looser = CriticalDifferenceDisplay.from_comparison(comparison, alpha=0.10)
    assert looser.distance == pytest.approx(2.052, abs=1e-3)


def test_a_comparison_without_a_complete_set_says_what_to_do():
    empty = Comparison(("s",), ("a", "b"), ("nb",), {}, {}, {})
    with pytest.raises(InputError, match="got 2 methods and 0 such sets; finish the run"):
        CriticalDifferenceDisplay.from_comparison(empty)


def test_it_draws_on_given_axes_and_not_elsewhere():
    figure, (above, below) = plt.subplots(2)
    display = CriticalDifferenceDisplay.from_ranks(*DEMSAR, 1.25, ax=below)
    assert display.ax_ is below
    assert display.figure_ is figure
    assert not above.lines
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize(
    ("names", "ranks", "distance", "said"),
    [
        (["a"], [1], 1, "two or more methods"),
        (["a", "b"], [1, 2, 3], 1, "got 2 names and ranks of shape"),
        (["a", "b"], [0.5, 2], 1, "ranks must be between 1 and 2"),
        (["a", "b"], [1, np.nan], 1, "ranks must be between 1 and 2"),
        (["a", "b"], [1, 2], 0, "distance must be a positive number, got 0"),
        (["a", "b"], [1, 2], np.inf, "distance must be a positive number"),
    ],
)
def test_wrong_numbers_are_errors_that_say_so(names, ranks, distance, said):
    with pytest.raises(InputError, match=said):
        CriticalDifferenceDisplay(names, ranks, distance)
