"""`deacs demo`: the main job on data that ships with scikit-learn."""

from rich.console import Console

__all__ = ["demo"]


def demo() -> None:
    """Select features of the wine data (178 rows, 13 measurements, 3 growers) and show why."""
    import polars as pl
    from sklearn.datasets import load_wine

    from deacs import encode
    from deacs.cli.summary import summarize
    from deacs.cli.view import show
    from deacs.selection import dea_cs

    console = Console(highlight=False)
    console.print(
        "The wine data of scikit-learn: 13 chemical measurements of wines from 3 growers.\n"
        "Which measurements tell the growers apart, and which grower does each one serve?"
    )
    wine = load_wine()
    X = pl.DataFrame(wine.data, schema=list(wine.feature_names))
    data = encode(X, wine.target_names[wine.target])
    show(summarize(dea_cs(data), data, {"method": "dea-cs", "judge": "radial"}), console)
    console.print("\nYour own table:  deacs select FILE.csv --target COLUMN -k 10")
