"""Run an experiment again and again, each time killed at a random moment; a script.

Arguments: the folder of results, how many runs are killed, the seed. The last run is left alone.
Runs are forked from here, so that libraries are imported once.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

from deacs import DEACS, MRMR, encode
from deacs.experiments import make_protocol, run
from deacs.experiments.results import FILE

SETS, METHODS, CLASSIFIERS = ("iris", "wine"), ("dea-cs", "mrmr"), ("nb", "1-nn", "tree")


def experiment(out, n_jobs=1):
    protocol = make_protocol("nested", n_splits=3)
    return run(
        SETS,
        out,
        methods=METHODS,
        classifiers=CLASSIFIERS,
        protocol=protocol,
        max_features=5,
        n_jobs=n_jobs,
    )


def load_kernels():
    """Load what runs share before they are forked; no polars, whose threads forks would lack."""
    wine = load_wine()
    data = encode(wine.data, wine.target)
    for selector in (DEACS.published(3), MRMR(3)):
        selector.fit(data)
    DecisionTreeClassifier().fit(wine.data, wine.target)


def killed(out, chance):
    """Fork a run and kill it a little after it has written a few lines; return its exit status."""
    file = Path(out) / FILE
    before = file.stat().st_size if file.exists() else 0
    child = os.fork()
    if child == 0:
        experiment(out)
        os._exit(0)
    wanted = before + chance.randrange(1500)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        if (file.stat().st_size if file.exists() else 0) >= wanted:
            break
        time.sleep(0.001)
    time.sleep(chance.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    out, n_kills, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    chance = random.Random(seed)
    load_kernels()
    statuses = [killed(out, chance) for _ in range(n_kills)]
    print(sum(os.WIFSIGNALED(status) for status in statuses))
    experiment(out)
