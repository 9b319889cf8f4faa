"""Formulas as MathML, which browsers draw themselves: no script and no font is loaded for them."""

from docutils import nodes
from latex2mathml.converter import convert


def visit_inline(translator, node):
    """Write a formula into the line."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_block(translator, node):
    """Write a formula on lines of its own; it scrolls where it is wider than the page."""
    formula = convert(node.astext(), display="block")
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer, for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
