# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of this folder share: a way to call cameo ($CAMEO), and small models."""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(Path(__file__).resolve().parents[1]))
from schemas import read_report  # noqa: E402, F401

CAMEO = os.environ["CAMEO"]
# Stands before ONNX Runtime and has it run another model: of nodes called `planted`, `change` makes other ones.
LIAR = """
import sys
from pathlib import Path
import onnx
sys.path.remove(str(Path(__file__).parent))
del sys.modules["onnxruntime"]
import onnxruntime
session = onnxruntime.InferenceSession
def plant(path, *rest, **named):
    proto = onnx.load(path)
    nodes = list(proto.graph.node)
    del proto.graph.node[:]
    for node in nodes:
        if node.name == "{planted}":
            {change}
        else:
            proto.graph.node.append(node)
    return session(proto.SerializeToString(), *rest, **named)
onnxruntime.InferenceSession = plant
"""
ANOTHER_OPERATOR = "node.op_type = 'Cos'; proto.graph.node.append(node)"


def model(nodes, inputs, outputs, name="tiny", initializers=()):
    """`inputs` and `outputs` are (name, dims) of float tensors."""
    values = [[helper.make_tensor_value_info(n, TensorProto.FLOAT, dims) for n, dims in side]
              for side in (inputs, outputs)]
    proto = helper.make_model(helper.make_graph(nodes, name, *values, list(initializers)),
                              opset_imports=[helper.make_opsetid("", 21)])
    proto.ir_version = 10
    return proto


def negation():
    return model([helper.make_node("Neg", ["x"], ["y"], name="neg")], [("x", ["n", 2])], [("y", ["n", 2])])


def predict(path, machines):
    """Writes times as bench/gpu/static --predicted does: by machine and architecture of functions microseconds and launches."""
    steps = [{kernel: {"us": us, "launches": launches, "binds": "memory"} for kernel, (us, launches) in kernels.items()} for _, _, kernels in machines]
    rows = [{"name": name, "arch": arch, "us": 7, "limit_us": 1, "steps": of} for (name, arch, _), of in zip(machines, steps)]
    path.write_text(json.dumps({"schema": 1, "machines": rows}))


def chain(length, seed=0):
    """Of sines and sums over two earlier values: the last value follows from nearly all."""
    choose = random.Random(seed)
    values, nodes = ["x"], []
    for number in range(length):
        operands = [values[-1]] if number % 2 == 0 else [values[-1], choose.choice(values)]
        nodes.append(helper.make_node("Sin" if len(operands) == 1 else "Add", operands, [f"v{number}"], name=f"node{number}"))
        values.append(f"v{number}")
    return model(nodes, [("x", ["n", 3])], [(values[-1], ["n", 3])])


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = self.save(negation())

    def save(self, proto, name="tiny.onnx"):
        path = self.folder / name
        path.write_bytes(proto.SerializeToString())
        return path

    def save_data(self, name, inputs, outputs):
        folder = self.folder / name
        folder.mkdir()
        for side, arrays in (("input", inputs), ("output", outputs)):
            for number, array in enumerate(arrays):
                proto = numpy_helper.from_array(np.asarray(array, np.float32))
                (folder / f"{side}_{number}.pb").write_bytes(proto.SerializeToString())
        return folder

    def plant(self, planted, change=ANOTHER_OPERATOR):
        """An environment in which ONNX Runtime runs another node in place of this one."""
        packages = self.folder / "packages"
        packages.mkdir(exist_ok=True)
        (packages / "onnxruntime.py").write_text(LIAR.format(planted=planted, change=change))
        return {**os.environ, "PYTHONPATH": str(packages)}

    def cameo(self, *arguments, code=0, check_line=True, **options):
        """Runs it and expects an exit code; on failure one line that a terminal can show, and nothing else, unless several
        models or checks may each have failed."""
        done = subprocess.run([CAMEO, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code not in (0, 8) and check_line:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr[:-1].isprintable(), done.stderr)
        return done
