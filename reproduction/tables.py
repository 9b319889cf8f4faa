"""Tables such as the paper's Table 2 as Markdown and CSV, and the paper's own beside them.

Two columns for each method: the number of features and the accuracy in percent at the best point of
its curve. The last rows are averages, wins, seconds per selection, stability over splits, and
average ranks. `PUBLISHED` is Table 2 as printed: the best average accuracy (%) of Weka's naive
Bayes, SVM, kNN and C4.5, and the number of features that reaches it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from deacs import __version__
from reproduction.curves import Best, Comparison
from reproduction.datasets import PAPER_SETS
from reproduction.methods import PAPER_METHODS
from reproduction.runner import Results
from reproduction.statistics import (
    average_ranks,
    friedman,
    nemenyi_distance,
    pairwise_wilcoxon,
)

__all__ = [
    "PUBLISHED",
    "beside_paper",
    "best_csv",
    "best_rows",
    "cost_rows",
    "curve_rows",
    "ending_rows",
    "markdown",
    "reproduction_page",
    "verdict",
    "written",
]

Rows = list[list[str]]

ALPHA = 0.05
"""The level of the tests."""


def best_rows(comparison: Comparison) -> Rows:
    """Return the table as rows of text, after a header; winning accuracies are bold."""
    methods = comparison.methods
    rows = [["set"] + [text for method in methods for text in (f"{method} #", f"{method} %")]]
    for name in comparison.sets:
        winners, row = comparison.winners(name), [name]
        for method in methods:
            best = comparison.best(name, method)
            if best is None:
                row += ["", "-"]
            else:
                accuracy = f"{best.accuracy:.2f}"
                row += [str(best.n_features), f"**{accuracy}**" if method in winners else accuracy]
        rows.append(row)
    averages = [comparison.average(method) for method in methods]
    if comparison.complete_sets:
        rows.append(["average"] + [t for a, m in averages for t in (f"{m:.1f}", f"{a:.2f}")])
        rows.append(["wins"] + [t for m in methods for t in ("", str(comparison.wins(m)))])
        rows += [
            [what] + [t for number in numbers for t in ("", number)]
            for what, numbers in cost_rows(comparison)
        ]
    if comparison.complete_sets and len(methods) > 1:
        ranks = average_ranks(comparison.accuracies())
        rows.append(["average rank"] + [t for rank in ranks for t in ("", f"{rank:.2f}")])
    return rows


def cost_rows(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """Return the rows of seconds and stability: a name, and a text for each method."""
    seconds = [f"{comparison.mean_seconds(m):.2g}" for m in comparison.methods]
    stability = [comparison.mean_stability(m) for m in comparison.methods]
    rows = [("seconds a selection", seconds)]
    if not np.isnan(stability).all():
        shown = ["-" if np.isnan(s) else f"{s:.2f}" for s in stability]
        rows.append(("stability", shown))
    return rows


def curve_rows(comparison: Comparison) -> Rows:
    """Return every measured point of every curve as rows of text, after a header."""
    rows = [["set", "method", "m", "accuracy"]]
    for (name, method), curve in comparison.curves.items():
        points = enumerate(curve.tolist(), start=1)
        rows += [[name, method, str(m), f"{a:.3f}"] for m, a in points if not np.isnan(a)]
    return rows


def ending_rows(results: Results, sets: Iterable[str], methods: Iterable[str]) -> Rows:
    """Return how many features each method selected, and why it ended; ranges are over splits."""
    rows = [["set", "method", "selected", "informative columns", "ended because"]]
    selections = [record for record in results.values() if record["kind"] == "selection"]
    for name in sets:
        for method in methods:
            found = [r for r in selections if (r["set"], r["method"]) == (name, method)]
            if found:
                lengths = _range([len(r["ranking"]) for r in found])
                informative = _range([r["n_telling"] for r in found])
                reasons = ", ".join(sorted({r["stop_reason"] for r in found}))
                rows.append([name, method, lengths, informative, reasons])
    return rows


def _range(numbers: list[int]) -> str:
    return " to ".join(map(str, sorted({min(numbers), max(numbers)})))


def verdict(comparison: Comparison) -> list[str]:
    """Return sentences about whether the methods differ over the sets."""
    n_sets, methods = len(comparison.complete_sets), comparison.methods
    if n_sets < 2 or len(methods) < 2:
        return ["Tests over data sets need two sets and two methods at least."]
    table = comparison.accuracies()
    test, distance = friedman(table), nemenyi_distance(len(methods), n_sets, ALPHA)
    sentences = [
        f"Friedman over {n_sets} sets: chi-square {test.chi_square:.2f} (p = "
        f"{test.p_chi_square:.3g}), F {test.f:.2f} (p = {test.p_f:.3g}).",
        f"Nemenyi: average ranks that differ by {distance:.2f} or more differ at the "
        f"{ALPHA:g} level.",
    ]
    different = [
        f"{methods[pair.first]} and {methods[pair.second]} (p = {pair.p_holm:.3g})"
        for pair in pairwise_wilcoxon(table)
        if pair.p_holm <= ALPHA
    ]
    pairs = "; ".join(different) if different else "no pair differs"
    return [*sentences, f"Wilcoxon with Holm's correction, at the {ALPHA:g} level: {pairs}."]


def markdown(rows: Rows) -> str:
    """Return rows, the first of which is the header, as a Markdown table."""
    head, *body = rows
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *body]
    lines = [[cell.replace("|", r"\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def best_csv(comparison: Comparison) -> str:
    """Return CSV with a row for each set and method."""
    rows: list[list[Any]] = [["set", "method", "n_features", "accuracy", "seconds", "stability"]]
    for name in comparison.sets:
        for method in comparison.methods:
            best = comparison.best(name, method)
            if best is not None:
                rest = (
                    f"{comparison.seconds[name, method]:.4f}",
                    f"{comparison.stability[name, method]:.4f}",
                )
                rows.append([name, method, best.n_features, f"{best.accuracy:.2f}", *rest])
    return written(rows)


def written(rows: list[list[Any]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


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
