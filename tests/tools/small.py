# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of this folder share: a way to call cameo ($CAMEO), and small models."""
import os
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

    def cameo(self, *arguments, code=0, **options):
        """Runs it and expects an exit code; on failure one line that a terminal can show, and nothing else."""
        done = subprocess.run([CAMEO, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code not in (0, 8):
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr[:-1].isprintable(), done.stderr)
        return done
