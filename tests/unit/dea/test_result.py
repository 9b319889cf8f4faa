import copy
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import dea
from deacs.dea import super_efficiency
from deacs.exceptions import InputError


@pytest.fixture
def result():
    """Unit 0 takes 2/3 of unit 1; unit 1 takes 3/2 of unit 0; unit 2 is a sole producer."""
    return super_efficiency(None, [[2, 0], [3, 0], [1, 1]])


@pytest.mark.parametrize(
    ("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame), (None, pd.DataFrame)]
)
def test_a_frame_has_one_readable_row_for_each_unit(result, library, kind):
    frame = result.to_frame(library)
    assert isinstance(frame, kind)
    assert list(frame.columns) == ["unit", "score", "status", "peers"]
    assert list(frame["unit"]) == [0, 1, 2]
    assert list(frame["score"]) == pytest.approx([2 / 3, 3 / 2, float("inf")])
    assert list(frame["status"]) == ["inefficient", "efficient", "infeasible"]
    assert list(frame["peers"]) == ["1 (0.667)", "0 (1.5)", ""]


def test_polars_serves_where_pandas_is_not_installed(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(result.to_frame(), pl.DataFrame)


def test_an_unknown_library_is_refused(result):
    with pytest.raises(InputError, match="library must be 'pandas', 'polars' or None, got 'dask'"):
        result.to_frame("dask")


def test_the_representation_counts_the_statuses(result):
    expected = "<DEAResult super-efficiency: 3 units, 1 efficient, 1 inefficient, 1 infeasible>"
    assert repr(result) == expected
    assert result.n_units == 3


def test_units_can_have_names_and_frames_show_them():
    result = super_efficiency(None, [[2, 0], [3, 0], [1, 1]], names=["a", "b", "c"])
    frame = result.to_frame("polars", details=True)
    assert frame["unit"].to_list() == ["a", "b", "c"]
    assert frame["peers"].to_list() == ["b (0.667)", "a (1.5)", ""]
    assert list(frame.columns[4:]) == [
        "slack of constant",
        "target of constant",
        "slack of output_0",
        "target of output_0",
        "slack of output_1",
        "target of output_1",
    ]
    # Two thirds of b make what a makes; nobody makes what c makes.
    assert frame["target of output_0"].to_list()[:2] == pytest.approx([2.0, 3.0])
    assert frame["target of output_0"].is_nan().to_list() == [False, False, True]


def test_the_ranking_puts_the_best_first_and_ties_in_the_order_of_the_table(result):
    assert result.ranking.tolist() == [2, 1, 0]
    assert super_efficiency(None, [1, 1, 2, 2]).ranking.tolist() == [2, 3, 0, 1]


def test_an_input_and_an_output_of_the_same_name_have_a_slack_and_a_target_each():
    frame = pl.DataFrame({"loans": [1.0, 2.0], "staff": [1.0, 1.0]})
    shown = super_efficiency(frame, frame[["loans"]]).to_frame("polars", details=True)
    assert list(shown.columns[4::2]) == [
        "slack of input loans",
        "slack of staff",
        "slack of output loans",
    ]
    assert shown["target of output loans"].to_list() == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize("model", dea.MODELS.values(), ids=list(dea.MODELS))
@pytest.mark.parametrize("sent", [lambda r: pickle.loads(pickle.dumps(r)), copy.deepcopy])
def test_every_result_can_be_pickled_and_copied(model, sent):
    given = model([[2, 5], [3, 3], [6, 1]], [[1.0], [1.5], [1.0]], names=["a", "b", "c"])
    came = sent(given)
    assert repr(came) == repr(given)
    assert came.names == ("a", "b", "c")
    assert came.to_frame(details=True).equals(given.to_frame(details=True))
    for mine, theirs in zip(given.multipliers, came.multipliers, strict=True):
        np.testing.assert_array_equal(mine, theirs)
