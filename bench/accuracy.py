#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far float32 results are from those of float64, network by network.

    bench/accuracy.py [--cameo build/release/bin/cameo] [--write] [PATTERN...]

The reference is the network with all its floats made doubles, compiled by Cameo. Beside it are Cameo's three precisions,
ONNX Runtime and OpenVINO. Figures are largest differences by the largest element, and the root of the mean squares of
both, of the output in front of the last Softmax, if there is one: behind it most elements are 0."""
import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests/models"), str(HERE / "versus")]
import models  # noqa: E402
import peers  # noqa: E402
from compiled import Compiled  # noqa: E402

NETWORKS = [*models.light_names(), "resnet18", "mobilenet_v1", "mobilenet_v2"]
PRECISIONS = {"Cameo, fast": "fast", "Cameo, strict": "strict", "Cameo, exact": "exact"}


def double(model):
    """The same network over doubles."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    graph = model.graph
    for number, initializer in enumerate(graph.initializer):
        if initializer.data_type == TensorProto.FLOAT:
            array = numpy_helper.to_array(initializer).astype(np.float64)
            graph.initializer[number].CopyFrom(numpy_helper.from_array(array, initializer.name))
    for port in [*graph.input, *graph.output]:
        if port.type.tensor_type.elem_type == TensorProto.FLOAT:
            port.type.tensor_type.elem_type = TensorProto.DOUBLE
    del graph.value_info[:]
    return model


def run(candidate, inputs, outputs):
    candidate.bind(inputs, outputs)
    candidate.run()
    return outputs[-1]


def errors(name, arguments, folder):
    """Of each candidate: the largest, and the mean."""
    model = models.MODELS[name]()
    path, wide = folder / f"{name}.onnx", folder / f"{name}_double.onnx"
    onnx.save(model, path)
    onnx.save(double(model), wide)
    arrays = models.inputs_of(model, name)
    inputs = list(arrays.values())
    shapes = [output.shape for output in peers.reference(path, arrays)]
    exact = run(Compiled(arguments.cameo, wide), [array.astype(np.float64) for array in inputs],
                [np.zeros(shape) for shape in shapes])
    candidates = {label: Compiled(arguments.cameo, path, precision=value) for label, value in PRECISIONS.items()}
    candidates |= {peer.name: peer(path, 1) for peer in peers.installed()}
    found = {}
    for label, candidate in candidates.items():
        difference = run(candidate, inputs, [np.zeros(shape, np.float32) for shape in shapes]) - exact
        found[label] = (np.abs(difference).max() / np.abs(exact).max(),
                        np.sqrt((difference**2).mean() / (exact**2).mean()))
    return found


def table(results):
    labels = list(next(iter(results.values())))
    rows = ["| network | " + " | ".join(labels) + " |", "|--" * (len(labels) + 1) + "|"]
    rows += [f"| {name} | " + " | ".join(f"{most:.1e}, {mean:.1e}" for most, mean in found.values()) + " |"
             for name, found in results.items()]
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cameo", type=Path, default=HERE.parent / "build/release/bin/cameo")
    parser.add_argument("--write", action="store_true", help="write bench/results/accuracy.md")
    parser.add_argument("pattern", nargs="*", help="networks, by a part of their name")
    arguments = parser.parse_args()
    results = {}
    for name in NETWORKS:
        if any(re.search(p, name) for p in arguments.pattern or [""]):
            with tempfile.TemporaryDirectory() as folder:
                results[name] = errors(name, arguments, Path(folder))
            print(table({name: results[name]}).splitlines()[-1], flush=True)
    if arguments.write:
        text = f"""# Distance from float64

Written by `bench/accuracy.py --write`. Networks of `bench/versus` with their random weights; the largest difference from the
network over doubles by its largest element, and the root of the mean squares, of the output in front of the last Softmax.
Convolutions of Cameo's `fast` are by tiles of 4 x 4 and 2 x 2 outputs, of `strict` by those of 2 x 2, of `exact` by the
definition.

{table(results)}
"""
        (HERE / "results/accuracy.md").write_text(text)


if __name__ == "__main__":
    main()
