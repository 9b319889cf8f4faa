"""Stopping rules: a number of features, or a test that the next feature must pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

from deacs.coding import CodedTable, named_features
from deacs.exceptions import InputError, Parameter
from deacs.selection.options import (
    Options,
    is_number,
    is_whole,
    one_of,
    options_class,
    read_options,
)

if TYPE_CHECKING:
    from deacs.significance import Significance

__all__ = ["STOPS", "Significant", "included_features", "n_features_wanted", "read_stop"]


@options_class
class Significant(Options):
    """Stop when no candidate depends significantly on the class, given S.

    Parameters
    ----------
    alpha : float, default=0.05
        The error rate that `rate` names.
    n_permutations : int or None, default=None
        The number of label permutations if counts are small; None: as many as it takes.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the permutations.
    rate : {"any", "fdr"}, default="any"
        "any": alpha is the level of each step's test, over all candidates (by counts and by rank,
        if scores have both views), and the probability
        that any feature is false: independent of the class given those before it. "fdr": about a
        share alpha of the features may be false, which finds more (see docs/papers/stopping.md
        for both and their assumptions).
    """

    alpha: float = 0.05
    n_permutations: int | None = None
    random_state: Any = None
    rate: str = "any"

    def test(self, data: CodedTable, n_jobs: int | None, *, by_rank: bool = False) -> Significance:
        """Return the test for a table, of counts alone or also by rank."""
        from deacs.significance import LEVELS, Significance

        rate = one_of("rate", self.rate, LEVELS)
        how = self.alpha, self.n_permutations, self.random_state, n_jobs, rate
        return Significance(data, *how, by_rank=by_rank)


STOPS: dict[str, Callable[[], Significant]] = {"significant": Significant}
"""Tests by name."""


def read_stop(stop: Any, n_features_to_select: Any = None) -> Significant | None:
    """Return the test that ends a selection, if any; `n_features_to_select="auto"` implies one."""
    if stop is None:
        return Significant() if is_auto(n_features_to_select) else None
    return read_options("stop", stop, STOPS, Significant)


def is_auto(wanted: Any) -> bool:
    """Whether the number of features is left to a significance test."""
    return isinstance(wanted, str) and wanted == "auto"


def n_features_wanted(wanted: Any, n_features: int) -> int | None:
    """Read `n_features_to_select`: None and "auto" set no number, a float is a share."""
    if wanted is None or is_auto(wanted):
        return None
    if is_whole(wanted):
        if not 1 <= int(wanted) <= n_features:
            raise InputError(
                Parameter("n_features_to_select"),
                f" must be between 1 and {n_features} (the number of features), got {wanted}",
            )
        return int(wanted)
    if not is_number(wanted) or not 0 < wanted <= 1:
        raise InputError(
            Parameter("n_features_to_select"),
            f" must be a whole number between 1 and {n_features} (the number of features) or a "
            f"share in (0, 1], got {wanted!r}",
        )
    return max(1, int(wanted * n_features))


def included_features(include: Any, names: Sequence[str], n_wanted: int | None) -> list[int]:
    """Read `include`: names or indices of features that come first."""
    if include is None:
        return []
    given = [include] if isinstance(include, str | Integral) else list(include)
    included = named_features(given, names, "include")
    if n_wanted is not None and len(included) > n_wanted:
        raise InputError(
            Parameter("include"),
            " must not name more features than ",
            Parameter("n_features_to_select"),
            f" ({n_wanted}), got {len(included)}",
        )
    return included
