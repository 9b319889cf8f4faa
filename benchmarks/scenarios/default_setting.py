"""The default beside the published setting: what both views, blocks and chance cost."""

import time
from functools import partial

from sklearn.datasets import load_digits

from benchmarks.tables import coded_table
from benchmarks.timing import side_by_side
from deacs import DEACS, encode

TITLE = "The default and the published setting: 30 features on one thread, from CodedData"
NOTE = """
Taking turns, CPU seconds, the best turn of each; the order view is made from the codes once,
before. A selection of the published setting that ends earlier has fewer steps; *times published*
compares seconds a feature.
"""
TABLES = {
    "6,000 x 5,000, 2 classes": (6_000, 5_000, 2, (2, 6), 7),
    "1,000,000 x 100, 2 classes": (1_000_000, 100, 2, (2, 6), 3),
    "1,000,000 x 100, 5 classes": (1_000_000, 100, 5, (2, 6), 3),
    "20,000 x 300, 40 to 200 values, 3 classes": (20_000, 300, 3, (40, 200), 5),
    "1,559 x 617, 26 classes": (1_559, 617, 26, (2, 6), 7),
    "500 x 2,000, 9 classes": (500, 2_000, 9, (2, 6), 7),
    "100 x 20,000, 4 classes": (100, 20_000, 4, (2, 6), 7),
    "digits of scikit-learn, 10 classes": None,
}


def run() -> list[dict[str, object]]:
    """Time both settings on each table."""
    rows: list[dict[str, object]] = []
    for table, shape in TABLES.items():
        data = coded_table(*shape[:4]) if shape else encode(*load_digits(return_X_y=True))
        repeats = shape[4] if shape else 7
        settings = {"default": DEACS(30), "published": DEACS.published(30)}
        lengths = {who: len(setting.fit(data).ranking_) for who, setting in settings.items()}
        seconds = side_by_side(
            {who: partial(setting.fit, data) for who, setting in settings.items()},
            repeats,
            time.process_time,
        )
        per_feature = {who: seconds[who] / lengths[who] for who in settings}
        rows += [
            {
                "table": table,
                "setting": who,
                "seconds": seconds[who],
                "features": lengths[who],
                "seconds a feature": per_feature[who],
                "times published": per_feature[who] / per_feature["published"],
            }
            for who in settings
        ]
    return rows
