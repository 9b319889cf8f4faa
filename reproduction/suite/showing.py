"""The tables of the study: means, ranks and tests, by group, and what was not run.

A method is compared over all tables that every method of the comparison has been run on; methods
that miss more than a tenth of the tables (too slow) are set beside the reference on their own ones.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.stats import rankdata, wilcoxon

from reproduction.statistics import friedman, holm, nemenyi_distance
from reproduction.suite.comparing import Outcome, collect
from reproduction.suite.evaluation import MEASURES, SIZES
from reproduction.suite.methods import Method
from reproduction.suite.tables import facts

__all__ = ["GROUPS", "Comparison", "Row", "compare"]

GROUPS = ("highdim", "manyclass", "ordinary", "imbalanced")
COVERED = 0.9
"""The share of the tables that a method must have been run on to be compared with all others."""

Row = dict[str, object]


@dataclass(frozen=True)
class Comparison:
    """Methods over tables.

    Attributes
    ----------
    reference : str
        The method that the others are tested against.
    methods, tables : list of str
        Those of the comparison: every method has an outcome on every table.
    beside : list of str
        Methods with outcomes on fewer tables.
    outcomes : dict of (table, method) to Outcome
        All of them.
    not_run : list of (table, method, reason)
        What is missing.
    """

    reference: str
    methods: list[str]
    tables: list[str]
    beside: list[str]
    outcomes: dict[tuple[str, str], Outcome]
    not_run: list[tuple[str, str, str]] = field(default_factory=list)

    def measured(self, measure: int, group: str | None = None) -> np.ndarray:
        """Return a measure in percent, of shape (n_tables, n_methods)."""
        tables = [name for name in self.tables if group in (None, facts()[name].group)]
        rows = [[self.outcomes[t, m].means[measure] for m in self.methods] for t in tables]
        return 100 * np.array(rows).reshape(len(tables), len(self.methods))

    @property
    def ranks(self) -> np.ndarray:
        """Mean ranks by accuracy, rounded to a hundredth of a point; 1 is best."""
        return rankdata(-self.measured(0).round(2), axis=1).mean(axis=0)

    def overview(self) -> list[Row]:
        """Return a row for each method, the most accurate first."""
        means = [self.measured(m).mean(axis=0) for m in range(len(MEASURES))]
        corrected, better = self._tests()
        rows = []
        for j in np.argsort(-means[0]):
            name = self.methods[j]
            of_tables = [self.outcomes[table, name] for table in self.tables]
            rows.append(
                {
                    "method": name,
                    **{measure: means[m][j] for m, measure in enumerate(MEASURES)},
                    "mean rank": self.ranks[j],
                    f"{self.reference} better, worse": better.get(name, ""),
                    "p (Holm)": corrected.get(name, float("nan")),
                    "stability": np.nanmean([one.stability for one in of_tables]),
                    "length": np.mean([one.length for one in of_tables]),
                    "seconds": np.mean([one.seconds for one in of_tables]),
                }
            )
        return rows

    def _tests(self) -> tuple[dict[str, float], dict[str, str]]:
        """Test the reference against every other method by signed ranks."""
        accuracy = self.measured(0).round(2)
        ours = accuracy[:, self.methods.index(self.reference)]
        others = [j for j, name in enumerate(self.methods) if name != self.reference]
        differences = [ours - accuracy[:, j] for j in others]
        p_values = [
            float(wilcoxon(one, zero_method="zsplit").pvalue) if one.any() else 1.0
            for one in differences
        ]
        names = [self.methods[j] for j in others]
        better = [f"{np.sum(one > 0)}, {np.sum(one < 0)}" for one in differences]
        corrected = map(float, holm(np.array(p_values)))
        return dict(zip(names, corrected, strict=True)), dict(zip(names, better, strict=True))

    def by_group(self, measure: int = 0) -> list[Row]:
        """Return the mean of a measure in each group of tables."""
        found = {
            f"{group} ({len(values)})": values.mean(axis=0)
            for group in GROUPS
            if len(values := self.measured(measure, group))
        }
        order = np.argsort(-self.measured(measure).mean(axis=0))
        return [
            {"method": self.methods[j], **{group: mean[j] for group, mean in found.items()}}
            for j in order
        ]

    def aside(self) -> list[Row]:
        """Return methods with fewer tables beside the reference on the same tables."""
        rows = []
        for name in self.beside:
            both = [
                table
                for table, method in self.outcomes
                if method == name and (table, self.reference) in self.outcomes
            ]
            if both:
                theirs, ours = (
                    100 * np.mean([self.outcomes[table, m].means for table in both], axis=0)
                    for m in (name, self.reference)
                )
                seconds = np.mean([self.outcomes[table, name].seconds for table in both])
                rows.append(
                    {"method": name, "tables": len(both), "accuracy": theirs[0],
                     f"{self.reference}'s": ours[0], "balanced": theirs[1],
                     f"{self.reference}'s balanced": ours[1], "seconds": seconds}
                )  # fmt: skip
        return rows

    def chance_of_equals(self) -> float:
        """Return the p-value of Friedman's test: whether all methods are equal."""
        return friedman(self.measured(0).round(2)).p_f

    def write(self, folder: Path) -> None:
        """Write every number by table, and what was not run."""
        folder.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "table": table,
                "group": facts()[table].group,
                "source": facts()[table].source,
                "method": name,
                **{m: f"{v:.2f}" for m, v in zip(MEASURES, 100 * one.means, strict=True)},
                **{f"at {s}": f"{100 * v:.2f}" for s, v in zip(SIZES, _curve(one), strict=True)},
                "stability": f"{one.stability:.3f}",
                "length": f"{one.length:.1f}",
                "seconds": f"{one.seconds:.3f}",
            }
            for (table, name), one in self.outcomes.items()
        ]
        _write_csv(folder / "by-table.csv", rows)
        gaps = [dict(zip(("table", "method", "reason"), gap, strict=True)) for gap in self.not_run]
        if gaps:
            _write_csv(folder / "not-run.csv", gaps)

    def draw(self, path: Path) -> None:
        """Draw mean ranks and Nemenyi's critical distance."""
        import matplotlib

        matplotlib.use("Agg")
        from reproduction.critical_difference import CriticalDifferenceDisplay

        distance = nemenyi_distance(len(self.methods), len(self.tables))
        shown = CriticalDifferenceDisplay.from_ranks(self.methods, self.ranks, distance)
        shown.figure_.savefig(path, dpi=120, bbox_inches="tight")


def compare(methods: Mapping[str, Method], names: Sequence[str], reference: str) -> Comparison:
    """Read the records and decide which methods and tables can be compared."""
    outcomes, not_run = collect(methods, names)
    there = [name for name in names if (name, reference) in outcomes]
    counts = {m: sum((t, m) in outcomes for t in there) for m in methods}
    enough = COVERED * len(there) - 1  # the table that a run is at may be short of some
    full = [m for m in methods if counts[m] and counts[m] >= enough]
    common = [t for t in there if all((t, m) in outcomes for m in full)]
    beside = [m for m in methods if counts[m] and m not in full]
    return Comparison(reference, full, common, beside, outcomes, not_run)


def _curve(one: Outcome) -> np.ndarray:
    return one.values[:, :, 0].mean(axis=1)


def _write_csv(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
