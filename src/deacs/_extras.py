"""Optional packages: the extra that installs each, and a clear error if one is missing.

| extra | brings | for |
|---|---|---|
| `files` | polars | `read_table`, `encode` of files, lazy frames |
| `cli` | polars, typer, rich | the `deacs` command |
| `databases` | polars, Ibis | addresses of databases, such as `postgresql://host/shop` |
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType

__all__ = ["import_needing_extras", "installed_version", "lacking"]

EXTRAS = {"files": ("polars",), "cli": ("polars", "typer", "rich"), "databases": ("polars", "ibis")}


def lacking(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed."""
    return [package for package in EXTRAS[extra] if find_spec(package) is None]


def installed_version(package: str) -> str | None:
    """Return the version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def import_needing_extras(module: str, user: str) -> ModuleType:
    """Import a module; if a package of an extra is missing, say how to get it.

    The message names `user` as what needs the package.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        extra = next((name for name, packages in EXTRAS.items() if missing in packages), None)
        if extra is None:
            raise
        raise ModuleNotFoundError(
            f"{user} needs {missing}, which is not installed; pip install 'deacs[{extra}]'",
            name=missing,
        ) from error
