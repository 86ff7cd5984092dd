#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/results/gpu_static.json says of generated CUDA is within its limits: predicted times, launches, seconds of nvcc,
bytes of cubins, no spills, no stack, no division in a product's loop, and no step that made a model slower without a
note. A planted fault fails each."""
import copy
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/gpu"))
import predict  # noqa: E402

TABLE = json.loads((ROOT / "bench/results/gpu_static.json").read_text())

# Milliseconds on an H100, launched in a stream, one image or sequence.
MOST_MS = {"resnet50_32": 0.7, "resnet50_16": 0.35, "mobilenet_v2_16": 0.3, "bert_base_s128_32": 0.8, "bert_base_s128_16": 0.45}
# Seven a layer of BERT and what stands in front of the layers; fourteen a layer of two, and three.
MOST_LAUNCHES = {"resnet50": 57, "bert_base_s128": 87, "decoder_1b_16": 31, "decoder_1b_32": 31}
# Seconds of one core for these architectures together, where other programs are busy beside it: some four fifths of it alone, which
# should be 20 at most. Bytes of one architecture.
MOST_NVCC_S, NVCC_MODELS, NVCC_ARCHITECTURES = 25, ("resnet50_32", "resnet50_16"), {"80", "90"}
MOST_CUBIN_BYTES = 1.5e6
# Steps that may make a model slower, by more than what a schedule of ptxas moves by itself.
SLOWER = 1.02
NOTES = {("vocoder_32", "attention, joint projections, wide stores"):
         "fewer instructions a product, 11.6 to 11.2, in a schedule of ptxas whose step is 5 % longer; the step behind it made 6 of 21 launches"}


def find_slower(table):
    for model in table["models"]:
        times = [(step["step"], step["predicted_us"][model]["H100"]) for step in table["steps"] if model in step["predicted_us"]]
        for (_, before), (step, after) in zip(times, times[1:]):
            if after > SLOWER * before and (model, step) not in NOTES:
                yield f"{model} is slower by '{step}': {before} to {after} us"


def find_faults_of(name, result):
    """What the last step's results of a model must not be, in words."""
    predicted = result["predicted"]["H100"]
    if (ms := (predicted["kernels_us"] + predicted["gaps_us"]) / 1e3) > MOST_MS.get(name, ms):
        yield f"{name} takes {ms:.3f} ms"
    most = next((most for model, most in MOST_LAUNCHES.items() if name.startswith(model)), result["launches"])
    if result["launches"] > most:
        yield f"{name} is {result['launches']} launches"
    if result["cubin_bytes"] > MOST_CUBIN_BYTES:
        yield f"{name} has {result['cubin_bytes']} bytes of cubins"
    for arch, facts in result["kernels"].items():
        yield from (f"{name} has {facts[what]} kernels with {what} on sm_{arch}" for what in ("stack", "spills", "divisions") if facts[what])
    yield from result["remarks"]


def find_faults(table):
    yield from find_slower(table)
    for name, result in table["models"].items():
        yield from find_faults_of(name, result)
    for name in NVCC_MODELS:
        result = table["models"][name]
        if set(result["kernels"]) != NVCC_ARCHITECTURES or result["nvcc_s"] > MOST_NVCC_S:
            yield f"{name} takes {result['nvcc_s']} seconds of nvcc for {sorted(result['kernels'])}"


class Table(unittest.TestCase):
    def test_limits(self):
        self.assertEqual(list(find_faults(TABLE)), [])
        for name in (*MOST_MS, *NVCC_MODELS):
            self.assertIn(name, TABLE["models"])

    def test_machines(self):
        self.assertLessEqual({machine for r in TABLE["models"].values() for machine in r["predicted"]}, set(predict.MACHINES))

    def test_faults(self):
        """What must not be is found where it is."""
        def faults(change, name="resnet50_16"):
            table = copy.deepcopy(TABLE)
            change(table["models"][name])
            return list(find_faults(table))
        self.assertEqual(len(faults(lambda r: r["predicted"]["H100"].update(kernels_us=351.0))), 1)
        self.assertEqual(len(faults(lambda r: r.update(launches=58))), 1)
        self.assertEqual(len(faults(lambda r: r.update(launches=88), "bert_base_s128_32_fp16")), 1)
        self.assertEqual(len(faults(lambda r: r.update(cubin_bytes=1600000))), 1)
        self.assertEqual(len(faults(lambda r: r.update(nvcc_s=26))), 1)
        self.assertEqual(len(faults(lambda r: r["kernels"].pop("80"))), 1)
        for what in ("stack", "spills", "divisions"):
            self.assertEqual(len(faults(lambda r, what=what: r["kernels"]["90"].update({what: 1}))), 1)
        self.assertEqual(len(faults(lambda r: r["remarks"].append("(C7510) Potential Performance Loss"))), 1)

    def test_slower(self):
        table = copy.deepcopy(TABLE)
        table["steps"].append({"step": "another", "predicted_us": {"vocoder_32": {"H100": 1000.0}}})
        self.assertEqual(len(list(find_slower(table))), 1)


if __name__ == "__main__":
    unittest.main()
