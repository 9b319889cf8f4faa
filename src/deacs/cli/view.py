"""A summary as tables for the terminal."""

from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from deacs.cli.console import writable
from deacs.cli.layout import fits, new_table, split_to_fit
from deacs.cli.notes import tagged
from deacs.report.names import NO_NAME, short
from deacs.report.sentences import brief_percent, r2_text
from deacs.report.summary import Summary
from deacs.selection.outcome import bits_text, tenths
from deacs.selection.substitutes import Replaceable

__all__ = ["show"]

MAX_CLASSES = 2
"""The most classes named for each feature in the first table."""

VIEWS = ("by counts", "by order")
MAX_INSTEAD = 2
LEAST_KEPT = 0.5
"""The most substitutes named in the first table, of those that keep at least half of a feature."""

MAX_BITS = 4
"""The most classes with a column in the table of details."""

Between = tuple[str, str | None]
BETWEEN: tuple[Between, ...] = (", ", ", "), (", ", None), (",\n", ", "), (",\n", ",\n")
"""Between two classes, and before the number of others, if it is shown: for wide and for narrow
terminals."""

MAX_NAMED = 5

BAR_WIDTHS = 20, 10
"""The length of bars, and that in narrow terminals."""

NAME_WIDTHS = 40, 16
"""The width from which names break, and that beside classes in narrow terminals."""

ADDS = "adds: share of {} it explains, {}"
AGAIN = "again: how many of {} refits on parts of the rows selected it; adds is of these"
LEFT = "unexplained: by the first {} of each refit, on the rows it left out"
INSTEAD = "substitutes: what could replace it, and the share of its information they keep"
INFINITE = "inf: no other candidate of that step is informative about some {}."


def show(summary: Summary, console: Console, *, has_details: bool = False) -> None:
    """Print what was selected and why, what is unexplained, and why the selection ended."""
    headline = Text.assemble(
        (f"{summary.n_selected:,} of {summary.n_features:,} features", "bold"),
        f" selected from {summary.data.n_rows:,} rows, {len(summary.classes)} {summary.nouns}",
    )
    parts: list[Any] = [Text(), headline]
    if r2_text(summary):
        r2 = writable(f"R² {r2_text(summary)}", console)
        parts.append(Text.assemble((r2, "bold"), " in new rows, for a selection like this"))
    has_instead = False
    if summary.n_selected:
        table, has_instead = _selection(summary, console)
        parts += [Text(), split_to_fit(table, console, n_keys=2)]
    if summary.n_selected and summary.fitted is not None:
        where = "in these rows" if summary.held_out is None else "on held-out rows"
        parts.append(Text(ADDS.format(summary.amount, where), style="dim"))
        if summary.held_out is not None:
            parts.append(Text(AGAIN.format(summary.held_out.n_refits), style="dim"))
    if summary.substitutes is not None:
        parts.append(Text(INSTEAD, style="dim") if has_instead else _stand_ins(summary))
    if summary.fitted is not None:
        parts += [Text(), *_classes(summary, console)]
        if has_details and summary.n_selected:
            parts += [Text(), *_details(summary, console)]
    reason = summary.ending
    if not np.isnan(summary.next_p_value):
        reason += f" (p = {summary.next_p_value:.2g})"
    parts += [Text(), Text.assemble(("Stopped: ", "bold"), f"{reason}.")]
    parts += [tagged(note) for note in summary.notes]
    console.print(Group(*parts))


def _table(name_width: int = NAME_WIDTHS[0]) -> Table:
    table = new_table()
    table.add_column("rank", justify="right", style="dim")
    table.add_column("feature", style="bold", overflow="fold", max_width=name_width)
    return table


def _selection(summary: Summary, console: Console) -> tuple[Table, bool]:
    """Return the table of features, and whether it has a column of substitutes.

    It has as many substitutes as fit; in narrow terminals classes are on lines of their own.
    """
    found = () if summary.substitutes is None else summary.substitutes.entries
    if any(_able(entry) or not entry.is_needed for entry in found):
        for n_instead in range(MAX_INSTEAD, 0, -1):
            table = _features(summary, console, n_instead)
            if fits(table, console):
                return table, True
    for between in BETWEEN:
        table = _features(summary, console, 0, between)
        if fits(table, console):
            break
    return table, False


def _features(
    summary: Summary, console: Console, n_instead: int, between: Between = BETWEEN[0]
) -> Table:
    """Return a table of features: what each adds, about which classes, and the standard error."""
    table, is_fitted = _table(), summary.fitted is not None
    error = summary.adds_error if is_fitted else None
    adds = "adds" if error is None else writable("adds (± s.e.)", console)
    table.add_column(adds if is_fitted else summary.score_name, justify="right", no_wrap=True)
    if error is not None:
        table.add_column("again", justify="right", no_wrap=True)
    if summary.p_values is not None:
        table.add_column("p", justify="right", no_wrap=True)
    if is_fitted and summary.is_one_variable:
        table.add_column("bits", justify="right")
    else:
        about = ("most informative", "about (bits)")
        if not is_fitted:
            about = ("informative alone", "about (bits)")
        table.add_column(("\n" if "\n" in between[0] else " ").join(about), overflow="fold")
    instead = summary.substitutes if n_instead else None
    if instead is not None:
        table.add_column("substitutes", overflow="fold")
    bits = summary.label_scores if is_fitted else summary.alone(summary.ranking)
    for step, name in enumerate(summary.selected_names):
        cells = [_added(summary, step, console) if is_fitted else _score(summary.scores[step])]
        if error is not None:
            cells.append(summary.again(step))
        if summary.p_values is not None:
            cells.append(summary.p_text(step))
        row: list[Any] = [*cells, _about(summary, bits[step], between, is_alone=not is_fitted)]
        if instead is not None:
            row.append(_instead(instead.entries[step], n_instead))
        table.add_row(str(step + 1), Text(name or NO_NAME), *row)
    return table


def _instead(entry: Replaceable, most: int) -> Text:
    """Name the substitutes of a feature, with the share of its information that they keep."""
    if not entry.is_needed:
        return Text("not needed", style="dim")
    able = _able(entry)
    if not able:
        return Text("-", style="dim")
    return Text(", ").join(
        Text.assemble(short(other.name or NO_NAME, 16), (f" {brief_percent(other.share)}", "dim"))
        for other in able[:most]
    )


def _stand_ins(summary: Summary) -> Text:
    """Name the best substitute of each feature that has one, in a sentence."""
    assert summary.substitutes is not None
    named = [
        f"{able[0].name or NO_NAME} for {name or NO_NAME} ({brief_percent(able[0].share)})"
        for name, entry in zip(summary.selected_names, summary.substitutes.entries, strict=False)
        if entry.is_needed and (able := _able(entry))
    ]
    if not named:
        return Text("substitutes: none keeps half of a feature's information", style="dim")
    more = f", {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    listed = ", ".join(named[:MAX_NAMED])
    return Text(f"substitutes, and the share they keep: {listed}{more}", style="dim")


def _able(entry: Replaceable) -> list[Any]:
    return [other for other in entry.substitutes if not other.share < LEAST_KEPT]


def _added(summary: Summary, step: int, console: Console) -> str:
    share, error = tenths(summary.adds[step]), summary.adds_error
    if error is None or np.isnan(error[step]):
        return share
    return writable(f"{share} ± {tenths(error[step])}", console)


def _score(score: float) -> str:
    return f"{score:.3f}"


def _about(summary: Summary, bits: Any, between: Between, *, is_alone: bool) -> Text:
    """Name the classes a feature is most informative about, best first."""
    before, before_rest = between
    about = summary.most_informed(bits)
    if not about:
        return Text("none", style="dim")
    if summary.is_shared(bits):
        shared = bits_text(bits[0])
        return Text(f"both classes: {shared}" if is_alone else shared)
    text = Text(before).join(
        Text.assemble((name, "cyan"), f": {shown}") for name, shown in about[:MAX_CLASSES]
    )
    rest = len(about[MAX_CLASSES:])
    is_told = rest and before_rest is not None
    return text.append(f"{before_rest}{rest} more", style="dim") if is_told else text


def _classes(summary: Summary, console: Console) -> list[Group | Text]:
    """Return a table of classes: the uncertainty of each, and the share left."""
    table = _shares(summary, BAR_WIDTHS[0], console)
    if not fits(table, console):
        table = _shares(summary, BAR_WIDTHS[1], console)
    n_shown, n_classes = len(summary.shown_classes), len(summary.classes)
    parts: list[Group | Text] = [split_to_fit(table, console)]
    if summary.held_out is not None and summary.n_selected:
        n = summary.n_selected
        first = "feature" if n == 1 else f"{n} features"
        parts.append(Text(LEFT.format(first), style="dim"))
    if n_shown < n_classes:
        of_all = f"{n_shown} of {n_classes} {summary.nouns}"
        left_out = f"The {of_all} that are least explained; --json has all."
        parts.append(Text(left_out, style="dim"))
    return parts


def _shares(summary: Summary, bar_width: int, console: Console) -> Table:
    """Return a row for each class: its rows, its uncertainty, and a bar of what is left."""
    table = new_table()
    table.add_column(summary.noun, style="cyan", overflow="fold", max_width=NAME_WIDTHS[0])
    # Long names break, so that numbers and bars need not.
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("uncertainty", justify="right", no_wrap=True)
    where = "new rows" if summary.held_out else "these rows"
    table.add_column(f"unexplained in {where}", no_wrap=True)
    for i, name in zip(summary.outputs.tolist(), summary.output_names, strict=True):
        rows = summary.class_rows if summary.is_one_variable else summary.class_rows[[i]]
        uncertainty = summary.residual[0, i]
        bar = _bar(summary.unexplained[i], bar_width, console)
        table.add_row(
            Text(name),
            " + ".join(f"{count:,}" for count in rows.tolist()),
            f"{uncertainty:.3f} bits",
            bar if uncertainty > 0 else Text("-", style="dim"),  # of a label without rows
        )
    return table


def _bar(share: float, width: int, console: Console) -> Text:
    filled = round(share * width)
    if round(share, 3) > 0:  # as written beside the bar
        filled = max(filled, 1)
    full, empty = list(writable("█░", console))
    return Text.assemble(
        (full * filled, "red"), (empty * (width - filled), "dim"), f" {share:6.1%}"
    )


def _details(summary: Summary, console: Console) -> list[Group | Text]:
    """Return a table of each feature's score and its bits about as many classes as fit."""
    n_shown = n_most = min(MAX_BITS, len(summary.outputs))
    table = _bits(summary, n_shown)
    if not fits(table, console):
        table = _bits(summary, n_shown, is_narrow=True)
        while n_shown > 1 and not fits(table, console):
            n_shown -= 1
            table = _bits(summary, n_shown, is_narrow=True)
    parts: list[Group | Text] = [split_to_fit(table, console, n_keys=2)]
    if summary.fitted is not None and summary.fitted.views is not None:
        parts.append(
            Text("Bits are the mean of two estimates, by counts and by order", style="dim")
        )
    if np.isinf(summary.scores).any():
        parts.append(Text(INFINITE.format(summary.noun), style="dim"))
    if n_shown < len(summary.classes) and not summary.is_one_variable:
        of_all = f"{n_shown} of {len(summary.classes)} {summary.nouns}"
        wider = "a wider terminal shows more, " if n_shown < n_most else ""
        parts.append(Text(f"The first {of_all}; {wider}--json has all.", style="dim"))
    return parts


def _bits(summary: Summary, n_classes: int, *, is_narrow: bool = False) -> Table:
    """Return a table of each feature's score and its bits about the first classes."""
    table = _table(NAME_WIDTHS[is_narrow])
    header = summary.score_name
    table.add_column(header.replace("-", "-\n") if is_narrow else header, justify="right")
    names = ("bits",) if summary.is_one_variable else summary.output_names
    outputs = list(zip(summary.outputs.tolist(), names, strict=True))[:n_classes]
    for _, name in outputs:
        table.add_column(Text(short(name, 12)), justify="right", no_wrap=True)
    views = None if summary.fitted is None else summary.fitted.views
    for step, name in enumerate(summary.selected_names):
        bits = [bits_text(summary.label_scores[step, i]) for i, _ in outputs]
        table.add_row(str(step + 1), Text(name or NO_NAME), _score(summary.scores[step]), *bits)
        for view, scores in zip(VIEWS, () if views is None else views[step], strict=False):
            bits = [bits_text(scores[i]) for i, _ in outputs]
            table.add_row("", Text(f"  {view}", style="dim"), "", *bits)
    return table
