#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose inputs and outputs have padded rows: strided.py CAMEO MODELS [MODEL...]. Each is compiled with
--strided-outputs and run with all of its data sets, on the CPU and, with accesses traced, on the emulator: inputs and
outputs of two dims or more have rows that lie apart, where the program has them. Results are the golden ones, nothing is
written between rows, and outputs that kernels write in place are not repacked. Without MODEL: a few, by CAMEO_SEED.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

from sampled import find_problems, main, verify

EXACT = ["--largest", "0", "--steps", "0", "--norm", "0"]
PAD = 3
# The device counts a dim behind the first, or the run finds out dims, or how many: nobody knows strides before.
REFUSED = ("is counted while the model runs, so its elements must be dense on the device",
           "an output cannot be padded whose extents become known in the run",
           "an output has no strides whose rank becomes known in the run")


def rank(value):
    kind = value.type.tensor_type
    return len(kind.shape.dim) if kind.HasField("shape") else 0


def is_padded(value):
    packed = (onnx.TensorProto.INT4, onnx.TensorProto.UINT4, onnx.TensorProto.FLOAT4E2M1, onnx.TensorProto.INT2,
              onnx.TensorProto.UINT2)
    return value.type.HasField("tensor_type") and rank(value) > 1 and value.type.tensor_type.elem_type not in packed


def read_ports(cameo, model, target):
    """Of inputs and outputs, in their order, what the generated table says: (on the device, written at strides)."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([cameo, "compile", model, "-o", scratch, "--name", "net", "--target", target, "--no-runtime",
                        "--strided-outputs"], check=True, capture_output=True)
        text = (Path(scratch) / "net.cpp").read_text()
    tables = (text.partition(f"const cameo_port {kind}[] = {{")[2].partition("\n};")[0] for kind in ("inputs", "outputs"))
    return [[("CAMEO_SPACE_DEVICE" in port, "CAMEO_PORT_STRIDED" in port) for port in table.split("tensor_port<")[1:]]
            for table in tables]


def check(cameo, model, target, flags):
    loaded = onnx.load(model, load_external_data=False)
    graph = loaded.graph
    # What had to be listed as an input before IR 4 is a constant.
    constants = {value.name for value in graph.initializer} if loaded.ir_version < 4 else ()
    inputs = [value for value in graph.input if value.name not in constants]
    ports = read_ports(cameo, model, "cpu" if target == "cpu" else "cuda")
    flags, most = [*flags, "--strided-outputs"], 0
    for values, found in zip((inputs, graph.output), ports):
        assert len(values) == len(found), f"{model.stem}: {len(found)} ports of {len(values)} values"
        for value, (on_device, in_place) in zip(values, found):
            if is_padded(value):
                flags += ["--space", f"{value.name}={'device' if on_device else 'host'},pad={PAD}"]
                most += not in_place
    done, said = verify(cameo, model, target, [*EXACT, *flags])
    if problems := find_problems(model, target, done, said, REFUSED):
        return problems
    repacks = [case["counters"]["repacks"] for case in said["cases"]]
    print(f"{model.stem} on {target}: {most} are repacked; in the data sets {repacks}", flush=True)
    return [f"{model.stem} on {target}: {max(repacks)} repacks, not {most}"] if max(repacks) > most else []


if __name__ == "__main__":
    sys.exit(main(check, "strided"))
