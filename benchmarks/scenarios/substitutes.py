"""What substitutes, groups and interactions cost beside the selection itself."""

import time

import numpy as np

from deacs import DEACS, encode, find_interactions
from deacs.selection.redundancy_groups import column_groups

TITLE = "Substitutes, redundancy groups and interactions: what they cost"
NOTE = """
Tables of 6,000 rows, numbers cut into intervals; 200 columns show one of the classes, four of five
of these through another; one thread, CPU seconds. *Fit*: DEACS(30) from numbers. *Selection*: the
same from codes. *Substitutes*: three for each of the 30. *Swap*: one feature in the place of the
last. *Groups*: all pairs of columns, and complete linkage. *Interactions*: the 20 pairs with the
largest synergy of all pairs.
"""
N_ROWS, N_SELECTED = 6000, 30


def run() -> list[dict[str, object]]:
    """Growing numbers of columns."""
    shapes = [(1250, 3), (2500, 3), (5000, 3)]
    _costs(1250, 3)  # compiles
    return [_shown(_costs(n_columns, n_classes)) for n_columns, n_classes in shapes]


def table(n_columns, n_classes, n_rows=N_ROWS):
    """Numbers, of which the first 200 come in families of five."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n_rows)
    X = rng.normal(size=(n_rows, n_columns))
    for j in range(min(200, n_columns)):
        if j % 5:
            X[:, j] = 0.7 * X[:, j - j % 5] + 0.6 * X[:, j]
        else:
            X[:, j] += 0.8 * (y == j % n_classes)
    return X, y


def _costs(n_columns, n_classes, n_rows=N_ROWS):
    X, y = table(n_columns, n_classes, n_rows)
    found: dict[str, object] = {"columns": n_columns, "classes": n_classes}

    def timed(name, work):
        start = time.process_time()
        result = work()
        found[name] = round(time.process_time() - start, 2)
        return result

    selector = timed("fit", lambda: DEACS(N_SELECTED).fit(X, y))
    data = selector.result_.source.table
    timed("selection", lambda: DEACS(N_SELECTED).fit(data))
    timed("substitutes", selector.substitutes)
    last, other = selector.ranking_[-1], selector.substitutes().entries[-1].substitutes[0]
    timed("swap", lambda: selector.swap(int(last), other.feature))
    blind = encode(X, y, discretizer="equal-frequency")
    timed("groups", lambda: column_groups(blind))
    timed("interactions", lambda: find_interactions(data))
    return found


def _shown(row):
    print("  " + ", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return row
