"""`deacs demo`: a selection on data that ships with scikit-learn, from table to accuracy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.output import PAGES, check_outputs, progress, terminal
from deacs.exceptions import InputError

if TYPE_CHECKING:
    import polars as pl

    from deacs.tables.targets import TargetKind

__all__ = ["demo"]

OF_WINE = """\
The wine data of scikit-learn: 13 chemical measurements of wines from 3 growers.
Which measurements separate the growers, and which grower is each informative
about?"""
OF_DIGITS = """\
The digits of scikit-learn: 1,797 pictures of 8 x 8 pixels. A digit may be even,
have a loop, have straight strokes, be above four: several at once, or none.
Which pixels are informative about which of these labels?"""
OF_DIABETES = """\
The diabetes data of scikit-learn: 10 measurements of 442 patients, and a
number, the progression of their disease in a year.
Which part of its range is each measurement informative about?"""
LOADING = "loading"


def demo(
    report: Annotated[
        Path,
        typer.Option("--report", "-r", metavar="HTML", help="Where to write the report."),
    ] = Path("deacs-demo.html"),
    open_report: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    labels: Annotated[
        bool, typer.Option("--labels", help="Multiple labels per row: digits and their traits.")
    ] = False,
    numbers: Annotated[
        bool, typer.Option("--numbers", help="A number as target: the progression of diabetes.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Select features of the wine data (178 rows, 13 measurements, 3 growers) and show why."""
    from deacs import DEACS
    from deacs.cli.view import show

    check_outputs({"--report": (report, PAGES)})
    if labels and numbers:
        raise InputError("--labels and --numbers are two demonstrations; give one of them")
    console = terminal()
    kind: TargetKind = "labels" if labels else "numbers" if numbers else "classes"
    words, load, n_features, title = DEMOS[kind]
    console.print(words)
    with progress(LOADING, quiet=quiet):
        X, y = load()
        selector = DEACS(n_features, target=kind, store_candidates=True).fit(X, y)
    show(selector.result_, console, selector.notes_)
    with progress("drawing the page, and judging the selection", quiet=quiet):
        made, is_made = _page(selector, report, title)
        few, all_ = (0.0, 0.0) if labels else _judged(X, y, n_features, kind)
    if labels:
        console.print()
    else:
        model = "SVR(C=30)" if numbers else "SVC()"
        pipeline = f"make_pipeline(DEACS({n_features or ''}), StandardScaler(), {model})"
        measure = "of the variance explained" if numbers else "accuracy"
        which = f"{n_features} features" if n_features else "as many as it selects in each fold"
        console.print(
            "\n[bold]In a pipeline[/bold], features selected on the training folds only (5 folds):"
            f"\n  [cyan]{pipeline}[/cyan]"
            f"\n  {few:.1%} {measure} with {which}, {all_:.1%} with all {X.width}\n",
            markup=True,
        )
    console.print(made, soft_wrap=True)
    target = "LABEL,LABEL,..." if labels else "COLUMN"
    console.print(
        f"Your own table: [cyan]deacs select FILE.csv --target {target} -k 10[/cyan]", markup=True
    )
    if open_report and is_made:
        typer.launch(str(report))


def _wine() -> "tuple[pl.DataFrame, Any]":
    """Return measurements of wines and their growers."""
    import polars as pl
    from sklearn.datasets import load_wine

    wine = load_wine()
    X = pl.DataFrame(wine.data, schema=list(wine.feature_names))
    return X, wine.target_names[wine.target]


def _diabetes() -> "tuple[pl.DataFrame, Any]":
    """Return measurements of patients and the progression of their disease."""
    import polars as pl
    from sklearn.datasets import load_diabetes

    diabetes = load_diabetes()
    return pl.DataFrame(diabetes.data, schema=list(diabetes.feature_names)), diabetes.target


def _digits() -> "tuple[pl.DataFrame, Any]":
    """Return pixels of digits and multiple labels for each digit."""
    import numpy as np
    import polars as pl
    from sklearn.datasets import load_digits

    digits = load_digits()
    X = pl.DataFrame(digits.data, schema=[f"pixel {j // 8},{j % 8}" for j in range(64)])
    traits = {
        "even": digits.target % 2 == 0,
        "has a loop": np.isin(digits.target, [0, 6, 8, 9]),
        "straight strokes": np.isin(digits.target, [1, 4, 7]),
        "above four": digits.target > 4,
    }
    return X, pl.DataFrame(traits)


DEMOS: "dict[TargetKind, tuple[str, Any, int | None, str]]" = {
    "classes": (OF_WINE, _wine, None, "The wines of three growers"),
    "labels": (OF_DIGITS, _digits, 8, "Digits with four labels"),
    "numbers": (OF_DIABETES, _diabetes, 4, "The course of diabetes"),
}
"""For each table: an introduction, its loader, the number of features to select, and a title."""


def _page(selector: Any, report: Path, title: str) -> tuple[str, bool]:
    """Write the report; return a message, and whether it was written."""
    try:
        from deacs.report import write_html

        write_html(selector, report, title=title, code="deacs demo")
    except InputError as error:  # a package is missing
        return f"No page was written: {error}", False
    return f"The page with charts: {report.resolve().as_uri()}", True


def _judged(
    X: "pl.DataFrame", y: Any, n_features: int | None, kind: "TargetKind"
) -> tuple[float, float]:
    """Return the cross-validated accuracy, or R2, with selected features and with all."""
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, SVR

    from deacs import DEACS

    model = SVC() if kind == "classes" else SVR(C=30.0)
    selector = DEACS(n_features, target=kind)
    judges = (selector, StandardScaler(), model), (StandardScaler(), model)
    few, every = (
        float(cross_val_score(make_pipeline(*steps), X.to_numpy(), y).mean()) for steps in judges
    )
    return few, every
