"""The `deacs` command: its subcommands, one-line errors and exit codes.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a part of the work failed, or nobody reads the output; `check`: changed |
| 2 | the command or the data cannot be used; the one line on the error stream says why |
| 3 | a defect of deacs, or no memory left |
| 130 | interrupted by Ctrl-C |
"""

import io
import os
import sys
from traceback import format_exception
from typing import Annotated, Any, NoReturn

import typer

from deacs.cli import INTERRUPTED, USAGE_ERROR, version_text
from deacs.cli.check import check
from deacs.cli.compare import compare
from deacs.cli.dea import dea
from deacs.cli.demo import demo
from deacs.cli.encode import encode
from deacs.cli.explain import explain
from deacs.cli.options import ChoiceCommand, ChoiceGroup
from deacs.cli.output import ensure_width, terminal
from deacs.cli.select import select
from deacs.exceptions import DatabaseError

__all__ = ["app", "main"]

DEFECT = 3

app = typer.Typer(
    name="deacs",
    cls=ChoiceGroup,
    help="Select features, and show which class each one is informative about.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=ChoiceCommand)(select)
app.command(cls=ChoiceCommand)(encode)
app.command(cls=ChoiceCommand)(explain)
app.command(cls=ChoiceCommand)(check)
app.command(cls=ChoiceCommand)(compare)
app.command(cls=ChoiceCommand)(dea)
app.command(cls=ChoiceCommand)(demo)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="With --version: details for a bug report.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug",
            help="Show the traceback of an error; anywhere on the line, or DEACS_DEBUG=1.",
        ),
    ] = False,
) -> None:
    """Options of the command itself."""
    if version:
        typer.echo(version_text(verbose))
        raise typer.Exit
    if verbose:
        raise typer.BadParameter("belongs to --version", param_hint="--verbose")


def main() -> None:
    """Run the command; any error becomes one line on the error stream and an exit code."""
    arguments, is_debugging = _without_debug(sys.argv[1:])
    ensure_width()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Show a question mark for characters that the terminal lacks, not an error.
        sys.stdout.reconfigure(errors="replace")
    try:
        code = app(arguments, prog_name="deacs", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        if is_debugging:
            sys.excepthook = _show_traceback
            raise
        _tell(error)
    if code == INTERRUPTED:
        _say("interrupted", "")
    sys.exit(code if isinstance(code, int) else 0)


def _without_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Remove `--debug` from anywhere on the line: people append it to a command that failed."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [word for word in arguments[:end] if word != "--debug"]
    is_asked = len(kept) < end or os.environ.get("DEACS_DEBUG", "") not in ("", "0")
    return kept + arguments[end:], is_asked


def _tell(error: Exception) -> NoReturn:
    """Print an error in one line, and exit with its code."""
    if hasattr(error, "format_message"):  # typer: a mistyped option or command
        words = error.format_message()
        if not words.strip():  # no command at all: typer has shown the help
            sys.exit(USAGE_ERROR)
        context = getattr(error, "ctx", None)
        command = "deacs" if context is None else context.command_path
        # The prefix of typer's validator means nothing to a user.
        words = words.replace("Value error, ", "").rstrip(".")
        end = "" if words.endswith("?") else ";"
        _say("error:", f"{words}{end} {command} --help shows what there is")
        sys.exit(USAGE_ERROR)
    if isinstance(error, MemoryError):
        _say("error:", f"not enough memory: {error}; give fewer columns, or Parquet")
        sys.exit(DEFECT)
    if isinstance(error, ValueError | OSError | DatabaseError):
        _say("error:", _system_error(error) if isinstance(error, OSError) else str(error))
        sys.exit(USAGE_ERROR)
    _say(
        "error:",
        f"{type(error).__name__}: {error}; this is a defect of deacs: please report it with what "
        "the same line and --debug shows",
    )
    sys.exit(DEFECT)


def _system_error(error: OSError) -> str:
    """Return the message of a system error, with the file."""
    if error.strerror is None:
        return str(error)
    return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"


def _show_traceback(*error: Any) -> None:
    terminal(stderr=True, soft_wrap=True).print("".join(format_exception(*error)), end="")


def _say(head: str, words: str) -> None:
    console = terminal(stderr=True, soft_wrap=True)
    console.print(head, style="bold red", end=" " if words else "\n")
    if words:
        console.print(" ".join(words.split()))
