"""The parameter `selectors`: a dict or list of selectors, or the default short list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.pipeline import make_union

from deacs.exceptions import InputError, Parameter
from deacs.selection._row_subsets import RowSubsets
from deacs.selection.cfs import CFS
from deacs.selection.deacs import DEACS
from deacs.selection.filters import CMIM, JMI, MRMR
from deacs.selection.relieff import ReliefF
from deacs.selection.rrelieff import RReliefF

__all__ = ["NamedSelectors", "default_selectors", "read_selectors"]

MOST_DISTANCES = 1e10
"""Rows squared times columns up to which ReliefF is tried by default: about a second per fit."""


class NamedSelectors(BaseEstimator):
    """An estimator with the parameter `selectors`, whose own parameters can be set as well."""

    selectors: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; those of a selector as `selectors__name__parameter`.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include those of selectors and the classifier.
        """
        parameters: dict[str, Any] = super().get_params(deep)
        for name, selector in _by_name(self.selectors).items() if deep else ():
            parameters[f"selectors__{name}"] = selector
            if hasattr(selector, "get_params") and not isinstance(selector, type):
                inner = selector.get_params().items()
                parameters |= {f"selectors__{name}__{key}": value for key, value in inner}
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; `selectors__name` replaces a selector.

        Parameters
        ----------
        **parameters : Any
            By name, as `get_params` returns them.
        """
        inner = {key: parameters[key] for key in parameters if key.startswith("selectors__")}
        super().set_params(**{key: parameters[key] for key in parameters if key not in inner})
        for key, value in inner.items():
            name, _, parameter = key.removeprefix("selectors__").partition("__")
            named = _by_name(self.selectors)
            if name not in named:
                raise InputError(
                    Parameter("selectors"), f" has no {name!r}; it has {', '.join(named) or 'none'}"
                )
            if parameter:
                named[name].set_params(**{parameter: value})
            else:
                named[name] = value
                is_dict = isinstance(self.selectors, dict)
                self.selectors = named if is_dict else list(named.values())
        return self


def default_selectors(table: RowSubsets) -> dict[str, Any]:
    """Return the selectors worth trying on a table."""
    chosen: list[Any] = [DEACS(), CFS(), MRMR(), JMI(), CMIM()]
    if table.kind == "numbers":  # fewer rows might look like classes
        chosen = [selector.set_params(target="numbers") for selector in chosen]
    is_small = table.n_rows**2 * table.n_features <= MOST_DISTANCES
    if is_small and table.weights is None:  # ReliefF does not take weights
        if table.kind == "classes":
            chosen.append(ReliefF())
        elif table.kind == "numbers":
            chosen.append(RReliefF(influence=1.0))
    return _named(chosen)


def read_selectors(selectors: Any) -> dict[str, Any]:
    """Return selectors by name; raise an error if any is unsuitable."""
    named = _by_name(selectors)
    if not named:
        raise InputError(
            Parameter("selectors"),
            f" must hold one selector or more, got {selectors!r}; None tries a default list",
        )
    for name, selector in named.items():
        if not isinstance(name, str) or "__" in name:
            raise InputError(
                Parameter("selectors"), f" must be named by words without '__', got {name!r}"
            )
        if isinstance(selector, type) or not (
            hasattr(selector, "fit") and hasattr(selector, "get_params")
        ):
            raise InputError(
                Parameter("selectors"),
                f" must hold selectors, e.g. MRMR(), got {selector!r} as {name!r}",
            )
    return named


def _by_name(selectors: Any) -> dict[str, Any]:
    if isinstance(selectors, dict):
        return dict(selectors)
    return _named(selectors) if isinstance(selectors, list | tuple) else {}


def _named(selectors: Sequence[Any]) -> dict[str, Any]:
    """Return selectors by the names that scikit-learn gives them."""
    return dict(make_union(*selectors).transformer_list)
