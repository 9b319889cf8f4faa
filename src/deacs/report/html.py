"""The HTML report: one file that works offline, with text, tables and charts from a `Summary`.

Jinja escapes everything in the template; chart data is JSON that cannot close its script tag. The
content security policy allows only the page's own two scripts, by their hashes, and no requests,
so that a malicious name could do nothing even if it were not escaped.
"""

import base64
import hashlib
import json
import os
import platform
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from deacs import __version__
from deacs._extras import installed_version
from deacs.exceptions import InputError
from deacs.report.charts import chart_data
from deacs.report.files import regular_file, replace
from deacs.report.fits import summarize
from deacs.report.names import apart, plain, short
from deacs.report.sections import (
    class_sections,
    data_notes,
    distributions,
    path_rows,
    selection_rows,
)
from deacs.report.sentences import brief_percent, headline, percent, sentences
from deacs.report.substitutes import substitute_rows
from deacs.report.summary import Summary

__all__ = ["check_packages", "html_page", "write_html", "write_page"]

TEMPLATES = Path(__file__).parent / "templates"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "highspy", "narwhals", "polars")


def write_html(
    selector: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    sample_weight: Any = None,
    title: str = "Feature selection",
    notes: Sequence[str] = (),
) -> Path:
    """Write a report on a fitted selector: one file for any browser, offline.

    Parameters
    ----------
    selector : fitted selector of deacs
        The selector.
    X, y : table and classes
        The data it was fitted on; y is None if X is CodedData.
    path : path
        The file; an existing one is replaced.
    sample_weight : array-like of shape (n_rows,), optional
        The weights it was fitted with.
    title : str, optional
        The page's title.
    notes : sequence of str, optional
        Further notes to show.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACS(n_features_to_select=3).fit(X, y)
    >>> write_html(selector, X, y, "wine.html")  # doctest: +SKIP
    PosixPath('wine.html')
    """
    summary = summarize(selector, X, y, sample_weight=sample_weight, notes=notes)
    return write_page(summary, path, title=title)


def write_page(
    summary: Summary, path: str | os.PathLike[str], *, title: str = "Feature selection"
) -> Path:
    """Write the page of a summary atomically."""
    goal = Path(path)
    regular_file(goal)  # raises early if it cannot be written
    replace(goal, html_page(summary, title=title).encode())
    return goal


def html_page(summary: Summary, *, title: str = "Feature selection") -> str:
    """Return the page as text.

    Parameters
    ----------
    summary : Summary
        The summary; see `deacs.report.summarize`.
    title : str, optional
        The page's title.
    """
    check_packages()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "plain": plain,
        "short": short,
        "told_apart": _names_apart(summary),
        "percent": percent,
        "share": brief_percent,
        "short_code": _short_code,
    }
    # Only an end tag could close a script element; the script contains none.
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    charts = chart_data(summary)
    page: str = environment.get_template("page.html").render(
        title=title,
        headline=headline(summary),
        sentences=sentences(summary),
        summary=summary,
        identifiers=_unnoted_identifiers(summary),
        selected=selection_rows(summary),
        substitutes=substitute_rows(summary),
        path=path_rows(summary),
        sections=class_sections(summary),
        distributions=distributions(summary),
        data=data_notes(summary),
        settings=sorted((name, repr(value)) for name, value in summary.settings.items()),
        versions=_versions(),
        style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
        n_races=len(charts["races"]),
        n_columns=sum(len(columns) for columns in summary.columns),
        unexplained=summary.unexplained_path[: summary.n_shown + 1, summary.outputs].tolist(),
        label_scores=summary.label_scores[: summary.n_shown, summary.outputs].tolist(),
        outputs=summary.output_names,
        classes=[summary.classes[i] for i in summary.shown_classes],
        chart_data=_json(charts),
        script=script,
        policy=_policy(script),
    )
    return page


def check_packages() -> None:
    """Raise an error that says what to install if a package is missing, before a long fit."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise InputError(
            "the report needs jinja2, which is not installed; pip install 'deacs[report]'"
        ) from error


def _policy(script: str) -> str:
    """Return a content security policy that allows only this script, and no requests."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _json(value: Any) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def _names_apart(summary: Summary) -> Callable[[Any, int], str]:
    """Return a filter that shortens names and keeps those of different columns different."""
    names = [*summary.table.feature_names, *summary.classes]

    @cache
    def shown(longest: int) -> dict[str, str]:
        return dict(zip(names, apart(names, longest), strict=True))

    return lambda name, longest: shown(longest).get(str(name)) or short(name, longest)


def _unnoted_identifiers(summary: Summary) -> list[str]:
    """Return the identifiers that no note names."""
    noted = {column for note in summary.notes for column in getattr(note, "columns", ())}
    return [name for name in summary.identifiers if name not in noted]


def _short_code(code: str) -> str:
    """Return code for display, with its line breaks kept."""
    return "\n".join(short(line, 2000) if line else "" for line in code.splitlines())


def _versions() -> list[tuple[str, str]]:
    found = ((name, installed_version(name)) for name in PACKAGES)
    known = [(name, version) for name, version in found if version is not None]
    return [("deacs", __version__), ("Python", platform.python_version()), *known]
