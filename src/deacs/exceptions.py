"""Errors and warnings of deacs; each is also the built-in error that scikit-learn would raise."""

__all__ = ["ClusterError", "DiscriminationWarning", "IdentifierWarning", "InputError"]


class InputError(ValueError):
    """Input that cannot be used; the message names it, says what came and what is accepted."""


class ClusterError(RuntimeError):
    """A cluster cannot go on; the message says what happened and what to do."""


class IdentifierWarning(UserWarning):
    """A column names rows, or numbers them, so it tells these rows apart and no others."""


class DiscriminationWarning(UserWarning):
    """So many outputs for so few units that DEA tells them apart weakly."""
