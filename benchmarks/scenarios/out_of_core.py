"""Selecting from disk: throughput against the disk and the memory, and the most memory it takes.

Sizes for a quick look: `OUT_OF_CORE_SHARE=0.02 python -m benchmarks out_of_core`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from deacs.coding import CodeBlock, CodedData, FeatureCoding
from deacs.distributed import CodedStore

SHARE = float(os.environ.get("OUT_OF_CORE_SHARE", "1"))
TITLE = "Out of core: 20,000,000 x 60 and 2,000 x 500,000 codes from disk, within 2 GB; encoding"
NOTE = """
Every line is a process of its own; *peak* is the most memory it held (VmHWM), interpreter, compiled
code and mapped pages of the files included. *cold*: the files were put out of the page cache
before. *read*: bytes read in order and thrown away, the limit of the disk (cold) and of the memory
(warm). *GB/s*: for each second of the clock, bytes of codes scored, all candidates of all steps;
for encoding, bytes of floats. *CPU*: user and system time, loading compiled code included.
*in memory*: the local engine on the whole table, beside it. Two threads.
"""

READ = """
def work():
    n = 0
    for path in place.glob("codes-*.bin"):
        with path.open("rb", buffering=0) as file:
            while got := file.readinto(buffer):
                n += got
    return n
buffer = bytearray(1 << 22)
"""
SELECT = """
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.greedy.setting import PUBLISHED, Setting, dea_cs
def work():
    store = CodedStore.open(place)
    path = dea_cs(store, Setting({k}, **PUBLISHED), n_jobs=2, engine=OutOfCoreEngine({memory!r}))
    n = len(path.ranking)
    return store.nbytes * n - store.n_rows * n * (n - 1) // 2
"""
IN_MEMORY = """
from deacs.distributed import CodedStore
from deacs.greedy.setting import PUBLISHED, Setting, dea_cs
store = CodedStore.open(place)
data = store.to_memory()
def work():
    n = len(dea_cs(data, Setting({k}, **PUBLISHED), n_jobs=2).ranking)
    return store.nbytes * n - store.n_rows * n * (n - 1) // 2
"""
PAIRS = """
from deacs import JMI
from deacs.distributed import CodedStore, OutOfCoreEngine
def work():
    store = CodedStore.open(place)
    fitted = JMI({k}, n_jobs=2, engine=OutOfCoreEngine({memory!r})).fit(store)
    return store.nbytes * (len(fitted.ranking_) + 1)
"""
ENCODE = """
from deacs.distributed import encode_files
def work():
    store = encode_files(place, "y", out, memory={memory!r}, n_jobs=2, overwrite=True)
    return 8 * store.n_rows * store.n_features
"""
MEASURE = """
import json, time
from pathlib import Path
place, out = Path({place!r}), Path({out!r})
{work}
begin, before = time.perf_counter(), time.process_time()
n = work()
seconds, cpu = time.perf_counter() - begin, time.process_time() - before
status = Path("/proc/self/status").read_text()
peak = int(status.split("VmHWM:")[1].split()[0]) * 1024
print(json.dumps({{"seconds": seconds, "bytes": n, "peak": peak, "CPU": cpu}}))
"""


def run() -> list[dict[str, object]]:
    """Measure on two shapes, and code a table."""
    return list(_lines())


def _lines() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        tall, wide = int(20_000_000 * SHARE), int(500_000 * SHARE)
        for shape in ((tall, 60), (2_000, wide)):
            name, place = f"{shape[0]:,} x {shape[1]:,}", _store(here, *shape)
            yield _measure(f"{name}: read, cold", READ, place, is_cold=True)
            yield _measure(f"{name}: read, warm", READ, place)
            yield _measure(f"{name}: DEA-CS, 1 feature, cold", SELECT, place, k=1, is_cold=True)
            yield _measure(f"{name}: DEA-CS, 5 features", SELECT, place, k=5)
            yield _measure(f"{name}: DEA-CS, 5 features, in memory", IN_MEMORY, place, k=5)
            if shape[1] == wide:
                yield _measure(f"{name}: DEA-CS, 5, 1 GB", SELECT, place, k=5, memory="1GB")
            yield _measure(f"{name}: JMI, 5 features", PAIRS, place, k=5)
            shutil.rmtree(place)
        n_rows = int(2_000_000 * SHARE)
        path, out = here / "table.parquet", here / "encoded"
        _floats(n_rows, 20).write_parquet(path, row_group_size=250_000)
        for memory in ("2GB", "500MB"):
            name = f"{n_rows:,} x 20 floats, Parquet: encode, {memory}"
            yield _measure(name, ENCODE, path, out=out, memory=memory)


def _measure(name, work, place, *, is_cold=False, out="", memory="2GB", k=0):
    if is_cold:
        _put_out_of_cache(place)
    code = MEASURE.format(
        place=str(place),
        out=str(out),
        work=work.format(k=k, memory=memory) if "{" in work else work,
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found = json.loads(done.stdout)
    return {
        "what": name,
        "seconds": found["seconds"],
        "GB/s": found["bytes"] / found["seconds"] / 1e9,
        "CPU, s": found["CPU"],
        "GB a CPU second": found["bytes"] / found["CPU"] / 1e9,
        "peak, GB": found["peak"] / 1e9,
    }


def _put_out_of_cache(place):
    os.sync()
    for path in place.iterdir():
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _store(folder, n_rows, n_features):
    """Four values, five classes; in every twelfth feature the class shines through."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, n_rows).astype(np.int32)
    path = folder / "codes"
    codes = np.memmap(path, np.uint8, "w+", shape=(n_features, n_rows))
    for j in range(n_features):
        codes[j] = rng.integers(0, 4, n_rows, dtype=np.uint8)
        if j % 12 == 0:
            shines = rng.random(n_rows) < 0.3
            codes[j, shines] = (labels[shines] + j) % 4
    features = np.arange(n_features)
    values = np.full(n_features, 4)
    coding = FeatureCoding("discrete", np.arange(4), 4)
    data = CodedData(
        blocks=(CodeBlock.frozen(features, np.asarray(codes), values),),
        labels=labels,
        classes=np.arange(5),
        features=(coding,) * n_features,
        feature_names=tuple(f"x{j}" for j in range(n_features)),
        is_named=False,
    )
    place = CodedStore.write(data, folder / f"store-{n_rows}").path
    del data, codes
    path.unlink()
    return place


def _floats(n_rows, n_columns):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n_rows)
    columns = {f"x{j}": rng.normal(size=n_rows) + (j % 4 == 0) * y for j in range(n_columns)}
    return pl.DataFrame({**columns, "y": y})


if __name__ == "__main__":
    for line in _lines():
        print(line, flush=True)
