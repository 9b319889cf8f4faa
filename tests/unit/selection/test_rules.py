"""Rules: written and read, columns kept, new rows compared with the fitted ones."""

import json
import pickle
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from deacs import DEACS, MRMR, ReliefF, encode
from deacs.exceptions import InputError
from deacs.selection.rules import Rules
from deacs.selection.two_samples import all_new, g_test, holm

CLASSES = np.array(["x", "y", "z"])


def sample(rng, n):
    y = rng.integers(0, 3, n)
    table = pl.DataFrame(
        {
            "size": rng.normal(size=n) + y,
            "age": rng.exponential(size=n) * (1 + y),
            "colour": np.where(
                rng.random(n) < 0.6, np.array(["u", "v", "w"])[y], rng.choice(["u", "v", "w"], n)
            ),
            "dose": pl.Series(
                [
                    None if r < 0.1 else float(v)
                    for r, v in zip(rng.random(n), rng.normal(size=n) + (y == 1), strict=True)
                ]
            ),
            "count": rng.integers(0, 6, n) + y,
        }
    )
    return table, CLASSES[y]


def rules_of(X, y):
    selector = DEACS(5).fit(X, y)
    return Rules.of(encode(X, y, order=True), selector.ranking_.tolist(), X)


def shifted(X, y, rng):
    return X.with_columns(pl.col("size") + 0.5), y


def scaled(X, y, rng):
    return X.with_columns(pl.col("age") * 1.7), y


def with_a_new_colour(X, y, rng):
    is_new = rng.random(len(y)) < 0.04
    return X.with_columns(colour=pl.Series(np.where(is_new, "new", X["colour"].to_numpy()))), y


def with_gaps(X, y, rng):
    is_gone = pl.Series(rng.random(len(y)) < 0.25)
    return X.with_columns(dose=pl.when(is_gone).then(None).otherwise(pl.col("dose"))), y


def with_fewer_of_a_class(X, y, rng):
    kept = (y != "x") | (rng.random(len(y)) < 0.45)
    return X.filter(pl.Series(kept)), y[kept]


DRIFTS = [shifted, scaled, with_a_new_colour, with_gaps, with_fewer_of_a_class]


def test_drifts_are_found_and_rows_like_the_fitted_ones_raise_no_alarm():
    """Of 40 tables at most 5 alarms: more have a chance of 1 in 100 at 5 %."""
    rng = np.random.default_rng(0)
    alarms = found = 0
    for table in range(40):
        rules = rules_of(*sample(rng, 800))
        X, y = sample(rng, 400)
        alarms += rules.check(X, y).has_changed
        found += rules.check(*DRIFTS[table % 5](X, y, rng)).has_changed
    assert alarms <= 5
    assert found >= 36


def test_reasons_name_what_has_changed():
    rng = np.random.default_rng(1)
    rules = rules_of(*sample(rng, 800))
    X, y = sample(rng, 400)

    def changes(drift):
        found = rules.check(*drift(X, y, rng))
        return {change.name: change for change in found.changes if change.reasons}

    assert "distribution" in changes(shifted)["size"].reasons[0]
    assert any("new values in" in reason for reason in changes(with_a_new_colour)["colour"].reasons)
    assert any("% missing, before" in reason for reason in changes(with_gaps)["dose"].reasons)
    assert changes(with_fewer_of_a_class)["target"].reasons == ("other shares of the classes",)
    turned = rules.check(X, np.roll(CLASSES, 1)[np.searchsorted(CLASSES, y)])
    colour = next(change for change in turned.changes if change.name == "colour")
    assert any("says something else about" in reason for reason in colour.reasons)
    noise = rules.check(X, rng.permutation(y))
    lost = next(change for change in noise.changes if change.name == "colour").bits_lost
    assert all(bits > 0.05 for bits in lost.values())
    assert str(noise).startswith("400 rows: ")
    frame = noise.to_frame("polars")
    assert frame["feature"].to_list() == [*rules.selected_names, "target"]
    assert json.loads(json.dumps(noise.to_dict()))["has_changed"] is True


@given(n=st.integers(1, 6), n_before=st.integers(1, 6), k=st.integers(0, 8))
def test_the_chance_that_all_of_some_rows_are_new(n, n_before, k):
    k = min(k, n + n_before)
    chosen = list(combinations(range(n + n_before), n))  # which rows are the new ones
    expected = np.mean([set(range(k)) <= set(new) for new in chosen])
    assert all_new(k, n, n_before) == pytest.approx(expected)


@given(cells=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=2, max_size=6))
def test_g_is_that_of_scipy_with_williams_correction(cells):
    table = np.array(cells, dtype=float).T
    g, _, df, expected = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    n = table.sum()
    rows, columns = n / table.sum(axis=1), n / table.sum(axis=0)
    q = 1 + (rows.sum() - 1) * (columns.sum() - 1) / (6 * n * df)
    assert expected.shape == table.shape
    assert g_test(table) == pytest.approx(chi2.sf(g / q, df))


@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_by_its_definition(p):
    p = np.array(p)
    ordered = np.sort(p)
    for value, found in zip(p, holm(p), strict=True):
        place = int(np.searchsorted(ordered, value, side="right"))
        steps = [(len(p) - i) * ordered[i] for i in range(place)]
        assert found == pytest.approx(min(1.0, max(steps)))


def test_rules_are_read_as_they_were_written(tmp_path):
    rng = np.random.default_rng(2)
    X, y = sample(rng, 300)
    rules = rules_of(X, y)
    file = rules.save(tmp_path / "rules.json")
    assert Rules.load(file) == rules
    assert [path.name for path in tmp_path.iterdir()] == ["rules.json"]
    text = json.loads(file.read_text())
    size = next(feature for feature in text["features"] if feature["name"] == "size")
    assert size["cuts"] == sorted(size["cuts"])
    assert sum(size["rows"]) == 300
    assert np.sum(size["rows_of"], axis=0).tolist() == size["rows"]
    assert size["directions"][0].startswith("low: <= ")


@pytest.mark.parametrize("content", ["{}", "[]", "no json", '{"format": "other"}'])
def test_another_file_is_refused(tmp_path, content):
    file = tmp_path / "other.json"
    file.write_text(content)
    with pytest.raises(InputError, match=r"other\.json must hold the rules of a selection"):
        Rules.load(file)


def test_columns_are_kept_by_name_or_place():
    rng = np.random.default_rng(3)
    X, y = sample(rng, 300)
    rules = rules_of(X, y)
    kept = rules.transform(X)
    assert set(kept.columns) == set(rules.selected_names)
    assert rules.transform(kept).equals(kept)
    with pytest.raises(InputError, match="must have the selected columns, got none named"):
        rules.check(X.drop(rules.selected_names[0]))
    numbers = rng.normal(size=(200, 4))
    classes = (numbers[:, 1] > 0).astype(int)
    places = Rules.of(encode(numbers, classes, order=True), [1], numbers)
    assert places.transform(numbers).tolist() == numbers[:, [1]].tolist()
    assert not places.check(numbers, classes).has_changed
    with pytest.raises(InputError, match="X must have 4 columns"):
        places.transform(numbers[:, :2])


def test_a_selector_saves_and_checks_also_after_pickling(tmp_path):
    rng = np.random.default_rng(5)
    X, y = sample(rng, 400)
    new, new_y = shifted(*sample(rng, 400), rng)
    selector = DEACS(3).fit(X, y)
    found = selector.check(new, new_y)
    assert found.has_changed
    assert Rules.load(selector.save(tmp_path / "r.json")).check(new, new_y) == found
    assert pickle.loads(pickle.dumps(selector)).check(new, new_y) == found
    with pytest.raises(InputError, match="fitted rows"):
        pickle.loads(pickle.dumps(DEACS(3).fit(X, y))).check(new)


def test_other_selectors_have_rules_too():
    X, y = sample(np.random.default_rng(6), 300)
    for selector in (MRMR(2), ReliefF(2)):
        found = selector.fit(X, y).check(X, y)
        assert [change.name for change in found.changes[:-1]] == selector.selected_names_
        assert not found.has_changed


def test_labels_and_numbers_are_targets_too():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 3))
    Y = (X[:, :2] + rng.normal(size=(500, 2)) > 0).astype(int)
    labels = Rules.of(encode(X, Y, order=True), [0, 1], X)
    assert not labels.check(X, Y).has_changed
    assert labels.check(X, 1 - Y).has_changed
    number = X[:, 0] + rng.normal(size=500)
    thresholds = Rules.of(encode(X, number, order=True), [0], X)
    assert thresholds.rows_of_outputs == [(number <= q).sum() for q in thresholds.outputs]
    assert not thresholds.check(X, number).has_changed
    assert thresholds.check(X, -number).has_changed
