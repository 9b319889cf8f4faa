"""A result as tables for the terminal."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from deacs.cli.output import fits, new_table, split_to_fit, tagged, writable
from deacs.report.names import NO_NAME, short
from deacs.report.sentences import brief_percent, r2_text
from deacs.selection.direction import SYMBOLS, Shape
from deacs.selection.result import Result, bits_text, tenths
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

SPEAK: dict[Shape, str] = {
    "high": "high",
    "low": "low",
    "between": "a range",
    "both ends": "both ends",
    "values": "some (--details names them)",
}
"""Which values speak for a class, in words."""

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
CUTS = "columns were cut by the classes of all rows before: new rows are explained less well"
INSTEAD = "substitutes: what could replace it, and the share of its information they keep"
INFINITE = "inf: no other candidate of that step is informative about some {}."


def show(
    result: Result, console: Console, notes: Sequence[str], *, has_details: bool = False
) -> None:
    """Print what was selected and why, what is unexplained, and why the selection ended."""
    headline = Text.assemble(
        (f"{result.n_selected:,} of {result.n_features:,} features", "bold"),
        f" selected from {result.data.n_rows:,} rows, {len(result.classes)} {result.nouns}",
    )
    parts: list[Any] = [Text(), headline]
    if r2_text(result):
        r2 = writable(f"R² {r2_text(result)}", console)
        parts.append(Text.assemble((r2, "bold"), " in new rows, for a selection like this"))
    has_instead = False
    if result.n_selected:
        table, has_instead = _selection(result, console)
        parts += [Text(), split_to_fit(table, console, n_keys=2), *_symbols(result, console)]
    if result.n_selected and result.has_label_scores:
        where = "in these rows" if result.held_out is None else "on held-out rows"
        parts.append(Text(ADDS.format(result.amount, where), style="dim"))
        if result.held_out is not None:
            parts.append(Text(AGAIN.format(result.held_out.n_refits), style="dim"))
            if result.held_out.knows_cuts:
                parts.append(Text(CUTS, style="dim"))
    if result.substitutes is not None:
        parts.append(Text(INSTEAD, style="dim") if has_instead else _stand_ins(result))
    if result.has_label_scores:
        parts += [Text(), *_classes(result, console)]
        if has_details and result.n_selected:
            parts += [Text(), *_details(result, console)]
    reason = result.ending
    if not np.isnan(result.next_p_value):
        reason += f" (p = {result.next_p_value:.2g})"
    parts += [Text(), Text.assemble(("Stopped: ", "bold"), f"{reason}.")]
    parts += [tagged(note) for note in notes]
    console.print(Group(*parts))


def _table(name_width: int = NAME_WIDTHS[0]) -> Table:
    table = new_table()
    table.add_column("rank", justify="right", style="dim")
    table.add_column("feature", style="bold", overflow="fold", max_width=name_width)
    return table


def _selection(result: Result, console: Console) -> tuple[Table, bool]:
    """Return the table of features, and whether it has a column of substitutes.

    It has as many substitutes as fit; in narrow terminals classes are on lines of their own.
    """
    found = () if result.substitutes is None else result.substitutes.entries
    if any(_able(entry) or not entry.is_needed for entry in found):
        for n_instead in range(MAX_INSTEAD, 0, -1):
            table = _features(result, console, n_instead)
            if fits(table, console):
                return table, True
    for between in BETWEEN:
        table = _features(result, console, 0, between)
        if fits(table, console):
            break
    return table, False


def _features(
    result: Result, console: Console, n_instead: int, between: Between = BETWEEN[0]
) -> Table:
    """Return a table of features: what each adds, about which classes, and the standard error."""
    table, is_fitted = _table(), result.has_label_scores
    error = result.adds_error if is_fitted else None
    adds = "adds" if error is None else writable("adds (± s.e.)", console)
    table.add_column(adds if is_fitted else result.score_name, justify="right", no_wrap=True)
    if error is not None:
        table.add_column("again", justify="right", no_wrap=True)
    if result.p_values is not None:
        table.add_column("p", justify="right", no_wrap=True)
    about = ("most informative", "about (bits)")
    if not is_fitted:
        about = ("informative alone", "about (bits)")
    table.add_column(("\n" if "\n" in between[0] else " ").join(about), overflow="fold")
    instead = result.substitutes if n_instead else None
    if instead is not None:
        table.add_column("substitutes", overflow="fold")
    bits = result.label_scores if is_fitted else result.alone(result.ranking)
    for step, name in enumerate(result.selected_names):
        cells = [_added(result, step, console) if is_fitted else _score(result.scores[step])]
        if error is not None:
            cells.append(result.again(step))
        if result.p_values is not None:
            cells.append(result.p_text(step))
        row: list[Any] = [*cells, _about(result, step, bits[step], between, console)]
        if instead is not None:
            row.append(_instead(instead.entries[step], n_instead))
        table.add_row(str(step + 1), Text(name or NO_NAME), *row)
    return table


def _symbols(result: Result, console: Console) -> list[Text]:
    """Return what the symbols beside classes mean, if there are any."""
    shown = {one.shape for step in result.directions for one in step}
    named = [
        f"{writable(SYMBOLS[shape], console).strip()} {words}"
        for shape, words in SPEAK.items()
        if shape in shown
    ]
    return [Text(f"values that speak for it: {', '.join(named)}", style="dim")] if named else []


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


def _stand_ins(result: Result) -> Text:
    """Name the best substitute of each feature that has one, in a sentence."""
    assert result.substitutes is not None
    named = [
        f"{able[0].name or NO_NAME} for {name or NO_NAME} ({brief_percent(able[0].share)})"
        for name, entry in zip(result.selected_names, result.substitutes.entries, strict=False)
        if entry.is_needed and (able := _able(entry))
    ]
    if not named:
        return Text("substitutes: none keeps half of a feature's information", style="dim")
    more = f", {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    listed = ", ".join(named[:MAX_NAMED])
    return Text(f"substitutes, and the share they keep: {listed}{more}", style="dim")


def _able(entry: Replaceable) -> list[Any]:
    return [other for other in entry.substitutes if not other.share < LEAST_KEPT]


def _added(result: Result, step: int, console: Console) -> str:
    share, error = tenths(result.adds[step]), result.adds_error
    if error is None or np.isnan(error[step]):
        return share
    return writable(f"{share} ± {tenths(error[step])}", console)


def _score(score: float) -> str:
    return f"{score:.3f}"


def _about(result: Result, step: int, bits: Any, between: Between, console: Console) -> Text:
    """Name the classes a feature is most informative about, best first, and its direction."""
    before, before_rest = between
    about = result.most_informed(bits, step)
    if not about:
        return Text("none", style="dim")
    is_shared = result.is_shared(bits)
    named = about[:1] if is_shared else about[:MAX_CLASSES]
    text = Text(before).join(
        Text.assemble(
            (name, "cyan"), f"{writable(sign, console)} {shown}" if sign else f": {shown}"
        )
        for name, sign, shown in named
    )
    rest = 0 if is_shared else len(about[MAX_CLASSES:])
    is_told = rest and before_rest is not None
    return text.append(f"{before_rest}{rest} more", style="dim") if is_told else text


def _classes(result: Result, console: Console) -> list[Group | Text]:
    """Return a table of classes: the uncertainty of each, and the share left."""
    table = _shares(result, BAR_WIDTHS[0], console)
    if not fits(table, console):
        table = _shares(result, BAR_WIDTHS[1], console)
    n_shown, n_classes = len(result.shown_classes), len(result.classes)
    parts: list[Group | Text] = [split_to_fit(table, console)]
    if result.held_out is not None and result.n_selected:
        n = result.n_selected
        first = "feature" if n == 1 else f"{n} features"
        parts.append(Text(LEFT.format(first), style="dim"))
    if n_shown < n_classes:
        of_all = f"{n_shown} of {n_classes} {result.nouns}"
        left_out = f"The {of_all} that are least explained; --json has all."
        parts.append(Text(left_out, style="dim"))
    return parts


def _shares(result: Result, bar_width: int, console: Console) -> Table:
    """Return a row for each class: its rows, its uncertainty, and a bar of what is left."""
    table = new_table()
    table.add_column(result.noun, style="cyan", overflow="fold", max_width=NAME_WIDTHS[0])
    # Long names break, so that numbers and bars need not.
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("uncertainty", justify="right", no_wrap=True)
    where = "new rows" if result.held_out else "these rows"
    table.add_column(f"unexplained in {where}", no_wrap=True)
    for i, name in zip(result.outputs.tolist(), result.output_names, strict=True):
        rows = result.class_rows if result.is_one_variable else result.class_rows[[i]]
        uncertainty = result.residual[0, i]
        bar = _bar(result.unexplained[i], bar_width, console)
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


def _details(result: Result, console: Console) -> list[Group | Text]:
    """Return a table of each feature's score and its bits about as many classes as fit."""
    n_shown = n_most = min(MAX_BITS, len(result.outputs))
    table = _bits(result, n_shown)
    if not fits(table, console):
        table = _bits(result, n_shown, is_narrow=True)
        while n_shown > 1 and not fits(table, console):
            n_shown -= 1
            table = _bits(result, n_shown, is_narrow=True)
    parts: list[Group | Text] = [split_to_fit(table, console, n_keys=2)]
    if result.views is not None:
        parts.append(
            Text("Bits are the mean of two estimates, by counts and by order", style="dim")
        )
    if np.isinf(result.scores).any():
        parts.append(Text(INFINITE.format(result.noun), style="dim"))
    if result.directions:
        parts += [Text(), split_to_fit(_values(result), console, n_keys=2)]
    if n_shown < len(result.classes) and not result.is_one_variable:
        of_all = f"{n_shown} of {len(result.classes)} {result.nouns}"
        wider = "a wider terminal shows more, " if n_shown < n_most else ""
        parts.append(Text(f"The first {of_all}; {wider}--json has all.", style="dim"))
    return parts


def _bits(result: Result, n_classes: int, *, is_narrow: bool = False) -> Table:
    """Return a table of each feature's score and its bits about the first classes."""
    table = _table(NAME_WIDTHS[is_narrow])
    header = result.score_name
    table.add_column(header.replace("-", "-\n") if is_narrow else header, justify="right")
    names = ("bits",) if result.is_one_variable else result.output_names
    outputs = list(zip(result.outputs.tolist(), names, strict=True))[:n_classes]
    for _, name in outputs:
        table.add_column(Text(short(name, 12)), justify="right", no_wrap=True)
    views = result.views
    for step, name in enumerate(result.selected_names):
        bits = [bits_text(result.label_scores[step, i]) for i, _ in outputs]
        table.add_row(str(step + 1), Text(name or NO_NAME), _score(result.scores[step]), *bits)
        for view, scores in zip(VIEWS, () if views is None else views[step], strict=False):
            bits = [bits_text(scores[i]) for i, _ in outputs]
            table.add_row("", Text(f"  {view}", style="dim"), "", *bits)
    return table


def _values(result: Result) -> Table:
    """Return a table of the values that speak for the classes that each feature is best about."""
    table = _table(NAME_WIDTHS[1])
    for header in (result.noun, "values that speak for it", "of its rows", "of others"):
        is_text = not header.startswith("of ")
        table.add_column(header, justify="left" if is_text else "right")
        table.columns[-1].overflow = "fold" if is_text else "ellipsis"
    for step, found in enumerate(result.directions):
        bits = result.label_scores[step]
        best = np.argsort(-bits, kind="stable")[:MAX_BITS].tolist()
        if result.is_shared(bits):
            best = [1]
        for place, i in enumerate(best if found else ()):
            name = "" if place else result.selected_names[step] or NO_NAME
            values = f"{found[i].words}" + ("; turns, given those above" * found[i].turns)
            shares = [f"{share:.0%}" for share in (found[i].share, found[i].share_of_others)]
            table.add_row(
                "" if place else str(step + 1),
                Text(name),
                Text(result.classes[i], style="cyan"),
                Text(values),
                *(shares if found[i].values else ("-", "-")),
            )
    return table
