#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of 256 MiB of weights through `cameo compile`: weights.py CAMEO SCRATCH.

Allowed: twice the weights of memory, whether they are in the model or beside it, copied into the program or not. What
the process takes anyway is in that.
"""
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from chain import MIB, measure
from onnx import TensorProto, helper, numpy_helper

COLUMNS, LAYERS = 4096, 4
ALLOWED = 2


def model():
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array(rng.standard_normal((COLUMNS, COLUMNS), dtype=np.float32), f"w{i}")
               for i in range(LAYERS)]
    nodes = [helper.make_node("MatMul", [f"v{i}" if i else "x", f"w{i}"], [f"v{i + 1}"]) for i in range(LAYERS)]
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", COLUMNS]),
              helper.make_tensor_value_info(f"v{LAYERS}", TensorProto.FLOAT, None)]
    proto = helper.make_model(helper.make_graph(nodes, "weights", values[:1], values[1:], weights),
                              opset_imports=[helper.make_opsetid("", 21)])
    proto.ir_version = 10
    return proto


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2])
    shutil.rmtree(scratch, ignore_errors=True)
    (scratch / "beside").mkdir(parents=True)
    proto = model()
    onnx.save(proto, scratch / "inside.onnx")
    onnx.save(proto, scratch / "beside" / "beside.onnx", save_as_external_data=True, location="weights.data")
    allowed = ALLOWED * LAYERS * COLUMNS * COLUMNS * 4
    faults = []
    for path in (scratch / "inside.onnx", scratch / "beside" / "beside.onnx"):
        for weights in ("embed", "file", "extern"):
            seconds, memory = measure([cameo, "compile", str(path), "-o", str(scratch / "net"), "--weights", weights])
            print(f"{path.stem} --weights {weights}: {seconds:.1f} s, {memory // MIB} MiB")
            if memory > allowed:
                faults.append(f"{path.stem} --weights {weights}: {memory // MIB} MiB, allowed {allowed // MIB}")
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
