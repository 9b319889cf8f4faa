"""Pictures that have a twin for dark pages (idea.png, idea-dark.png) show the one that suits."""

from pathlib import Path

from docutils import nodes
from sphinx.transforms import SphinxTransform


class DarkPictures(SphinxTransform):
    """Put the dark twin beside the light one; the theme hides one of the two."""

    default_priority = 200

    def apply(self):
        """Look for twins of all pictures of the page."""
        for light in list(self.document.findall(nodes.image)):
            twin = light["uri"].removesuffix(".png") + "-dark.png"
            _, path = self.env.relfn2path(twin, self.env.docname)
            if Path(path).exists():
                dark = light.deepcopy()
                dark["uri"] = twin
                dark["classes"] = [*dark["classes"], "only-dark"]
                light["classes"] = [*light["classes"], "only-light"]
                light.parent.insert(light.parent.index(light) + 1, dark)


def setup(app):
    """Register the search."""
    app.add_transform(DarkPictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
