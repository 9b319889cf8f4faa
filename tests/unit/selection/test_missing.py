"""Missing values: a value of their own, ignored, or an error."""

import numpy as np
import pandas as pd
import pytest

from deacs import DEACS, MIM, encode
from deacs.exceptions import InputError
from deacs.information import mutual_information


@pytest.fixture(scope="module")
def table():
    """`absent` tells the class only by being missing, `present` only by its value."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    absent = np.where((y == 1) & (rng.random(400) < 0.8), None, rng.choice(["u", "v"], 400))
    present = np.where(rng.random(400) < 0.5, None, np.where(y == 1, "high", "low"))
    return pd.DataFrame({"absent": absent, "present": present}), y


def test_missing_is_a_value_of_its_own_by_default(table):
    X, y = table
    selector = MIM().fit(X, y)
    scores = dict(zip(selector.selected_names_, selector.scores_, strict=True))
    for name in X:
        assert scores[name] == pytest.approx(mutual_information(X[name].to_numpy(), y), abs=1e-9)


def test_ignored_values_leave_the_estimate_to_the_complete_rows(table):
    X, y = table
    selector = MIM(missing="ignore").fit(X, y)
    scores = dict(zip(selector.selected_names_, selector.scores_, strict=True))
    assert selector.selected_names_ == ["present", "absent"]
    for name in X:
        rows = X[name].notna().to_numpy()
        complete = mutual_information(X[name][rows].to_numpy(), y[rows])
        assert scores[name] == pytest.approx(complete, abs=1e-9)


def test_the_joint_conditioning_sees_rows_in_which_all_of_it_is_present(table):
    X, y = table
    selector = DEACS.published(missing="ignore").fit(X, y)
    # `present` settles the class of every row that it is present in.
    assert selector.selected_names_ == ["present"]
    assert selector.residual_[-1].tolist() == [0.0, 0.0]
    assert sorted(DEACS.published().fit(X, y).selected_names_) == ["absent", "present"]


def test_missing_values_can_be_refused(table):
    X, y = table
    count = int(X["absent"].isna().sum())
    with pytest.raises(InputError, match=f"column 'absent' has {count}"):
        DEACS.published(missing="error").fit(X, y)
    with pytest.raises(InputError, match="missing must be one of"):
        encode(X, y, missing="drop")
