"""Options that belong together, as one object, like scikit-learn's Gaussian-process kernels.

An `Options` object has `get_params` and `set_params`, so `judge__weight_ratio` works in a grid
search; it can be cloned, compared and printed, and it is validated where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from inspect import Parameter as Argument
from inspect import signature
from numbers import Integral, Real
from typing import Any, Self, TypeVar, dataclass_transform

import numpy as np

from deacs.exceptions import InputError, Parameter

__all__ = ["Options", "is_number", "is_whole", "one_of", "options_class", "read_options"]


Class = TypeVar("Class", bound=type)
Kind = TypeVar("Kind")


@dataclass_transform(eq_default=False)
def options_class(cls: Class) -> Class:
    """Turn the fields of a subclass of `Options` into parameters."""
    return dataclass(eq=False, repr=False)(cls)  # type: ignore[return-value]


class Options:
    """Base class of options.

    Parameters are those of `__init__`, kept under their names: `options_class` writes it from
    fields. A subclass with neither has no parameters.
    """

    @classmethod
    @cache
    def _defaults(cls) -> dict[str, Any]:
        """The default of each parameter, or `Argument.empty`."""
        return {p.name: p.default for p in signature(cls).parameters.values()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn's estimators do."""
        found: dict[str, Any] = {}
        for own in self._defaults():
            value = found[own] = getattr(self, own)
            if deep and isinstance(value, Options):
                found |= {f"{own}__{name}": v for name, v in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name; `a__b` sets parameter `b` of the options `a`."""
        for name, value in parameters.items():
            own, _, inner = name.partition("__")
            if own not in self.get_params(deep=False):
                known = list(self.get_params(deep=False))
                raise InputError(
                    f"{type(self).__name__} has no parameter {own!r}; it has {', '.join(known)}",
                    parameter=own,
                    accepted=known,
                )
            if inner:
                getattr(self, own).set_params(**{inner: value})
            else:
                setattr(self, own, value)
        return self

    def __sklearn_clone__(self) -> Self:
        return deepcopy(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self.get_params(), other.get_params()
        return all(_equal(value, theirs[name]) for name, value in mine.items())

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        given = [
            f"{name}={getattr(self, name)!r}"
            for name, default in self._defaults().items()
            if default is Argument.empty or not _equal(getattr(self, name), default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)
    return type(a) is type(b) and bool(np.array_equal(a, b))


def is_number(value: Any) -> bool:
    """Whether a value is a number; a bool, though an int in Python, is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number of an integer type."""
    return is_number(value) and isinstance(value, Integral)


def one_of(name: str, value: Any, accepted: Any) -> Any:
    """Return a value if it is one of the accepted words, else raise an error that lists them."""
    words = list(accepted)
    if not isinstance(value, str) or value not in words:
        listed = ", ".join(map(repr, words))
        raise InputError(
            Parameter(name), f" must be one of {listed}, got {value!r}", accepted=words
        )
    return value


def read_options(
    name: str, given: Any, words: Mapping[str, Callable[[], Kind]], kind: type[Kind]
) -> Kind:
    """Read a parameter given as an object of class `kind`, or as a name in `words`."""
    if isinstance(given, kind):
        return given
    if isinstance(given, str) and given in words:
        return words[given]()
    accepted = list(words)
    raise InputError(
        Parameter(name),
        f" must be one of {', '.join(map(repr, accepted))} or a {kind.__name__}, got {given!r}",
        accepted=accepted,
    )
