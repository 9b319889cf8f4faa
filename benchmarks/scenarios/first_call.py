"""The very first call after an installation, and memory."""

import json
import os
import subprocess
import sys
import tempfile

TITLE = "The first call on a fresh install, the second process, and peak memory"
NOTE = """
*first process*: an empty cache of compiled code; *second process*: the same, compiled before. Each
imports deacs and fits the wine data once. *memory*: the most that a selection from 6,000 x 5,000
codes (30 MB) on two threads holds at a time, and coding them from a NumPy matrix, matrix included,
both in units of the byte-code matrix; the codes themselves are 1.
"""
FIT = """
import json, time
start = time.perf_counter()
from deacs import DEACS
from sklearn.datasets import load_wine
imported = time.perf_counter()
X, y = load_wine(return_X_y=True)
DEACS().fit(X, y)
print(json.dumps({"import": imported - start, "fit": time.perf_counter() - imported}))
"""
MEMORY = """
import json, tracemalloc
import numpy as np
from deacs import CodedData
from deacs.selection import dea_cs
rng = np.random.default_rng(0)
def peak(shape):
    tracemalloc.start()
    matrix = rng.integers(0, 4, shape, dtype=np.uint8)
    data = CodedData.from_codes(matrix, rng.integers(0, 2, shape[0]))
    coding = tracemalloc.get_traced_memory()[1]
    del matrix
    tracemalloc.reset_peak()
    dea_cs(data, n_jobs=2)
    selecting = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"coding": coding, "selecting": selecting}
peak((500, 50))
print(json.dumps({k: v / 30e6 for k, v in peak((6000, 5000)).items()}))
"""


def run() -> list[dict[str, object]]:
    """Fresh processes."""
    with tempfile.TemporaryDirectory() as cache:
        first, second = _python(FIT, cache), _python(FIT, cache)
    memory = _python(MEMORY, None)
    return [
        {"what": "first process: import", "value": first["import"], "unit": "s"},
        {"what": "first process: fit", "value": first["fit"], "unit": "s"},
        {"what": "second process: import", "value": second["import"], "unit": "s"},
        {"what": "second process: fit", "value": second["fit"], "unit": "s"},
        {"what": "peak while coding", "value": memory["coding"], "unit": "byte-code matrices"},
        {
            "what": "peak while selecting",
            "value": memory["selecting"],
            "unit": "byte-code matrices",
        },
    ]


def _python(code, cache):
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)
