"""Draw the packages in the order of their imports, from the contract in pyproject.toml.

Run by `python docs/images/packages.py`.
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDE, HIGH, GAP = 180, 30, 10
STYLE = """
  text { font: 14px system-ui, sans-serif; text-anchor: middle; fill: #1c2430; }
  rect { fill: #e4eefb; stroke: #3b7dd8; }
  path { stroke: #55606e; fill: none; marker-end: url(#tip); }
"""


def main() -> None:
    """Write packages.svg: each package may import those below it; dea stands beside."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    names = [name.removeprefix("deacs.") for name in contract["contracts"][0]["layers"]]
    boxes = [(60, 10 + k * (HIGH + GAP), name) for k, name in enumerate(names)]
    places = {name: y for _, y, name in boxes}
    boxes.append((60 + WIDE + 70, places["coding"], "dea"))
    height = len(names) * (HIGH + GAP) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 500 {height}" width="500">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0,0L8,4L0,8z" style="fill:#55606e;stroke:none"/></marker></defs>',
        f'<path d="M30,14V{height - 16}"/>',
    ]
    right, middle = 60 + WIDE, HIGH // 2
    across = right + 70 + WIDE // 2
    for name in ("selection", "report", "cli"):
        parts.append(f'<path d="M{right},{places[name] + middle}H{across}V{places["coding"] - 2}"/>')
    for name in ("_kernels", "exceptions"):
        down = places["coding"] + HIGH
        parts.append(f'<path d="M{across},{down}V{places[name] + middle}H{right + 2}"/>')
    for x, y, name in boxes:
        parts.append(f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="5"/>')
        parts.append(f'<text x="{x + WIDE // 2}" y="{y + 20}">{name}</text>')
    (Path(__file__).parent / "packages.svg").write_text("\n".join([*parts, "</svg>\n"]))


if __name__ == "__main__":
    main()
