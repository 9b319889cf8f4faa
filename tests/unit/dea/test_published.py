"""Scores and slacks that others published or computed, each with its source in tests/golden."""

import json
from pathlib import Path

import numpy as np

from deacs import dea
from tests.each import each

GOLDEN = sorted(Path(__file__).parents[2].glob("golden/dea-*.json"))


def cases():
    for path in GOLDEN:
        golden = json.loads(path.read_text())
        for case in golden["cases"]:
            yield case, golden["tables"][case["table"]]


@each("case, table", cases())
def test_scores_and_slacks_are_those_that_were_published(case, table):
    options = dict(case["options"])
    if "undesirable" in table:
        options["undesirable"] = np.array(table["undesirable"], dtype=float)
    inputs, outputs = np.array(table["inputs"], float), np.array(table["outputs"], float)
    result = getattr(dea, case["model"])(inputs, outputs, **options)
    tolerance = case.get("tolerance", 1e-8)
    for key, ours in (
        ("scores", lambda: result.scores),
        ("factors", lambda: 1 / result.scores),
        ("losses", lambda: 1 - result.scores),
        ("input_slacks", lambda: result.input_slacks),
        ("output_slacks", lambda: result.output_slacks),
        ("undesirable_slacks", lambda: result.undesirable_slacks),
    ):
        if key in case:
            beyond = 0.0 if key == "factors" else np.inf
            expected = np.array([beyond if value is None else value for value in case[key]])
            np.testing.assert_allclose(ours(), expected, tolerance, tolerance, err_msg=key)
    assert "uncertain" not in result.status
