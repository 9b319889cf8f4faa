"""Build commands from dataclasses of options, and name options in the library's errors.

A field for a parameter of the library has that parameter's name, so an error about `missing`
becomes one about `--missing` without parsing its message.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from inspect import signature
from typing import Any, TypeVar, get_args

from typer.models import OptionInfo, ParameterInfo

from deacs.cli.lists import as_option
from deacs.exceptions import InputError, Parameter

__all__ = ["in_options", "option_table", "verb", "worded_by"]

Options = TypeVar("Options")
Run = Callable[[Options], None]

_table: ContextVar[dict[str, str]] = ContextVar("table", default={})  # noqa: B039


def verb(options: type[Options], examples: str = "") -> Callable[[Run[Options]], Any]:
    """Turn a function of an options dataclass into a command with its fields as parameters."""

    def decorate(run: Run[Options]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            with worded_by(options):
                run(options(**given))

        command.__name__, command.__module__ = run.__name__, run.__module__
        command.__doc__ = f"{run.__doc__}\n{examples}"
        command.__signature__ = signature(options)  # type: ignore[attr-defined]
        command.__annotations__ = {field.name: field.type for field in fields(options)}  # type: ignore[arg-type]
        return command

    return decorate


@contextmanager
def worded_by(options: type) -> Iterator[None]:
    """Word the library's errors with the options of a command in place of parameters."""
    token = _table.set(option_table(options))
    try:
        yield
    except InputError as error:
        raise InputError(
            error.worded(in_options),
            parameter=error.parameter,
            columns=error.columns,
            accepted=error.accepted,
        ) from error
    finally:
        _table.reset(token)


def in_options(parameter: Parameter) -> str:
    """Return the option of the running command that sets a parameter, if there is one."""
    # In Python `target` is the kind of y, here the column; only the former has a value in messages.
    is_kind = parameter.name == "target" and parameter.has_value
    option = _table.get().get("target_kind" if is_kind else parameter.name)
    if option is None:
        return str(parameter)
    if not parameter.has_value or isinstance(parameter.value, bool):
        return option
    value = parameter.value
    names = value if isinstance(value, list | tuple) else [str(value)]
    return f"{option} {as_option(names)}"


def option_table(options: type) -> dict[str, str]:
    """Return the option of each field, and of `y`, which is the target."""
    table = {field.name: _flag(field.name, field.type) for field in fields(options)}
    return table | ({"y": table["target"]} if "target" in table else {})


def _flag(name: str, annotation: Any) -> str:
    """Return the first name of an option, or its negative form if it has no other."""
    infos = [entry for entry in get_args(annotation) if isinstance(entry, ParameterInfo)]
    if not infos or not isinstance(infos[0], OptionInfo):
        return infos[0].metavar or name if infos else name
    [info] = infos
    # Inside `Annotated` typer reads the first name as a default.
    given = [*([info.default] if isinstance(info.default, str) else []), *(info.param_decls or ())]
    return given[0].rpartition("/")[2].strip() if given else f"--{name.replace('_', '-')}"
