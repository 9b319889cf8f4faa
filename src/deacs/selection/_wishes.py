"""What the caller asked for, checked against the table at hand."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from deacs.coding import named_features
from deacs.exceptions import InputError

__all__ = ["included_features", "is_auto", "n_features_wanted"]


def is_auto(wanted: Any) -> bool:
    """Whether as many features are wanted as are significant."""
    return isinstance(wanted, str) and wanted == "auto"


def n_features_wanted(wanted: Any, n_features: int) -> int | None:
    """Read `n_features_to_select`: None is the criterion's own end, a float a share."""
    if wanted is None:
        return None
    is_number = isinstance(wanted, Real) and not isinstance(wanted, bool | np.bool_)
    if is_number and isinstance(wanted, Integral):
        if not 1 <= int(wanted) <= n_features:
            raise InputError(
                f"n_features_to_select must be between 1 and {n_features} (the number of "
                f"features), got {wanted}"
            )
        return int(wanted)
    if not is_number or not 0 < wanted <= 1:
        raise InputError(
            f"n_features_to_select must be None, an int between 1 and {n_features} (the number "
            f"of features) or a float in (0, 1], got {wanted!r}"
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
            f"include must not name more features than n_features_to_select ({n_wanted}), "
            f"got {len(included)}"
        )
    return included
