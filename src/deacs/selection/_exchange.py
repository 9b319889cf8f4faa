"""Changes to a fitted selection: find substitutes, swap or drop a feature."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils.validation import check_is_fitted

from deacs.coding import CodedTable
from deacs.exceptions import InputError
from deacs.greedy.criteria import Criterion
from deacs.greedy.options import is_whole
from deacs.selection.substitutes import Substitutes, find_substitutes

if TYPE_CHECKING:
    from deacs.greedy.loop import Path

__all__ = ["Exchange", "Selected"]


@dataclass(frozen=True, eq=False)
class Selected:
    """A selection: the coded table it was made from, and its path."""

    data: CodedTable
    path: Path

    def first(self, n: int) -> Path:
        """Return the path with its first n steps."""
        path = self.path
        return replace(
            path,
            steps=path.steps[:n],
            candidate_tables=path.candidate_tables[:n],
            views=path.views[:n],
        )


class Exchange:
    """Exchange of features, for selectors that score candidates given the selected ones."""

    _selection: Selected | None
    """Set by selectors that keep what they selected from; None in a pickled one."""

    def substitutes(self, n: int = 3) -> Substitutes:
        """Return which rejected features could stand in for each selected one, and at what loss.

        Parameters
        ----------
        n : int, default=3
            How many for each selected feature, at most.

        Returns
        -------
        Substitutes
            By the name of the selected feature: its scores given the rest of S, and the rejected
            features that lose least of them, with what is kept and lost for each class.

        Notes
        -----
        Scores are the selector's own. Rejected features are passed over only where a bound shows
        that they lose more than the n best. See docs/substitutes.md.
        """
        if not is_whole(n) or n < 1:
            raise InputError(f"n must be a whole number from 1 on, got {n!r}", parameter="n")
        selected, units, criterion = self._at_hand("substitutes")
        kept = selected.path.criterion
        if kept is not None and units == selected.path.ranking.tolist():
            return find_substitutes(kept, units, selected.data, int(n), is_given=True)
        return find_substitutes(criterion, units, selected.data, int(n))

    @property
    def can_exchange(self) -> bool:
        """Whether `substitutes`, `swap` and `drop` have an answer."""
        selected = getattr(self, "_selection", None)
        if selected is None or not selected.data.is_open:
            return False
        return self._exchangeable(selected.data) is not None

    def swap(self, feature: str | int, substitute: str | int) -> Self:
        """Return this selection with one feature in the place of another, fitted.

        Steps before it stay as they are; it and those after it are scored again, in the same order.

        Parameters
        ----------
        feature : str or int
            A selected feature, by name or index.
        substitute : str or int
            One that was not selected.

        Returns
        -------
        fitted selector
            `include` and `n_features_to_select` say what it holds, so that fitting it again gives
            the same.
        """
        selected, units, _ = self._at_hand("swap")
        place = self._place(feature, units)
        other = self._unit(substitute, "substitute")
        if other in units:
            raise InputError(
                f"substitute must be a feature that was not selected, got {substitute!r}, which is "
                f"number {units.index(other) + 1} of the selection",
                parameter="substitute",
            )
        return self._exchanged(selected, place, [*units[:place], other, *units[place + 1 :]])

    def drop(self, feature: str | int) -> Self:
        """Return this selection without one of its features, fitted.

        Steps before it stay as they are, those after it are scored again, in the same order.

        Parameters
        ----------
        feature : str or int
            A selected feature, by name or index.
        """
        selected, units, _ = self._at_hand("drop")
        if len(units) == 1:
            raise InputError(
                "feature must not be the only one that is selected", parameter="feature"
            )
        place = self._place(feature, units)
        return self._exchanged(selected, place, [*units[:place], *units[place + 1 :]])

    def _exchangeable(self, data: CodedTable) -> Criterion | None:
        """Return the selector's criterion with S empty, if it scores given the rest of S."""
        return None

    def _at_hand(self, what: str) -> tuple[Selected, list[int], Criterion]:
        """Return what was selected from, the selected units of it, and the criterion."""
        check_is_fitted(self)
        if getattr(self, "_selection", Selected) is None:
            raise InputError(
                f"{what} needs the fitted rows in memory, which pickled selectors do not hold; "
                "call it before pickling, or fit again"
            )
        selected: Selected | None = getattr(self, "_selection", None)
        if selected is not None and not selected.data.is_open:
            raise InputError(
                f"{what} needs the coded table, which is gone from where the rows are; code it "
                "yourself by deacs.encode(frame, target, stay=True), and fit and ask before close()"
            )
        criterion = None if selected is None else self._exchangeable(selected.data)
        if selected is None or criterion is None:
            raise InputError(
                f"{what} is for selectors that score candidates given the selected features, such "
                f"as DEACS, CMI and JMI; {type(self).__name__} does not"
            )
        return selected, self._units(), criterion

    def _units(self) -> list[int]:
        raise NotImplementedError

    def _unit(self, feature: str | int, parameter: str) -> int:
        """Return the unit that a name or index means: a column, or the group of one."""
        raise NotImplementedError

    def _place(self, feature: str | int, units: Sequence[int]) -> int:
        unit = self._unit(feature, "feature")
        if unit not in units:
            names: Any = self._selection.data.feature_names if self._selection else ()
            chosen = ", ".join(repr(names[j]) for j in units[:8])
            raise InputError(
                f"feature must be a selected feature ({chosen}{', ...' if units[8:] else ''}), "
                f"got {feature!r}",
                parameter="feature",
            )
        return units.index(unit)

    def _exchanged(self, selected: Selected, place: int, units: list[int]) -> Self:
        """Return a copy that holds these units, the first of them as they were selected."""
        other = copy(self)
        vars(other).update(vars(self))  # a copy leaves the rows behind, as pickles do
        other._hold(units)
        path = other._resumed(selected.data, selected.first(place))
        if len(path.steps) < len(units):
            raise InputError(
                "the changed selection would pass the budget; leave a feature out by drop first"
            )
        other._selection = Selected(selected.data, path)
        other._record(path)
        return other

    def _hold(self, units: list[int]) -> None:
        """Set the parameters so that fitting again selects these units in this order."""
        raise NotImplementedError

    def _resumed(self, data: CodedTable, path: Path) -> Path:
        """Go on from the first steps of a path."""
        raise NotImplementedError

    def _record(self, path: Path) -> Any:
        """Keep a path in the fitted attributes."""
        raise NotImplementedError
