#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models, one a seed with three data sets: run.py placement|operators CAMEO FIRST COUNT SCRATCH [--target cpu|cuda-emu].

`placement`, on the CUDA emulator: placement.py makes them, explained.py says what must hold. `operators`, on either target:
operators.py makes them, compared.py says what must hold; `--reduce` gives of each that fails the smallest part that fails
alone. The emulator holds the order of the device's work and every access of kernels against what they declare.

Many models are built at once, by the harness of the official suite. What is wrong is told by seed, and behind so many seeds
where to go on; SCRATCH keeps the models.
"""
import argparse
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / folder) for folder in ("models", "conformance", "")]
from compared import ComparedCase, ComparedJudge  # noqa: E402
from explained import ExplainedCase, ExplainedJudge  # noqa: E402
from harness import Harness  # noqa: E402
from outcome import Outcome  # noqa: E402
from share import SEED  # noqa: E402

# What a build is at a time: enough to share the precompiled header, little enough to see progress.
CHUNK = 240
# What Cameo refuses as not supported, and what no oracle can tell, is no failure while it is rare.
MOST_LEFT = 0.02
# `day` for FIRST: another part of so many seeds every day.
SEEDS = 5000


def options():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kind", choices=["placement", "operators"])
    parser.add_argument("cameo")
    parser.add_argument("first", help="a seed, or `day`")
    parser.add_argument("count", type=int)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--target", choices=["cpu", "cuda-emu"], default="cpu")
    parser.add_argument("--step", type=int, default=1, help="from a seed to the next")
    parser.add_argument("--reduce", action="store_true")
    given = parser.parse_args()
    given.first = int(SEED) * given.count % SEEDS if given.first == "day" else int(given.first)
    if given.kind == "placement" and given.target != "cuda-emu":
        parser.error("placement needs --target cuda-emu")
    return given


def reduce(harness, case, outcome):
    """The smallest part of a case that fails alone, and how."""
    parts = case.parts()
    # What does not compile need not be run.
    outcomes = harness.compile(parts)[0] if outcome.kind.startswith(("exit", "signal")) else harness.take(parts)
    failed = [part for part in parts if outcomes.get(part.name, Outcome("pass")).kind != "pass"]
    if not failed:
        return "only the whole fails"
    part = min(failed, key=lambda part: len(part.load().graph.node))
    outcome = outcomes[part.name]
    return f"{part.model}: {len(part.load().graph.node)} nodes: {outcome.kind}: {outcome.detail[:400]}"


def main():
    given = options()
    models = given.scratch / f"models-{given.target}"
    shutil.rmtree(models, ignore_errors=True)
    models.mkdir(parents=True)
    if given.kind == "placement":
        make, judge = ExplainedCase, ExplainedJudge(given.cameo)
    else:
        make, judge = ComparedCase, ComparedJudge()
    harness = Harness(given.cameo, given.target, given.scratch.resolve(), trace=given.target == "cuda-emu", judge=judge,
                      level="-O0")
    print(f"{given.kind} on {given.target}: {given.count} models from seed {given.first} on", flush=True)
    failed, left, done, told = 0, 0, 0, set()
    seeds = range(given.first, given.first + given.count * given.step, given.step)
    for begin in range(0, given.count, CHUNK):
        chunk = [make(seed, models) for seed in seeds[begin:begin + CHUNK]]
        outcomes = harness.take(chunk)
        for case in chunk:
            outcome = outcomes.get(case.name, Outcome("missing"))
            if outcome.kind != "pass":
                is_left = case.may_be_left and (outcome.kind == "exit-5" or not case.is_judged)
                failed, left = failed + (not is_left), left + is_left
                print(f"{case.name}: {outcome.kind}: {outcome.detail[:400]}", flush=True)
                # One of those that fail in the same way; wrong numbers are never the same.
                if given.reduce and (outcome.kind == "wrong" or outcome.text() not in told):
                    print("   ", reduce(harness, case, outcome), flush=True)
                told.add(outcome.text())
        done += len(chunk)
        print(f"{done - failed - left} of {done} models as promised, {left} refused or without an oracle; go on at "
              f"{chunk[-1].number + given.step}", flush=True)
    judge.tell()
    return 1 if failed or left > max(1, MOST_LEFT * done) else 0


if __name__ == "__main__":
    sys.exit(main())
