"""Results reported in the DEA-CS paper, for comparison with those of a run.

The paper's Table 2 as printed: the best average accuracy (%) of Weka's naive Bayes, SVM, kNN and
C4.5, and the number of features that reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

from deacs import __version__
from deacs.experiments.curves import Best, Comparison
from deacs.experiments.methods import PAPER_METHODS
from deacs.experiments.registry import PAPER_SETS
from deacs.experiments.tables import markdown

__all__ = ["PUBLISHED", "beside_paper", "differing_cells", "reproduction_page"]

_TABLE_2 = """
 2 66.03    2 65.38    6 59.97   19 57.04    2 66.03    2 66.03
 8 96.70   17 94.11   27 94.85   28 94.78   28 94.54   15 94.21
14 69.94   30 72.30   30 72.45   30 72.94   30 73.58   30 71.28
 9 94.00   30 87.17   29 93.84   30 90.83   29 87.42   30 89.17
 7 92.89    7 92.89    7 92.89    7 92.89   19 91.16    7 92.89
11 94.89   17 94.75   29 94.42   30 94.85   24 93.13   30 94.85
12 95.41   28 93.49   18 93.48   18 93.48   25 89.11   18 93.48
21 74.87   27 73.29   24 74.72   15 73.51   29 72.46   28 73.23
16 66.10   30 59.79   29 68.30   30 64.60   30 58.41   30 56.35
18 92.12   22 90.76   30 92.32   30 91.65   29 89.00   30 90.09
"""


def _read(table: str) -> dict[tuple[str, str], Best]:
    read = {}
    for name, line in zip(PAPER_SETS, table.strip().splitlines(), strict=True):
        cells = line.split()
        for method, m, accuracy in zip(PAPER_METHODS, cells[::2], cells[1::2], strict=True):
            read[name, method] = Best(float(accuracy), int(m))
    return read


PUBLISHED: dict[tuple[str, str], Best] = _read(_TABLE_2)
"""The paper's best point for each set and method."""


def beside_paper(comparison: Comparison) -> str:
    """Return a Markdown table: our best points and, in brackets, the paper's.

    The last row is the mean difference, ours minus the paper's.

    Parameters
    ----------
    comparison : Comparison
        The results of a run; sets and methods that are not in the paper are left out.
    """
    methods = [method for method in comparison.methods if method in PAPER_METHODS]
    differences: dict[str, list[float]] = {method: [] for method in methods}
    rows = [["set", *methods]]
    for name in comparison.sets:
        if name not in PAPER_SETS:
            continue
        row = [name]
        for method in methods:
            ours, theirs = comparison.best(name, method), PUBLISHED[name, method]
            row.append(f"{'-' if ours is None else _point(ours)} ({_point(theirs)})")
            if ours is not None:
                differences[method].append(ours.accuracy - theirs.accuracy)
        rows.append(row)
    rows.append(["mean difference", *(_mean(differences[method]) for method in methods)])
    return markdown(rows)


def differing_cells(comparison: Comparison, by_more_than: float = 1.0) -> list[list[str]]:
    """Return the cells that differ from the paper's as rows of text, after a header."""
    rows = [["cell", "here", "paper", "difference"]]
    for where, theirs in PUBLISHED.items():
        ours = comparison.best(*where)
        if ours is not None and abs(ours.accuracy - theirs.accuracy) > by_more_than:
            difference = f"{ours.accuracy - theirs.accuracy:+.2f}"
            rows.append([", ".join(where), _point(ours), _point(theirs), difference])
    return rows


def reproduction_page(
    comparison: Comparison, protocol: str, absent: Sequence[str] = (), today: date | None = None
) -> str:
    """Return our numbers beside the paper's as a dated Markdown page.

    `absent` has the reasons why sets of the paper are missing.
    """
    made = f"{today or datetime.now(UTC).date():%d %B %Y}".lstrip("0")
    parts = [
        "# Beside the DEA-CS paper's Table 2\n",
        f"Made on {made} with deacs {__version__}: best average accuracy (%) of "
        f"{', '.join(comparison.classifiers)} @ number of features, protocol {protocol}. In "
        "brackets the paper's numbers.\n",
        beside_paper(comparison),
        "".join(f"Left out: {reason}\n" for reason in absent),
        "Cells that differ by more than one point:\n",
        markdown(differing_cells(comparison)),
    ]
    return "\n".join(part for part in parts if part)


def _point(best: Best) -> str:
    return f"{best.accuracy:.2f} @{best.n_features}"


def _mean(differences: list[float]) -> str:
    return f"{sum(differences) / len(differences):+.2f}" if differences else "-"
