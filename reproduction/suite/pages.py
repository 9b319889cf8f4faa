"""The tables of a comparison as text, for the screen and for `docs/suite/tables.md`."""

from collections.abc import Iterator

from benchmarks.markdown import markdown

from reproduction.suite.showing import Comparison, Row

__all__ = ["in_words", "page", "sections"]

FORMATS = {"p (Holm)": ".2g", "stability": ".2f", "length": ".0f", "seconds": ".2g"}
PERCENT = ".1f"


def in_words(rows: list[Row]) -> list[Row]:
    """Return rows with numbers as they are to be read."""
    return [
        {
            key: format(value, FORMATS.get(key, PERCENT)) if isinstance(value, float) else value
            for key, value in row.items()
        }
        for row in rows
    ]


def sections(comparison: Comparison) -> Iterator[tuple[str, list[Row]]]:
    """Yield title and rows of each table; tables without rows are left out."""
    every = (
        ("All measures", comparison.overview()),
        ("Accuracy by group of tables", comparison.by_group(0)),
        ("Worst-class recall by group of tables", comparison.by_group(3)),
        ("Methods that ran on fewer tables, and the reference on the same", comparison.aside()),
    )
    for title, rows in every:
        if rows:
            yield title, in_words(rows)


def page(comparison: Comparison, note: str) -> str:
    """Return the page of a comparison."""
    lines = ["# Selectors on real tables", "", "Written by `python -m reproduction.suite --write`."]
    lines += ["", note.strip(), "", *_which(comparison)]
    for title, rows in sections(comparison):
        lines += ["", f"## {title}", "", markdown(rows)]
    return "\n".join([*lines, "", *_not_run(comparison), ""])


def _which(comparison: Comparison) -> list[str]:
    return [
        f"{len(comparison.tables)} tables on which all {len(comparison.methods)} methods ran: "
        f"{', '.join(comparison.tables)}.",
        "",
        f"Friedman's test, all methods equal: p = {comparison.chance_of_equals():.2g}.",
    ]


def _not_run(comparison: Comparison) -> list[str]:
    lines = [f"- {table}, {method}: {reason}" for table, method, reason in comparison.not_run]
    return ["## Not run", "", *(lines or ["Nothing."])]
