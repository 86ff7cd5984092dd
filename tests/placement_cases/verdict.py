# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of a variant, the list that it is held against, and the table that follows from that list.

Statuses from best to worst: `minimum`; `above`, right results with more copies, waits or another side than the ideal;
`refused` by the compiler; `not-built`, nothing can express it yet; `wrong`, everything else, such as a crash.
"""
import collections
import re
from dataclasses import dataclass, field
from pathlib import Path

RANKS = {"minimum": 0, "above": 1, "refused": 2, "not-built": 3, "wrong": 4}
HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected.txt"
WITHOUT_ALGEBRA = HERE / "expected_without_algebra.txt"  # the same with the algebra of shapes off
DOCUMENT = HERE.parents[1] / "docs/placement-cases.md"

EXPECTED_HEAD = """\
# What every placement case achieves: CASE[/VARIANT] STATUS COPIES/WAITS h2d UPLOADS [finish COPIES][: why it is above], or
# the reason why it does not run. Written by run.py --update, never by hand; README.md says what the words mean.
"""
DOCUMENT_HEAD = """\
# Placement cases

Written by `tests/placement_cases/run.py --update`, never by hand: the graphs that [placement](placement.md) is held
against. `D/S` is how many copies a run makes from the device to the host, and how many times it waits for the device;
`e` marks a copy that completes with the run. `h2d` are uploads of a run, `finish` copies behind it: a
slot of errors. Counts are the CUDA emulator's, the most of any data set. A case is at its
minimum only where all of its models are: their results right, no count above the ideal, no value on another side.
The last column is what is achieved with `--algebra off`: integers that shapes follow from are computed then, in place of
becoming expressions of dims; what is refused needs an expression to size or to bound something.
[How they are counted](../tests/placement_cases/README.md), [each model](../tests/placement_cases/expected.txt).

"""


@dataclass
class Outcome:
    status: str
    copies: int = 0  # in a run, from the device to the host, but for outputs
    waits: int = 0
    uploads: int = 0
    finish: int = 0  # copies of the finish behind a run: the slot of errors
    why: str = ""
    detail: str = ""  # for who reads the log
    counters: dict = field(default_factory=dict)  # the most of each, of any data set

    def text(self):
        ran = self.status in ("minimum", "above")
        counts = f" {self.copies}/{self.waits} h2d {self.uploads}" if ran else ""
        counts += f" finish {self.finish}" if self.finish else ""
        return f"{self.status}{counts}{': ' if self.why else ''}{self.why}"


def parse(text):
    match = re.fullmatch(r"([a-z-]+)(?: (\d+)/(\d+) h2d (\d+)(?: finish (\d+))?)?(?:: (.*))?", text)
    if not match or match[1] not in RANKS:
        raise SystemExit(f"{EXPECTED.name}: cannot read {text!r}")
    return Outcome(match[1], *(int(match[k] or 0) for k in range(2, 6)), match[6] or "")


def read_expected(path=EXPECTED):
    found = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            key, _, text = line.partition(" ")
            found[key] = parse(text)
    return found


def write_expected(outcomes, path=EXPECTED):
    path.write_text(EXPECTED_HEAD + "".join(f"{key} {outcome.text()}\n" for key, outcome in outcomes.items()))


def compare(expected, outcomes):
    """(lines that tell of each difference, whether any is for the worse)."""
    lines, worse = [], False
    for key, outcome in outcomes.items():
        was = expected.get(key)
        if was is None:
            lines.append(f"NEW      {key}: {outcome.text()}")
        elif was.text() != outcome.text():
            lost = RANKS[outcome.status] > RANKS[was.status]
            worse |= lost
            lines.append(f"{'BROKEN ' if lost else 'CHANGED'}  {key}: {outcome.text()}, expected {was.text()}")
    return lines, worse


def describe(outcomes):
    """Status, achieved D/S, uploads and copies of the finish of a case by its variants."""
    ran = [o for o in outcomes if o.status in ("minimum", "above")]
    best = sum(o.status == "minimum" for o in outcomes)
    if best == len(outcomes):
        status = "yes"
    else:
        worst = max((o.status for o in outcomes), key=RANKS.get)
        status = f"no: {worst}" + (f", {best} of {len(outcomes)} are" if best else "")
    if not ran:
        return "", "", "", status
    most = {name: max(getattr(o, name) for o in ran) for name in ("copies", "waits", "uploads", "finish")}
    return f"{most['copies']}/{most['waits']}", most["uploads"], most["finish"], status


def describe_without(outcomes):
    """What remains of a case without the algebra: counts of what runs, how much is refused."""
    counts, _, _, _ = describe(outcomes)
    refused = sum(o.status == "refused" for o in outcomes)
    return ", ".join(filter(None, (counts, f"{refused} of {len(outcomes)} refused" if refused else "")))


def select(outcomes, case):
    return {key: o for key, o in outcomes.items() if int(key.partition("/")[0]) == case.number}


def format_table(cases, outcomes, without=None):
    """Markdown: a row for each case, then what keeps models from their minimum. `without`: outcomes without the algebra."""
    rows, reasons, passed = [], [], 0
    for case in cases:
        mine = select(outcomes, case)
        cells = [case.number, case.title, case.ideal, *describe(mine.values())]
        passed += cells[-1] == "yes"
        if without is not None:
            cells.append(describe_without(select(without, case).values()))
        rows.append(f"| {' | '.join(map(str, cells))} |")
        reasons += [f"| {key} | {o.text().replace('|', '/')} |" for key, o in mine.items() if o.status != "minimum"]
    counts = collections.Counter(o.status for o in outcomes.values())
    models = ", ".join(f"{counts[status]} {status}" for status in RANKS if counts[status])
    table = [f"{passed} of {len(cases)} cases are at their minimum. Models: {models}.", "",
             "| case | graph | ideal | achieved | h2d | finish | minimum |" + (" without the algebra |" if without is not None else ""),
             "|--|--|--|--|--|--|--|" + ("--|" if without is not None else ""), *rows]
    if reasons:
        table += ["", "## Models above their minimum", "", "| model | what it does |", "|--|--|", *reasons]
    return "\n".join(table) + "\n"


def format_document(cases):
    """From what is kept."""
    return DOCUMENT_HEAD + format_table(cases, read_expected(), read_expected(WITHOUT_ALGEBRA))
