#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Microseconds of a call from Python: Cameo's `run` and ONNX Runtime's, on models that compute next to nothing.

    CAMEO=build/release/bin/cameo bench/calls.py [--seconds 2]

Candidates run in turn on one thread, and the best turn counts (rounds.py). `out=` writes into arrays that are there, as
ONNX Runtime's binding of inputs and outputs does. Prints the table of bench/results/calls.md."""
import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from compiled import cameo_onnx
from rounds import Clock, measure

CAMEO = os.environ.get("CAMEO", "build/release/bin/cameo")


class Candidate:
    def __init__(self, run):
        self.run = run


def model(name, nodes, inputs, outputs, weights=()):
    def value(port):
        return helper.make_tensor_value_info(port[0], TensorProto.FLOAT, port[1])
    graph = helper.make_graph(nodes, name, [value(port) for port in inputs], [value(port) for port in outputs],
                              [numpy_helper.from_array(array, key) for key, array in weights])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def models():
    random = np.random.default_rng(0)
    yield model("relu", [helper.make_node("Relu", ["x"], ["y"])], [("x", [4])], [("y", [4])])
    yield model("relu_open", [helper.make_node("Relu", ["x"], ["y"])], [("x", ["n"])], [("y", ["n"])])
    yield model("add_two", [helper.make_node("Add", ["a", "b"], ["y"])], [("a", [2, 8]), ("b", [2, 8])], [("y", [2, 8])])
    yield model("dense", [helper.make_node("Gemm", ["x", "w", "b"], ["h"]), helper.make_node("Relu", ["h"], ["y"])],
                [("x", ["n", 16])], [("y", ["n", 8])],
                [("w", random.standard_normal((16, 8)).astype(np.float32)), ("b", random.standard_normal(8).astype(np.float32))])
    yield model("four_results", [helper.make_node("Split", ["x"], list("abcd"), axis=0, num_outputs=4)], [("x", [8, 4])],
                [(name, [2, 4]) for name in "abcd"])


def candidates(proto, folder):
    path = folder / f"{proto.graph.name}.onnx"
    onnx.save(proto, path)
    random = np.random.default_rng(1)
    feeds = {port.name: random.standard_normal([dim.dim_value or 1 for dim in port.type.tensor_type.shape.dim]).astype(np.float32)
             for port in proto.graph.input}
    ours = cameo_onnx.compile(path).session(threads=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    theirs = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    golden = dict(zip([port.name for port in proto.graph.output], theirs.run(None, feeds)))
    for name, array in ours.run(feeds).items():
        np.testing.assert_allclose(array, golden[name], rtol=1e-5, atol=1e-6)
    out = {name: np.empty_like(array) for name, array in golden.items()}
    binding = theirs.io_binding()
    for name, array in feeds.items():
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    for name, array in golden.items():
        binding.bind_ortvalue_output(name, onnxruntime.OrtValue.ortvalue_from_numpy(np.empty_like(array)))
    return {"Cameo": Candidate(lambda: ours.run(feeds)), "ONNX Runtime": Candidate(lambda: theirs.run(None, feeds)),
            "Cameo, `out=`": Candidate(lambda: ours.run(feeds, out)),
            "ONNX Runtime, binding": Candidate(lambda: theirs.run_with_iobinding(binding))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number, proto in enumerate(models()):
            best, _ = measure(candidates(proto, Path(folder)), Clock(1), arguments.seconds)
            if number == 0:
                print(f"| model | {' | '.join(best)} |\n|--|" + "--:|" * len(best))
            print(f"| {proto.graph.name} | " + " | ".join(f"{seconds * 1e6:.2f}" for seconds in best.values()) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
