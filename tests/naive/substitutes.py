"""Substitutes by brute force: every feature scored anew in the place of every selected one."""


def substitutes(columns, y, ranking, score, n):
    """Of each selected feature: its own scores given the rest, and (feature, kept, lost), n best.

    `score(x, y, label, given)` is one of `naive` or `naive.blocks`.
    """
    labels = sorted(set(y))
    found = []
    for feature in ranking:
        given = [columns[j] for j in ranking if j != feature]
        own = [score(columns[feature], y, label, given) for label in labels]
        others = []
        for j in range(len(columns)):
            if j not in ranking:
                its = [score(columns[j], y, label, given) for label in labels]
                kept = [min(a, b) for a, b in zip(own, its, strict=True)]
                lost = [max(a - b, 0) for a, b in zip(own, its, strict=True)]
                if sum(kept) > 1e-9:
                    others.append((sum(lost), -sum(its), j, kept, lost))
        others.sort(key=lambda other: (round(other[0], 8), round(other[1], 8), other[2]))
        found.append((own, [other[2:] for other in others[:n]]))
    return found
