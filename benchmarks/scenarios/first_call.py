"""The very first call after an installation, and memory."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

TITLE = "The first call on a fresh install, the second process, and peak memory"
NOTE = """
*first process*: an empty cache of compiled code; *second process*: the same, compiled before. Each
imports deacs and fits one table: wine (178 x 13, 3 classes), digits (1,797 x 64, 10 classes), both
of scikit-learn, codes as in the scenario `wide` (6,000 x 5,000, 2 classes), and noise in which some
columns lean towards some classes (1,559 x 617 floats, 26 classes). `deacs select` reads wine from a
CSV file; *import of deacs*: beyond NumPy and
scikit-learn, which it needs; what loads the tables is imported afterwards, and not timed.
*functions compiled*: by numba, which is loaded only if there are any. `first_call --fresh` measures
an environment of its own, made for the occasion, with deacs, its command and nothing else:
scikit-learn imports pandas where it is installed. *CPU*: user and system time of the whole process,
which other programs disturb less than the clock. *memory*: the most that a selection from 6,000 x
5,000 codes (30 MB) on two threads holds at a time, and coding them from a NumPy matrix, matrix
included, both in units of the byte-code matrix; the codes themselves are 1.
"""
TABLES = {
    "wine": "X, y = load_wine(return_X_y=True)",
    "digits": "X, y = load_digits(return_X_y=True)",
    "6,000 x 5,000 codes, 2 classes": """
rng = np.random.default_rng(0)
codes = rng.integers(0, 6, (6000, 5000), dtype=np.uint8)
X, y = CodedData.from_codes(codes, rng.integers(0, 2, 6000)), None
""",
    "1,559 x 617 floats, 26 classes": """
rng = np.random.default_rng(0)
y = rng.integers(0, 26, 1559)
X = rng.normal(size=(1559, 617))
X[:, ::7] += 0.3 * (y[:, None] % np.arange(2, 91))
""",
}
FIT = """
import json, time
start = time.perf_counter()
import numpy as np
import sklearn.feature_selection
required = time.perf_counter()
from deacs import DEACS, CodedData
imported = time.perf_counter()
from deacs.kernels.jit import on_compile
from sklearn.datasets import load_digits, load_wine
{table}
compiled = []
with on_compile(lambda: compiled.append(1)):
    begin = time.perf_counter()
    DEACS().fit(X, y)
    end = time.perf_counter()
print(json.dumps({{
    "import of NumPy and scikit-learn": required - start,
    "import of deacs": imported - required,
    "fit": end - begin,
    "functions compiled": len(compiled),
    "CPU": time.process_time(),
}}))
"""
MEMORY = """
import json, tracemalloc
import numpy as np
from deacs import CodedData
from deacs import DEACS
rng = np.random.default_rng(0)
def peak(shape):
    tracemalloc.start()
    matrix = rng.integers(0, 4, shape, dtype=np.uint8)
    data = CodedData.from_codes(matrix, rng.integers(0, 2, shape[0]))
    coding = tracemalloc.get_traced_memory()[1]
    del matrix
    tracemalloc.reset_peak()
    DEACS.published(n_jobs=2).fit(data)
    selecting = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"coding": coding, "selecting": selecting}
peak((6000, 5000))  # compiles, which takes memory of its own
print(json.dumps({k: v / 30e6 for k, v in peak((6000, 5000)).items()}))
"""


def run(options: Sequence[str] = ()) -> list[dict[str, object]]:
    """Time new processes, of this Python or of one that is installed for it."""
    if "--fresh" not in options:
        return _measured(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        here = f"{Path(__file__).resolve().parents[2]}[cli]"
        subprocess.run([python, "-m", "pip", "install", "--quiet", here], check=True)
        return _measured(python)


def _measured(python):
    rows: list[dict[str, object]] = []
    for name, table in TABLES.items():
        with tempfile.TemporaryDirectory() as cache:
            for process in ("first", "second"):
                times = _run(python, FIT.format(table=table), cache)
                rows += [
                    {
                        "what": f"{name}, {process} process: {part}",
                        "value": value,
                        "unit": "" if part == "functions compiled" else "s",
                    }
                    for part, value in times.items()
                ]
    rows += _commands(python)
    rows += [
        {"what": f"memory, peak while {doing}", "value": value, "unit": "byte-code matrices"}
        for doing, value in _run(python, MEMORY, None).items()
    ]
    return rows


def _commands(python):
    wine = load_wine()
    with tempfile.TemporaryDirectory() as folder:
        table = np.column_stack((wine.data, wine.target))
        path = Path(folder) / "wine.csv"
        np.savetxt(
            path, table, "%g", ",", header=",".join([*wine.feature_names, "grower"]), comments=""
        )
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        start, before = time.perf_counter(), _cpu_of_children()
        command = [python, "-m", "deacs", "select", str(path), "--target", "grower"]
        subprocess.run(command, check=True, capture_output=True, env=environment)
        parts = {"in all": time.perf_counter() - start, "CPU": _cpu_of_children() - before}
    return [
        {"what": f"deacs select, first process: {part}", "value": value, "unit": "s"}
        for part, value in parts.items()
    ]


def _cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(python, code, cache):
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)
