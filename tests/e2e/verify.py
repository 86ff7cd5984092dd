#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model through `cameo verify` with all of its data sets, as users build it: verify.py CAMEO MODEL TARGET.

Fails unless verify says so itself and its JSON agrees data set by data set. On the CUDA targets the counters of every
run must also keep within the model's limits.json, or limits_by_host.json on a device without conditional nodes. On the CPU the program has the machine's instructions and four threads.
On the emulator every access of a kernel is held against what it declares, in four variants of thread order and poison, each
with a schedule of its own. CAMEO_SEED (default: the day) chooses the schedules, and the quarter of models that clang builds.
"""
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from schemas import read_report  # noqa: E402
from share import SEED, skip_unless_taken

CLANG = "clang++-14"
# A build of the tests with sanitizers gives the compiler; the trace of accesses is a sanitizer's place.
GIVEN = os.environ.get("CXX", "")
TRACE = [] if "-fsanitize" in GIVEN else ["--trace"]


def fail(*lines):
    print(*lines, sep="\n")
    sys.exit(1)


# The measures that published models need could hide a fault here.
STRICT = ["--largest", "0", "--steps", "0", "--norm", "0"]


def read_limits(path):
    return json.loads(path.read_text()) if path.exists() else {}


def ways(target, chosen, folder):
    """(flags, environment, limits) of each run; builds are shared."""
    limits = read_limits(folder / "limits.json") if target != "cpu" else {}
    if target != "cuda-emu":
        return [(["--cxxflags=-march=native", "--threads", "4"], {}, limits)]
    schedules = ["forward", "reverse"] + [f"random:{chosen.randrange(1, 1 << 30)}" for _ in range(2)]
    chosen.shuffle(schedules)
    found = [(TRACE, {"CAMEO_EMU_VARIANT": str(variant), "CAMEO_EMU_SCHEDULE": schedule}, limits)
             for variant, schedule in enumerate(schedules)]
    by_host = read_limits(folder / "limits_by_host.json")
    if by_host:
        found += [(flags, {**environment, "CAMEO_EMU_CONDITIONAL_NODES": "0"}, by_host) for flags, environment, _ in found[:2]]
    return found


def verify(cameo, model, target, flags, environment):
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        # In sanitized builds the program's findings would be lost with its output.
        findings = {"ASAN_OPTIONS": f"log_path={scratch}/finding"}
        done = subprocess.run([cameo, "verify", model, "--target", target, *STRICT, *flags, "--json", report], text=True,
                              capture_output=True, env={**os.environ, **findings, **environment})
        if done.returncode != 0 or not report.exists():
            fail(f"exit {done.returncode}", done.stdout[-4000:], done.stderr[-4000:],
                 *(path.read_text()[:6000] for path in sorted(Path(scratch).glob("finding.*"))))
        return read_report("verify", report)


def main():
    cameo, model, target = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    skip_unless_taken("e2e", f"{model.stem} {target}", f"tests/models/{model.stem}.py")
    data_sets = sorted(model.parent.glob("test_data_set_*"))
    chosen = random.Random(f"{SEED} {model.stem} {target}")
    compiler = {"CXX": CLANG} if chosen.random() < 0.25 and not GIVEN else {}
    if compiler and not shutil.which(CLANG):
        fail(f"there is no {CLANG}: tools/setup --tests installs it")

    for flags, environment, limits in ways(target, chosen, model.parent):
        environment = {**compiler, **environment}
        print(f"{model.stem} on {target}, CAMEO_SEED={SEED}:",
              *itertools.starmap("{}={}".format, environment.items()), *flags, flush=True)
        result = verify(cameo, model, target, flags, environment)
        cases = result["cases"]
        if len(cases) != len(data_sets) or not result["passed"] or not all(case["passed"] for case in cases):
            fail(f"{len(data_sets)} data sets, but the report says", json.dumps(result, indent=1))
        beyond = [f"{case['data']}: {name} is {case['counters'][name]}, allowed {limit}"
                  for case in cases for name, limit in limits.items() if case["counters"][name] > limit]
        if beyond:
            fail(*beyond)
        print(f"{len(cases)} data sets, compile {result['compile_s']:.2f} s, build {result['build_s']:.2f} s")


main()
