"""The default beside the published setting: what both views, blocks and chance cost."""

from functools import partial

from benchmarks.tables import coded_table
from benchmarks.timing import side_by_side
from deacs.selection import PUBLISHED, Setting, dea_cs

TITLE = "The default and the published setting: 30 features on one thread, from CodedData"
NOTE = """
Taking turns; the order view is made from the codes once, before. A selection of the published
setting that ends earlier has fewer steps.
"""
TABLES = {
    "6,000 x 5,000, 2 classes": (6_000, 5_000, 2, (2, 6), 7),
    "1,000,000 x 100, 2 classes": (1_000_000, 100, 2, (2, 6), 3),
    "1,000,000 x 100, 5 classes": (1_000_000, 100, 5, (2, 6), 3),
}


def run() -> list[dict[str, object]]:
    """Time both settings on each table."""
    rows: list[dict[str, object]] = []
    for table, (n_rows, n_features, n_labels, values, repeats) in TABLES.items():
        data = coded_table(n_rows, n_features, n_labels, values)
        settings = {"default": Setting(30), "published": Setting(30, **PUBLISHED)}
        lengths = {who: len(dea_cs(data, setting).ranking) for who, setting in settings.items()}
        seconds = side_by_side(
            {who: partial(dea_cs, data, setting) for who, setting in settings.items()},
            repeats,
        )
        rows += [
            {
                "table": table,
                "setting": who,
                "seconds": seconds[who],
                "features": lengths[who],
                "seconds a feature": seconds[who] / lengths[who],
            }
            for who in settings
        ]
    return rows
