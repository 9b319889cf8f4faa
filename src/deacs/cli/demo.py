"""`deacs demo`: the whole way on data that ships with scikit-learn, from table to accuracy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.console import terminal
from deacs.cli.outputs import check_outputs

if TYPE_CHECKING:
    import polars as pl

__all__ = ["demo"]

FEW = 3

PIPELINE = f"""make_pipeline(DEACS({FEW}), StandardScaler(), SVC())"""


def demo(
    report: Annotated[
        Path,
        typer.Option("--report", "-r", metavar="HTML", help="Where the page with charts goes."),
    ] = Path("deacs-demo.html"),
    open_report: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No sign of progress.")] = False,
) -> None:
    """Select features of the wine data (178 rows, 13 measurements, 3 growers) and show why."""
    from deacs.cli.progress import waiting
    from deacs.cli.view import show
    from deacs.exceptions import InputError

    check_outputs({"--report": report})
    console = terminal()
    console.print(
        "The wine data of scikit-learn: 13 chemical measurements of wines from 3 growers.\n"
        "Which measurements tell the growers apart, and which grower does each one serve?"
    )
    with waiting("loading, and compiling once after an installation", quiet=quiet):
        import polars as pl
        from sklearn.datasets import load_wine

        from deacs import encode
        from deacs.report import summarize_path
        from deacs.selection import Refits, Setting, dea_cs

        wine = load_wine()
        X = pl.DataFrame(wine.data, schema=list(wine.feature_names))
        data = encode(X, wine.target_names[wine.target], order=True)
        setting = Setting(store_candidates=True)
        path = dea_cs(data, setting)
        refits = Refits(data, setting, X)
        summary = summarize_path(
            path,
            data,
            setting,
            held_out=lambda: refits.held_out(len(path.steps)),
            snippet="deacs demo",
        )
    show(summary, console)
    with waiting("drawing the page, and judging the selection", quiet=quiet):
        try:
            from deacs.report import write_page

            write_page(summary, report, title="The wines of three growers")
            made = f"The page with charts: {report.resolve().as_uri()}"
        except InputError as error:  # a package is missing
            made, open_report = f"No page was written: {error}", False
        few, all_ = _accuracies(X, wine.target)
    console.print(
        f"\n[bold]In a pipeline[/bold], features selected on the training folds only (5 folds):\n"
        f"  {few:.1%} with {FEW} features: [cyan]{PIPELINE}[/cyan]\n"
        f"  {all_:.1%} with all 13\n",
        markup=True,
    )
    console.print(made, soft_wrap=True)
    console.print(
        "Your own table: [cyan]deacs select FILE.csv --target COLUMN -k 10[/cyan]", markup=True
    )
    if open_report:
        typer.launch(str(report))


def _accuracies(X: "pl.DataFrame", y: Any) -> tuple[float, float]:
    """Return the accuracy with a few features, and with all."""
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    from deacs import DEACS

    judges = (DEACS(FEW), StandardScaler(), SVC()), (StandardScaler(), SVC())
    few, every = (
        float(cross_val_score(make_pipeline(*steps), X.to_numpy(), y).mean()) for steps in judges
    )
    return few, every
