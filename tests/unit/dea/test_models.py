"""What holds for every model: invariance, threads, names, targets."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import dea
from deacs.dea import solver as solving
from deacs.exceptions import InputError
from tests.each import each

CALLS = {
    "ccr": (dea.ccr, {}),
    "ccr, output": (dea.ccr, {"orientation": "output"}),
    "bcc": (dea.bcc, {}),
    "bcc, output": (dea.bcc, {"orientation": "output"}),
    "bcc, nirs": (dea.bcc, {"returns_to_scale": "nirs"}),
    "super": (dea.super_efficiency, {"slacks": True}),
    "super, vrs": (dea.super_efficiency, {"returns_to_scale": "vrs"}),
    "super, vrs, output": (
        dea.super_efficiency,
        {"returns_to_scale": "vrs", "orientation": "output"},
    ),
    "additive, mip": (dea.additive, {"weights": "mip"}),
    "additive, normalized": (dea.additive, {"weights": "normalized"}),
    "sbm": (dea.sbm, {}),
    "sbm, vrs": (dea.sbm, {"returns_to_scale": "vrs"}),
    "sbm, input": (dea.sbm, {"orientation": "input"}),
    "sbm, output": (dea.sbm, {"orientation": "output"}),
    "super-sbm": (dea.super_sbm, {}),
    "super-sbm, vrs, input": (
        dea.super_sbm,
        {"returns_to_scale": "vrs", "orientation": "input"},
    ),
    "ram": (dea.ram, {}),
    "bam": (dea.bam, {}),
    "bam, crs": (dea.bam, {"returns_to_scale": "crs"}),
    "directional": (dea.directional_distance, {}),
    "cross, benevolent": (dea.cross_efficiency, {}),
}
ALL = {
    **CALLS,
    "additive": (dea.additive, {}),
    "cross, aggressive": (dea.cross_efficiency, {"goal": "aggressive"}),
}


@pytest.fixture(scope="module")
def table():
    """Twenty units, some with zeros, two of them equal, one a sole producer."""
    rng = np.random.default_rng(7)
    x, y = rng.lognormal(sigma=0.6, size=(20, 3)), rng.lognormal(sigma=0.6, size=(20, 3))
    y[3:6, 0] = 0.0
    x[10:14, 1] = 0.0
    x[17], y[17] = x[2], y[2]
    y = np.column_stack([y, np.eye(20)[8]])
    return x, y


@each("name", CALLS)
def test_scores_do_not_depend_on_the_units_of_measurement(name, table):
    model, options = CALLS[name]
    x, y = table
    plain = model(x, y, **options)
    scaled = model(x * [1e9, 1e-9, 3.7], y * [1e-9, 1e9, 0.1, 17.0], **options)
    np.testing.assert_array_equal(np.isinf(scaled.scores), np.isinf(plain.scores))
    finite = np.isfinite(plain.scores)
    np.testing.assert_allclose(scaled.scores[finite], plain.scores[finite], rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(scaled.status, plain.status)
    assert "uncertain" not in plain.status


@each("name", CALLS)
def test_permuted_units_have_permuted_scores(name, table):
    model, options = CALLS[name]
    x, y = table
    order = np.random.default_rng(1).permutation(len(x))
    scores = model(x, y, **options).scores[order]
    again = model(x[order], y[order], **options).scores
    finite = np.isfinite(scores)
    np.testing.assert_array_equal(np.isfinite(again), finite)
    np.testing.assert_allclose(again[finite], scores[finite], rtol=1e-9, atol=1e-9)


@each("name", ALL)
def test_threads_do_not_change_a_bit(name, table, monkeypatch):
    model, options = ALL[name]
    monkeypatch.setattr(solving, "CHUNK", 7)
    one, two = (model(*table, **options, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.scores.tobytes() == two.scores.tobytes()
    assert one.status.tolist() == two.status.tolist()
    for p in range(one.n_units):
        np.testing.assert_array_equal(one.peers[p], two.peers[p])
        assert one.weights[p].tobytes() == two.weights[p].tobytes()


@each("name", ALL)
def test_targets_are_what_the_peers_do_together(name, table):
    model, options = ALL[name]
    x, y = table
    result = model(x, y, **options)
    assert set(result.status) <= set(dea.STATUSES)
    for p in range(result.n_units):
        if result.status[p] == "infeasible":
            assert np.isinf(result.scores[p])
            assert np.isnan(result.input_targets[p]).all()
            continue
        assert (result.weights[p] > 0).all()
        peers = result.peers[p]
        np.testing.assert_allclose(result.input_targets[p], result.weights[p] @ x[peers])
        np.testing.assert_allclose(result.output_targets[p], result.weights[p] @ y[peers])


@each("name", [name for name in ALL if "super" not in name])
def test_slacks_are_never_negative_and_efficient_units_have_none(name, table):
    model, options = ALL[name]
    result = model(*table, **options)
    slacks = np.hstack([result.input_slacks, result.output_slacks])
    assert (slacks >= 0).all()
    assert not slacks[result.status == "efficient"].any()


@each("frame", [pd.DataFrame, pl.DataFrame])
@each("name", ALL)
def test_frames_keep_the_names_of_their_columns_and_units_theirs(name, frame, table):
    model, options = ALL[name]
    x, y = table
    inputs = frame({"staff": x[:, 0], "floor": x[:, 1], "power": x[:, 2]})
    outputs = frame({f"sales {r}": y[:, r] for r in range(4)})
    names = [f"shop {p}" for p in range(20)]
    result = model(inputs, outputs, names=names, **options)
    assert result.table.input_names == ("staff", "floor", "power")
    assert result.table.output_names == tuple(f"sales {r}" for r in range(4))
    shown = result.to_frame("polars", details=True)
    assert shown["unit"].to_list() == names
    assert "slack of floor" in shown.columns
    assert "target of sales 3" in shown.columns
    np.testing.assert_array_equal(result.scores, model(x, y, **options).scores)


@each("name", ALL)
def test_multipliers_have_a_price_for_each_column(name, table):
    model, options = ALL[name]
    result = model(*table, **options)
    finite = np.isfinite(result.scores)
    assert result.multipliers.inputs.shape == (20, 3)
    assert result.multipliers.outputs.shape == (20, 4)
    assert np.isfinite(result.multipliers.inputs[finite]).all()
    if name != "bam, crs":  # whose bounds on targets have prices, too
        assert (result.multipliers.outputs[finite] >= -1e-9).all()


@each("model", [model for model, _ in ALL.values()])
def test_wrong_words_are_refused_with_what_is_accepted(model):
    accepted = inspect.signature(model).parameters
    for parameter in {"returns_to_scale", "orientation", "goal"} & set(accepted):
        with pytest.raises(InputError, match=f"{parameter} must be one of .* got 'sideways'"):
            model([1, 2], [1, 1], **{parameter: "sideways"})
    with pytest.raises(InputError, match="names must hold one name for each of the 2 units, got 1"):
        model([1, 2], [1, 1], names=["a"])


@each("name", ALL)
def test_a_unit_alone_is_efficient_or_beyond_comparison(name):
    model, options = ALL[name]
    result = model([[2.0, 1.0]], [[3.0]], **options)
    assert result.status.tolist() == ["infeasible" if "super" in name else "efficient"]
