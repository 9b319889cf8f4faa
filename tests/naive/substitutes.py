"""Substitutes by brute force: every feature scored anew in the place of every selected one."""

from tests import naive


def substitutes(columns, y, ranking, blocks, fold, n):
    """Of each selected feature: its own scores given the rest, and (feature, kept, lost), n best.

    `blocks(selected columns)` are the blocks of S, and the feature leaves its own; `fold` puts the
    scores given each of them together.
    """
    labels = sorted(set(y))
    left = iter(ranking)
    parts = [[next(left) for _ in block] for block in blocks([columns[j] for j in ranking])]
    found = []
    for feature in ranking:
        rest = [[columns[j] for j in part if j != feature] for part in parts]
        rest = [block for block in rest if block] or [[]]

        def scores(j, rest=rest):
            return [
                fold([naive.label_score(columns[j], y, label, block) for block in rest])
                for label in labels
            ]

        own = scores(feature)
        others = []
        for j in range(len(columns)):
            if j not in ranking:
                its = scores(j)
                kept = [min(a, b) for a, b in zip(own, its, strict=True)]
                lost = [max(a - b, 0) for a, b in zip(own, its, strict=True)]
                if sum(kept) > 1e-9:
                    others.append((sum(lost), -sum(its), j, kept, lost))
        others.sort(key=lambda other: (round(other[0], 8), round(other[1], 8), other[2]))
        found.append((own, [other[2:] for other in others[:n]]))
    return found
