"""Odd tables in memory: coded alike from every library, equal codes for equal values only."""

import datetime
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from deacs import encode
from deacs.exceptions import InputError

LARGE = (2**31, 2**53, 2**62, 2**63, 2**64 - 200, 2**100)


def run(rng, count):
    """Code `count` random tables in several libraries, and compare the codes with the values."""
    outcomes = Counter()
    for _ in range(count):
        n = int(rng.integers(3, 90))
        columns = {f"c{j}": _column(rng, n) for j in range(int(rng.integers(1, 4)))}
        y = rng.permutation(np.arange(n) % 2)
        weights = _weights(rng, n)
        how = {
            "missing": str(rng.choice(["category", "ignore", "error"])),
            "discretizer": rng.choice(["mdlp", "equal-width", "equal-frequency"]),
            "sample_weight": weights,
            "order": True,
        }
        outcomes[_outcome(columns, y, how)] += 1
    return dict(outcomes)


def _column(rng, n):
    """Draw values, and how to write them in each library."""
    kind = str(rng.choice(["integers", "large", "floats", "text", "flags", "dates"]))
    if kind == "integers":
        values = rng.integers(-3, int(rng.choice([2, 5, 300])), n).tolist()
    elif kind == "large":
        base, sign = int(rng.choice(np.array(LARGE, dtype=object))), int(rng.choice([1, -1]))
        values = [sign * base + int(k) for k in rng.integers(0, int(rng.choice([3, 100])), n)]
    elif kind == "floats":
        special = [0.0, -0.0, np.inf, -np.inf, 1e308, 5e-324, 0.1]
        values = [
            float(rng.choice(special)) if rng.random() < 0.3 else float(rng.standard_normal())
            for _ in range(n)
        ]
    elif kind == "text":
        values = [str(word) for word in rng.choice(["", " ", "a", "A", "ä", "\x00", "=1+1"], n)]
    elif kind == "flags":
        values = rng.integers(0, 2, n).astype(bool).tolist()
    else:
        start = datetime.datetime(1969, 12, 31)
        values = [start + datetime.timedelta(hours=int(k)) for k in rng.integers(0, 60, n)]
    if rng.random() < 0.3:
        values = [None if rng.random() < 0.2 else value for value in values]
    return values


def _weights(rng, n):
    if rng.random() < 0.5:
        return None
    weights = rng.choice([0, 1, 2, 0.5, 1e-3, 1e6], n)
    return weights.astype(np.longdouble) if rng.random() < 0.2 else weights


def _frames(columns):
    """Build the table in every library that can hold it."""
    yield "polars", lambda: pl.DataFrame(columns, strict=False)
    yield "pandas", lambda: pd.DataFrame({name: pd.Series(c) for name, c in columns.items()})
    yield "objects", lambda: np.array([*columns.values()], dtype=object).T
    yield "arrow", lambda: pa.table({name: pa.array(c) for name, c in columns.items()})


def _outcome(columns, y, how):
    coded = {}
    for library, build in _frames(columns):
        try:
            frame = build()
        except (OverflowError, pa.ArrowInvalid, pl.exceptions.PolarsError):
            continue  # the library does not hold such values
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data = encode(frame, y, **how)
        except (InputError, TypeError) as error:
            if "column" not in str(error) and not isinstance(error, InputError):
                raise AssertionError(f"an error does not name its column: {error}") from error
            coded[library] = None
            continue
        _check(data, columns, how["sample_weight"])
        coded[library] = data
    return "refused" if all(data is None for data in coded.values()) else "coded"


def _check(data, columns, weights):
    """Equal values have equal codes, other discrete values others, and continuous codes ascend."""
    kept = range(data.n_rows) if weights is None else np.flatnonzero(np.asarray(weights) > 0)
    for j, name in enumerate(data.feature_names):
        values = columns.get(name, [*columns.values()][j])
        values = [values[row] for row in kept]
        codes = data.column(j).tolist()
        assert len(values) == len(codes)
        by_value = {}
        for value, code in zip(values, codes, strict=True):
            assert by_value.setdefault(_key(value), code) == code, (name, value)
        present = {value: code for value, code in by_value.items() if value is not None}
        if data.features[j].kind == "discrete":
            assert len(set(by_value.values())) == len(by_value), name
        else:
            ascending = [present[value] for value in sorted(present)]
            assert ascending == sorted(ascending), name


def _key(value):
    """Missing values are one value; the libraries do not all keep nanoseconds and negative zero."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    return value
