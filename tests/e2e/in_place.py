#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs in the memory of the inputs that they update: in_place.py CAMEO MODELS [MODEL...]. Each model is run with all of its data
sets, on the CPU and, with accesses traced, on the emulator, every output that says so where its input is; results are the golden
ones. Of updates_in_place the outputs that say so are those that its script names, and kernels copy nothing of them. Without MODEL:
that one and a few others, by CAMEO_SEED.
"""
import json
import subprocess
import sys
from pathlib import Path

from sampled import find_problems, main, verify

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "models"))
import updates_in_place  # noqa: E402

# An output that may be longer than its input is refused where the run finds that it is.
REFUSED = ["memory overlaps that of"]


def read_updates(cameo, model):
    """By output, the input that it updates; of one shape, since a cache that grows has no room in the memory of its past."""
    done = subprocess.run([cameo, "inspect", model, "--json", "-"], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    shapes = {port["name"]: port.get("shape") for port in said["inputs"]}
    return {port["name"]: port["updates"] for port in said["outputs"]
            if "updates" in port and port.get("shape") == shapes[port["updates"]]}


def check(cameo, model, target, flags):
    updates = read_updates(cameo, model)
    places = [flag for output, input in updates.items() for flag in ("--in-place", f"{output}={input}")]
    done, said = verify(cameo, model, target, [*flags, *places])
    if problems := find_problems(model, target, done, said, REFUSED):
        return problems
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


if __name__ == "__main__":
    sys.exit(main(check, "in place", always=(updates_in_place.__name__,)))
