"""Tables such as the paper's Table 2 as Markdown, LaTeX and CSV.

Two columns for each method: the number of features and the accuracy in percent at the best point of
its curve. The last rows are averages, wins, seconds per selection, stability over splits, and
average ranks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from deacs.exceptions import InputError, Parameter
from deacs.experiments.curves import Comparison
from deacs.experiments.results import Results
from deacs.experiments.statistics import (
    average_ranks,
    friedman,
    nemenyi_distance,
    pairwise_wilcoxon,
)

__all__ = [
    "FORMATS",
    "best_rows",
    "cost_rows",
    "curve_rows",
    "ending_rows",
    "markdown",
    "render",
    "verdict",
    "written",
]

Rows = list[list[str]]

ALPHA = 0.05
"""The level of the tests."""

LATEX = str.maketrans({
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
})  # fmt: skip
"""Escapes of special characters."""


def best_rows(comparison: Comparison, mark: Callable[[str], str] = str) -> Rows:
    """Return the table as rows of text, after a header; `mark` formats winning accuracies."""
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
                row += [str(best.n_features), mark(accuracy) if method in winners else accuracy]
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
    selections = results.selections
    for name in sets:
        for method in methods:
            found = [r for r in selections if (r["set"], r["method"]) == (name, method)]
            if not found:
                continue
            lengths = [len(r["ranking"]) for r in found]
            informative = [r["n_telling"] for r in found if "n_telling" in r]
            reasons = ", ".join(sorted({r["stop_reason"] for r in found}))
            rows.append([name, method, _range(lengths), _range(informative), reasons])
    return rows


def _range(numbers: list[int]) -> str:
    ends = sorted({min(numbers, default=0), max(numbers, default=0)})
    return " to ".join(map(str, ends)) if numbers else ""


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


def render(comparison: Comparison, format: str = "markdown") -> str:
    """Return the table of best accuracies as text.

    Parameters
    ----------
    comparison : Comparison
        The comparison to show.
    format : {"markdown", "latex", "csv"}, default="markdown"
        The format of the text.
    """
    if format not in FORMATS:
        raise InputError(
            Parameter("format"), f" must be one of {', '.join(FORMATS)}, got {format!r}"
        )
    return FORMATS[format](comparison)


def _markdown(comparison: Comparison) -> str:
    return markdown(best_rows(comparison, mark=lambda accuracy: f"**{accuracy}**"))


def markdown(rows: Rows) -> str:
    """Return rows, the first of which is the header, as a Markdown table."""
    head, *body = rows
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *body]
    lines = [[cell.replace("|", r"\|") for cell in line] for line in lines]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(comparison: Comparison) -> str:
    _, *body = best_rows(comparison, mark=lambda accuracy: rf"\textbf{{{accuracy}}}")
    methods = comparison.methods
    names = "".join(rf" & \multicolumn{{2}}{{c}}{{{_escaped(method)}}}" for method in methods)
    lines = [
        rf"\begin{{tabular}}{{l{'rr' * len(methods)}}}",
        r"\toprule",
        names + r" \\",
        " & ".join(["set", *[r"\#", r"\%"] * len(methods)]) + r" \\",
        r"\midrule",
        *(" & ".join([_escaped(row[0]), *row[1:]]) + r" \\" for row in body),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.translate(LATEX)


def _csv(comparison: Comparison) -> str:
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


FORMATS: dict[str, Callable[[Comparison], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
}
"""Writers of tables, by name."""
