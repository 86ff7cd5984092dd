#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of the user's own: declarations that are refused, nodes that do not fit them, calls on either side with extents that
are known, bounded and open, attributes, what is left out, statuses, memory without a heap, reports, and what inspect prints."""
import copy
import json
import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from small import Case, read_report

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "peaks"
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64

TWICE = {"domain": "com.example", "name": "Twice", "function": "own_twice", "side": "host",
         "types": {"T": ["float32", "int64"]}, "operands": [{"name": "x", "type": "T"}], "results": [{"name": "y", "type": "T"}],
         "extents": ["y.shape == x.shape"]}
# Row i of x, x[i, 0] times; how many rows that makes nothing bounds.
REPEAT = {"domain": "com.example", "name": "Repeat", "function": "own_repeat", "side": "host",
          "operands": [{"name": "x", "type": "float32", "rank": 2}], "results": [{"name": "y", "type": "float32", "rank": 2}],
          "extents": ["y.shape[1] == x.shape[1]"]}
# Tells its operands as text; -1 where there is none.
TELL = {"domain": "com.example", "name": "Tell", "function": "own_tell", "side": "host", "pure": False,
        "operands": [{"name": "a", "type": "float32", "rank": 1}, {"name": "b", "type": "int64", "rank": 0, "optional": True}],
        "results": [{"name": "y", "type": "float32", "rank": 1}, {"name": "z", "type": "int64", "rank": 0}],
        "attributes": [{"name": "f", "type": "float", "default": 0.5}, {"name": "fs", "type": "floats", "default": []},
                       {"name": "i", "type": "int"}, {"name": "is", "type": "ints", "default": [1, 2]},
                       {"name": "s", "type": "string", "default": "a\"b"}, {"name": "ss", "type": "strings", "default": ["x", "yz"]}],
        "extents": ["y.shape[0] == a.shape[0]"]}

SOURCE = r"""
#include "cameo/abi.h"
#include <string.h>

static const cameo_status done = {CAMEO_OK, -1, -1, 0, "ok", {0, 0, 0, 0}};
static int told = 0;

template <class T> void twice(const cameo_tensor &x, const cameo_tensor &y) {
  int64_t n = 1;
  for (int32_t d = 0; d < x.rank; ++d)
    n *= x.dims[d];
  for (int64_t i = 0; i < n; ++i)
    static_cast<T *>(y.data)[i] = 2 * static_cast<const T *>(x.data)[i];
}
extern "C" cameo_status own_twice(cameo_call *, const cameo_tensor *in, int32_t ins, cameo_tensor *out, int32_t outs,
                                  const cameo_attribute *, int32_t attributes) {
  if (ins != 1 || outs != 1 || attributes != 0 || in[0].rank != out[0].rank || in[0].dtype != out[0].dtype)
    return {CAMEO_INTERNAL, -1, -1, 0, "wrong", {0, 0, 0, 0}};
  in[0].dtype == CAMEO_FLOAT ? twice<float>(in[0], out[0]) : twice<int64_t>(in[0], out[0]);
  return done;
}
extern "C" cameo_status own_repeat(cameo_call *call, const cameo_tensor *in, int32_t, cameo_tensor *out, int32_t,
                                   const cameo_attribute *, int32_t) {
  const float *x = static_cast<const float *>(in[0].data);
  const int64_t rows = in[0].dims[0], columns = in[0].dims[1];
  int64_t count = 0;
  float *y = static_cast<float *>(out[0].data);
  for (int64_t i = 0; i < rows; ++i) {
    if (x[i * columns] < 0)
      return {CAMEO_OUT_OF_RANGE, -1, -1, 0, "{node}: row {0} is to be repeated {1} times", {i, static_cast<int64_t>(x[i * columns]), 0, 0}};
    for (int64_t k = 0; k < static_cast<int64_t>(x[i * columns]); ++k, ++count)
      if (y && !call->counts)
        memcpy(y + count * columns, x + i * columns, sizeof(float) * static_cast<size_t>(columns));
  }
  if (call->counts)
    call->counts[0] = count;
  else if (out[0].dims[0] != count || out[0].dims[1] != columns)
    return {CAMEO_INTERNAL, -1, -1, 0, "wrong dims", {0, 0, 0, 0}};
  return done;
}
extern "C" cameo_status own_tell(cameo_call *call, const cameo_tensor *in, int32_t, cameo_tensor *out, int32_t,
                                 const cameo_attribute *a, int32_t count) {
  const bool right = count == 6 && a[0].kind == CAMEO_ATTRIBUTE_FLOAT && a[0].count == 1 && a[0].floats[0] == 0.5f &&
                     a[1].kind == CAMEO_ATTRIBUTE_FLOATS && a[1].count == 0 && a[2].kind == CAMEO_ATTRIBUTE_INT &&
                     a[2].ints[0] == INT64_MIN && a[3].kind == CAMEO_ATTRIBUTE_INTS && a[3].count == 3 && a[3].ints[2] == 9 &&
                     a[4].kind == CAMEO_ATTRIBUTE_STRING && a[4].strings[0].size == 3 && !memcmp(a[4].strings[0].data, "a\"b", 3) &&
                     a[5].kind == CAMEO_ATTRIBUTE_STRINGS && a[5].count == 2 && !memcmp(a[5].strings[1].data, "\n??/", 4) &&
                     !strcmp(a[3].name, "is") && !strcmp(call->node, "tell") && !call->counts;
  if (!right)
    return {CAMEO_INTERNAL, -1, -1, 0, "wrong attributes", {0, 0, 0, 0}};
  if (out[0].data)
    for (int64_t i = 0; i < in[0].dims[0]; ++i)
      static_cast<float *>(out[0].data)[i] = static_cast<const float *>(in[0].data)[i] + static_cast<float>(told);
  if (out[1].data)
    *static_cast<int64_t *>(out[1].data) = in[1].data ? *static_cast<const int64_t *>(in[1].data) : -1;
  ++told;
  return done;
}
"""


def changed(declaration, **members):
    """A copy with other members; those that are None are not there."""
    made = copy.deepcopy(declaration)
    made.update(members)
    return {name: value for name, value in made.items() if value is not None}


class External(Case):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "own.cpp"
        self.source.write_text(SOURCE)

    def declare(self, *operators, name="own.json", text=None):
        path = self.folder / name
        path.write_text(text if text is not None else json.dumps({"schema": 1, "operators": operators}))
        return ["--external", path]

    def make(self, nodes, inputs, outputs, name="model.onnx"):
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(*info) for info in inputs],
                                  [helper.make_tensor_value_info(*info) for info in outputs])
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.example", 1)]
        return self.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), name)

    def data(self, number, inputs, outputs=(), status=None):
        folder = self.folder / f"test_data_set_{number}"
        folder.mkdir()
        for kind, arrays in (("input", inputs), ("output", outputs)):
            for k, array in enumerate(arrays):
                (folder / f"{kind}_{k}.pb").write_bytes(numpy_helper.from_array(np.asarray(array)).SerializeToString())
        if status:
            (folder / "expect_status").write_text(status)

    def verify(self, model, *flags, code=0):
        return self.cameo("verify", model, *flags, "--external-source", self.source, code=code)

    def test_refused_files(self):
        model = self.make([helper.make_node("Twice", ["x"], ["y"], domain="com.example")], [("x", FLOAT, [3])], [("y", FLOAT, [3])])
        deep = "[" * 20 + "]" * 20
        operands, results = TWICE["operands"], TWICE["results"]
        cases = [
            ("", "Unexpected EOF"),
            ("{", "[1:"),
            (deep, "nests deeper than 16"),
            ("[]", "declarations: is no object"),
            ('{"operators": []}', "declarations.schema: is missing"),
            ('{"schema": 2, "operators": []}', "declarations.schema: is no integer from 1 to 1"),
            ('{"schema": 1}', "declarations.operators: is missing"),
            ('{"schema": 1, "operators": [], "more": 1}', "has a member 'more'"),
            ('{"schema": 1, "operators": [3]}', "declarations.operators[0]: is no object"),
            (json.dumps({"schema": 1, "operators": [TWICE] * 4097}), "operators: is no list of at most 4096 items"),
            (json.dumps({"schema": 1, "operators": [TWICE, TWICE]}), "operators[1]: declares 'Twice' again"),
            (changed(TWICE, name=None), "operators[0].name: is missing"),
            (changed(TWICE, name=""), "operators[0].name: is empty"),
            (changed(TWICE, name="a" * 300), "operators[0].name: is no text of at most 256 bytes"),
            (changed(TWICE, version=0), "operators[0].version: is no integer from 1"),
            (changed(TWICE, version=1.5), "operators[0].version: is no integer from 1"),
            (changed(TWICE, side="gpu"), "operators[0].side: is neither host nor device (got 'gpu')"),
            (changed(TWICE, pure="yes"), "operators[0].pure: is neither true nor false"),
            *((changed(TWICE, function=name), "operators[0].function: can be no function of C")
              for name in ("a b", "1a", "int", "x;system", "cameo_run", "a" * 60, "__x")),
            (changed(TWICE, function=None, name="Two Words"), "operators[0].function: can be no function of C (got 'Two Words')"),
            (changed(TWICE, types={"T": []}), "types.T: has no element type"),
            (changed(TWICE, types={"T": ["string"]}), "types.T[0]: 'string' is no type of whole bytes"),
            (changed(TWICE, types={"T": ["int4"]}), "types.T[0]: 'int4' is no type of whole bytes"),
            (changed(TWICE, types={"T": ["float"]}), "types.T[0]: is no element type (got 'float'"),
            (changed(TWICE, operands=[]), "operands: is empty"),
            (changed(TWICE, results=[]), "results: is empty"),
            (changed(TWICE, operands=[{"name": "x y", "type": "T"}]), "operands[0].name: is no name of letters"),
            (changed(TWICE, operands=[*operands, *operands]), "operands[1]: has the name 'x', which is taken"),
            (changed(TWICE, operands=[{**operands[0], "rank": -1}]), "operands[0].rank: is no integer from 0 to 64"),
            (changed(TWICE, results=[{**results[0], "optional": True}]), "results[0]: has a member 'optional'"),
            (changed(TWICE, results=[{"name": "y", "type": "U"}]), "results[0].type: is no element type (got 'U'"),
            (changed(TWICE, types={"T": ["int8"], "U": ["int8"]}, results=[{"name": "y", "type": "U"}]), "has the type 'U', which no operand has"),
            (changed(TWICE, extents=[]), "results[0]: needs a rank, or an extent like y.shape == x.shape"),
            (changed(TWICE, extents=[3]), "extents[0]: is no relation of extents: "),
            (changed(TWICE, extents=["y.shape == z.shape"]), "extents[0]: is not of a result and an operand"),
            (changed(TWICE, extents=["y.shape == x.shape"] * 2), "extents[1]: says the shape of 'y' again"),
            (changed(TWICE, extents=["y.shape[0] == x.shape[0]"]), "extents[0]: is of 'y', whose rank is not said"),
            *((changed(TWICE, results=[{**results[0], "rank": 1}], extents=[text]), "extents[0]: " + problem) for text, problem in (
                ("y.shape[0] == ", "is no relation of extents: "),
                ("y.shape[0] >= x.shape[0]", "says neither what an extent"),
                ("y.shape[0] likely 3", "says neither what an extent"),
                ("x.shape[0] <= 4", "says neither what an extent"),
                ("y.shape[1] == x.shape[0]", "names axis 1 of 'y', which has rank 1"),
                ("y.shape[0] == y.shape[0]", "names 'y', where extents of operands"),
                ("y.shape[0] == n", "names 'n', where extents of operands"),
                ("y.shape[0] == x[0]", "names 'x', where extents of operands"))),
            (changed(TWICE, attributes=[{"name": "a", "type": "tensor"}]), "attributes[0].type: is none of float, floats"),
            (changed(TWICE, attributes=[{"name": "a", "type": "int", "default": 1.5}]), "attributes[0].default: is no integer of 64 bits"),
            (changed(TWICE, attributes=[{"name": "a", "type": "float", "default": 1e300}]), "default: is no number of 32 bits"),
            (changed(TWICE, attributes=[{"name": "a", "type": "ints", "default": 1}]), "attributes[0].default: is no list"),
            (changed(TWICE, attributes=[{"name": "a", "type": "int"}] * 2), "attributes[1]: has the name 'a', which is taken"),
        ]
        for case, problem in cases:
            flags = self.declare(case) if isinstance(case, dict) else self.declare(text=case)
            with self.subTest(problem=problem):
                done = self.cameo("compile", model, "-o", self.folder / "none", *flags, code=2)
                self.assertIn(problem, done.stderr)
                self.assertFalse((self.folder / "none").exists())
        self.cameo("compile", model, "--external", self.folder / "missing.json", code=3)

    def test_nodes_that_do_not_fit(self):
        flags = self.declare(TELL)
        x, b = ("a", FLOAT, [3]), ("b", INT64, [])
        node = {"domain": "com.example", "name": "tell"}
        cases = [
            (helper.make_node("Tell", ["a", "b", "a"], ["y"], **node, i=1), [x, b], "has too many inputs (got 3, need at most 2)"),
            (helper.make_node("Tell", ["", "b"], ["y"], **node, i=1), [x, b], "has no input 'a'"),
            (helper.make_node("Tell", ["a", "b"], ["y", "z", "w"], **node, i=1), [x, b], "has too many outputs"),
            (helper.make_node("Tell", ["a"], ["y"], **node), [x], "has no attribute 'i'"),
            (helper.make_node("Tell", ["a"], ["y"], **node, i=1.5), [x], "has an attribute 'i' of another type"),
            (helper.make_node("Tell", ["a"], ["y"], **node, i=1, more=1), [x], "has an attribute 'more'"),
            (helper.make_node("Tell", ["a", "a"], ["y"], **node, i=1), [x], "has an element type for 'b'"),
            (helper.make_node("Tell", ["a"], ["y"], **node, i=1), [("a", FLOAT, [3, 3])], "has a wrong rank of a (C1)"),
        ]
        for number, (made, inputs, problem) in enumerate(cases):
            with self.subTest(problem=problem):
                model = self.make([made], inputs, [("y", FLOAT, None)], f"wrong{number}.onnx")
                self.assertIn(problem, self.cameo("compile", model, "-o", self.folder / "none", *flags, code=4).stderr)

    def test_same_shape(self):
        """Of any rank, in two element types, between operators of Cameo's; on each target."""
        nodes = [helper.make_node("Twice", ["x"], ["a"], domain="com.example"), helper.make_node("Neg", ["a"], ["y"]),
                 helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Twice", ["s"], ["t"], domain="com.example")]
        model = self.make(nodes, [("x", FLOAT, ["n", 3])], [("y", FLOAT, ["n", 3]), ("t", INT64, [2])])
        for number, n in enumerate((4, 0)):
            x = np.arange(n * 3, dtype=np.float32).reshape(n, 3)
            self.data(number, [x], [-2 * x, np.array([2 * n, 6], np.int64)])
        flags = self.declare(TWICE)
        for target in ("cpu", "cuda-emu"):
            self.verify(model, *flags, "--target", target)
        self.assertIn("--external-source names a file", self.cameo("verify", model, *flags, code=2).stderr)

    def test_open_extent(self):
        """An extent that nothing bounds: asked for first, then what has it is made; a status of the function."""
        nodes = [helper.make_node("Repeat", ["x"], ["r"], "repeat", domain="com.example"), helper.make_node("Relu", ["r"], ["y"])]
        model = self.make(nodes, [("x", FLOAT, ["n", 2])], [("y", FLOAT, ["m", 2])])
        x = np.array([[2, -1], [0, 5], [3, 7]], np.float32)
        self.data(0, [x], [np.maximum(np.repeat(x, [2, 0, 3], axis=0), 0)])
        self.data(1, [np.zeros((2, 2), np.float32)], [np.zeros((0, 2), np.float32)])
        self.data(2, [-x], status="OUT_OF_RANGE repeat")
        flags = self.declare(REPEAT)
        for target in ("cpu", "cuda-emu"):
            self.verify(model, *flags, "--target", target)
        done = self.cameo("compile", model, "-o", self.folder / "none", "--heap", "none", "--dim", "n=1..4", *flags, code=5)
        self.assertIn("y", done.stderr)

    def test_attributes_and_absent(self):
        """Every type of attribute; operands and results that are left out; what is not pure runs although nobody reads it."""
        given = {"i": -2**63, "is": [7, 8, 9], "ss": ["", "\n??/"]}
        nodes = [helper.make_node("Tell", ["a"], ["", "z"], "tell", domain="com.example", **given),
                 helper.make_node("Tell", ["a", "b"], ["y"], "tell", domain="com.example", **given)]
        model = self.make(nodes, [("a", FLOAT, ["n"]), ("b", INT64, [])], [("z", INT64, []), ("y", FLOAT, ["n"])])
        self.data(0, [np.ones(3, np.float32), np.int64(5)], [np.int64(-1), np.full(3, 2, np.float32)])
        self.verify(model, *self.declare(TELL))

    def test_device_where_there_is_none(self):
        model = self.make([helper.make_node("Twice", ["x"], ["y"], "n", domain="com.example")], [("x", FLOAT, [3])], [("y", FLOAT, [3])])
        done = self.cameo("compile", model, "-o", self.folder / "none", *self.declare(changed(TWICE, side="device")), code=5)
        self.assertIn("declared for the device, which the target does not have", done.stderr)

    def test_goes_before_others(self):
        """A declaration takes the place of an operator that Cameo has; of versions the newest that the model's domain has."""
        model = self.make([helper.make_node("Neg", ["x"], ["y"])], [("x", FLOAT, [3])], [("y", FLOAT, [3])])
        x = np.arange(3, dtype=np.float32)
        self.data(0, [x], [2 * x])
        own = changed(TWICE, domain="", name="Neg")
        self.verify(model, *self.declare(own, changed(own, version=22, function="own_missing")))

    def test_user_is_told_of_mistakes(self):
        model = self.make([helper.make_node("Twice", ["x"], ["y"], domain="com.example")], [("x", FLOAT, [3])], [("y", FLOAT, [3])])
        self.data(0, [np.ones(3, np.float32)], [np.full(3, 2, np.float32)])
        self.source.write_text("int x = ;")
        self.assertIn("own.cpp", self.verify(model, *self.declare(TWICE), code=3).stderr)
        self.source.write_text("int x;")
        self.assertIn("own_twice", self.verify(model, *self.declare(TWICE), code=3).stderr)

    def test_sample(self):
        peaks = ["--external", SAMPLE / "peaks.json"]
        host = [*peaks, "--external", SAMPLE / "smooth_host.json"]
        device = [*peaks, "--external", SAMPLE / "smooth_device.json"]
        out = self.folder / "net"
        self.cameo("compile", SAMPLE / "peaks.onnx", "-o", out, "--target", "cuda", *device)
        header = (out / "peaks_external.h").read_text()
        self.assertIn("cameo_status example_smooth(cameo_call *call,", header)
        steps = json.loads((out / "peaks.plan.json").read_text())["steps"]
        self.assertEqual([step["function"] for step in steps if step["kind"] == "external"], ["example_smooth", "example_peaks"])
        report = self.folder / "explain.json"
        self.cameo("explain", SAMPLE / "peaks.onnx", "--target", "cuda", *device, "--json", report)
        values = {value["name"]: value for value in read_report("explain", report)["values"]}
        self.assertEqual((values["smooth"]["side"], values["positions"]["side"]), ("device", "host"))
        self.assertIn("--external", values["smooth"]["reason"])
        self.cameo("compile", SAMPLE / "peaks.onnx", "-o", self.folder / "small", "--heap", "none", "--dim", "n=1..64", *host)
        done = self.cameo("compile", SAMPLE / "peaks.onnx", "--target", "cuda", "--place", "smooth=host", *device, code=8)
        self.assertIn("its operator is declared for that side", done.stderr)

    def test_inspect(self):
        """What is unknown, what removes it, and a declaration to begin with, which is refused until it is filled in."""
        nodes = [helper.make_node("Peaks", ["x"], ["p"], "one", domain="com.example", height=0.5),
                 helper.make_node("Peaks", ["x", "t"], ["q"], "two", domain="com.example"),
                 helper.make_node("BeamSearch", ["x"], ["b"], "beam", domain="com.microsoft"),
                 helper.make_node("Pick", ["x"], ["c"], "pick", domain="com.example", body=helper.make_graph([], "body", [], []))]
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", FLOAT, ["n"]), helper.make_tensor_value_info("t", FLOAT, [])],
                                  [helper.make_tensor_value_info("p", INT64, ["m"]), helper.make_tensor_value_info("c", FLOAT, None)])
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.example", 3), helper.make_opsetid("com.microsoft", 1)]
        model = self.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), "unknown.onnx")
        done = self.cameo("inspect", model, code=5)
        self.assertIn("com.example.Peaks-3 (2 nodes, the first is g/one)", done.stderr)
        self.assertIn("--external has a function of yours compute it", done.stderr)
        self.assertIn("com.microsoft.BeamSearch, 1 node: export the decoder alone, and search in the caller\n", done.stdout)
        self.assertIn("com.example.Pick, 1 node: nothing yet; it has graphs\n", done.stdout)
        report = self.folder / "report.json"
        self.cameo("inspect", model, "--json", report, code=5)
        report = read_report("inspect", report)
        self.assertEqual([(row["node"], row["remedy"]) for row in report["unsupported"]],
                         [("g/one", "external"), ("g/two", "external"), ("g/beam", "export"), ("g/pick", "none")])
        skeleton = report["external"]
        peaks = {"domain": "com.example", "name": "Peaks", "version": 3, "function": "com_example_peaks", "side": "host", "pure": True,
                 "operands": [{"name": "x0", "type": "float32", "rank": 1}, {"name": "x1", "type": "float32", "rank": 0, "optional": True}],
                 "results": [{"name": "y0", "type": "int64", "rank": 1}],
                 "attributes": [{"name": "height", "type": "float", "default": "?"}], "extents": []}
        self.assertEqual(skeleton, {"schema": 1, "operators": [peaks]})
        text = done.stdout[done.stdout.index("\n{") + 1:]
        self.assertEqual(json.loads(text), skeleton)
        self.assertIn("attributes[0].default: is no number", self.cameo("inspect", model, *self.declare(text=text), code=2).stderr)
        peaks["attributes"][0]["default"] = -1.0
        done = self.cameo("inspect", model, *self.declare(peaks), code=5)
        self.assertNotIn("Peaks", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
