"""What a user waits for before anything happens: imports and the command line."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from sklearn.datasets import load_wine

TITLE = "Start-up: imports and `deacs select` on a small CSV"
NOTE = """
Best of three fresh processes each. *floor* imports scikit-learn and highspy side by side;
`import deacs` may cost 0.3 s more, and `deacs select` on 178 x 13 3 s.
"""
FLOOR = "import sklearn, highspy"


def run() -> list[dict[str, object]]:
    """Time fresh processes."""
    wine = load_wine()
    table = pl.DataFrame(wine.data, schema=list(wine.feature_names)).with_columns(
        grower=pl.Series(wine.target)
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wine.csv"
        table.write_csv(path)
        select = ["-m", "deacs", "select", str(path), "--target", "grower"]
        floor = _time(["-c", FLOOR])
        contestants = {
            "python alone": ["-c", "pass"],
            "import deacs": ["-c", "import deacs"],
            "floor, then deacs": ["-c", f"{FLOOR}; import deacs"],
            "from deacs import DEACS": ["-c", "from deacs import DEACS"],
            "deacs select wine.csv": select,
        }
        rows: list[dict[str, object]] = [{"what": "floor", "seconds": floor, "above floor": 0.0}]
        for name, arguments in contestants.items():
            seconds = _time(arguments)
            rows.append({"what": name, "seconds": seconds, "above floor": seconds - floor})
    return rows


def _time(arguments: list[str]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best
