# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models for placement: outputs by ONNX Runtime, and what `explain` says of them against what a run does. Of models
without a loop, readbacks, uploads and waits are what explain says (less where an If goes the other way), and there is at
most one readback for each value that an operator may need on the host.
"""
import functools
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import onnx

import run_case
from make import onnxruntime_runner
from outcome import Outcome
from placement import RandomModel, cases, inputs_behind, operators
from schemas import read_report
from suite import assert_similar

COUNTERS = {"readbacks": ["d2h"], "uploads": ["h2d", "launch_uploads"], "blocking_syncs": ["blocking_syncs"]}

@dataclass
class ExplainedCase:
    """As the harness has the suite's cases."""
    number: int
    folder: Path
    # verify's for f32: sums and scalar functions of a few steps, in another order than ONNX Runtime's.
    rtol: float = 1e-4
    atol: float = 1e-5
    may_be_left: ClassVar[bool] = False
    success: ClassVar[str] = "pass"

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

    def compare(self, expected, outputs):
        assert_similar(expected, outputs, self.rtol, self.atol)


class ExplainedJudge:
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

    def tell(self):
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
        return read_report("explain", done.stdout)
