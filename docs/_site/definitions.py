"""The definition at the head of a module, formula and reference, beside the object it defines."""

import re
import sys

KEPT_OR_BARS = re.compile(r"(:math:`[^`]*`|`[^`]*`)|\|(\w+)\||(?<=\w)_(?=[\s,.)]|$)")
"""Formulas and names, which stay; |S| and n_features_in_, which are no marks of this markup."""


def add_definition(app, what, name, documented, options, lines):
    """Append the module's text to the docstring of the one thing that it offers; mark it up."""
    module = sys.modules.get(getattr(documented, "__module__", None) or "")
    alone = getattr(module, "__all__", ()) == [name.rpartition(".")[2]]
    if alone and ".. math::" in (module.__doc__ or ""):
        lines += ["", ".. rubric:: Definition", "", *module.__doc__.strip().splitlines(), ""]
    in_formula = in_example = False
    for number, line in enumerate(lines):
        in_formula = line.lstrip().startswith(".. math::") or (in_formula and line[:1] in ("", " "))
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not (in_formula or in_example):
            lines[number] = KEPT_OR_BARS.sub(_escaped, line)


def _escaped(found):
    if found[1]:
        return found[1]
    return rf"\|{found[2]}\|" if found[2] else r"\_"


def setup(app):
    """Listen for docstrings."""
    app.connect(
        "autodoc-process-docstring", add_definition, priority=400
    )  # before numpydoc is read
    return {"parallel_read_safe": True, "parallel_write_safe": True}
