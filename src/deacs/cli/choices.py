"""Options whose values come from the registries of the library.

Registries are loaded only when a value is given, for help and for completion, so that the command
starts at once.
"""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from deacs.exceptions import InputError

__all__ = ["MARK", "ChoiceCommand", "ChoiceGroup", "choice", "words"]


def choice(name: str, *flags: str, help: str, panel: str | None = None) -> Any:
    """Return an option that takes a word of a registry, which has a name in `REGISTRIES`.

    That is also the option's name, unless `flags` are given. The words follow the help text.
    """
    option = flags[0] if flags else f"--{name.replace('_', '-')}"

    def check(given: str | None) -> str | None:
        if given is not None and given not in words(name):
            raise InputError(f"{option} must be one of {', '.join(words(name))}, got {given!r}")
        return given

    def complete(incomplete: str) -> list[str]:
        return [word for word in words(name) if word.startswith(incomplete)]

    return typer.Option(
        *(flags or [option]),
        metavar="WORD",
        help=f"{help} {MARK}{name}",
        callback=check,
        autocompletion=complete,
        rich_help_panel=panel,
    )


def words(name: str) -> list[str]:
    """Return the values that an option accepts."""
    module, _, registry = REGISTRIES[name].partition(":")
    return list(getattr(import_module(module), registry))


MARK = "one of: "
"""Marks, in a help text, the name of the registry whose values are listed."""


class _Choices:
    """Lists registered values in the help of a command."""

    def get_help(self, ctx: Any) -> str:
        """Return the help text."""
        _complete(self.get_params(ctx))  # type: ignore[attr-defined]
        return str(super().get_help(ctx))  # type: ignore[misc]


class ChoiceCommand(_Choices, TyperCommand):
    """A command whose help lists the registered values."""


class ChoiceGroup(_Choices, TyperGroup):
    """The same for a command with verbs."""


def _complete(parameters: list[Any]) -> None:
    """Put the words of registries into help texts; flags take no value, so no type beside them."""
    for parameter in parameters:
        before, mark, after = (getattr(parameter, "help", None) or "").partition(MARK)
        name, _, rest = after.partition(".")
        if mark and name in REGISTRIES:
            parameter.help = f"{before}{', '.join(words(name))}.{rest}"
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""


REGISTRIES = {
    "conditioning": "deacs.greedy.blocks:CONDITIONINGS",
    "discretizer": "deacs.coding:DISCRETIZERS",
    "estimator": "deacs.information:ESTIMATORS",
    "format": "deacs.tables.files:FORMATS",
    "judge": "deacs.greedy.judges:JUDGES",
    "label_score": "deacs.greedy.criteria:LABEL_SCORES",
    "method": "deacs.selection.methods:METHODS",
    "missing": "deacs.coding:MISSING",
    "model": "deacs.dea:MODELS",
    "one_column_target": "deacs.tables:ONE_COLUMN_TARGETS",
    "orientation": "deacs.dea:ORIENTATIONS",
    "rate": "deacs.significance:LEVELS",
    "returns_to_scale": "deacs.dea:RETURNS_TO_SCALE",
    "target_kind": "deacs.tables:TARGETS",
    "tie_break": "deacs.greedy.judges:TIE_BREAKS",
}
"""The module and name of the registry for each parameter."""
