"""Fits that change their estimator wholly or not at all."""

from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["AllOrNothing"]


class AllOrNothing:
    """Mixin of estimators: a `fit` that fails or is interrupted leaves them as they were.

    It stands before `BaseEstimator` among the bases, and holds for every `fit` that a subclass
    defines.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "fit" in vars(cls):
            cls.fit = _all_or_nothing(cls.fit)  # type: ignore[attr-defined]


def _all_or_nothing(fit: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(fit)
    def whole(self: Any, *arguments: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            return fit(self, *arguments, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return whole
