"""Damaged codes on disk: refused by an InputError, or the table that was written."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from deacs import encode
from deacs.coding.on_disk import open_codes, write_codes
from deacs.exceptions import InputError


def _contents(data):
    codes = [data.column(j).tolist() for j in range(data.n_features)]
    about = [feature.describe(0) for feature in data.features]
    by_row = data.labels.tolist(), None if data.weights is None else data.weights.tolist()
    return codes, about, by_row, data.order.scores.tolist(), data.classes.tolist()


def _damage(rng, place):
    """Flip a bit of a file, cut it, lengthen it, put another in its place, or remove it."""
    files = sorted(place.iterdir())
    file = files[rng.integers(len(files))]
    raw = bytearray(file.read_bytes())
    at = int(rng.integers(len(raw)))
    match int(rng.integers(5)):
        case 0:
            raw[at] ^= 1 << int(rng.integers(8))
        case 1:
            del raw[at:]
        case 2:
            raw += rng.bytes(int(rng.integers(1, 9)))
        case 3:
            raw = files[rng.integers(len(files))].read_bytes()
        case 4:
            file.unlink()
            return
    file.write_bytes(raw)


def run(rng, count):
    """Open `count` damaged copies of one table."""
    outcomes, n = Counter(), 40
    y = rng.integers(0, 2, n)
    text = np.array(["u", "v", None], dtype=object)[rng.integers(0, 3, n)]
    X = np.column_stack([y + rng.normal(size=n).round(1), text, np.arange(n) * 7]).astype(object)
    data = encode(X, y, sample_weight=rng.random(n) + 0.1, order=True)
    with TemporaryDirectory() as folder:
        for k in range(count):
            place = Path(folder) / f"{k}"
            whole = _contents(write_codes(data, place, "y"))
            _damage(rng, place)
            try:
                found = open_codes(place)
            except InputError:
                outcomes["refused"] += 1
            else:
                assert _contents(found) == whole
                outcomes["as written"] += 1
    return dict(outcomes)
