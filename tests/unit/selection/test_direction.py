"""Directions: high or low, a range or both ends, categories; by definition and by hand."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.datasets import load_wine
from sklearn.metrics import roc_auc_score

from deacs import DEACS, encode
from deacs.selection.direction import _stratified_z, directions
from tests.real_data import suite_table

TABLES = [
    *("dhfr", "ionosphere", "sonar", "segment", "segment0", "texture", "spambase", "penbased"),
    *("optdigits", "twonorm", "ItalyPowerDemand", "ArrowHead", "SpectEW", "Zoo", "zoo-3", "crx"),
    *("kddcup-buffer_overflow_vs_back", "dermatology-6", "Lymphography", "madelon"),
]


def of(values, y, given=(), **how):
    columns = values if isinstance(values, dict) else {"x": values}
    data = encode(pl.DataFrame(columns), y, order=True, **how)
    return directions(data, 0, given)


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(1, 3)), min_size=2),
)
def test_the_area_is_that_of_scikit_learn(rows):
    values, is_yes, weights = map(np.array, zip(*rows, *rows, strict=True))
    if len(set(is_yes.tolist())) == 2:
        data = encode(pl.DataFrame({"x": values}), is_yes, sample_weight=weights)
        found, values = directions(data, 0)[1].area, data.column(0)
        assert found == pytest.approx(roc_auc_score(is_yes, values, sample_weight=weights))


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 2)), min_size=9, max_size=60
    ),
)
def test_z_given_others_is_van_elterens_by_its_definition(rows):
    values, strata, y = map(np.array, zip(*rows, *rows, strict=True))
    assume(len(set(y.tolist())) > 1)
    data = encode(pl.DataFrame({"x": values}), y)
    found = _stratified_z(values, data.labels, strata, data)
    for i, name in enumerate(data.classes):
        total = variance = 0.0
        for h in np.unique(strata):
            ranks, yes = rankdata(values[strata == h]), y[strata == h] == name
            n, m = len(yes), yes.sum()
            total += (ranks[yes].sum() - m * (n + 1) / 2) / (n + 1)
            if n > 1:
                variance += m * (n - m) / (n - 1) * ranks.var() / (n + 1) ** 2
        expected = total / variance**0.5 if variance > 1e-12 else 0.0
        assert found[i] == pytest.approx(expected, abs=1e-9)


@pytest.mark.real_data
def test_on_monotone_columns_of_real_tables_the_direction_is_the_side_of_the_area():
    """A column is monotone for a class if the share of the class rises or falls over its codes."""
    n_monotone = 0
    for name in TABLES:
        X, y = suite_table(name)
        data = encode(X, y)
        for j, coding in enumerate(data.features):
            if coding.kind == "discrete" or coding.n_values < 3 or coding.has_missing:
                continue
            counts = np.zeros((coding.n_values, data.n_classes))
            np.add.at(counts, (data.column(j), data.labels), 1)
            steps = np.diff(counts / counts.sum(axis=1, keepdims=True), axis=0)
            for i, found in enumerate(directions(data, j)):
                rises, falls = (steps[:, i] > 0).all(), (steps[:, i] < 0).all()
                if rises or falls:
                    n_monotone += 1
                    area = roc_auc_score(data.labels == i, X[:, j])
                    assert found.shape == ("high" if area > 0.5 else "low")
                    assert found.shape == ("high" if rises else "low")
    assert n_monotone > 150


def test_the_growers_of_wine_by_hand():
    X, y = load_wine(return_X_y=True, as_frame=True)
    data = encode(X, y, order=True)
    flavanoids = X["flavanoids"].to_numpy()
    found = directions(data, X.columns.get_loc("flavanoids"))
    assert [direction.shape for direction in found] == ["high", "between", "low"]
    assert found[0].values == "> 2.31"
    assert found[0].share == (flavanoids[y == 0] > 2.31).mean()
    assert found[0].share_of_others == (flavanoids[y != 0] > 2.31).mean()
    assert str(found[2]) == "low: <= 1.575 (100% of its rows, 11% of the others)"


def test_a_class_in_the_middle_leaves_both_ends_to_the_other():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    middle, ends = of(np.where(y == 0, 0.3, 3.0) * rng.normal(size=600), y)
    assert (middle.shape, ends.shape) == ("between", "both ends")
    low, high = map(float, middle.values.split(" to "))
    assert -2 < low < 0 < high < 2
    assert ends.values == f"below {low:.5g} or above {high:.5g}"


def test_categories_that_are_more_frequent_with_the_class_are_named():
    y = np.repeat(["edible", "poisonous"], 50)
    odor = ["none"] * 40 + ["almond"] * 10 + ["foul"] * 49 + ["none"]
    edible, poisonous = of(odor, y)
    assert (poisonous.shape, poisonous.values) == ("values", "foul")
    assert (poisonous.share, poisonous.share_of_others) == (0.98, 0.0)
    assert edible.values == "none, almond"


def test_missing_values_that_give_the_class_away_are_its_values():
    y = np.repeat([0, 1], 40)
    values = [None if k < 30 else float(k * 7 % 11) for k in range(80)]
    first, _ = of(values, y)
    assert (first.shape, first.values, first.share) == ("values", "missing", 0.75)


def test_a_direction_that_turns_given_another_feature_says_so():
    """Within each hospital high values speak for the class, over both of them low ones do."""
    rng = np.random.default_rng(1)
    hospital = np.repeat([0, 1], 400)
    y = (rng.random(800) < np.where(hospital, 0.8, 0.2)).astype(int)
    dose = 1.0 * y - 4.0 * hospital + rng.normal(size=800)
    columns = {"dose": dose, "hospital": hospital.astype(bool)}
    assert of(columns, y)[1].shape == "low"
    assert not of(columns, y)[1].turns
    assert of(columns, y, given=[1])[1].turns
    assert "the opposite, given the features before" in str(of(columns, y, given=[1])[1])


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(2)
    x, y, weights = rng.normal(size=90), rng.integers(0, 3, 90), rng.integers(1, 4, 90)
    x += y
    once = of(x, y, sample_weight=weights)
    repeated = of(x.repeat(weights), y.repeat(weights))
    for one, other in zip(once, repeated, strict=True):
        assert (one.shape, one.values, one.share) == (other.shape, other.values, other.share)
        assert one.area == pytest.approx(other.area)


def test_the_order_of_values_decides_and_not_their_scale():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    x = rng.normal(size=200) + y
    for one, other, mirrored in zip(of(x, y), of(np.exp(x), y), of(-x, y), strict=True):
        assert one.shape == other.shape != mirrored.shape
        assert one.area == other.area == pytest.approx(1 - mirrored.area)


def test_a_result_has_the_directions_of_its_features_also_after_pickling():
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS(3).fit(X, y)
    result, data = selector.result_, encode(X, y)
    ranking = selector.ranking_.tolist()
    for place, feature in enumerate(ranking):
        assert result.directions[place] == directions(data, feature, ranking[:place])
    kept = pickle.loads(pickle.dumps(selector)).result_
    assert kept.directions == result.directions
    assert kept.first(1).directions == result.directions[:1]
    assert pickle.loads(pickle.dumps(DEACS(1).fit(X, y))).result_.directions == ()


def test_of_two_classes_the_second_is_the_one_that_values_speak_for():
    """Both have the same bits up to rounding, and the name, the arrow and the values are one's."""
    rng = np.random.default_rng(4)
    y = np.array(["no", "yes"])[rng.integers(0, 2, 300)]
    X = pl.DataFrame({"up": rng.normal(size=300) + (y == "yes"), "down": -1.5 * (y == "yes")})
    X = X.with_columns(pl.col("down") + rng.normal(size=300))
    result = DEACS(2).fit(X, y).result_
    for step, name in enumerate(result.selected_names):
        [(about, sign, _), *_] = result.most_informed(result.label_scores[step], step)
        assert (about, sign) == ("yes", "↑" if name == "up" else "↓")


def test_groups_have_no_direction():
    X, y = load_wine(return_X_y=True, as_frame=True)
    result = DEACS(1, groups={"acid": X.columns[[0, 1]]}, include=["alcohol"]).fit(X, y).result_
    assert result.directions == ((),)
    assert result.direction(0, 0).symbol == ""
