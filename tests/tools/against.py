#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verify --against: made-up inputs, peers in a Python of their own, who is alone, and every way in which a peer fails."""
import importlib.util
import os
import sys
import unittest
import xml.etree.ElementTree as xml

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from small import Case, model, read_report

X = np.float32([[1, -2], [3, 4]])
# Packages that stand before the real ones: what they do wrong, real ones do on some day.
FAKE = """
import os, time
import numpy as np
__version__ = "0"
class GraphOptimizationLevel: ORT_DISABLE_ALL = 0
class SessionOptions: pass
class InferenceSession:
    def __init__(self, *_, **__): {opens}
    def run(self, names, arrays):
        (x,) = arrays.values()
        {runs}
        return [{gives}]
"""


class Against(Case):
    def verify(self, *flags, code=0, path=None, python=sys.executable, **options):
        report = self.folder / "report.json"
        self.last = self.cameo("verify", path or self.model, "--python", python, "--json", report, *flags, code=code, **options)
        return read_report("verify", report)

    def fake(self, name="onnxruntime", opens="pass", runs="pass", gives="-x", text=None):
        """An environment in which a package is ours."""
        packages = self.folder / "packages"
        packages.mkdir(exist_ok=True)
        (packages / f"{name}.py").write_text(text or FAKE.format(opens=opens, runs=runs, gives=gives))
        return {**os.environ, "PYTHONPATH": str(packages)}

    def test_made_up(self):
        self.assertIn("--against onnxruntime makes up inputs", self.cameo("verify", self.model, code=2).stderr)
        report = self.verify("--against", "onnxruntime", "--against", "reference")
        self.assertEqual([c["data"] for c in report["cases"]],
                         [f"n={n} seed {seed}" for n in (1, 2, 3, 7) for seed in (0, 1)])
        for case in report["cases"]:
            self.assertEqual([o["against"] for o in case["outputs"]], ["onnxruntime", "reference"])
            self.assertTrue(case["passed"])
        self.assertEqual(report["rtol"], {"float32": 1e-4})
        (case,) = self.verify("--against", "onnxruntime", "--dim", "n=4", "--seeds", "1", "--seed", "9")["cases"]
        self.assertEqual(case["data"], "n=4 seed 9")
        report = self.verify("--against", "onnxruntime", "--assert", "n likely 5", "--dim", "n=2..6", "--seeds", "1")
        self.assertEqual([c["data"] for c in report["cases"]], [f"n={n} seed 0" for n in (5, 2, 3, 6)])

    def test_extents_differ_from_each_other(self):
        path = self.save(model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", ["n", "k"]), ("w", ["k", "m"])],
                               [("y", ["n", "m"])]))
        cases = self.verify("--against", "onnxruntime", "--seeds", "1", path=path)["cases"]
        self.assertEqual([c["data"] for c in cases], [f"n={n} k={k} m={m} seed 0" for n, k, m in (
            (1, 1, 1), (2, 2, 2), (3, 3, 3), (7, 7, 7), (1, 2, 3), (2, 3, 7), (3, 7, 1), (7, 1, 2))])

    def test_one_is_alone(self):
        wrong = self.save_data("wrong", [X], [X])
        report = self.verify("--data", wrong, "--against", "onnxruntime", "--junit", "report.xml", code=8)
        (case,) = report["cases"]
        self.assertEqual(case["alone"], "data")
        self.assertEqual({o["against"]: o["passed"] for o in case["outputs"]}, {"onnxruntime": True, "data": False})
        self.assertIn("data is alone", self.last.stdout)
        (failure,) = xml.parse(self.folder / "report.xml").getroot().iter("failure")
        self.assertIn("data is alone", failure.get("message"))
        # Two that lie: it is Cameo that is alone; of one and Cameo nobody is.
        liar = self.fake(gives="x")
        (case,) = self.verify("--data", wrong, "--against", "onnxruntime", code=8, env=liar)["cases"]
        self.assertEqual(case["alone"], "cameo")
        case = self.verify("--against", "onnxruntime", code=8, env=liar)["cases"][0]
        self.assertNotIn("alone", case)
        # The reference evaluator is the real one.
        case = self.verify("--against", "onnxruntime", "--against", "reference", code=8, env=liar)["cases"][0]
        self.assertEqual(case["alone"], "onnxruntime")

    def test_inputs_alone(self):
        data = self.save_data("mine", [X], [])
        self.assertIn("no output to compare with", self.cameo("verify", self.model, "--data", data, code=2).stderr)
        (case,) = self.verify("--data", data, "--against", "reference")["cases"]
        self.assertEqual([o["against"] for o in case["outputs"]], ["reference"])
        # None asks nobody: what there is is compared, and what is made up has to run.
        cases = self.verify("--data", data, "--against", "none", "--seeds", "1")["cases"]
        self.assertEqual([(c["passed"], c["outputs"]) for c in cases], 5 * [(True, [])])

    def test_what_nobody_takes(self):
        shape = helper.make_tensor("shape", TensorProto.INT64, [2], [2, -1])
        path = self.save(model([helper.make_node("Reshape", ["x", "shape"], ["y"])], [("x", ["n"])], [("y", [2, "m"])],
                               initializers=[shape]), "halves.onnx")
        cases = self.verify("--against", "onnxruntime", "--seeds", "1", path=path)["cases"]
        self.assertEqual(["refusal" in c for c in cases], [True, False, True, True])
        self.assertIn("INVALID_ARGUMENT", cases[0]["refusal"])
        self.verify("--against", "none", "--seeds", "1", path=path)
        error = self.verify("--against", "onnxruntime", "--dim", "n=3", path=path, code=8)["error"]
        self.assertIn("nobody takes", error["message"])

    def test_types_that_numpy_lacks(self):
        node = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.BFLOAT16)
        proto = model([node, helper.make_node("LabelEncoder", ["s"], ["t"], domain="ai.onnx.ml", keys_strings=["a", "b"],
                                              values_strings=["A", "ß"])], [("x", ["n"])], [])
        proto.opset_import.append(helper.make_opsetid("ai.onnx.ml", 4))
        proto.graph.input.append(helper.make_tensor_value_info("s", TensorProto.STRING, ["k"]))
        proto.graph.output.append(helper.make_tensor_value_info("y", TensorProto.BFLOAT16, ["n"]))
        proto.graph.output.append(helper.make_tensor_value_info("t", TensorProto.STRING, ["k"]))
        path = self.save(proto)
        self.assertIn("give it by --in", self.verify("--against", "reference", path=path, code=2)["error"]["message"])
        strings = self.folder / "s.pb"
        strings.write_bytes(numpy_helper.from_array(np.array(["b", "", "a"], object)).SerializeToString())
        self.verify("--against", "reference", "--in", f"s={strings}", path=path)

    def test_usage(self):
        for flags, said, code in (
                (["--against", "onnxruntim"], "did you mean 'onnxruntime'", 2),
                (["--against", "none", "--against", "reference"], "stands beside a peer", 2),
                (["--against", "reference", "--against", "reference"], "given twice", 2),
                (["--against", "torch"], "names no peer", 2), (["--seeds", "2"], "of --against", 2),
                (["--against", "reference", "--then", self.model], "--then", 2),
                (["--against", "torch:missing.py"], "missing.py", 3)):
            with self.subTest(flags):
                self.assertIn(said, self.cameo("verify", self.model, *flags, code=code).stderr)

    def test_failures(self):
        """Each is one line with what to do next; the report says that it was the peer."""
        error = self.verify("--against", "onnxruntime", python="no-such-python", code=3)["error"]
        self.assertIn("--python names the Python", error["message"])
        hog = "x = np.ones(1 << 30, np.uint8); time.sleep(60)"
        for fake, flags, said, code in (
                ({"text": "raise ImportError('not here')"}, [], "pip install onnxruntime", 3),
                ({"text": "import os; os.abort()"}, [], "before it had the model", 3),
                ({"opens": "raise RuntimeError('no such operator')"}, [], "refuses the model: RuntimeError: no such operator", 8),
                ({"runs": "time.sleep(60)"}, ["--max-program-seconds", "2"], "--max-program-seconds", 6),
                ({"runs": hog}, ["--max-program-bytes", str(1 << 29)], "--max-program-bytes", 6)):
            with self.subTest(said):
                error = self.verify("--against", "onnxruntime", *flags, code=code, env=self.fake(**fake))["error"]
                self.assertIn(said, error["message"])
                self.assertEqual(error["during"], "peer")

    def test_a_crash_is_an_answer_of_its_case(self):
        cases = self.verify("--against", "onnxruntime", "--seeds", "1", code=8,
                            env=self.fake(runs="len(x) == 2 and os.abort()"))["cases"]
        self.assertEqual([c["passed"] for c in cases], [True, False, True, True])
        self.assertIn("was ended by signal 6", cases[1]["problem"])
        cases = self.verify("--against", "onnxruntime", "--seeds", "1", code=8, env=self.fake(gives="-x, x"))["cases"]
        self.assertIn("gives 2 outputs where the model has 1", cases[0]["problem"])

    def test_torch(self):
        if not importlib.util.find_spec("torch"):
            print("SKIP: no PyTorch (Debian's python3-torch has it)")
            return
        script = self.folder / "network.py"
        script.write_text("import torch\nclass Negation(torch.nn.Module):\n    def forward(self, x): return {'y': -x}\nmodel = Negation()\n")
        report = self.verify("--against", f"torch:{script}", "--against", "onnxruntime")
        self.assertTrue(report["passed"])
        script.write_text("model = 1\n")
        self.assertIn("defines no `model`", self.verify("--against", f"torch:{script}", code=2)["error"]["message"])


if __name__ == "__main__":
    unittest.main()
