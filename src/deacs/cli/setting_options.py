"""Options of DEACS, and the `Setting` they define; the library's defaults apply to the rest."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.choices import choice
from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    from deacs.greedy.setting import Setting

__all__ = ["SettingOptions", "given_names", "setting_of"]

PANEL = "DEACS only"


@dataclass(frozen=True, kw_only=True)
class SettingOptions:
    """Options of DEACS."""

    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Select exactly as in the paper: plug-in counts, joint S, free weights.",
            rich_help_panel=PANEL,
        ),
    ] = False
    judge: Annotated[str | None, choice("judge", help="Ranks candidates:", panel=PANEL)] = None
    conditioning: Annotated[
        str | None,
        choice("conditioning", help="How scores are conditioned on S:", panel=PANEL),
    ] = None
    min_group_size: Annotated[
        float | None,
        typer.Option(
            metavar="ROWS",
            help="With blocks: the least number of rows per group, on average.",
            rich_help_panel=PANEL,
        ),
    ] = None
    label_score: Annotated[
        str | None,
        choice("label_score", help="How to score information about a class:", panel=PANEL),
    ] = None
    estimator: Annotated[
        str | None, choice("estimator", help="How counts estimate information:", panel=PANEL)
    ] = None
    tie_break: Annotated[
        str | None, choice("tie_break", help="How to break ties:", panel=PANEL)
    ] = None
    weight_ratio: Annotated[
        float | None,
        typer.Option(
            help="The largest ratio of two class weights; 1 is the plain sum.",
            rich_help_panel=PANEL,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Costs of columns: a table of column names, then one or more costs each.",
            rich_help_panel=PANEL,
        ),
    ] = None
    budget: Annotated[
        float | None,
        typer.Option(help="Stop when the next feature would exceed it.", rich_help_panel=PANEL),
    ] = None


def setting_of(options: SettingOptions, **others: Any) -> "Setting":
    """Return the setting: the given options, with the paper's or the library's defaults.

    `others` are further fields; None means the default.
    """
    from deacs.cli.columns import read_prices
    from deacs.greedy.blocks import CONDITIONINGS
    from deacs.greedy.costs import Costs
    from deacs.greedy.judges import JUDGES
    from deacs.greedy.label_scores import LABEL_SCORES
    from deacs.greedy.setting import PUBLISHED, Setting

    base: dict[str, Any] = PUBLISHED if options.published else {}
    chosen = {
        name: getattr(options, name) or base.get(name, getattr(Setting, name)) for name in PUBLISHED
    }
    parts = (
        ("judge", JUDGES, ("tie_break", "weight_ratio")),
        ("conditioning", CONDITIONINGS, ("min_group_size",)),
        ("label_score", LABEL_SCORES, ("estimator",)),
    )
    for name, registry, inner in parts:
        given = {key: getattr(options, key) for key in inner if getattr(options, key) is not None}
        if given:
            chosen[name] = _with(registry[chosen[name]](), given, Parameter(name, chosen[name]))
    if options.costs is not None:
        chosen["costs"] = Costs(read_prices(options.costs), options.budget)
    elif options.budget is not None:
        raise InputError(Parameter("budget"), " needs ", Parameter("costs"))
    return Setting(**chosen, **{name: value for name, value in others.items() if value is not None})


def given_names(options: SettingOptions) -> list[str]:
    """Return the names of the given options."""
    own = fields(SettingOptions)
    return [field.name for field in own if getattr(options, field.name) != field.default]


def _with(made: Any, given: dict[str, Any], what: Parameter) -> Any:
    """Set parameters of an options object; raise an error if it does not have them."""
    for name in given:
        if name not in made.get_params():
            raise InputError(Parameter(name), " does not apply to ", what)
    return made.set_params(**given)
