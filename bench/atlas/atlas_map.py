# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The atlas as a page, a table a family, and as a picture, a row an operator and a square a case."""
import html
import statistics

SIDE, LEFT = 14, 330
# Ratios from which on a square has the colour.
COLOURS = [(0.0, "#8c2d04"), (0.5, "#ec7014"), (0.9, "#fec44f"), (1.0, "#c7e9c0"), (1.2, "#74c476"), (2.0, "#238b45")]


def split(key):
    family, operator, kind, shape, extents = key.split("/")
    return family, operator, kind, shape, extents


def by(number, cases):
    groups = {}
    for key, row in cases.items():
        groups.setdefault(split(key)[number], {})[key] = row
    return groups


def summary(cases):
    ratios = [row["ratio"] for row in cases.values()]
    return (f"{len(ratios)} | {statistics.geometric_mean(ratios):.2f} | {sum(r < 0.5 for r in ratios)} | {sum(r < 0.9 for r in ratios)} | "
            f"{sum(r < 1 for r in ratios)}")


def table(cases):
    lines = ["| operator | type | shape | extents | Cameo, us | peer, us | peer | ratio |", "|--|--|--|--|--:|--:|--|--:|"]
    for key, row in cases.items():
        _, operator, kind, shape, extents = split(key)
        wrong = " (outputs differ)" if row["is_wrong"] else ""
        lines.append(f"| {operator} | {kind} | {shape} | {extents} | {row['us']['Cameo']:.4g} | {row['us'][row['peer']]:.4g} | "
                     f"{row['peer']} | {row['ratio']:.2f}{wrong} |")
    return "\n".join(lines)


def page(report, stem):
    families = by(0, report["cases"])
    overview = "\n".join(f"| {name} | {summary(cases)} |" for name, cases in families.items())
    tables = "\n\n".join(f"## {name}\n\n{table(cases)}" for name, cases in families.items())
    return f"""# Atlas: operators by themselves, beside other runtimes

Written by `bench/atlas/run --write`, last on {report['date']}; the JSON beside this has all figures. {report['processor']},
{report['threads']} thread{'s' * (report['threads'] > 1)}, {report['build']}, on a machine with other work on it. Roofline: {report['roofline']}.
Ratio: the fastest peer's time by Cameo's; above 1 Cameo is faster. A type that no peer has is timed beside Cameo's own float.

![A square a case, coloured by its ratio]({stem}.svg)

| family | cases | geometric mean | under 0.5 | under 0.9 | under 1 |
|--|--:|--:|--:|--:|--:|
{overview}

{tables}
"""


def colour(ratio):
    return [name for least, name in COLOURS if ratio >= least][-1]


def picture(report):
    lines, y = [], SIDE
    for operator, cases in by(1, report["cases"]).items():
        lines.append(f'<text x="{LEFT - 6}" y="{y + SIDE - 4}" text-anchor="end">{html.escape(operator)}</text>')
        for number, (key, row) in enumerate(cases.items()):
            title = html.escape(f"{key}: {row['ratio']:.2f}")
            lines.append(f'<rect x="{LEFT + number * SIDE}" y="{y}" width="{SIDE - 1}" height="{SIDE - 1}" fill="{colour(row["ratio"])}">'
                         f'<title>{title}</title></rect>')
        y += SIDE + 2
    widest = max(len(cases) for cases in by(1, report["cases"]).values())
    for number, (least, name) in enumerate(COLOURS):
        x = LEFT + number * 60
        lines.append(f'<rect x="{x}" y="{y + SIDE}" width="{SIDE - 1}" height="{SIDE - 1}" fill="{name}"/>'
                     f'<text x="{x + SIDE + 2}" y="{y + 2 * SIDE - 4}">from {least:g}</text>')
    width, height = max(LEFT + widest * SIDE, LEFT + len(COLOURS) * 60) + SIDE, y + 3 * SIDE
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(lines) + "\n</svg>\n")
