#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of 256 MiB of weights through `cameo compile`: weights.py CAMEO SCRATCH.

Allowed: 1.3 times the weights of memory, and OWN for the process itself. Whether they are in the model or beside it, four
or one, packed, transposed by the compiler or taken as they are, copied into the program or not, makes no difference.
"""
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from chain import MIB, measure
from onnx import TensorProto, helper, numpy_helper

COLUMNS, LAYERS = 4096, 4
SIZE = LAYERS * COLUMNS * COLUMNS * 4
ALLOWED, OWN = 1.3, 96 * MIB


def make_weights(count, columns):
    rng = np.random.default_rng(0)
    return [numpy_helper.from_array(rng.standard_normal((COLUMNS, columns), dtype=np.float32), f"w{i}")
            for i in range(count)]


def products(transposed=False):
    """A chain of them; weights are transposed by an operator, as exporters write it, or as they are."""
    nodes = []
    for i in range(LAYERS):
        if transposed:
            nodes.append(helper.make_node("Transpose", [f"w{i}"], [f"t{i}"], perm=[1, 0]))
        nodes.append(helper.make_node("MatMul", [f"v{i}" if i else "x", f"{'t' if transposed else 'w'}{i}"], [f"v{i + 1}"]))
    return finish(nodes, f"v{LAYERS}", TensorProto.FLOAT, ["n", COLUMNS], make_weights(LAYERS, COLUMNS))


def one_product():
    node = helper.make_node("MatMul", ["x", "w0"], ["y"])
    return finish([node], "y", TensorProto.FLOAT, ["n", COLUMNS], make_weights(1, LAYERS * COLUMNS))


def one_table():
    node = helper.make_node("Gather", ["w0", "x"], ["y"])
    return finish([node], "y", TensorProto.INT64, ["n"], make_weights(1, LAYERS * COLUMNS))


def finish(nodes, output, dtype, dims, weights):
    values = [helper.make_tensor_value_info("x", dtype, dims), helper.make_tensor_value_info(output, TensorProto.FLOAT, None)]
    proto = helper.make_model(helper.make_graph(nodes, "weights", values[:1], values[1:], weights),
                              opset_imports=[helper.make_opsetid("", 21)])
    proto.ir_version = 10
    return proto


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2])
    faults = []

    def check(proto, where, kept, kind):
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        path = scratch / "model.onnx"
        onnx.save(proto, path, save_as_external_data=where == "beside", location="weights.data")
        del proto
        allowed = ALLOWED * SIZE + OWN
        for weights in kept:
            seconds, memory = measure([cameo, "compile", str(path), "-o", str(scratch / "net"), "--weights", weights])
            text = f"{kind} {where} --weights {weights}: {seconds:.1f} s, {memory // MIB} MiB"
            print(text, flush=True)
            if memory > allowed:
                faults.append(f"{text}, allowed {int(allowed) // MIB}")

    check(products(), "inside", ("embed", "extern"), "products")
    check(products(), "beside", ("embed", "file", "extern"), "products")
    check(products(transposed=True), "beside", ("file",), "transposed products")
    check(one_product(), "beside", ("file",), "one product")
    check(one_table(), "beside", ("file",), "one table")
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
