#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models in which one number grows, through `cameo compile`: growth.py CAMEO SCRATCH.

Allowed: text that grows with that number, at twice it GROWTH times what is beyond the smallest model's, and by no more than
STEP bytes each time; processor time that does too.
"""
import shutil
import sys
from pathlib import Path

import numpy as np
from chain import measure
from onnx import TensorProto, helper, numpy_helper

GROWTH = 2.6
STEP = 4000
FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
value = helper.make_tensor_value_info
node = helper.make_node


def save(path, nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "growth", inputs, outputs, [numpy_helper.from_array(v, k) for k, v in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    model.ir_version = 10
    path.write_bytes(model.SerializeToString())


def crosswise(path, count):
    """A loop of values that each take the place of their neighbour."""
    body = helper.make_graph(
        [node("Identity", ["go"], ["more"])] + [node("Identity", [f"v{(i + 1) % count}"], [f"n{i}"]) for i in range(count)],
        "body", [value("i", INT64, []), value("go", BOOL, [])] + [value(f"v{i}", FLOAT, []) for i in range(count)],
        [value("more", BOOL, [])] + [value(f"n{i}", FLOAT, []) for i in range(count)])
    parts = [node("Split", ["x"], [f"s{i}" for i in range(count)], axis=0, num_outputs=count)] + \
        [node("Squeeze", [f"s{i}"], [f"q{i}"]) for i in range(count)]
    behind = [node("Unsqueeze", [f"r{i}", "zero"], [f"u{i}"]) for i in range(count)] + \
        [node("Concat", [f"u{i}" for i in range(count)], ["y"], axis=0)]
    loop = node("Loop", ["trips", ""] + [f"q{i}" for i in range(count)], [f"r{i}" for i in range(count)], body=body)
    save(path, parts + [loop] + behind, [value("x", FLOAT, [count]), value("trips", INT64, [])], [value("y", FLOAT, None)],
         [("zero", np.int64([0]))])


def reshape(path, count):
    """A Reshape by so many integers of the run."""
    save(path, [node("Reshape", ["x", "shape"], ["y"])], [value("x", FLOAT, [8, 6]), value("shape", INT64, [count])],
         [value("y", FLOAT, [f"d{i}" for i in range(count)])])


def reshapes(path, count):
    """So many Reshapes by three of them, side by side."""
    nodes = [node("Reshape", ["x", f"s{i}"], [f"r{i}"]) for i in range(count)]
    save(path, nodes + [node("Softmax", [f"r{i}"], [f"y{i}"]) for i in range(count)],
         [value("x", FLOAT, ["a", "b", "c"])] + [value(f"s{i}", INT64, [3]) for i in range(count)],
         [value(f"y{i}", FLOAT, None) for i in range(count)])


def slices(path, count):
    """Slices of slices, whose ends are integers of the run."""
    nodes = [node("Slice", [f"v{i}" if i else "x", f"s{i}", f"e{i}"], [f"v{i + 1}"]) for i in range(count)]
    save(path, nodes + [node("Relu", [f"v{count}"], ["y"])], [value("x", FLOAT, ["a", "b"])] +
         [value(f"{kind}{i}", INT64, [2]) for i in range(count) for kind in "se"], [value("y", FLOAT, None)])


def resizes(path, count):
    """Sizes that Resizes, Expands and Tiles take from the run, each by those in front of it."""
    nodes = []
    for i in range(count):
        before = f"v{i}" if i else "x"
        nodes += [node("Tile", [before, f"t{i}"], [f"a{i}"]), node("Expand", [f"a{i}", f"t{i}"], [f"b{i}"]),
                  node("Resize", [f"b{i}", "", "", f"t{i}"], [f"v{i + 1}"])]
    save(path, nodes + [node("Relu", [f"v{count}"], ["y"])], [value("x", FLOAT, ["a", "b"])] +
         [value(f"t{i}", INT64, [2]) for i in range(count)], [value("y", FLOAT, None)])


# What is compiled with three numbers: the smallest, one, and twice that one.
ROWS = {crosswise: (10, 1000, 2000), reshape: (1, 4, 8), reshapes: (2, 8, 16), slices: (1, 6, 12), resizes: (1, 6, 12)}


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2])
    faults = []
    for row, counts in ROWS.items():
        for target in ("cpu", "cuda"):
            texts, times = [], []
            for count in counts:
                shutil.rmtree(scratch, ignore_errors=True)
                scratch.mkdir(parents=True)
                row(scratch / "model.onnx", count)
                seconds, _ = measure([cameo, "compile", str(scratch / "model.onnx"), "-o", str(scratch / "net"), "--target",
                                      target, "--no-runtime"])
                times.append(seconds)
                texts.append(sum(path.stat().st_size for path in (scratch / "net").glob("model*.c*")))
                print(f"{row.__name__} {count} for {target}: {seconds:.2f} s, {texts[-1]} bytes", flush=True)
            least, once, twice = texts
            if twice - least > GROWTH * (once - least):
                faults.append(f"{row.__name__} for {target}: the text of {counts[2]} is {twice} bytes, that of {counts[1]} {once}")
            if twice - once > STEP * (counts[2] - counts[1]):
                faults.append(f"{row.__name__} for {target}: {(twice - once) // (counts[2] - counts[1])} bytes each")
            if times[2] > GROWTH * times[1] + 1:
                faults.append(f"{row.__name__} for {target}: {counts[2]} take {times[2]:.1f} s, {counts[1]} {times[1]:.1f} s")
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
