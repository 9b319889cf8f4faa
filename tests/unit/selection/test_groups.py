"""Columns that belong together are selected, or left, as one."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from deacs import DEACS, JMI, CodedData, encode
from deacs.exceptions import InputError
from deacs.information import mutual_information
from deacs.selection.groups import grouped


@pytest.fixture(scope="module")
def one_hot():
    """Colour as three columns, of which no single one tells as much as the three together."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    colour = np.where(rng.random(300) < 0.15, rng.integers(0, 3, 300), y)
    X = pd.get_dummies(pd.Series(colour).map({0: "red", 1: "green", 2: "blue"}))
    X["size"] = np.where(rng.random(300) < 0.3, rng.integers(0, 3, 300), y)
    X["noise"] = rng.integers(0, 3, 300)
    return X, y


COLOUR = ["red", "green", "blue"]


@pytest.mark.parametrize("selector", [DEACS, JMI])
def test_a_group_comes_as_one_with_the_score_of_its_joint_value(selector, one_hot):
    X, y = one_hot
    fitted = selector(1, groups={"colour": COLOUR}).fit(X, y)
    # The columns of a group stand in the order in which the group names them.
    assert fitted.selected_names_ == COLOUR
    assert [group.tolist() for group in fitted.groups_] == [[X.columns.get_loc(c) for c in COLOUR]]
    assert len(set(fitted.scores_)) == 1
    joint = mutual_information(X[COLOUR].idxmax(axis=1), y)
    assert JMI(1, groups=[COLOUR]).fit(X, y).scores_[0] == pytest.approx(joint, abs=1e-9)
    assert fitted.transform(X).shape == (300, 3)


def test_without_groups_the_best_single_column_leads(one_hot):
    assert JMI(1).fit(*one_hot).selected_names_ == ["size"]


def test_a_group_with_too_many_joint_values_is_scored_by_its_best_member():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    codes = rng.integers(0, 30, (2000, 3))
    codes[:, 1] = np.where(rng.random(2000) < 0.7, y, codes[:, 1])
    data = CodedData.from_codes(codes, y)
    grouping, merged = grouped(data, [[0, 1, 2]])
    assert grouping.members == ((0, 1, 2),)
    np.testing.assert_array_equal(merged.column(0), data.column(1))
    fitted = JMI(1, groups=[[0, 1, 2]]).fit(data)
    assert fitted.ranking_.tolist() == [0, 1, 2]
    assert fitted.scores_[0] == pytest.approx(mutual_information(codes[:, 1], y), abs=1e-9)


@pytest.mark.parametrize(("n_values", "is_joint"), [(256, True), (257, False)])
def test_a_byte_of_joint_values_is_scored_jointly(n_values, is_joint):
    value = np.arange(2 * n_values) % n_values
    data = CodedData.from_codes(np.column_stack([value // 16, value % 16]), value % 2)
    _, merged = grouped(data, [[0, 1]])
    np.testing.assert_array_equal(merged.column(0), value if is_joint else data.column(1))


@pytest.mark.parametrize(("n_values", "is_joint"), [(255, True), (256, False)])
def test_what_is_missing_takes_a_value_of_that_byte(n_values, is_joint):
    value = np.arange(2 * n_values) % n_values
    X = pd.DataFrame({"high": value // 16, "low": (value % 16).astype(float)})
    X.loc[len(X)] = [0, np.nan]
    y = [*(value % 2), 0]
    data = encode(X, y, missing="ignore", discrete_features=True)
    _, merged = grouped(data, [["high", "low"]])
    assert merged.n_values[0] == (n_values + 1 if is_joint else 17)


def test_including_a_column_includes_its_group(one_hot):
    fitted = DEACS.published(2, groups=[COLOUR], include=["green"]).fit(*one_hot)
    assert set(fitted.selected_names_[:3]) == set(COLOUR)
    assert len(fitted.ranking_) == 4


def test_truncating_keeps_groups_whole(one_hot):
    fitted = DEACS.published(2, groups=[COLOUR], include=["green"], store_candidates=True).fit(
        *one_hot
    )
    shorter = fitted.truncate(3)
    assert shorter.label_scores_.shape == (3, 3)
    assert shorter.residual_.shape == (4, 3)
    assert len(shorter.groups_) == len(shorter.candidates_) == 1
    assert shorter.n_features_to_select == 1  # groups
    assert shorter.fit(*one_hot).ranking_.tolist() == fitted.ranking_[:3].tolist()
    with pytest.raises(InputError, match=r"must be one of \[3, 4\], got 2"):
        fitted.truncate(2)


def test_joint_values_are_described_by_their_members(one_hot):
    X, y = one_hot
    _, merged = grouped(encode(X, y), {"colour": ["red", "blue"]})
    described = {merged.features[0].describe(c) for c in range(merged.features[0].n_values)}
    assert "red=False, blue=True" in described or "red=0, blue=1" in described
    assert merged.feature_names[0] == "colour"


def test_a_joint_value_that_lacks_a_member_is_missing_when_missing_is_ignored():
    X = pd.DataFrame({"a": ["u", "v", None, "u", "v", "u"], "b": ["x", None, "x", "y", "y", "x"]})
    y = [0, 1, 0, 1, 1, 0]
    _, merged = grouped(encode(X, y, missing="ignore"), [["a", "b"]])
    ignored = merged.ignored(0)
    assert (merged.column(0) == ignored).tolist() == [False, True, True, False, False, False]
    _, merged = grouped(encode(X, y), [["a", "b"]])
    assert merged.ignored(0) == -1
    assert merged.n_values[0] == 5


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["red", "blu"]], "did you mean 'blue'"),
        ([["red"], ["red", "blue"]], "must not share columns, got 'red'"),
        (["red"], "must be lists of columns"),
        ([[]], "must not be empty"),
        ({"green": ["red", "blue"]}, "names of their own, got 'green', which is a column outside"),
    ],
)
def test_unusable_groups_are_named(groups, message, one_hot):
    with pytest.raises(InputError, match=message):
        DEACS.published(groups=groups).fit(*one_hot)


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_a_group_of_one_column_changes_nothing(missing):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    X = pd.DataFrame(rng.normal(size=(200, 6)) + y[:, None] * rng.random(6), columns=list("abcdef"))
    X.iloc[::7, 2] = np.nan
    X["g"] = pd.Categorical(np.array(["x", "y", "z"])[rng.integers(0, 3, 200)])
    alone = DEACS(4, missing=missing).fit(X, y)
    as_group = DEACS(4, missing=missing, groups={"one": ["c"]}).fit(X, y)
    assert as_group.selected_names_ == alone.selected_names_
    np.testing.assert_array_equal(as_group.scores_, alone.scores_)
    np.testing.assert_array_equal(as_group.views_, alone.views_)
    np.testing.assert_array_equal(as_group.unexplained_, alone.unexplained_)
    # Beside a group of several, too, a column has its own ranks.
    data = encode(X, y, order=True, missing=missing)
    _, units = grouped(data, [["a", "b"]])
    place = units.order.features.tolist().index(units.feature_names.index("c"))
    np.testing.assert_array_equal(units.order.scores[place], data.order.scores[2])
    assert units.feature_names.index("g") not in units.order.features


def test_a_label_for_every_row_is_refused_without_the_labels():
    X, y = load_wine(return_X_y=True)
    rows = np.arange(len(y)) % 7
    with pytest.raises(ValueError, match=r"Got ndarray of shape \(178,\) instead"):
        DEACS(2, groups=rows).fit(X, y)
    with pytest.raises(InputError, match="must be lists of columns, got 0 for 'group 0'"):
        DEACS(2, groups=rows.tolist()).fit(X, y)
