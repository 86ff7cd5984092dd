#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tools take a model as it is, and compute its golden results.

    CAMEO=build/release/bin/cameo bench/features.py MODELS SCRATCH

with a Python that has iree-base-compiler, iree-base-runtime, emx-onnx-cgen, onnxruntime and onnx. MODELS is what
tests/models/make.py wrote. Extents stay open where a tool takes open extents; a tool that wants numbers gets those of the first
data set, and only that data set. A result is right within 1e-3 relative and absolute, or, as rounding to 8 bits asks for,
where its difference has a norm of at most 0.05 of its own. Writes bench/results/features.md."""
import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

# Characters of a reason.
REASON = 160
RESULTS = Path(__file__).resolve().parent / "results/features.md"
CAMEO = os.environ.get("CAMEO", "build/release/bin/cameo")
MODELS = {
    "small_cnn": "convolutions", "lstm": "recurrence", "bert_tiny": "an encoder, open batch and length",
    "llama_decode": "a decoder's step with its caches", "segformer_shapes": "shapes computed from an image's",
    "quantised_trunk": "8-bit convolutions (QDQ)", "bfloat16": "bfloat16", "unique": "extents that data decide",
    "nms_detector": "boxes by NonMaxSuppression", "loop_growing": "a Loop that grows what it carries", "scan": "Scan",
    "masked_branches": "If by a computed condition", "sequences": "sequences", "ml": "ai.onnx.ml",
}


class Refused(Exception):
    """The tool does not take the model; the text is its reason."""


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise Refused((done.stderr or done.stdout).strip())


def data_set(model):
    """The first data set: inputs by name in the order of the graph, and the golden results."""
    graph = onnx.load(model).graph
    folder = model.parent / "test_data_set_0"

    def read(kind, values):
        found = []
        for number, value in enumerate(values):
            tensor = onnx.TensorProto()
            if value.type.WhichOneof("value") != "tensor_type":
                raise Refused("its ports are no tensors")
            tensor.ParseFromString((folder / f"{kind}_{number}.pb").read_bytes())
            found.append((value, numpy_helper.to_array(tensor)))
        return found

    constant = {value.name for value in graph.initializer}
    return read("input", [value for value in graph.input if value.name not in constant]), read("output", graph.output)


def compare(results, golden):
    for got, (value, want) in zip(results, golden, strict=True):
        got = np.asarray(got)
        if got.shape != want.shape:
            return f"wrong extents of `{value.name}`"
        got, want = got.astype(np.float64), want.astype(np.float64)
        if not np.allclose(got, want, rtol=1e-3, atol=1e-3, equal_nan=True) and np.linalg.norm(got - want) > 0.05 * np.linalg.norm(want):
            return f"wrong `{value.name}`"
    return "right"


def by_cameo(model, scratch):
    call(CAMEO, "verify", model, "--target", "cpu")
    return "right"


def by_onnxruntime(model, scratch):
    import onnxruntime
    inputs, golden = data_set(model)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return compare(session.run(None, {value.name: array for value, array in inputs}), golden)


def by_iree(model, scratch):
    inputs, golden = data_set(model)
    tools = Path(sys.executable).parent
    call(tools / "iree-import-onnx", model, "-o", scratch / "model.mlir")
    call(tools / "iree-compile", scratch / "model.mlir", "--iree-hal-target-device=local",
         "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", "-o", scratch / "model.vmfb")
    flags = []
    for number, (_, array) in enumerate(inputs):
        np.save(scratch / f"input_{number}.npy", array)
        flags.append(f"--input=@{scratch}/input_{number}.npy")
    flags += [f"--output=@{scratch}/output_{number}.npy" for number in range(len(golden))]
    call(tools / "iree-run-module", f"--module={scratch}/model.vmfb", "--device=local-sync", *flags)
    return compare([np.load(scratch / f"output_{number}.npy") for number in range(len(golden))], golden)


def by_emx(model, scratch):
    inputs, _ = data_set(model)
    pinned = {}
    for value, array in inputs:
        for dim, extent in zip(value.type.tensor_type.shape.dim, array.shape):
            if dim.dim_param:
                pinned[dim.dim_param] = extent
    call(Path(sys.executable).parent / "emx-onnx-cgen", "verify", model, "--test-data-dir", model.parent / "test_data_set_0",
         *(f"--input-dim={name}={extent}" for name, extent in pinned.items()))
    return "right, extents given" if pinned else "right"


TOOLS = {"Cameo": by_cameo, "ONNX Runtime": by_onnxruntime, "IREE": by_iree, "emx-onnx-cgen": by_emx}


def told(error):
    """The words of a tool's output that say why."""
    text = " ".join(str(error).split())
    begin = max(0, re.search(r"error:|Error\b|FAIL|Result:|$", text).start())
    return (text[begin:] or text[-REASON:])[:REASON].replace("`", "'")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path)
    parser.add_argument("scratch", type=Path)
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    table = {name: {} for name in MODELS}
    for name in MODELS:
        for tool, attempt in TOOLS.items():
            began = time.monotonic()
            try:
                said = attempt(arguments.models / name / f"{name}.onnx", arguments.scratch)
            except subprocess.TimeoutExpired:
                said = "no end within 600 s"
            except Exception as error:  # noqa: BLE001: whatever a tool throws is its answer
                said = f"refused: {told(error)}"
            table[name][tool] = said
            print(f"{name:24} {tool:14} {time.monotonic() - began:6.1f} s  {said}", flush=True)
    write(table)


def write(table):
    from importlib.metadata import version
    versions = [f"{package} {version(package)}" for package in ("onnxruntime", "iree-base-compiler", "emx-onnx-cgen")]
    lines = ["# features: which tools take a model as it is", "",
             f"{', '.join(versions)}; `bench/features.py` writes this table, and says what is right.", "",
             f"| model | has | {' | '.join(TOOLS)} |", "|--|--|" + "--|" * len(TOOLS)]
    lines += [f"| {name} | {MODELS[name]} | {' | '.join(said.split(':')[0] for said in row.values())} |" for name, row in table.items()]
    lines += ["", "The words of a tool that refuses:", ""]
    lines += [f"- {tool}, {name}: `{said.split(': ', 1)[1]}`" for name, row in table.items() for tool, said in row.items()
              if said.startswith("refused: ")]
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
