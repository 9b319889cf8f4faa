"""The HTML report: one file that works offline, with text, tables and charts of a `Result`.

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
from deacs.report.names import apart, plain, short
from deacs.report.sections import (
    class_sections,
    data_notes,
    distributions,
    path_rows,
    selection_rows,
    substitute_rows,
)
from deacs.report.sentences import brief_percent, headline, percent, sentences
from deacs.selection.result import Result

__all__ = ["check_packages", "html_page", "write_html"]

TEMPLATES = Path(__file__).parent / "templates"
PACKAGES = ("numpy", "scipy", "scikit-learn", "highspy", "narwhals", "polars")


def write_html(
    selector: Any,
    path: str | os.PathLike[str],
    *,
    title: str = "Feature selection",
    notes: Sequence[str] | None = None,
    code: str | None = None,
) -> Path:
    """Write a report on a fitted selector: one file for any browser, offline.

    Parameters
    ----------
    selector : fitted selector of deacs
        The selector, which holds the rows that it was fitted on until it is pickled.
    path : path
        The file; an existing one is replaced.
    title : str, optional
        The page's title.
    notes : sequence of str, optional
        The notes to show; default: those of the fit.
    code : str, optional
        Code or a command that repeats the selection; default: the fit, in Python.

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
    >>> write_html(selector, "wine.html")  # doctest: +SKIP
    PosixPath('wine.html')
    """
    goal = Path(path)
    regular_file(goal)  # raises early if it cannot be written
    replace(goal, html_page(selector, title=title, notes=notes, code=code).encode())
    return goal


def html_page(
    selector: Any,
    *,
    title: str = "Feature selection",
    notes: Sequence[str] | None = None,
    code: str | None = None,
) -> str:
    """Return the page as text; the parameters are those of `write_html`."""
    result = _result_of(selector)
    notes = result.notes if notes is None else notes
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
        "told_apart": _names_apart(result),
        "percent": percent,
        "share": brief_percent,
        "short_code": _short_code,
    }
    # Only an end tag could close a script element; the script contains none.
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    charts = chart_data(result)
    page: str = environment.get_template("page.html").render(
        title=title,
        headline=headline(result),
        sentences=sentences(result, notes),
        result=result,
        notes=notes,
        code=result.code if code is None else code,
        identifiers=_unnoted_identifiers(result, notes),
        selected=selection_rows(result),
        substitutes=substitute_rows(result),
        path=path_rows(result),
        sections=class_sections(result),
        distributions=distributions(result),
        data=data_notes(result),
        settings=sorted((name, repr(value)) for name, value in result.parameters.items()),
        versions=_versions(),
        style=(TEMPLATES / "page.css").read_text(encoding="utf-8"),
        n_races=len(charts["races"]),
        n_columns=sum(len(columns) for columns in result.columns),
        unexplained=result.unexplained_path[: result.n_shown + 1, result.outputs].tolist(),
        label_scores=result.label_scores[: result.n_shown, result.outputs].tolist(),
        outputs=result.output_names,
        classes=[result.classes[i] for i in result.shown_classes],
        chart_data=_json(charts),
        script=script,
        policy=_policy(script),
    )
    return page


def _result_of(selector: Any) -> Result:
    """Return the result of a fitted selector whose rows can be counted."""
    result: Result | None = getattr(selector, "result_", None)
    if result is None:
        raise InputError(
            f"selector must be a fitted selector of deacs, got {type(selector).__name__} without "
            "result_; call its fit(X, y) first"
        )
    if not result.source.has_rows:
        raise InputError(
            "selector must hold the rows of its fit, which pickled selectors and tables of a "
            "database that were closed do not; fit again"
        )
    return result


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


def _names_apart(result: Result) -> Callable[[Any, int], str]:
    """Return a filter that shortens names and keeps those of different columns different."""
    names = [*result.source.names, *result.classes]

    @cache
    def shown(longest: int) -> dict[str, str]:
        return dict(zip(names, apart(names, longest), strict=True))

    return lambda name, longest: shown(longest).get(str(name)) or short(name, longest)


def _unnoted_identifiers(result: Result, notes: Sequence[str]) -> list[str]:
    """Return the identifiers that no note names."""
    noted = {column for note in notes for column in getattr(note, "columns", ())}
    return [name for name in result.identifiers(notes) if name not in noted]


def _short_code(code: str) -> str:
    """Return code for display, with its line breaks kept."""
    return "\n".join(short(line, 2000) if line else "" for line in code.splitlines())


def _versions() -> list[tuple[str, str]]:
    found = ((name, installed_version(name)) for name in PACKAGES)
    known = [(name, version) for name, version in found if version is not None]
    return [("deacs", __version__), ("Python", platform.python_version()), *known]
