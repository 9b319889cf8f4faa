"""The very first call after an installation, and memory."""

import json
import os
import subprocess
import sys
import tempfile

TITLE = "The first call on a fresh install, the second process, and peak memory"
NOTE = """
*first process*: an empty cache of compiled code; *second process*: the same, compiled before. Each
imports deacs and fits the wine data once. *memory*: how far the peak of a process that selects
from 6,000 x 5,000 codes (30 MB) lies above what it held before it made them, in units of the
byte-code matrix; the codes themselves are 1.
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
import json, resource
import numpy as np
from deacs import CodedData
from deacs.selection import dea_cs
rng = np.random.default_rng(0)
small = CodedData.from_codes(rng.integers(0, 4, (500, 50), dtype=np.uint8), rng.integers(0, 2, 500))
dea_cs(small)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
labels = rng.integers(0, 2, 6000)
from deacs.coding import CodeBlock, FeatureCoding
codes = np.empty((5000, 6000), dtype=np.uint8)
for j in range(5000):
    codes[j] = rng.integers(0, 2 + j % 5, 6000)
n_values = np.array([2 + j % 5 for j in range(5000)])
feature = {n: FeatureCoding("discrete", np.arange(n), n) for n in range(2, 7)}
data = CodedData(
    (CodeBlock.frozen(np.arange(5000), codes, n_values),), labels.astype(np.int32),
    np.array([0, 1]), tuple(feature[n] for n in n_values),
    tuple(f"x{j}" for j in range(5000)), False,
)
dea_cs(data, n_jobs=2)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"units": (peak - before) * 1024 / codes.nbytes}))
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
        {"what": "peak memory", "value": memory["units"], "unit": "byte-code matrices"},
    ]


def _python(code, cache):
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)
