#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs that are sequences of maps: the tensor of their values, the keys in header, table and reports, --zipmap, peers whose
outputs are lists of dicts; and the operators of maps and text that are left to the caller."""
import subprocess
import sys
import unittest

import numpy as np
from onnx import MapProto, SequenceProto, TensorProto, helper, numpy_helper

from small import CAMEO, Case, read_report

KEYS = {"ids": [7, -4], "names": ["yes", "Größe\n\""]}


def maps_info(name, key):
    maps = helper.make_map_type_proto(key, helper.make_tensor_type_proto(TensorProto.FLOAT, []))
    return helper.make_value_info(name, helper.make_sequence_type_proto(maps))


def classifier(nodes=(), outputs=(), ids_declared=TensorProto.INT64):
    made = [helper.make_node("Softmax", ["x"], ["scores"]),
            helper.make_node("ZipMap", ["scores"], ["ids"], name="zip", domain="ai.onnx.ml", classlabels_int64s=KEYS["ids"]),
            helper.make_node("ZipMap", ["scores"], ["names"], domain="ai.onnx.ml", classlabels_strings=KEYS["names"])]
    graph = helper.make_graph(made + list(nodes), "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
                              [maps_info("ids", ids_declared), maps_info("names", TensorProto.STRING), *outputs])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def maps_proto(rows):
    """The message of a list of dicts from integers or strings to floats."""
    proto = SequenceProto(elem_type=SequenceProto.MAP)
    for row in rows:
        values = numpy_helper.from_list([np.float32(value) for value in row.values()])
        keys = {"keys": row} if isinstance(next(iter(row)), int) else {"string_keys": [key.encode() for key in row]}
        proto.map_values.append(MapProto(key_type=TensorProto.INT64 if "keys" in keys else TensorProto.STRING, values=values, **keys))
    return proto


class Maps(Case):
    def setUp(self):
        super().setUp()
        self.model = self.save(classifier(), "classifier.onnx")

    def test_keys(self):
        done = self.cameo("compile", self.model, "-o", self.folder / "out")
        self.assertIn("warning: ", done.stderr)
        self.assertIn("ids: is a sequence of maps; here it is the tensor of their values", done.stderr)
        header = (self.folder / "out" / "classifier.h").read_text()
        self.assertIn("#define CLASSIFIER_OUTPUT_0_KEYS {7, -4}\n", header)
        self.assertIn('#define CLASSIFIER_OUTPUT_1_KEYS {"yes", "Gr\\303\\266\\303\\237e\\012\\042"}\n', header)

    def test_inspect(self):
        text = self.cameo("inspect", self.model).stdout
        self.assertIn("ids: float32[n, 2], columns 7, -4\n", text)
        report = self.folder / "report.json"
        self.cameo("inspect", self.model, "--json", report)
        self.assertEqual({o["name"]: o["keys"] for o in read_report("inspect", report)["outputs"]}, KEYS)

    def test_refused(self):
        said = self.cameo("compile", self.model, "-o", self.folder / "out", "--zipmap", "refuse", code=5).stderr
        self.assertIn("ids: is a sequence of maps, which --zipmap refuses", said)
        self.assertIn('options={"zipmap": False}', said)
        self.cameo("compile", self.model, "-o", self.folder / "out", "--reject-warnings", code=4)
        reader = helper.make_node("SequenceLength", ["ids"], ["count"], name="reader")
        path = self.save(classifier([reader], [helper.make_tensor_value_info("count", TensorProto.INT64, [])]), "reader.onnx")
        said = self.cameo("compile", path, "-o", self.folder / "out", code=5).stderr
        self.assertIn("reader: reads a sequence of maps, which Cameo has as an output only", said)
        path = self.save(classifier(ids_declared=TensorProto.STRING), "declared.onnx")
        said = self.cameo("compile", path, "-o", self.folder / "out", code=4).stderr
        self.assertIn("zip/ids: is not declared as a sequence of maps from int64 to float", said)

    def test_peers(self):
        report = self.folder / "report.json"
        self.cameo("verify", self.model, "--python", sys.executable, "--against", "onnxruntime", "--json", report)
        cases = read_report("verify", report)["cases"]
        self.assertTrue(cases and all(case["passed"] and len(case["outputs"]) == 2 for case in cases))

    def test_data(self):
        """Expected outputs as ONNX writes lists of dicts."""
        def save(name, *rows):
            data = self.folder / name
            data.mkdir()
            (data / "input_0.pb").write_bytes(numpy_helper.from_array(np.float32([[0, 0], [0, np.log(3)]])).SerializeToString())
            for number, maps in enumerate(rows):
                (data / f"output_{number}.pb").write_bytes(maps_proto(maps).SerializeToString())
            return data

        ids, names = [{-4: 0.5, 7: 0.5}, {-4: 0.75, 7: 0.25}], [dict(zip(KEYS["names"], row)) for row in ((0.5, 0.5), (0.25, 0.75))]
        self.cameo("verify", self.model, "--data", save("right", ids, names))
        said = self.cameo("verify", self.model, "--data", save("wrong", ids[::-1], names), code=8)
        self.assertIn("output ids", said.stdout)
        # Warnings stand in front of the error.
        done = subprocess.run([CAMEO, "verify", self.model, "--data", save("others", [{7: 0.5, 4: 0.5}])], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 4)
        self.assertIn("has a map without a float for '-4'", done.stderr)

    def test_remedies(self):
        def refuse(name, nodes, inputs):
            graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
            proto = helper.make_model(graph, opset_imports=classifier().opset_import, ir_version=8)
            return self.cameo("compile", self.save(proto, name), "-o", self.folder / "out", code=5).stderr

        words = [helper.make_tensor_value_info("x", TensorProto.STRING, ["n"])]
        said = refuse("maps.onnx", [helper.make_node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", int64_vocabulary=[1])],
                      [maps_info("x", TensorProto.INT64)])
        self.assertIn("ai.onnx.ml.DictVectorizer-3 (g/DictVectorizer#0); maps are no values here", said)
        said = refuse("tokens.onnx", [helper.make_node("Tokenizer", ["x"], ["y"], domain="com.microsoft", mark=0, mincharnum=1,
                                                       pad_value="#", tokenexp="[a-z]+")], words)
        self.assertIn("com.microsoft.Tokenizer-1", said)
        self.assertIn("text is not computed with", said)


if __name__ == "__main__":
    unittest.main()
