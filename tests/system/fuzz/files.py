"""Damaged files of every format: each is read, or refused with an InputError that names it."""

import gzip
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from deacs import encode, read_table
from deacs.exceptions import InputError

ARFF = """@relation r
@attribute a numeric
@attribute 'b c' {x, 'y z', "w"}
@attribute y {0, 1}
@data
1.5, x, 0
?, 'y z', 1
-2e3, w, 1
"""
SPARSE = ARFF.partition("@data")[0] + "@data\n{0 4, 2 1}\n{1 w}\n{0 -2.5, 1 'y z', 2 1}\n"
KEEL = """@relation k
@attribute a real [4.3, 7.9]
@attribute y{u, v}
@inputs a
@outputs y
@data
5.1, u
<null>, v
6.5, v
"""
LIBSVM = "+1 1:0.5 3:2 # note\n-1 2:1\n+1 1:7 2:-1e3 3:inf\n"
MARKS = b"\x00\xff\x7f\x80,;\t\n\r\"'{}%?@:. 019e-"


@cache
def seeds():
    """Return a few good files of each format, by suffix."""
    rng = np.random.default_rng(0)
    n = 200
    frame = pl.DataFrame(
        {
            "a": rng.standard_normal(n),
            "b": rng.integers(0, 5, n),
            "c": rng.choice(["x", "yy", "zzz"], n),
            "d": [None if k % 7 == 0 else k * 1.5 for k in range(n)],
            "e": rng.random(n) < 0.5,
            "f": rng.choice(["x", "y"], n),
            "y": rng.integers(0, 2, n),
        },
        schema_overrides={"f": pl.Categorical},
    )
    text = frame.head(30)
    csv, tsv = text.write_csv().encode(), text.write_csv(separator="\t").encode()
    quoted = text.write_csv(quote_style="always", separator=";").encode()
    return {
        "csv": [csv, quoted, gzip.compress(csv), csv.decode().encode("utf-16")],
        "tsv": [tsv],
        "arff": [ARFF.encode(), SPARSE.replace("\n", "\r\n").encode(), KEEL.encode()],
        "libsvm": [LIBSVM.encode()],
    }


def damaged(rng, content):
    """Change, insert or remove some bytes, near the end as often as anywhere."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        begin = len(data) - 1000 if rng.random() < 0.5 else 0
        at = int(rng.integers(max(begin, 0), max(len(data), 1)))
        match int(rng.integers(6)):
            case 0:
                data[at : at + 1] = bytes([(*data[at : at + 1], 0)[0] ^ 1 << int(rng.integers(8))])
            case 1:
                data[at : at + 1] = bytes([int(rng.choice(list(MARKS)))])
            case 2:
                data[at : at + int(rng.integers(1, 9))] = rng.bytes(int(rng.integers(1, 9)))
            case 3:
                del data[at : at + int(rng.integers(1, 17))]
            case 4:
                data[at:at] = data[at : at + int(rng.integers(1, 65))]
            case 5:
                data[at:at] = bytes(rng.choice(list(MARKS), int(rng.integers(1, 5))).tolist())
    return bytes(data)


def run(rng, count):
    """Read `count` damaged files, and code those that can be read."""
    outcomes = Counter()
    with TemporaryDirectory() as folder:
        for _ in range(count):
            suffix = str(rng.choice(["csv", "tsv", "arff", "libsvm"]))
            good = seeds()[suffix]
            path = Path(folder) / f"table.{suffix}"
            path.write_bytes(damaged(rng, good[int(rng.integers(len(good)))]))
            outcomes[f"{suffix} {_outcome(path)}"] += 1
    return dict(outcomes)


def _outcome(path):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_table(path)
    except InputError as error:
        if str(path) not in str(error):
            raise AssertionError(f"an error does not name its file: {error}") from error
        return "refused"
    if table.width < 2:
        return "read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            encode(table[:, :-1], table[:, -1], discretizer="equal-frequency")
    except InputError:
        return "read, not coded"
    return "read"
