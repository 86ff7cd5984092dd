#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cameo reduce: by each kind of check; what is left is valid, fails as the whole model did, and is the same each time."""
import resource
import sys
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from small import CAMEO, Case, chain, model


def weights(name, *dims):
    return numpy_helper.from_array(np.linspace(1, 2, int(np.prod(dims)), dtype=np.float32).reshape(dims), name)


class Reduce(Case):
    def reduce(self, path, check, *flags, valid=True, **options):
        self.last = self.cameo("reduce", path, "--check", check, "-o", "small.onnx", *flags, **options)
        proto = onnx.load(self.folder / "small.onnx")
        if valid:
            onnx.checker.check_model(proto, full_check=True)
        return proto

    def names(self, proto):
        return [node.name for node in proto.graph.node]

    def test_exit_code(self):
        proto = chain(40)
        proto.graph.node[25].op_type = "Frobnicate"
        path = self.save(proto)
        small = self.reduce(path, "exit 5", valid=False)
        self.assertEqual(self.names(small), ["node25"])
        (value,) = small.graph.input
        self.assertEqual((value.name, [d.dim_value for d in value.type.tensor_type.shape.dim]), (proto.graph.node[25].input[0], [1, 1]))
        self.assertRegex(self.last.stdout, r"small.onnx: 1 of 40 nodes, 1 of 1 inputs; \d+ checks")
        self.assertIn("exit 5: 1 node has an operator that Cameo does not have: Frobnicate", self.last.stdout)
        first = (self.folder / "small.onnx").read_bytes()
        self.reduce(path, "exit 5", "--target", "cuda", valid=False)
        self.assertEqual((self.folder / "small.onnx").read_bytes(), first)
        self.cameo("reduce", path, "--check", "exit 5")
        self.assertTrue((self.folder / "tiny.reduced.onnx").exists())

    def test_types_that_the_model_says(self):
        """Nothing behind an operator that Cameo does not have is inferred."""
        proto = model([helper.make_node("Frobnicate", ["x"], ["a"], name="first"), helper.make_node("Whirl", ["a"], ["b"], name="second")],
                      [("x", [2])], [("b", [2])])
        for values, left in (([], ["first", "second"]), ([helper.make_tensor_value_info("a", 1, [2])], ["second"])):
            proto.graph.value_info.extend(values)
            self.assertEqual(self.names(self.reduce(self.save(proto), "grep -q Whirl", valid=False)), left)

    def test_another_failure_is_none(self):
        """Of two nodes that are wrong the first one is what the whole model fails by."""
        path = self.save(model([helper.make_node("Add", ["x", "w"], ["a"], name="sum"), helper.make_node("Sin", ["x"], ["b"], name="sine"),
                                helper.make_node("Gemm", ["b", "v"], ["c"], name="product")], [("x", [2, 3])], [("a", None), ("c", None)],
                               initializers=[weights("w", 5), weights("v", 7, 4)]))
        said = self.cameo("compile", path, code=4).stderr
        self.assertIn("sum", said)
        self.assertEqual(self.names(self.reduce(path, "exit 4", valid=False)), ["sum"])
        # Weights with fewer bytes than their dims say cannot be cut.
        proto = onnx.load(path)
        proto.graph.initializer[1].raw_data = proto.graph.initializer[1].raw_data[:-4]
        self.assertEqual(self.names(self.reduce(self.save(proto), "exit 4", valid=False)), ["product"])

    def test_command(self):
        """Two nodes far apart, inputs, extents, weights, an unused function, weights beside the model."""
        body = helper.make_graph([helper.make_node("Identity", ["on"], ["on_"]), helper.make_node("MatMul", ["state", "w"], ["next"])],
                                 "body", [helper.make_tensor_value_info("i", 7, []), helper.make_tensor_value_info("on", 9, []),
                                          helper.make_tensor_value_info("state", 1, [2, 64])],
                                 [helper.make_tensor_value_info("on_", 9, []), helper.make_tensor_value_info("next", 1, [2, 64])])
        nodes = [helper.make_node("Add", ["x", "y"], ["s"], name="first"), helper.make_node("Loop", ["trips", "", "s"], ["l"], name="loop", body=body)]
        nodes += [helper.make_node("Sin", [f"v{number}" if number else "l"], [f"v{number + 1}"], name=f"sine{number}") for number in range(20)]
        nodes += [helper.make_node("Square", ["v20"], ["q"], name="call", domain="own"), helper.make_node("Add", ["v20", "q"], ["t"], name="end"),
                  helper.make_node("Gemm", ["t", "m", "c"], ["z"], name="last")]
        proto = model(nodes, [("x", [2, 64]), ("y", [2, 64])], [("z", [2, 16]), ("v3", [2, 64])],
                      initializers=[weights("w", 64, 64), weights("m", 64, 16), weights("c", 16), helper.make_tensor("trips", 7, [], [3])])
        proto.opset_import.append(helper.make_opsetid("own", 1))
        proto.functions.append(helper.make_function("own", "Square", ["a"], ["b"], [helper.make_node("Mul", ["a", "a"], ["b"])],
                                                    [helper.make_opsetid("", 21)]))
        path = self.folder / "beside.onnx"
        onnx.save(proto, path, save_as_external_data=True, location="beside.data", size_threshold=0)
        script = self.folder / "check"
        script.write_text(f'#!/bin/sh\ngrep -q loop "$1" && grep -q last "$1" && "{CAMEO}" compile "$1" -o net\n')
        script.chmod(0o755)
        small = self.reduce(path, "./check")
        self.assertEqual(self.names(small), ["loop", "last"])
        self.assertFalse(small.functions)
        self.assertEqual(len(small.graph.output), 1)
        for tensor in small.graph.initializer:
            if tensor.data_type == TensorProto.FLOAT:
                self.assertFalse(numpy_helper.to_array(tensor).any())
                self.assertEqual(set(tensor.dims), {1})
        # Of inputs of one type one is enough.
        path = self.save(model([helper.make_node("Add", ["x", "y"], ["z"], name="sum")], [("x", [2]), ("y", [2])], [("z", [2])]))
        self.assertEqual(len(self.reduce(path, f'"{CAMEO}" compile {{}} -o net').graph.input), 1)

    def test_verify(self):
        path = self.save(chain(12))
        small = self.reduce(path, "verify", "--python", sys.executable, "--seeds", "1", env=self.plant("node6"))
        self.assertEqual(self.names(small), ["node6"])
        self.assertIn("differs", self.last.stdout)

    def test_crash(self):
        # A signal: files of generated code are larger than what the compiler may write then.
        small = self.reduce(self.save(chain(12)), "crash", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        self.assertEqual(len(small.graph.node), 1)
        self.assertIn("was ended by signal", self.last.stdout)

    def test_usage(self):
        for arguments, said, code in (
                (["--check", "crash"], "does not hold on the whole model: cameo compile takes the model", 8),
                (["--check", "verify", "--python", sys.executable], "does not hold on the whole model: cameo verify passes", 8),
                (["--check", "false"], "the command ended with exit 1", 8),
                (["--check", "sleep 60;", "--max-program-seconds", "0.5"], "--max-program-seconds", 8),
                (["--check", "exit 5", "--target", "abacus"], "--target: abacus", 2),
                (["--check", "exit none"], "names no exit code", 2), (["--check", ""], "is empty", 2), ([], "--check is required", 2),
                (["--check", "true", "--target", "cuda"], "takes no '--target=cuda'", 2), (["--check", "crash", "--seeds", "1"], "of --check verify", 2),
                (["--check", "crash", "-o", self.model], "-o names the model", 2)):
            with self.subTest(arguments):
                done = self.cameo("reduce", self.model, *arguments, code=code)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["tiny.onnx"])


if __name__ == "__main__":
    unittest.main()
