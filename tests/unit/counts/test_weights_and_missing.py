"""Weights are repeated rows, and ignored values take their rows out: exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CodedData
from deacs.coding import stack_blocks
from deacs.counts import Conditioning
from tests import naive
from tests.tables_of_codes import coded_tables

KINDS = ["one-vs-rest", "divergence", "joint"]


def conditioned(columns, y, given, weights=None):
    conditioning = Conditioning(np.array(y, dtype=np.int32), max(y) + 1, weights)
    for j in given:
        conditioning.add(np.array(columns[j], dtype=np.uint8), max(columns[j]) + 1)
    return conditioning


@pytest.mark.parametrize("kind", KINDS)
@given(coded_tables(), st.integers(0, 2**32 - 1))
def test_integer_weights_are_repeated_rows_to_the_last_bit(kind, table, seed):
    columns, y = table
    weights = np.random.default_rng(seed).integers(1, 5, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    data = CodedData.from_codes(np.array(columns).T, y)
    long = CodedData.from_codes(np.array(columns).T[repeated], np.array(y)[repeated])
    features = np.arange(len(columns))
    short = conditioned(columns, y, [], weights)
    twin = conditioned(columns, np.array(y)[repeated].tolist(), [])
    for j in features:
        np.testing.assert_array_equal(
            short.scores(data.blocks, features, kind), twin.scores(long.blocks, features, kind)
        )
        np.testing.assert_array_equal(short.label_entropies(), twin.label_entropies())
        assert short.entropy() == twin.entropy()
        short.add(data.column(j), int(data.n_values[j]))
        twin.add(long.column(j), int(data.n_values[j]))


@given(coded_tables(), st.integers(0, 2**32 - 1))
def test_scores_with_ignored_values_are_those_of_the_complete_rows(table, seed):
    columns, y = table
    rng = np.random.default_rng(seed)
    lacking = [rng.random(len(y)) < 0.3 for _ in columns]
    n_values = [max(x) + 2 for x in columns]
    codes = [
        np.where(gone, n - 1, x) for x, gone, n in zip(columns, lacking, n_values, strict=True)
    ]
    blocks = stack_blocks([c.astype(np.uint8) for c in codes], n_values, np.array(n_values) - 1)
    conditioning = Conditioning(np.array(y, dtype=np.int32), max(y) + 1)
    features, complete = np.arange(len(columns)), np.ones(len(y), dtype=bool)
    for j in features:
        scores = conditioning.scores(blocks, features, "one-vs-rest")
        for f in features:
            rows = np.flatnonzero(complete & ~lacking[f])
            x, c, *known = ([v[r] for r in rows] for v in (columns[f], y, *columns[:j]))
            expected = [
                naive.label_score(x, c, label, known) if len(rows) else 0.0
                for label in range(max(y) + 1)
            ]
            np.testing.assert_allclose(scores[f], expected, rtol=1e-9, atol=1e-12)
            assert ((scores[f] == 0) == (np.array(expected) == 0)).all()
        conditioning.add(codes[j].astype(np.uint8), n_values[j], ignored=n_values[j] - 1)
        complete &= ~lacking[j]
        rows = np.flatnonzero(complete)
        if len(rows):
            known = list(zip(*([columns[k][r] for r in rows] for k in range(j + 1)), strict=True))
            c = [y[r] for r in rows]
            joint = naive.entropy(list(zip(known, c, strict=True))) - naive.entropy(known)
            assert conditioning.entropy() == pytest.approx(joint, abs=1e-9)
