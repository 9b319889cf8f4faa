"""Do intervals for label scores hold what they say?"""

import numpy as np
from tests.information.test_intervals import known_table

from deacs import CodedData
from deacs.information import label_score_intervals

TITLE = "Intervals for label scores: 150 tables with a known R for each line, 200 resamples, 95 %"
NOTE = """
S is one feature with as many values as there are groups. Bits are means over tables and classes.
"""

DESIGNS = [
    ((1, 3, 3), 0.5, 200),
    ((9, 3, 3), 0.5, 300),
    ((9, 3, 3), 0.0, 300),
    ((30, 3, 3), 0.4, 300),
    ((30, 3, 3), 0.9, 300),
    ((27, 4, 5), 0.5, 1000),
    ((100, 3, 3), 0.5, 600),
]
"""Groups, values and classes; how much the class depends on the feature; rows."""


def run(n_tables: int = 150, n_resamples: int = 200) -> list[dict[str, object]]:
    """Count the intervals that hold R."""
    rows = []
    for shape, strength, n_rows in DESIGNS:
        p, true = known_table(*shape, strength)
        rng = np.random.default_rng(1)
        found = []
        for seed in range(n_tables):
            groups, values, y = np.unravel_index(rng.choice(p.size, n_rows, p=p.ravel()), p.shape)
            data = CodedData.from_codes(np.c_[groups, values], y)
            interval = label_score_intervals(
                data, [0, 1], n_resamples=n_resamples, random_state=seed
            )
            low, high = interval.low[1] - 1e-12, interval.high[1]
            estimate, chance = interval.estimate[1], interval.chance[1]
            found.append([estimate, estimate - chance, (low <= true) & (true <= high)])
        plug_in, corrected, held = np.mean(found, axis=(0, 2))
        rows.append(
            {
                "groups x values x classes": " x ".join(map(str, shape)),
                "rows": n_rows,
                "R": f"{true.mean():.3f}",
                "plug-in": f"{plug_in:.3f}",
                "plug-in - E": f"{corrected:.3f}",
                "held": f"{held:.0%}",
            }
        )
    return rows
