"""Damaged text files, coded in pieces and in memory: the same codes, or both refuse."""

import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from deacs import encode, read_table
from deacs.distributed import encode_files
from deacs.exceptions import InputError
from tests.system.distributed.disk.test_store import same_tables
from tests.system.fuzz.files import damaged, seeds

MEMORY = "150kB"
"""So little that text is split into several pieces, and columns are coded in several blocks."""


def run(rng, count):
    """Code `count` files in both ways."""
    outcomes = Counter()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(count):
            suffix = str(rng.choice(["csv", "csv", "tsv"]))
            content = seeds()[suffix][int(rng.integers(len(seeds()[suffix])))]
            if content.isascii():
                header, rows = content.split(b"\n", 1)
                content = header + b"\n" + rows * int(rng.integers(1, 9))
            path = Path(folder) / f"table.{suffix}"
            path.write_bytes(damaged(rng, content))
            outcomes[f"{suffix} {_outcome(path, Path(folder) / 'store')}"] += 1
    return dict(outcomes)


def _outcome(path, place):
    whole = _coded(lambda: _in_memory(path))
    pieces = _coded(
        lambda: encode_files(path, "y", place, memory=MEMORY, overwrite=True).to_memory()
    )
    assert (whole is None) == (pieces is None), path.read_bytes()
    if whole is None:
        return "refused"
    same_tables(pieces, whole)
    return "coded alike"


def _in_memory(path):
    X, y = read_table(path, target="y")
    return encode(X, y)


def _coded(code):
    try:
        return code()
    except InputError:
        return None
