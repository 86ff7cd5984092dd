#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The official ONNX suite on one target: run.py --cameo CAMEO --target cpu|cuda-emu --scratch FOLDER [REGEX...].

Without more all cases are run, in three modes; REGEX chooses by name. Fails when a case that passed fails, when a defect has no reason in
known_wrong.txt, and when a case has no outcome. README.md beside this file says what else there is.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import draws
import modes
import share
import suite
import support
from build import INCLUDE
from harness import Harness
from outcome import GROUPS, Lists, judge

HERE = Path(__file__).resolve().parent
# Up to this share of the long suites (CAMEO_SHARE), which is CI's, all cases are compiled. A newcomer would wait a minute
# and a half for that.
ALL_COMPILED = 4
# A sample has one case of another mode for so many as the suite has them.
OTHER_MODES = 2


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="REGEX", help="cases, by a part of their name")
    parser.add_argument("--cameo", default=HERE.parents[1] / "build/release/bin/cameo", type=Path)
    parser.add_argument("--scratch", default=HERE.parents[1] / "build/conformance", type=lambda text: Path(text).resolve())
    parser.add_argument("--target", required=True, choices=["cpu", "cuda-emu"])
    parser.add_argument("--mode", choices=modes.MODES, action="append", help="only this one, and others so given")
    parser.add_argument("--sample", type=int, metavar="N",
                        help="compile all cases, run N of them and those that the lists say do not compile; of each other "
                             f"mode compile and run N/{OTHER_MODES}")
    parser.add_argument("--few", type=int, metavar="N", help="neither compile nor run more than N cases")
    parser.add_argument("--seed", help="of the choice (default: the commit)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", action="store_true", help="write expected.txt and docs/support.md")
    given = parser.parse_args()
    given.mode = given.mode or list(modes.MODES)
    return given


def default_seed():
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or time.strftime("%Y-%m-%d")


def draw(cases, count, given, what):
    seed = given.seed or default_seed()
    print(f"{what} {min(count, len(cases))} of {len(cases)} cases, --seed {seed}")
    return random.Random(seed).sample(cases, min(count, len(cases)))


def wanted_cases(given, cases, lists):
    wanted = [case for case in cases if not given.names or any(re.search(n, case.name) for n in given.names)]
    if not wanted:
        raise SystemExit("no case has such a name")
    if given.few is not None:
        return draw(wanted, given.few, given, "takes")
    if given.sample is None or given.names:
        return wanted
    taken = [case for mode in given.mode for case in sample_mode(given, mode, lists, [c for c in wanted if c.mode == mode])]
    names = {case.name for case in taken}
    return [case for case in wanted if case.name in names]


def sample_mode(given, mode, lists, cases):
    """What a run with --sample compiles of a mode: all as the suite has them, of the others what it runs."""
    if mode == "static":
        if share.SHARE <= ALL_COMPILED:
            return cases
        print(f"SKIP: conformance compiles {ALL_COMPILED} of {share.SHARE} cases; tools/test --all compiles all")
        return draw(cases, len(cases) * ALL_COMPILED // share.SHARE, given, "takes") + list(filter(names_changed, cases))
    cases = [case for case in cases if modes.is_relative(case, {}, lists.expected, given.target)]
    count = share.part(given.sample, OTHER_MODES * share.SHARE)
    print(f"SKIP: conformance takes a few cases with {modes.MODES[mode]}; run.py without --sample takes all")
    changed = list(filter(names_changed, cases))
    return (draw(cases, count, given, f"with {modes.MODES[mode]} takes")
            + (draw(changed, count, given, "of those that the change can affect takes") if changed else []))


def names_changed(case):
    operators = share.changed_operators()
    return bool(operators) and not operators.isdisjoint(suite.operators(case.load()))


def affected(given, cases, folders):
    """Cases that a change can affect: those of operators that it names, and those whose code includes a header of it."""
    headers = {re.sub("^(runtime/include/cameo|codegen_templates|runtime)/", "cameo/", path) for path in share.CHANGED}

    def is_affected(case):
        files = [path for path in folders[case.name].glob("*.*") if path.suffix in (".cpp", ".cu", ".h")]
        return (names_changed(case)
                or any(not headers.isdisjoint(INCLUDE.findall(path.read_text())) for path in files))

    found = [case for case in cases if is_affected(case)] if share.CHANGED else []
    return draw(found, given.sample, given, "of those that the change can affect runs") if found else []


def sampler(given, lists):
    """Which of the cases that compile, whose folders are given, are run."""
    if given.sample is None:
        return lambda cases, folders: cases
    if share.SHARE > 1:
        print(f"SKIP: conformance runs one case of {share.SHARE} of its sample; tools/test --all runs the sample")
    refused = {name for (name, target), text in lists.expected.items()
               if target == given.target and not text.startswith(("run", "wrong", "fault", "build"))}

    def choose(cases, folders):
        static = [case for case in cases if case.mode == "static"]
        taken = draw(static, share.part(given.sample), given, "runs") + affected(given, static, folders)
        names = {case.name for case in taken} | refused
        return [case for case in cases if case.name in names or case.mode != "static"]
    return choose


def progress(text):
    if sys.stderr.isatty():
        print(f"\r{text} ", end="", file=sys.stderr, flush=True)


def write_report(path, target, outcomes, seconds):
    path.write_text(json.dumps({
        "target": target, "onnx": suite.VERSION, "seconds": round(seconds, 1),
        "cases": {name: {"outcome": o.kind, "detail": o.detail[:2000], "seconds": o.seconds}
                  for name, o in sorted(outcomes.items())}}, indent=1))


def tell(verdict, outcomes, lists, target):
    reasons = collections.Counter(o.text() for o in outcomes.values() if o.kind not in GROUPS)
    if reasons:
        print("commonest reasons of failure:")
    for reason, count in reasons.most_common(10):
        print(f"  {count:4} {reason}")
    for name in verdict.changed:
        print(f"changed  {name}: {outcomes[name].text()}, was {lists.expected[name, target]}")
    if verdict.mended:
        print(f"mended   {len(verdict.mended)} cases pass that the lists have as failing, until --update takes them "
              f"out: {' '.join(verdict.mended)}")
    for name in verdict.broken:
        was = lists.expected.get((name, target), "a pass")
        print(f"BROKEN   {name}: {outcomes[name].text()}, expected {was}\n{outcomes[name].detail[:600]}")
    for name in verdict.missing:
        print(f"MISSING  {name} has no outcome")
    if verdict.broken:
        print("A defect that has to stay needs its reason in tests/conformance/known_wrong.txt.")


def tell_modes(target, cases, outcomes):
    """Of each mode what the run found, beside what passes as the suite has it."""
    for mode in modes.MODES:
        kinds = collections.Counter(outcomes[case.name].group() for case in cases
                                    if case.mode == mode and case.name in outcomes)
        if kinds:
            print(f"{target}, {modes.MODES[mode]}:", ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))


def main():
    given = options()
    start = time.monotonic()
    cases = draws.mark(suite.load(given.scratch), given.scratch)
    lists = Lists(HERE)
    others = modes.make_cases(cases, given.scratch)
    wanted = wanted_cases(given, [case for case in [*cases, *others] if case.mode in given.mode], lists)
    harness = Harness(given.cameo, given.target, given.scratch, given.jobs, progress=progress)
    outcomes = harness.take(wanted, sampler(given, lists))
    seconds = time.monotonic() - start

    # What fails as the suite has it is no fault of a mode.
    wanted = [case for case in wanted if modes.is_relative(case, outcomes, lists.expected, given.target)]
    relative = {case.name: outcomes[case.name] for case in wanted if case.name in outcomes}
    verdict = judge(lists, given.target, [case.name for case in wanted], relative)
    report = given.scratch / f"{given.target}.json"
    write_report(report, given.target, relative, seconds)
    tell(verdict, relative, lists, given.target)
    tell_modes(given.target, wanted, relative)
    print(f"{given.target}: {verdict.passed} passed, {verdict.random} random, {verdict.failed} failed, "
          f"{verdict.compiled} only compiled, "
          f"{len(verdict.missing)} missing, of {len(wanted)}; {seconds:.0f} s; {report}")
    if given.update:
        lists.update(given.target, relative, {case.name for case in others if case.name not in relative
                                              and not modes.is_relative(case, outcomes, lists.expected, given.target)})
        support.write(cases, others, Lists(HERE))
    sys.exit(0 if verdict.is_good() else 1)


if __name__ == "__main__":
    main()
