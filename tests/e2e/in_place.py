#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs in the memory of the inputs that they update: in_place.py CAMEO MODELS [MODEL...]. Each model is run with all of its data
sets, on the CPU and, with accesses traced, on the emulator, every output that says so where its input is; results are the golden
ones. Of updates_in_place the outputs that say so are those that its script names, and kernels copy nothing of them. Without MODEL:
that one and a few others, by CAMEO_SEED.
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent / "models")]
import updates_in_place  # noqa: E402
from schemas import read_report  # noqa: E402
from share import SEED, SHARE  # noqa: E402

TARGETS = (("cpu", []), ("cuda-emu", ["--trace"]))
SAMPLE = 4 if SHARE <= 4 else 1
# An output that may be longer than its input is where the run finds it is.
REFUSED = "memory overlaps that of"


def read_updates(cameo, model):
    """By output, the input that it updates."""
    done = subprocess.run([cameo, "inspect", model, "--json", "-"], capture_output=True, text=True, check=True)
    return {port["name"]: port["updates"] for port in json.loads(done.stdout)["outputs"] if "updates" in port}


def verify(cameo, model, target, flags):
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        done = subprocess.run([cameo, "verify", model, "--target", target, *flags, "--json", report], capture_output=True, text=True)
        return done, read_report("verify", report) if report.exists() else {}


def check(cameo, model, target, flags):
    updates = read_updates(cameo, model)
    places = [flag for output, input in updates.items() for flag in ("--in-place", f"{output}={input}")]
    done, said = verify(cameo, model, target, [*flags, *places])
    problems = [f"{case['data']}: {case.get('problem') or case['outputs']}" for case in said.get("cases", ())
                if not case["passed"] and REFUSED not in case.get("problem", "")]
    if not said or done.returncode not in (0, 8) or problems:
        return [f"{model.stem} on {target}: exit {done.returncode} {done.stderr.strip()[-600:]}", *problems]
    copies = [case["counters"]["kernel_copy_bytes"] for case in said["cases"]]
    print(f"{model.stem} on {target}: {len(updates)} in place; kernels copy {copies} bytes", flush=True)
    return check_named(cameo, model, target, updates, copies) if model.stem == updates_in_place.__name__ else []


def check_named(cameo, model, target, updates, copies):
    problems = [f"{model.stem}: {updates} update inputs"] if updates != updates_in_place.UPDATES else []
    _, apart = verify(cameo, model, target, [])
    for case, in_place in zip(apart["cases"], copies):
        # One output is a copy of what was scattered over an input that is read later.
        least = case["counters"]["kernel_copy_bytes"]
        if not in_place < least:
            problems.append(f"{model.stem} on {target}: {in_place} bytes copied, {least} apart")
    return problems


def main():
    cameo, folder = sys.argv[1], Path(sys.argv[2])
    named = updates_in_place.__name__
    others = sorted(path.name for path in folder.iterdir() if path.name != named)
    names = sys.argv[3:] or [named, *random.Random(f"{SEED} in place").sample(others, SAMPLE)]
    print("CAMEO_SEED", SEED)
    problems = [line for name in names for target, flags in TARGETS
                for line in check(cameo, folder / name / f"{name}.onnx", target, flags)]
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
