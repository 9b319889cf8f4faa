"""Pictures with twins (idea.png, idea-dark.png, idea-narrow.png) show the one that suits the page."""

from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform

TWINS = {"-narrow": ("only-narrow",), "-dark": ("only-dark",)}
TWINS["-narrow-dark"] = ("only-narrow", "only-dark")
OTHERS = {"only-narrow": "only-wide", "only-dark": "only-light"}


class DarkPictures(SphinxTransform):
    """Put the twins of a picture beside it; style sheets hide all but one."""

    default_priority = 200

    def apply(self):
        """Look for twins of all pictures of the page."""
        for picture in list(self.document.findall(nodes.image)):
            stem, index = picture["uri"].removesuffix(".png"), picture.parent.index(picture)
            found = {
                suffix: kinds
                for suffix, kinds in TWINS.items()
                if Path(self.env.relfn2path(f"{stem}{suffix}.png", self.env.docname)[1]).exists()
            }
            known = {kind for kinds in found.values() for kind in kinds}
            for suffix, kinds in found.items():
                twin = picture.deepcopy()
                twin["uri"] = f"{stem}{suffix}.png"
                twin["classes"] += [kind if kind in kinds else OTHERS[kind] for kind in known]
                picture.parent.insert(index + 1, twin)
            picture["classes"] += [OTHERS[kind] for kind in known]


def setup(app):
    """Register the search."""
    app.add_transform(DarkPictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
