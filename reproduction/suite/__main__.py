"""Which selector serves classifiers best, on 44 real tables.

python -m reproduction.suite                     run what is missing, then show
python -m reproduction.suite --show              show what is there
python -m reproduction.suite --show --source suite --reference CFS
python -m reproduction.suite --jobs 2 --budget 120 --methods CFS,MRMR --tables sonar,wine
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.markdown import markdown

from reproduction.suite import METHODS, tables
from reproduction.suite.pages import page, sections
from reproduction.suite.running import BUDGET
from reproduction.suite.running import run as run_study
from reproduction.suite.showing import compare

NOTE = """
Percentages are means over tables, classifiers and sizes ([how](../which-selector.md)).
Ranks are by accuracy, 1 is best. p is from Wilcoxon's signed-rank test of the reference against the
method over tables, with Holm's correction. Stability is Nogueira's measure over folds. Length is
the number of ranked features. Seconds are CPU seconds for selecting in one fold.
"""
TABLES = Path(__file__).parents[2] / "docs" / "suite"


def main(options: Sequence[str] | None = None) -> None:
    """Run what is missing; print every table."""
    chosen = _parser().parse_args(options)
    names = chosen.tables.split(",") if chosen.tables else tables(chosen.source)
    methods = METHODS
    if chosen.methods:
        methods = {name: METHODS[name] for name in chosen.methods.split(",")}
    if not (chosen.show or chosen.write):
        run_study(methods, names, chosen.budget, chosen.jobs)
    comparison = compare(methods, names, chosen.reference)
    for title, rows in sections(comparison):
        print(f"{title}\n\n{markdown(rows)}\n")
    print(f"{len(comparison.tables)} tables on which all {len(comparison.methods)} methods ran")
    print(f"Friedman: p = {comparison.chance_of_equals():.2g}")
    print(f"Not run: {len(comparison.not_run)} pairs of table and method")
    for table, method, reason in comparison.not_run:
        print(f"  {table}, {method}: {reason}")
    if chosen.write:
        _write(chosen.reference)


def _write(reference: str) -> None:
    """Write `docs/suite`: the page, every number by table, the picture of the suite's ranks."""
    everywhere = compare(METHODS, tables(), reference)
    everywhere.write(TABLES)
    (TABLES / "tables.md").write_text(page(everywhere, NOTE))
    compare(METHODS, tables("suite"), reference).draw(TABLES / "ranks.png")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m reproduction.suite")
    add = parser.add_argument
    add("--show", action="store_true", help="compute nothing, show what the records hold")
    add("--write", action="store_true", help="the same, and write docs/suite")
    add("--source", choices=["suite", "paper", "scikit-learn"], help="tables of this source only")
    add("--tables", help="these tables only: a,b,c")
    add("--methods", help="these methods only: a,b,c")
    add("--reference", default="deacs", help="the method that others are tested against")
    add("--budget", type=float, default=BUDGET, help="CPU seconds for a method on a table")
    add("--jobs", type=int, default=1, help="processes, each with a table of its own")
    return parser


if __name__ == "__main__":
    main()
