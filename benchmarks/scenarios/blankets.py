"""Markov blankets of the ALARM network, beside those of pyCausalFS.

python -m benchmarks blankets --pycausalfs FOLDER   # a checkout of wt-hu/pyCausalFS

Its samples of the network are read from there (`CBD/data`), its algorithms run from there.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from deacs import MarkovBlanket

TITLE = "Markov blankets of the ALARM network, beside pyCausalFS"
NOTE = """
All 37 variables in turn as the class, in samples that pyCausalFS ships; blankets by their graph.
*Precision*, *recall* and *F1* are means over variables and samples (an empty blanket found has
precision 1); *exact*: the share of blankets found exactly. pyCausalFS tests at 0.01 each, as its
examples do; MarkovBlanket at 0.05 for all candidates of a step together.
"""
BY_NAME_ONLY = True
"""It needs the other program."""

Blanket = Callable[[np.ndarray, int], Sequence[int]]


def run(options: Sequence[str] = ()) -> list[dict[str, object]]:
    """Samples of growing size, all methods on each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks blankets")
    parser.add_argument("--pycausalfs", type=Path, required=True)
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 1000, 5000])
    parser.add_argument("--samples", type=int, default=3, help="how many of each size, up to 10")
    asked = parser.parse_args(list(options))
    home = next(asked.pycausalfs.rglob("CBD"))
    sys.path.insert(0, str(home.parent))
    truth = _blankets(np.loadtxt(home / "data" / "Alarm1_graph.txt", dtype=int))
    rows = []
    for n_rows in asked.rows:
        samples = [
            np.loadtxt(home / "data" / f"Alarm1_s{n_rows}_v{k}.txt", dtype=int)
            for k in range(1, asked.samples + 1)
        ]
        for name, find in _methods().items():
            rows.append({"rows": n_rows, "method": name, **_measured(find, samples, truth)})
            print("  " + ", ".join(map(str, rows[-1].values())), flush=True)
    return rows


def _methods() -> dict[str, Blanket]:
    import pandas as pd

    fbed = import_module("CBD.MBs.FBEDk").FBED
    iamb = import_module("CBD.MBs.IAMB").IAMB

    def ours(sample: np.ndarray, target: int) -> Sequence[int]:
        others = np.delete(np.arange(sample.shape[1]), target)
        found = MarkovBlanket(random_state=0).fit(sample[:, others], sample[:, target])
        return others[found.ranking_].tolist()

    return {
        "MarkovBlanket()": ours,
        "pyCausalFS FBED, k = 1": lambda s, t: fbed(pd.DataFrame(s), t, 1, 0.01)[0],
        "pyCausalFS IAMB": lambda s, t: iamb(pd.DataFrame(s), t, 0.01)[0],
    }


def _blankets(graph: np.ndarray) -> list[set[int]]:
    """Return the parents, children and other parents of children of every variable."""
    found = []
    for j in range(len(graph)):
        children = np.flatnonzero(graph[j])
        related = graph[:, j].astype(bool) | graph[j].astype(bool)
        related |= graph[:, children].any(axis=1)
        found.append(set(np.flatnonzero(related).tolist()) - {j})
    return found


def _measured(find: Blanket, samples: Sequence[np.ndarray], truth: Sequence[set[int]]) -> dict:
    scores, start = [], time.process_time()
    for sample in samples:
        for target, blanket in enumerate(truth):
            found = {int(j) for j in find(sample, target)}
            right = len(found & blanket)
            precision = right / len(found) if found else 1.0
            recall = right / len(blanket) if blanket else 1.0
            f1 = 2 * precision * recall / (precision + recall) if right else float(not blanket)
            scores.append((precision, recall, f1, found == blanket))
    seconds = (time.process_time() - start) / len(scores)
    means = dict(zip(("precision", "recall", "F1", "exact"), np.mean(scores, axis=0), strict=True))
    return {name: round(float(mean), 3) for name, mean in means.items()} | {
        "ms a blanket": round(1e3 * seconds)
    }
