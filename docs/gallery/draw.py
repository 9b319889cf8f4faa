"""Draw the gallery's pictures: python docs/gallery/draw.py [page ...]. Each page's own code draws.

A page is a doctest, so the tests run it too; here it runs the same way, and the figure that it
leaves open is saved as docs/images/gallery-PAGE.png.
"""

import doctest
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def draw(page):
    """Run the code of a page and save its figure."""
    failed, n_examples = doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS)
    if failed or not n_examples or len(plt.get_fignums()) != 1:
        sys.exit(
            f"{page.name}: {failed} examples failed, {len(plt.get_fignums())} figures are open"
        )
    picture = HERE.parent / "images" / f"gallery-{page.stem}.png"
    small = {"pil_kwargs": {"optimize": True}}
    plt.gcf().savefig(picture, dpi=100, bbox_inches="tight", pad_inches=0.12, **small)
    plt.close("all")
    print(picture.name)


if __name__ == "__main__":
    chosen = sys.argv[1:] or [page.stem for page in HERE.glob("*.md") if page.stem != "README"]
    for stem in sorted(chosen):
        draw(HERE / f"{stem}.md")
