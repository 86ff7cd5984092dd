#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models against ONNX Runtime, and what `explain` says of them against what a run does:
run.py CAMEO FIRST COUNT SCRATCH.

Each seed is a model with three data sets, run on the CUDA emulator, which holds the order of the device's work and every
access of kernels against what they declare. Of models without a loop, readbacks, uploads and waits are what explain says
(less where an If goes the other way), and there is at most one readback for each value that an operator may need on the host.
Many models are built at once, by the harness of the official suite. What is wrong is told by seed; SCRATCH keeps the models.
"""
import functools
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import onnx

from model import RandomModel, cases, inputs_behind, operators  # also makes tests/models importable
from make import onnxruntime_runner

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "conformance"))
import run_case  # noqa: E402
from harness import Harness  # noqa: E402
from outcome import Outcome  # noqa: E402

COUNTERS = {"readbacks": ["d2h"], "uploads": ["h2d", "launch_uploads"], "blocking_syncs": ["blocking_syncs"]}
# What a build is at a time: enough to share the precompiled header, little enough to see progress.
CHUNK = 240


@dataclass
class RandomCase:
    """As the harness has the suite's cases."""
    number: int
    folder: Path
    # verify's for f32: sums and scalar functions of a few steps, in another order than ONNX Runtime's.
    rtol: float = 1e-4
    atol: float = 1e-5

    def __post_init__(self):
        self.name, self.identifier = f"seed {self.number}", f"case_{self.number % 10000:04}"
        random_model = RandomModel(self.number)
        self.proto, self.needs = random_model.model, len(random_model.needs)
        self.decisive = inputs_behind(self.proto.graph, random_model.needs)
        self.used = set(operators(self.proto.graph))
        self.model = self.folder / f"{self.number}.onnx"
        onnx.save(self.proto, self.model)

    def load(self):
        return self.proto

    def data_sets(self):
        run = onnxruntime_runner(self.proto)
        names = [i.name for i in self.proto.graph.input]
        return [([case.inputs[name] for name in names], run(case.inputs)) for case in cases(self.number)]


class Judge:
    def __init__(self, cameo):
        self.cameo = cameo
        # Of each model, its readbacks beside those of dragging.
        self.compared = {}

    def __call__(self, case, expected, result):
        if wrong := run_case.judge(case, expected, result):
            return wrong
        if "Loop" in case.used:
            return None
        said = self.explain(case.model)
        for what, counters in COUNTERS.items():
            # Extents that the device counts are told in one copy, which nobody waits for.
            promised = said[what] + (what == "readbacks" and said["late_extents"] > 0)
            done = sum(result.counters[counter] for counter in counters)
            if done > promised or (done < promised and "If" not in case.used):
                return Outcome("counters", f"{done} {what}, explain says {promised}")
        if said["readbacks"] > case.needs:
            return Outcome("placement", f"{said['readbacks']} readbacks for {case.needs} needs")
        self.compare_with_dragging(case, said)
        return None

    def compare_with_dragging(self, case, said):
        """With all that decides something on the host, every such input of the device is read back, whole."""
        dragged = sum(value["side"] == "device" and value["name"] in case.decisive for value in said["values"]
                      if value["producer"] == "input")
        self.compared[case.name] = said["readbacks"], dragged

    def tell_comparison(self):
        for name, (done, dragged) in self.compared.items():
            if done > dragged:
                print(f"{name}: {done} readbacks of scalars, {dragged} of whole inputs if all were dragged to the host")
        fewer = sum(done < dragged for done, dragged in self.compared.values())
        as_many = sum(done == dragged for done, dragged in self.compared.values())
        print(f"{len(self.compared)} models without a loop: fewer readbacks in {fewer} than with all on the host that decides "
              f"something, as many in {as_many}, more in {len(self.compared) - fewer - as_many}")

    @functools.cache
    def explain(self, model):
        done = subprocess.run([self.cameo, "explain", model, "--target", "cuda", "--json", "-"], capture_output=True,
                              text=True, check=True)
        return json.loads(done.stdout)


def main():
    cameo, first, count, scratch = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    shutil.rmtree(scratch, ignore_errors=True)
    models = scratch / "models"
    models.mkdir(parents=True)
    harness = Harness(cameo, "cuda-emu", scratch, trace=True, judge=Judge(cameo))
    failed = done = 0
    for begin in range(first, first + count, CHUNK):
        chunk = [RandomCase(seed, models) for seed in range(begin, min(begin + CHUNK, first + count))]
        outcomes = harness.take(chunk)
        for case in chunk:
            outcome = outcomes.get(case.name, Outcome("missing"))
            if outcome.kind != "pass":
                failed += 1
                print(f"{case.name}: {outcome.kind}: {outcome.detail[:400]}", flush=True)
        done += len(chunk)
        print(f"{done - failed} of {done} models as promised", flush=True)
    harness.judge.tell_comparison()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
