#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graphs of the placement specification on the CUDA emulator: run.py [NUMBER...] [--group GROUP].

Each is compiled, built with others into few programs, and run on all of its data; results, copies and waits as the
emulator counts them are held against the ideal, and what comes out against expected.txt. README.md says more.
"""
import argparse
import importlib
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / folder) for folder in ("models", "conformance", "")]

import build  # noqa: E402  of tests/conformance
import declare  # noqa: E402
import judge  # noqa: E402
import make  # noqa: E402  of tests/models
import verdict  # noqa: E402

GROUPS = sorted(path.stem for path in (HERE / "cases").glob("*.py"))
COMPILE_TIMEOUT = 60


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="cases; default: all")
    parser.add_argument("--group", choices=GROUPS, help="the cases of one file of cases/")
    parser.add_argument("--cameo", default=HERE.parents[1] / "build/release/bin/cameo", type=Path)
    parser.add_argument("--scratch", default=HERE.parents[1] / "build/placement_cases", type=Path)
    parser.add_argument("--flag", action="append", default=[], metavar="FLAG",
                        help="for every compilation: a table of its own, held against nothing")
    parser.add_argument("--without-algebra", action="store_true",
                        help="with --algebra off, held against a list of its own: the last column of the table")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", action="store_true", help="write expected.txt and docs/placement-cases.md")
    parser.add_argument("--export", type=Path, metavar="FOLDER",
                        help="write the models with their data sets, for `cameo verify`, and run nothing")
    parser.add_argument("--check-table", action="store_true",
                        help="only hold docs/placement-cases.md against expected.txt and the cases")
    return parser.parse_args()


def load_cases():
    for group in GROUPS:
        importlib.import_module(f"cases.{group}")
    return [declare.ALL[number] for number in sorted(declare.ALL)]


def is_wanted(given, case):
    return (not given.numbers or case.number in given.numbers) and given.group in (None, case.group)


class Unit:
    """A variant as tests/conformance builds it."""
    success = "pass"

    def __init__(self, variant, number, folder):
        self.variant, self.number = variant, number
        self.name, self.identifier = variant.key, f"case_{number:04}"
        self.model = folder / f"{self.identifier}.onnx"

    def write(self):
        onnx.save(self.variant.model, self.model)


class Bench:
    """Takes variants through all steps; an outcome for each is in `outcomes`."""

    def __init__(self, given):
        self.cameo, self.jobs = given.cameo.resolve(), given.jobs
        self.scratch = given.scratch.resolve()
        self.models = self.scratch / "models"
        shutil.rmtree(self.models, ignore_errors=True)
        self.models.mkdir(parents=True)
        self.outcomes = {}

    def each(self, work, items):
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(work, items))

    def prepare(self, unit):
        """Gives the unit its expected outputs, generated files and what `explain` has against it; or it has an outcome."""
        unit.write()
        unit.expected = [] if unit.variant.program else judge.expected_outputs(unit.variant)
        unit.folder = self.scratch / "generated" / unit.identifier
        ended = build.compile_case(self.cameo, unit, "cuda-emu", unit.folder, COMPILE_TIMEOUT, unit.variant.flags)
        if ended:
            self.outcomes[unit.name] = judge.refused(ended)
            return
        unit.sides = judge.misplaced(unit.variant, self.cameo, unit.model)

    def run_batches(self, units):
        """Those that the driver runs."""
        folders = {unit.name: unit.folder for unit in units}

        def work(item):
            number, batch = item
            return build.build_and_run(batch, self.scratch / "programs" / str(number), self.run_one)

        batches = list(enumerate(build.make_batches(self.tools, units, folders, self.jobs)))
        for found in self.each(work, batches):
            for key, outcome in found.items():
                if not isinstance(outcome, verdict.Outcome):
                    outcome = verdict.Outcome("wrong", why="the generated code does not build", detail=outcome.detail)
                self.outcomes[key] = outcome

    def run_one(self, unit, program):
        return judge.judge_run(unit.variant, program, unit.identifier, unit.expected, unit.sides)

    def run_own_program(self, unit):
        folder = self.scratch / "programs" / unit.identifier
        folder.mkdir(parents=True)
        host, kernels, assembly = build.generated(unit.folder, unit.identifier)
        objects = []
        try:
            for source in [host, *kernels, *assembly, HERE / "programs" / unit.variant.program]:
                objects.append(folder / f"{len(objects)}.o")
                kind = ["-x", "c++"] if source.suffix != ".S" else []
                self.tools.compile(source, objects[-1], *kind, f"-DMODEL={unit.identifier}_describe",
                                   f"-Wa,-I{unit.folder}")
            self.tools.link(objects.pop(), folder / "program", [*objects, self.tools.archive])
        except build.BuildError as error:
            self.outcomes[unit.name] = verdict.Outcome("wrong", why="does not build", detail=str(error))
            return
        self.outcomes[unit.name] = judge.judge_own_program(unit.variant, folder / "program")

    def take(self, variants):
        for variant in variants:
            if variant.missing:
                self.outcomes[variant.key] = verdict.Outcome("not-built", why=variant.missing)
        units = [Unit(v, number, self.models) for number, v in enumerate(v for v in variants if not v.missing)]
        self.each(self.prepare, units)
        shutil.rmtree(self.scratch / "programs", ignore_errors=True)
        units = [unit for unit in units if unit.name not in self.outcomes]
        if units:
            self.tools = build.Toolchain("cuda-emu", self.scratch)
            files = [build.generated(unit.folder, unit.identifier) for unit in units]
            self.tools.precompile("host", [host for host, _, _ in files])
            self.tools.precompile("kernels", [path for _, kernels, _ in files for path in kernels])
            self.run_batches([unit for unit in units if not unit.variant.program])
            self.each(self.run_own_program, [unit for unit in units if unit.variant.program])
        return {variant.key: self.outcomes[variant.key] for variant in variants}


def export(variants, folder):
    """A folder per model; where its inputs lie, a data set cannot say: --space does."""
    for variant in variants:
        if variant.missing:
            continue
        into = folder / variant.key.replace("/", "_")
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        onnx.save(variant.model, into / "model.onnx")
        compute = variant.oracle if callable(variant.oracle) else make.ORACLES[variant.oracle](variant.model)
        make.write_cases(variant.model, compute, variant.data, into)
        print(into / "model.onnx")
    return 0


def check_table(cases):
    text = verdict.format_document(cases)
    if not verdict.DOCUMENT.exists() or verdict.DOCUMENT.read_text() != text:
        print(f"{verdict.DOCUMENT} does not follow from {verdict.EXPECTED.name} and {verdict.WITHOUT_ALGEBRA.name}: run.py --update writes both")
        return 1
    return 0


def write_report(path, outcomes, seconds):
    path.write_text(json.dumps({"seconds": round(seconds, 1), "models": {
        key: {"status": o.status, "d2h": o.copies, "blocking_syncs": o.waits, "h2d": o.uploads, "why": o.why,
              "detail": o.detail[:2000], "counters": o.counters} for key, o in outcomes.items()}}, indent=1) + "\n")


def tell(lines, outcomes):
    for line in lines:
        print(line)
        outcome = outcomes.get(line.split()[1].rstrip(":"))
        if outcome and outcome.detail:
            print("         " + outcome.detail[:800].replace("\n", "\n         "))


def update(path, cases, expected, outcomes):
    """In the order of the cases; what was not run stays as it was."""
    known = {**expected, **outcomes}
    kept = {variant.key: known[variant.key] for case in cases for variant in case.variants if variant.key in known}
    verdict.write_expected(kept, path)
    verdict.DOCUMENT.write_text(verdict.format_document(cases))


def hold(given, cases, outcomes):
    """Against what is kept: 0 where it is the same."""
    path = verdict.WITHOUT_ALGEBRA if given.without_algebra else verdict.EXPECTED
    expected = verdict.read_expected(path)
    lines, _ = verdict.compare(expected, outcomes)
    there = {variant.key for case in cases for variant in case.variants}
    lines += [f"GONE     {key}" for key in expected if key not in there]
    tell(lines, outcomes)
    if given.update:
        update(path, cases, expected, outcomes)
        return 0
    if lines:
        print("Where nothing is BROKEN, and every change is meant: run.py --update.")
    return 1 if lines else 0


def main():
    given = options()
    cases = load_cases()
    if given.check_table:
        return check_table(cases)
    wanted = [case for case in cases if is_wanted(given, case)]
    if not wanted:
        raise SystemExit("there is no such case")
    start = time.monotonic()
    variants = [variant for case in wanted for variant in case.variants]
    if given.export:
        return export(variants, given.export)
    flags = [*given.flag, *(["--algebra=off"] if given.without_algebra else [])]
    for variant in variants:
        variant.flags = [*variant.flags, *flags]
    outcomes = Bench(given).take(variants)
    seconds = time.monotonic() - start
    table = verdict.format_table(wanted, outcomes)
    stem = "-".join([given.group or "all", *(flag.strip("-") for flag in flags)])
    (given.scratch / f"{stem}.md").write_text(table)
    write_report(given.scratch / f"{stem}.json", outcomes, seconds)
    print(table)
    print(f"{len(variants)} models, {seconds:.0f} s; {given.scratch}/{stem}.md, {stem}.json")
    return 0 if given.flag else hold(given, cases, outcomes)


if __name__ == "__main__":
    sys.exit(main())
