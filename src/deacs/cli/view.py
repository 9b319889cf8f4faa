"""The summary of a selection as a table that a person likes to read."""

from typing import Any

from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from deacs.cli.notes import tagged
from deacs.report.names import NO_NAME

__all__ = ["show"]

MAX_SERVED = 3
MAX_CLASSES = 40
"""Classes that the screen shows; the JSON and the report have more."""

BAR_WIDTH = 20


def show(summary: dict[str, Any], console: Console) -> None:
    """Print what was selected and why, what is left, and why it ended."""
    selected, classes = summary["selected"], summary["classes"]
    n, total = len(selected), summary["n_features"]
    headline = Text.assemble(
        (f"{n:,} of {total:,} features", "bold"),
        f" selected from {summary['n_rows']:,} rows, {len(classes)} classes",
    )
    parts: list[Any] = [Text(), headline]
    if selected:
        parts += [Text(), _selection(summary)]
    if "residual" in classes[0]:
        parts += [Text(), *_residual(classes)]
    parts.append(Text())
    ending = summary["stop_reason_text"]
    if summary.get("next_p_value") is not None:
        ending += f" (p = {summary['next_p_value']:.2g})"
    parts.append(Text.assemble(("Stopped: ", "bold"), f"{ending}."))
    parts += [tagged(note) for note in summary["notes"]]
    console.print(Group(*parts))


SCORES = {"radial": "theta", "sum": "sum (bits)", "sbm": "SBM", "ram": "RAM", "bam": "BAM"}


def _selection(summary: dict[str, Any]) -> Table:
    settings = summary["settings"]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("rank", justify="right", style="dim")
    table.add_column("feature", style="bold", overflow="fold", max_width=40)
    is_dea_cs, is_tested = settings["method"] == "dea-cs", "next_p_value" in summary
    score = SCORES[settings["judge"]] if is_dea_cs else settings["method"]
    served = "serves most (bits)" if is_dea_cs else "tells most about, alone (bits)"
    table.add_column(score, justify="right")
    if is_tested:
        table.add_column("p", justify="right")
    table.add_column(served, overflow="fold")
    for entry in summary["selected"]:
        bits = entry.get("label_scores") or entry["label_scores_alone"]
        table.add_row(
            str(entry["rank"]),
            Text(entry["feature"] or NO_NAME),
            _score(entry["score"]),
            *([_p_value(entry["p_value"])] if is_tested else []),
            _served(bits),
        )
    return table


def _p_value(p: float | None) -> str:
    if p is None:
        return "-"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _score(score: float | str) -> str:
    return f"{score:.3f}" if isinstance(score, float) else str(score)


def _served(bits: dict[str, float]) -> Text:
    """The classes a feature tells most about, best first."""
    order = sorted(bits, key=lambda label: -bits[label])
    if bits[order[0]] == 0:
        return Text("none", style="dim")
    if len(order) == 2 and bits[order[0]] == bits[order[1]]:
        return Text(f"both classes: {_bits(bits[order[0]])}")
    served = [label for label in order[:MAX_SERVED] if bits[label] > 0]
    text = Text(", ").join(
        Text.assemble((label, "cyan"), f": {_bits(bits[label])}") for label in served
    )
    rest = sum(bits[label] > 0 for label in order[MAX_SERVED:])
    return text.append(f", {rest} more", style="dim") if rest else text


def _bits(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 else f"{value:.1e}"


def _residual(classes: list[dict[str, Any]]) -> list[Table | Text]:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("class", style="cyan", overflow="fold", max_width=40)
    table.add_column("rows", justify="right")
    table.add_column("uncertain before", justify="right")
    table.add_column("after", justify="right")
    table.add_column("still unexplained")
    shown = classes
    if len(classes) > MAX_CLASSES:
        least = sorted(classes, key=lambda entry: -entry["unexplained"])[:MAX_CLASSES]
        shown = [entry for entry in classes if any(entry is one for one in least)]
    for entry in shown:
        share = entry["unexplained"]
        table.add_row(
            Text(entry["class"]),
            f"{entry['rows']:,}",
            f"{entry['entropy']:.3f} bits",
            f"{entry['residual']:.3f} bits",
            _bar(share),
        )
    if len(shown) == len(classes):
        return [table]
    words = f"The {len(shown)} of {len(classes)} classes that are least explained; --json has all."
    return [table, Text(words, style="dim")]


def _bar(share: float) -> Text:
    filled = round(share * BAR_WIDTH)
    if share > 0:
        filled = max(filled, 1)
    return Text.assemble(
        ("█" * filled, "red"), ("░" * (BAR_WIDTH - filled), "dim"), f" {share:6.1%}"
    )
