"""The first call in a new process beside the second, and memory."""

import json
import subprocess
import sys
from textwrap import indent

TITLE = "The first call, the second, and peak memory"
NOTE = """
Each table is fitted twice in each of five new processes; the least CPU seconds of the first call
and of the second. Wine (178 x 13, 3 classes) and digits (1,797 x 64, 10 classes) are
scikit-learn's; codes as in the scenario `wide` (6,000 x 5,000, 2 classes), codes of two values
(300,000 x 50, 2 classes), and noise in which some columns lean towards some classes (1,559 x 617
floats, 26 classes). *memory*: the most that a selection from 6,000 x 5,000 codes (30 MB) on two
threads holds at a time, and coding them from a NumPy matrix, matrix included, both in units of the
byte-code matrix; the codes themselves are 1.
"""
TABLES = {
    "wine": "X, y = load_wine(return_X_y=True)",
    "digits": "X, y = load_digits(return_X_y=True)",
    "6,000 x 5,000 codes, 2 classes": """
codes = rng.integers(0, 6, (6000, 5000), dtype=np.uint8)
X, y = CodedData.from_codes(codes, rng.integers(0, 2, 6000)), None
""",
    "300,000 x 50 codes, 2 classes": """
codes = rng.integers(0, 2, (300_000, 50), dtype=np.uint8)
y = rng.random(300_000) < 0.4 + 0.02 * codes[:, :10].sum(1)
X, y = CodedData.from_codes(codes, y), None
""",
    "1,559 x 617 floats, 26 classes": """
y = rng.integers(0, 26, 1559)
X = rng.normal(size=(1559, 617))
X[:, ::7] += 0.3 * (y[:, None] % np.arange(2, 91))
""",
}
FIT = """
import json, time
import numpy as np
from sklearn.datasets import load_digits, load_wine
from deacs import DEACS, CodedData
times = []
for call in "first", "second":  # each on a table of its own, which keeps nothing of the other
    rng = np.random.default_rng(0)
    {table}
    begin = time.process_time()
    DEACS().fit(X, y)
    times.append(time.process_time() - begin)
print(json.dumps(times))
"""
MEMORY = """
import json, tracemalloc
import numpy as np
from deacs import DEACS, CodedData
rng = np.random.default_rng(0)
tracemalloc.start()
matrix = rng.integers(0, 4, (6000, 5000), dtype=np.uint8)
data = CodedData.from_codes(matrix, rng.integers(0, 2, 6000))
coding = tracemalloc.get_traced_memory()[1]
del matrix
tracemalloc.reset_peak()
DEACS.published(n_jobs=2).fit(data)
print(json.dumps({"coding": coding / 30e6, "selecting": tracemalloc.get_traced_memory()[1] / 30e6}))
"""


def run() -> list[dict[str, object]]:
    """Time new processes."""
    rows: list[dict[str, object]] = []
    for name, table in TABLES.items():
        times = [
            _printed(FIT.format(table=indent(table.strip(), "    ").strip())) for _ in range(5)
        ]
        first, second = (min(calls) for calls in zip(*times, strict=True))
        rows.append({"what": name, "first, s": first, "second, s": second, "ratio": first / second})
    for doing, matrices in _printed(MEMORY).items():
        rows.append({"what": f"memory while {doing}, byte-code matrices", "ratio": matrices})
    return rows


def _printed(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
