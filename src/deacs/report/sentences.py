"""A result in plain sentences, for readers without statistics."""

from collections.abc import Sequence

import numpy as np

from deacs.report.names import isolated
from deacs.selection.result import Result

__all__ = [
    "brief_percent",
    "class_phrase",
    "headline",
    "percent",
    "r2_text",
    "sentences",
]

MOST_NAMED = 3
"""The most names in a sentence."""


IN_NEW_ROWS = " in new rows by selections like this"

NEGLIGIBLE = 1e-3
"""A share of uncertainty below this counts as none."""


def headline(result: Result) -> str:
    """Return the main result in a sentence: how many features, and how much they explain."""
    n, first, total = result.n_selected, result.n_useful, result.n_features
    things = "groups of features" if result.is_grouped else "features"
    if n == 0 or first == 0:
        thing = "group" if result.is_grouped else "feature"
        return f"No {thing} is informative about {result.whole} beyond chance."
    ranked = f"{total:,} ranked" if n == total else f"{n} selected"
    who = f"{n} of {total:,} {things}" if first == n else f"The first {first} of {ranked} {things}"
    explained = percent(max(0.0, 1 - result.left[-1]))
    if result.held_out is None:
        if result.unexplained.max() < NEGLIGIBLE:
            return f"{who} {_verb('suffice', first)} to separate the {result.nouns} of these rows."
        return f"{who} {_verb('explain', first)} {explained} of {result.amount}."
    r2 = r2_text(result)
    return (
        f"{who} {'is' if n == 1 else 'are'} selected. In new rows, a selection like this explains "
        f"{explained} of {result.amount}{f' (R² {r2})' if r2 else ''}."
    )


def r2_text(result: Result) -> str:
    """Return R2 on held-out rows as text; empty if the target is not a number."""
    held_out = result.held_out
    return "" if held_out is None or held_out.r2 is None else f"{held_out.r2[-1]:.2f}"


def _verb(stem: str, n: int) -> str:
    return f"{stem}s" if n == 1 else stem


def sentences(result: Result, notes: Sequence[str] | None = None) -> list[str]:
    """Return what is unexplained, what comes first, and why the selection ended, in sentences.

    `notes` are those shown beside them, if others than the fit's.
    """
    said = [_left(result)]
    if result.n_selected:
        bits = result.label_scores[0]
        name, best = isolated(result.selected_names[0]), int(np.argmax(bits))
        if bits[best] > 0 and np.ptp(bits) > 0:
            about = class_phrase(result.classes[best], result.noun)
            said.append(f"{name} comes first; it is most informative about {about}.")
        else:
            said.append(f"{name} comes first.")
    chosen = {result.source.names[j] for columns in result.columns for j in columns}
    suspects = set(result.identifiers(notes)) & chosen
    if suspects:
        said.append(_doubted(sorted(suspects)))
    said.append(f"The selection ended because {result.ending}.")
    return said


def _doubted(suspects: list[str]) -> str:
    """Advise against selected columns that look like identifiers."""
    named = [isolated(name) for name in suspects[:MOST_NAMED]]
    if len(suspects) == 1:
        return (
            f"But {named[0]} has a different value in every row, like an identifier: exclude it "
            "and select again, as it is not informative about new rows."
        )
    more = len(suspects) - MOST_NAMED
    listed = _listed([*named, *([f"{more} more"] if more > 0 else [])])
    return (
        f"But {listed} have a different value in every row, like identifiers: exclude them and "
        "select again, as they are not informative about new rows."
    )


def class_phrase(name: str, noun: str = "class") -> str:
    """Return the name of a class for a sentence: a number alone would read as an amount."""
    shown = isolated(name)
    if noun == "threshold":
        return f"whether the target is {shown}"
    return shown if any(character.isalpha() for character in name) else f"{noun} {shown}"


def _left(result: Result) -> str:
    left = result.unexplained
    if left.max() < NEGLIGIBLE:
        hint = "" if result.held_out is not None else " in these rows; new rows may differ"
        return f"Nothing about any {result.noun} is left unexplained{hint}."
    if result.is_one_variable:
        one, other = map(class_phrase, result.classes)
        share = percent(left[0])
        share = f"{share[0].upper()}{share[1:]}"
        where = "" if result.held_out is None else IN_NEW_ROWS
        return f"{share} of the uncertainty between {one} and {other} is unexplained{where}."
    noun = result.noun
    order = np.argsort(-left, kind="stable")
    named = [i for i in order[:MOST_NAMED].tolist() if left[i] >= NEGLIGIBLE]
    shares = [f"{percent(left[i])} of {class_phrase(result.classes[i], noun)}" for i in named]
    where = "" if result.held_out is None else IN_NEW_ROWS
    text = f"Still unexplained{where}: {_listed(shares)}"
    others = len(left) - len(named)
    if not others:
        return f"{text}."
    rest = left[order[len(named) :]].max()
    if rest < NEGLIGIBLE:
        whose = f"the other {noun}" if others == 1 else f"the {others} other {result.nouns}"
        return f"{text}; nothing of {whose}."
    whose = f"the other {noun}" if others == 1 else f"each of the {others} other {result.nouns}"
    return f"{text}; at most {percent(rest)} of {whose}."


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def percent(share: float) -> str:
    """Return a share as a whole percentage; shares near 0 and 1 are not rounded to them."""
    if 0 < share < 0.01:
        return "less than 1%"
    if 0.99 < share < 1:
        return "more than 99%"
    return f"{share * 100:.0f}%".replace("-0%", "0%")


def brief_percent(share: float) -> str:
    """Return a percentage for a table, without words."""
    return percent(share).replace("less than ", "<").replace("more than ", ">")
