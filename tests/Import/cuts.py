#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts, flips and repeats of a model with everything in it: cuts.py IMPORT_FILE.

Each must be imported or refused as malformed, unsupported or beyond a limit; a signal ends the batch and fails.
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def everything():
    """A loop with a branch in it, a function with an attribute, a sparse tensor, strings, old and odd attributes."""
    node, value = helper.make_node, helper.make_tensor_value_info
    then = helper.make_graph([node("Relu", ["s"], ["t"])], "then", [], [value("t", FLOAT, [2, 3])])
    other = helper.make_graph([node("f", ["s"], ["e"], domain="local", along=0)], "else", [], [value("e", FLOAT, [2, 3])])
    body = helper.make_graph(
        [node("If", ["go"], ["n"], name="if", then_branch=then, else_branch=other), node("Identity", ["go"], ["again"])],
        "body", [value("i", INT64, []), value("go", BOOL, []), value("s", FLOAT, [2, 3])],
        [value("again", BOOL, []), value("n", FLOAT, [2, 3])])
    sparse = helper.make_sparse_tensor(helper.make_tensor("sp", FLOAT, [2], [1, 2]), helper.make_tensor("", INT64, [2], [0, 5]), [2, 3])
    graph = helper.make_graph(
        [node("Add", ["x", "w"], ["a"], name="add"), node("Loop", ["trips", "", "a"], ["l"], name="loop", body=body),
         node("Add", ["l", "sp"], ["b"]), node("Constant", [], ["c"], value_floats=[1.0, 2.0, 3.0]), node("Mul", ["b", "c"], ["y"])],
        "graph", [value("x", FLOAT, ["N", 3])], [value("y", FLOAT, ["N", 3])],
        [numpy_helper.from_array(np.ones((1, 3), np.float32), "w"), numpy_helper.from_array(np.int64(4), "trips"),
         helper.make_tensor("text", TensorProto.STRING, [2], [b"a", b"b"])], sparse_initializer=[sparse])
    function = helper.make_function("local", "f", ["a"], ["b"], [node("Softmax", ["a"], ["b"])], [helper.make_opsetid("", 21)], ["along"])
    function.node[0].attribute.add(name="axis", ref_attr_name="along", type=2)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("local", 1)], functions=[function])
    proto.ir_version = 10
    return proto.SerializeToString()


def variants(data):
    yield data
    yield from (data[:at] for at in range(len(data)))
    yield from (data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:] for at in range(len(data)) for bit in range(8))
    dice = random.Random(7)
    for _ in range(2000):
        begin, end, at = sorted(dice.randrange(len(data)) for _ in range(3))
        yield data[:at] + data[begin:end] + data[at:]
    for _ in range(2000):
        at = dice.randrange(len(data))
        yield data[:at] + dice.randbytes(dice.randrange(1, 9)) + data[at + 8:]


def main():
    failures, counts = [], {}
    with tempfile.TemporaryDirectory() as scratch:
        batch = []

        def flush():
            done = subprocess.run([sys.argv[1], *batch], capture_output=True, text=True, errors="replace")
            lines = done.stdout.splitlines()
            if len(lines) != len(batch) or done.returncode < 0:
                failures.append(f"{batch[len(lines)] if len(lines) < len(batch) else batch[-1]}: exit {done.returncode} {done.stderr[-300:]}")
            for line, path in zip(lines, batch):
                code = line.split()[0]
                counts[code] = counts.get(code, 0) + 1
                if code not in ("0", "4", "5", "6", "7"):
                    failures.append(f"{path}: {line}")
            for path in batch:
                if not any(path in failure for failure in failures):
                    Path(path).unlink()
            batch.clear()

        for number, data in enumerate(variants(everything())):
            path = Path(scratch) / f"{number}.onnx"
            path.write_bytes(data)
            batch.append(str(path))
            if len(batch) == 500:
                flush()
        flush()
    print("\n".join(failures) or f"exit codes: {dict(sorted(counts.items()))}")
    sys.exit(bool(failures) or "0" not in counts)


main()
