"""Options of DEACS itself, and the setting that they make; what is not given is the library's."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.choices import choice
from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    from deacs.greedy.setting import Setting

__all__ = ["SettingOptions", "given_names", "setting_of"]

PANEL = "DEACS alone"


@dataclass(frozen=True)
class SettingOptions:
    """Options of DEACS."""

    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Select exactly as the paper does: plug-in counts, given all of S, free weights.",
            rich_help_panel=PANEL,
        ),
    ] = False
    judge: Annotated[str | None, choice("judge", help="What ranks candidates:", panel=PANEL)] = None
    conditioning: Annotated[
        str | None,
        choice("conditioning", help="Which selected features scores are given:", panel=PANEL),
    ] = None
    min_group_size: Annotated[
        float | None,
        typer.Option(
            metavar="ROWS",
            help="With blocks: how many rows a group holds on average, at least.",
            rich_help_panel=PANEL,
        ),
    ] = None
    label_score: Annotated[
        str | None,
        choice("label_score", help="How informative a feature is about a class:", panel=PANEL),
    ] = None
    estimator: Annotated[
        str | None, choice("estimator", help="How counts estimate information:", panel=PANEL)
    ] = None
    tie_break: Annotated[
        str | None, choice("tie_break", help="What decides between equal scores:", panel=PANEL)
    ] = None
    weight_ratio: Annotated[
        float | None,
        typer.Option(
            help="How much the weights of two classes may differ; 1 is the plain sum.",
            rich_help_panel=PANEL,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What columns cost: a table with the columns' names first, then one cost or more.",
            rich_help_panel=PANEL,
        ),
    ] = None
    budget: Annotated[
        float | None,
        typer.Option(help="End when the next feature would pass it.", rich_help_panel=PANEL),
    ] = None


def setting_of(options: SettingOptions, **others: Any) -> "Setting":
    """Return the setting: what was given, the paper's or the library's defaults for the rest.

    Parameters
    ----------
    options : SettingOptions
        The options of the verb.
    **others
        Further fields of the setting; None: the default.
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
    """Return the options that were given."""
    own = fields(SettingOptions)
    return [field.name for field in own if getattr(options, field.name) != field.default]


def _with(made: Any, given: dict[str, Any], what: Parameter) -> Any:
    """Change parameters of an object of options, or say that it does not have them."""
    for name in given:
        if name not in made.get_params():
            raise InputError(Parameter(name), " does not apply to ", what)
    return made.set_params(**given)
