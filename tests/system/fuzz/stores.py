"""Damaged stores: each is refused as damaged, or answers as before.

Three stores (plain, weighted, with missing values ignored) hold every kind of column. An input is
one of them with a bit flipped, a file cut, stretched, emptied or exchanged, or with content that
deacs never writes under checksums that fit ("forged"). A forged store may hold another table, so
it may answer otherwise; it may not end in anything but an answer or InputError.
"""

import json
import shutil
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

from deacs import DEACS, JMI, encode
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.exceptions import InputError

N_ROWS = 320
REFUSED = {
    "the store is damaged: ": "refused as damaged",
    "is not a coded store: it has no manifest.json": "refused as no store",
    "is a coded store of version ": "refused as another version",
}


def run(rng, count):
    """Damage stores, open them and select from them."""
    outcomes = {}
    with tempfile.TemporaryDirectory() as folder:
        stores = make_stores(Path(folder))
        for _ in range(count):
            whole, expected = stores[rng.integers(len(stores))]
            place = Path(folder) / "damaged"
            shutil.copytree(whole, place)
            damage = DAMAGES[rng.choice(len(DAMAGES), p=SHARES)]
            said = f"{damage.__name__}: {damage(rng, place)}"
            verify = damage is not forge or rng.random() < 0.5
            try:
                outcome = outcome_of(place, expected, verify)
            except Exception as error:
                raise AssertionError(said) from error
            assert outcome != "another answer" or damage is forge, said
            key = f"{damage.__name__}: {outcome}"
            outcomes[key] = outcomes.get(key, 0) + 1
            shutil.rmtree(place)
    return outcomes


def make_stores(folder):
    """Return three stores and what is selected from each."""
    settings = {
        "plain": {},
        "weighted": {"sample_weight": np.arange(N_ROWS) % 4 + 1},
        "ignoring": {"missing": "ignore"},
    }
    stores = []
    for name, how in settings.items():
        store = CodedStore.write(mixed_table(**how), folder / name)
        stores.append((store.path, answers(store)))
    return stores


def mixed_table(n_rows=N_ROWS, **how):
    """A table with every kind of column, and codes of one and two bytes."""
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes", "perhaps"], n_rows)
    frame = pd.DataFrame(
        {
            "text": rng.choice(["ä", "b, c", '"'], n_rows),
            "holed": np.where(rng.random(n_rows) < 0.2, np.nan, (y == "yes") + rng.random(n_rows)),
            "small": rng.integers(-3, 3, n_rows).astype(np.int8),
            "flag": (rng.random(n_rows) < 0.5) ^ (y == "no"),
            "many": [f"v{k % 300}" for k in range(n_rows)],
            "cut": (y == "no") * 3 + rng.normal(size=n_rows),
        }
    )
    return encode(frame, y, **how)


def answers(store):
    """Select by labels and by pairs, with all columns in memory and one at a time."""
    found = [
        DEACS.published(2).fit(store),
        JMI(2, engine=OutOfCoreEngine(columns_at_once=1)).fit(store),
    ]
    names = [[str(name) for name in each.selected_names_] for each in found]
    return names, [each.scores_.tobytes() for each in found], store.classes.tolist()


def outcome_of(place, expected, verify=True):
    """Return how a selection from a store ends; other errors than InputError are findings."""
    try:
        found = answers(CodedStore.open(place, verify=verify))
    except InputError as error:
        return next(outcome for words, outcome in REFUSED.items() if words in str(error))
    return "answer unchanged" if found == expected else "another answer"


def files_of(place):
    return sorted(place.iterdir())


def flip_bit(rng, place, path=None):
    """Change one bit of one file."""
    path = files_of(place)[rng.integers(len(files_of(place)))] if path is None else path
    raw = bytearray(path.read_bytes())
    bit = int(rng.integers(8 * len(raw)))
    raw[bit // 8] ^= 1 << bit % 8
    path.write_bytes(raw)
    return f"bit {bit} of {path.name}"


def resize(rng, place):
    """Cut a file off, or let it go on."""
    path = files_of(place)[rng.integers(len(files_of(place)))]
    raw = path.read_bytes()
    n_bytes = int(rng.integers(len(raw)))
    path.write_bytes(raw[:n_bytes] if rng.random() < 0.7 else raw + raw[:n_bytes] + b"\0")
    return f"{path.name} with {path.stat().st_size} bytes of {len(raw)}"


def exchange(rng, place):
    """Give a file the content of another, or remove it."""
    one, other = rng.choice(files_of(place), 2, replace=False)
    if rng.random() < 0.2:
        one.unlink()
        return f"without {one.name}"
    one.write_bytes(other.read_bytes())
    return f"{one.name} is {other.name}"


def forge(rng, place):
    """Put content into a store that deacs does not write, under checksums that fit."""
    kind = rng.integers(4)
    if kind == 0:
        name = rng.choice(["labels.npy", "codes-1.bin", "codes-2.bin"])
        said = " and ".join(flip_bit(rng, place, place / name) for _ in range(3))
    elif kind == 1:
        said = _forge_rows(rng, place)
    elif kind == 2:
        said = _forge_catalogue(rng, place)
    else:
        return _forge_manifest(rng, place)
    reseal(place)
    return said


ARRAYS = (
    np.zeros(0, np.int64),
    np.zeros(5),
    np.full(6, -1, dtype=np.int64),
    np.full(6, 1 << 40, dtype=np.int64),
    np.zeros((6, 6), dtype=np.uint8),
    np.frombuffer(b"[" * 100_000, np.uint8),
    np.frombuffer(b'{"a": [1]}', np.uint8),
    np.frombuffer(b'[[1], {"b": 2}, null, true, "x", 1e999]', np.uint8),
    np.array("text"),
    np.ones(6, dtype=bool),
    np.arange(6, dtype=np.int32),
    np.arange(6, dtype=np.uint8),
    np.full(N_ROWS, -1, dtype=np.int32),
    np.full(N_ROWS, 1 << 30, dtype=np.int32),
    np.full(N_ROWS, 1 << 62, dtype=np.int64),
    np.zeros(N_ROWS, dtype=np.int64),
    np.zeros((1, N_ROWS), dtype=np.int32),
)


def _forge_rows(rng, place):
    name = rng.choice(["labels.npy", "weights.npy"])
    which = int(rng.integers(len(ARRAYS)))
    np.save(place / name, ARRAYS[which])
    return f"{name} holds array {which}"


def _forge_catalogue(rng, place):
    with np.load(place / "features.npz") as found:
        arrays = dict(found)
    name = str(rng.choice(list(arrays)))
    way = rng.integers(4)
    if way == 0:
        del arrays[name]
    elif way == 1:
        arrays[name] = ARRAYS[rng.integers(len(ARRAYS))]
    elif way == 2:
        arrays[name] = arrays[str(rng.choice(list(arrays)))]
    else:
        changed = np.atleast_1d(arrays[name]).copy()
        raw = changed.view(np.uint8).reshape(-1)
        if len(raw):
            raw[rng.integers(len(raw))] ^= np.uint8(1 << rng.integers(8))
        arrays[name] = changed.reshape(arrays[name].shape)
    save = np.savez_compressed if rng.random() < 0.1 else np.savez
    save(place / "features.npz", **arrays)
    return f"{name} of features.npz in way {way}"


VALUES = (None, 0, -1, 1.5, True, 10**30, "text", [], {}, {"../labels.npy": 9}, [[[[]]]])


def _forge_manifest(rng, place):
    manifest = json.loads((place / "manifest.json").read_text())
    del manifest["check"]
    inner = manifest[str(rng.choice(["sizes", "checks"]))]
    changed = manifest if rng.random() < 0.6 else inner
    name = str(rng.choice(list(changed)))
    value = VALUES[rng.integers(len(VALUES))]
    way = rng.integers(3)
    if way == 0:
        del changed[name]
    elif way == 1:
        changed[name] = value
    else:
        changed["more"] = value
    seal(place, manifest)
    if rng.random() < 0.1:
        (place / "manifest.json").write_text('{"check":' + "[" * 50_000)
    return f"{name} of the manifest: {value!r} in way {way}"


def reseal(place):
    """Write the sizes and checksums that the files of a store have now."""
    manifest = json.loads((place / "manifest.json").read_text())
    del manifest["check"]
    _recheck_codes(place, manifest["n_rows"])
    files = [path for path in files_of(place) if path.name != "manifest.json"]
    manifest["sizes"] = {path.name: path.stat().st_size for path in files}
    manifest["checks"] = {
        path.name: zlib.crc32(path.read_bytes()) for path in files if "codes" not in path.name
    }
    seal(place, manifest)


def _recheck_codes(place, n_rows):
    with np.load(place / "features.npz") as found:
        arrays = dict(found)
    widths, checks = arrays.get("widths", np.empty(0)), arrays.get("checks", np.empty(0))
    if widths.shape != checks.shape or checks.dtype != np.uint32:
        return
    checks = checks.copy()
    for width in (1, 2, 4):
        codes = place / f"codes-{width}.bin"
        raw = codes.read_bytes() if codes.is_file() else b""
        for k, feature in enumerate(np.flatnonzero(widths == width)):
            n_bytes = n_rows * width
            checks[feature] = zlib.crc32(raw[k * n_bytes : (k + 1) * n_bytes])
    np.savez(place / "features.npz", **(arrays | {"checks": checks}))


def seal(place, manifest):
    """Write a manifest with its own checksum."""
    check = zlib.crc32(json.dumps(manifest, sort_keys=True).encode())
    (place / "manifest.json").write_text(json.dumps({**manifest, "check": check}, indent=2))


DAMAGES = (flip_bit, resize, exchange, forge)
SHARES = (0.5, 0.1, 0.1, 0.3)
