# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What became of a case, and the two lists it is held against.

An outcome's class is `pass`; `random`, a case that draws and is distributed as it should be; `exit-N`, `signal-N`, `timeout` of the compiler; `build`; `run-STATUS`, `run-exit-N`,
`run-signal-N`, `run-timeout` of the program; `wrong` and `fault`, which the comparison and the driver find; `uncarried`,
a value that the driver's protocol has no form for; `harness`, an answer that makes no sense; `compiles` where nothing
was run.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

# The compiler says that it cannot: 4 malformed, 5 unsupported, 6 a limit. All else is a defect.
REFUSALS = {"exit-4", "exit-5", "exit-6", "uncarried"}
GROUPS = {"pass": "passed", "random": "random", "compiles": "only compiled"}


@dataclass
class Outcome:
    kind: str
    detail: str = ""
    seconds: dict = field(default_factory=dict)

    def is_defect(self):
        return self.kind not in REFUSALS and self.kind not in GROUPS

    def group(self):
        return GROUPS.get(self.kind, "wrong" if self.is_defect() else "refused")

    def diagnostic(self):
        """The class of the diagnostic: without names and numbers. Nothing of what varies from run to run."""
        if self.kind.startswith(("signal", "run-signal", "wrong", "timeout", "run-timeout", "build")):
            return ""
        line = self.detail.strip().partition("\n")[0]
        line = re.sub(r"^\S*\.onnx: ", "", line)
        line = re.sub(r"^\S+: ", "", line)
        line = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line)
        line = re.sub(r" \(\S*/\S*\)", "", line)
        return re.sub(r"\d+", "N", line)

    def text(self):
        diagnostic = self.diagnostic()
        return f"{self.kind}: {diagnostic}" if diagnostic else self.kind


def entries(path):
    """`NAME TARGETS TEXT` lines as {(name, target): text}."""
    found = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 2)
        if len(words) != 3:
            raise SystemExit(f"{path.name}:{number}: needs a case, targets and a text")
        for target in words[1].split(","):
            if (words[0], target) in found:
                raise SystemExit(f"{path.name}:{number}: {words[0]} on {target} is there twice")
            found[words[0], target] = words[2].strip()
    return found


HEADER = """\
# Cases of the official suite that do not pass, and why: NAME TARGETS CLASS[: DIAGNOSTIC].
# Written by run.py --update, never by hand. Defects (anything but exit-4, -5, -6, uncarried and random) need a reason in
# known_wrong.txt besides.
"""


def write_expected(path, expected):
    rows = {}
    for (name, target), text in expected.items():
        rows.setdefault((name, text), []).append(target)
    lines = [f"{name} {','.join(sorted(targets))} {text}\n" for (name, text), targets in sorted(rows.items())]
    path.write_text(HEADER + "".join(lines))


class Lists:
    """expected.txt, which run.py writes, and known_wrong.txt, in which a person gives the reason for a defect:
    NAME TARGETS CLASS REASON."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.expected = entries(self.folder / "expected.txt")
        self.known = {}
        for key, text in entries(self.folder / "known_wrong.txt").items():
            kind, _, reason = text.partition(" ")
            if not reason.strip():
                raise SystemExit(f"known_wrong.txt: {key[0]} on {key[1]} has no reason")
            self.known[key] = kind

    def excuses(self, name, target, outcome):
        return self.known.get((name, target)) == outcome.kind

    def update(self, target, outcomes, gone=()):
        """Takes over what a run found; `gone` are cases that no longer count."""
        for name in gone:
            self.expected.pop((name, target), None)
        for name, outcome in outcomes.items():
            key = (name, target)
            # A case that was only compiled keeps what a run said of it.
            if outcome.kind == "compiles" and not self.expected.get(key, "").startswith(("exit", "signal", "timeout")):
                continue
            self.expected.pop(key, None)
            if outcome.kind not in ("pass", "compiles"):
                self.expected[key] = outcome.text()
        write_expected(self.folder / "expected.txt", self.expected)
        self.forget({(name, target) for name, outcome in outcomes.items() if outcome.kind in ("pass", "random")})

    def forget(self, mended):
        """Takes what passes now out of known_wrong.txt; all else a person wrote, and it stays."""
        path, kept = self.folder / "known_wrong.txt", []
        for line in path.read_text().splitlines(keepends=True) if path.exists() else []:
            words = line.split(None, 2)
            if len(words) == 3 and not line.startswith("#"):
                targets = words[1].split(",")
                left = [target for target in targets if (words[0], target) not in mended]
                line = f"{words[0]} {','.join(left)} {words[2]}" if left else ""
            kept.append(line)
        if path.exists():
            path.write_text("".join(kept))


@dataclass
class Verdict:
    """Names of cases: `broken` and `missing` fail the run, the others are told."""
    broken: list = field(default_factory=list)
    missing: list = field(default_factory=list)
    mended: list = field(default_factory=list)
    changed: list = field(default_factory=list)
    passed: int = 0
    random: int = 0
    failed: int = 0
    compiled: int = 0

    def is_good(self):
        return not self.broken and not self.missing


def judge(lists, target, wanted, outcomes):
    """Holds outcomes against the lists. What is wanted and has no outcome is missing, whatever the lists say."""
    verdict = Verdict()
    for name in wanted:
        outcome = outcomes.get(name)
        expected = lists.expected.get((name, target))
        if outcome is None:
            verdict.missing.append(name)
        elif outcome.kind == "pass":
            verdict.passed += 1
            if expected or (name, target) in lists.known:
                verdict.mended.append(name)
        elif outcome.kind == "compiles":
            verdict.compiled += 1
        elif outcome.kind == "random":
            verdict.random += 1
            if expected != outcome.kind:
                verdict.mended.append(name)
        else:
            verdict.failed += 1
            if outcome.is_defect() and not lists.excuses(name, target, outcome):
                verdict.broken.append(name)
            elif expected is None:
                verdict.broken.append(name)
            elif expected != outcome.text():
                verdict.changed.append(name)
    return verdict
