#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --assert, --value and --place say: what they remove, what a run that does not hold ends with, and messages."""
import json
import math
import sys
import unittest
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from small import Case, model, read_report

sys.path.append(str(Path(__file__).resolve().parents[1] / "models"))
import translator


FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def value(name, element, dims):
    return helper.make_tensor_value_info(name, element, dims)


def ints(name, *values):
    return helper.make_tensor(name, INT64, [len(values)], values)


def filled():
    """As many twos as the sum of x."""
    nodes = [node("ReduceSum", ["x"], ["sum"], keepdims=0, name="sum"), node("Cast", ["sum"], ["count"], to=INT64, name="cast"),
             node("Unsqueeze", ["count", "zero"], ["shape"], name="list"),
             node("ConstantOfShape", ["shape"], ["y"], name="fill", value=helper.make_tensor("two", FLOAT, [1], [2]))]
    return model(nodes, [("x", ["n"])], [("y", ["k"])], initializers=[ints("zero", 0)])


def small():
    """As filled(), with a count of 8 bits."""
    proto = filled()
    proto.graph.node[1].output[0] = "narrow"
    proto.graph.node[1].attribute[0].i = TensorProto.INT8
    proto.graph.node.insert(2, node("Identity", ["narrow"], ["count"], name="same"))
    proto.graph.node.insert(3, node("Cast", ["count"], ["wide"], to=INT64, name="widen"))
    proto.graph.node[4].input[0] = "wide"
    return proto


def topped():
    """The most of x, as many as the data say."""
    nodes = [node("ReduceMax", ["counts"], ["k"], keepdims=1, name="max"),
             node("TopK", ["x", "k"], ["top", "where"], name="topk")]
    proto = model(nodes, [("x", ["n"])], [("top", ["m"])])
    proto.graph.input.append(value("counts", INT64, ["c"]))
    return proto


class Steering(Case):
    def data(self, number, inputs, outputs=(), status=""):
        folder = self.folder / f"test_data_set_{number}"
        folder.mkdir()
        for side, arrays in (("input", inputs), ("output", outputs)):
            for position, array in enumerate(arrays):
                (folder / f"{side}_{position}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
        if status:
            (folder / "expect_status").write_text(status + "\n")

    def verify(self, path, *flags, target="cuda-emu"):
        """The cases of the report; all data sets are as they expect."""
        done = self.cameo("verify", path, "--target", target, "--json", "report.json", "--trace", *flags)
        report = read_report("verify", self.folder / "report.json")
        self.assertTrue(report["passed"], done.stdout)
        return report["cases"]

    def explain(self, path, *flags):
        report = read_report("explain", self.cameo("explain", path, "--target", "cuda", "--json", "-", *flags).stdout)
        self.values = {row["name"]: row for row in reversed(report["values"])}
        self.asserted = {row["assertion"]: row["state"] for row in report["assertions"]}
        return report

    def refused(self, code, path, *flags):
        return self.cameo("explain", path, "--target", "cuda", *flags, code=code).stderr

    #===--- Values ---===#

    def test_a_value_removes_a_readback(self):
        path = self.save(filled())
        self.assertEqual(self.explain(path)["readbacks"], 1)
        self.assertIn("--value count=...", self.explain(path)["crossings"][0]["remedy"])
        self.assertEqual(self.explain(path, "--value", "count=3")["readbacks"], 0)
        self.assertEqual(self.asserted, {"count=3": "checked on the device, where it raises an error"})
        twos = np.full(3, 2, np.float32)
        self.data(0, [np.float32([1, 2])], [twos])
        self.data(1, [np.float32([1, 3])], status="OUT_OF_RANGE count=3")
        self.data(2, [np.float32([3])], [twos])  # the context goes on
        for target in ("cuda-emu", "cpu"):
            if target == "cpu":
                self.cameo("verify", path, "--value", "count=3")
                continue
            cases = self.verify(path, "--value", "count=3")
            for case in cases:
                self.assertEqual((case["counters"]["d2h"], case["counters"]["blocking_syncs"]), (0, 0))
            self.assertIn("count=3", cases[1]["status"]["message"])

    def test_what_is_likely_weighs(self):
        """A few lengths are the host's; were they many, their maximum would be read back. Results are right either way."""
        nodes = [node("ReduceMax", ["lengths"], ["longest"], keepdims=1, name="max"),
                 node("ConstantOfShape", ["longest"], ["y"], name="fill", value=helper.make_tensor("two", FLOAT, [1], [2]))]
        proto = model(nodes, [], [("y", ["k"])])
        proto.graph.input.append(value("lengths", INT64, ["n"]))
        path = self.save(proto)
        for few in ("n likely 4", "2*n likely 8", "lengths.shape[0] likely 16"):
            self.assertEqual(self.explain(path, "--assert", few)["readbacks"], 0)
            self.assertEqual(self.asserted, {few: "expected, for costs only"})
        self.assertEqual(self.explain(path, "--assert", "n likely 17")["readbacks"], 1)
        self.assertEqual(self.explain(path)["readbacks"], 1)
        self.assertIn("--assert 'n likely 8'", self.explain(path)["crossings"][0]["remedy"])
        self.data(0, [np.int64([3, 1])], [np.full(3, 2, np.float32)])
        self.data(1, [np.arange(5000) % 70], [np.full(69, 2, np.float32)])
        for case in self.verify(path, "--assert", "n likely 4"):
            self.assertEqual((case["counters"]["d2h"], case["counters"]["blocking_syncs"]), (0, 0))
        self.assertIn("got 4, need 5", self.refused(8, path, "--dim", "n=4", "--assert", "n likely 5"))
        made_up = self.cameo("run", path, "--assert", "n likely 6")
        self.assertNotIn("guessed", made_up.stderr)

    def test_a_loop_that_is_said_to_go_on(self):
        proto = translator.build()
        path = self.save(proto)
        self.assertEqual(self.explain(path)["late_extents"], 1)
        self.assertEqual(self.explain(path, "--value", "goes_on=1")["late_extents"], 0)
        inputs = {"source": np.int64([[4, 7, 2], [9, 9, 1]]), "most": np.array(2)}
        outputs = onnxruntime.InferenceSession(proto.SerializeToString()).run(None, inputs)
        self.assertEqual(outputs[0].shape, (2, 3))
        self.data(0, inputs.values(), outputs)
        self.data(1, [inputs["source"], np.array(20)], status="OUT_OF_RANGE goes_on=1")
        (case, _) = self.verify(path, "--value", "goes_on=1")
        self.assertEqual((case["counters"]["d2h"], case["counters"]["blocking_syncs"]), (0, 0))

    def test_a_range_is_checked_where_the_host_reads_it_back(self):
        path = self.save(filled())
        self.assertEqual(self.explain(path, "--assert", "count in 1..4")["readbacks"], 1)
        self.data(0, [np.float32([1, 2])], [np.full(3, 2, np.float32)])
        self.data(1, [np.float32([4, 3])], status="OUT_OF_RANGE count in 1..4")
        self.data(2, [np.float32([1])], [np.full(1, 2, np.float32)])
        cases = self.verify(path, "--assert", "count in 1..4")
        self.assertIn("got 7, need 4", cases[1]["status"]["message"])

    def test_a_bound_on_the_device_is_a_capacity(self):
        path = self.save(topped())
        # However it is said.
        for text in ("4 >= k", "k + 1 < 6", "5 > k", "k in 0..4"):
            self.explain(path, "--assert", text)
            self.assertEqual(self.asserted[text], "checked on the device, where it raises an error")
            ir = self.cameo("compile", path, "--target", "cuda", "--assert", text, "--emit", "ir:shape").stdout
            self.assertRegex(ir, r"bound min\(n, 4\)", text)
        explained = self.explain(path, "--assert", "k <= 4")
        self.assertEqual((explained["readbacks"], self.values["top"]["shape"]), (0, [{"expr": "k"}]))
        self.assertEqual(self.asserted["k <= 4"], "checked on the device, where it raises an error")
        ir = self.cameo("compile", path, "--target", "cuda", "--assert", "k <= 4", "--emit", "ir:shape").stdout
        self.assertRegex(ir, r"bound min\(n, 4\)")
        x = np.arange(9, dtype=np.float32)
        self.data(0, [x, np.int64([1, 3, 2])], [x[:5:-1]])
        self.data(1, [x, np.int64([1, 5, 2])], status="OUT_OF_RANGE k <= 4")
        self.data(2, [x, np.int64([4, 0, 0])], [x[:4:-1]])
        for case in self.verify(path, "--assert", "k <= 4"):
            self.assertEqual(case["counters"]["blocking_syncs"], 0)

    def test_the_least_on_the_device(self):
        path = self.save(topped())
        x = np.arange(9, dtype=np.float32)
        self.data(0, [x, np.int64([1, 3, 2])], [x[:5:-1]])
        self.data(1, [x, np.int64([1, 0, 1])], status="OUT_OF_RANGE k >= 2")
        self.data(2, [x, np.int64([0, 2, 0])], [x[:6:-1]])
        self.verify(path, "--assert", "k >= 2")

    def test_a_check_is_no_reason_for_a_copy(self):
        # In a loop, beside a TopK that prefers its K on the host, too.
        body = helper.make_graph(
            [node("Identity", ["go"], ["on"], name="on"), node("ReduceMax", ["s"], ["m"], keepdims=1, name="max"),
             node("Cast", ["m"], ["k"], to=INT64, name="cast"), node("TopK", ["s", "k"], ["top", "where"], name="topk"),
             node("ReduceSum", ["top"], ["sum"], keepdims=1, name="sum"), node("Sub", ["s", "sum"], ["next"], name="next")],
            "body", [value("i", INT64, []), value("go", TensorProto.BOOL, []), value("s", FLOAT, ["n"])],
            [value("on", TensorProto.BOOL, []), value("next", FLOAT, ["n"])])
        times = helper.make_tensor("times", INT64, [], [2])
        path = self.save(model([node("Loop", ["times", "", "x"], ["y"], name="loop", body=body)], [("x", ["n"])],
                               [("y", ["n"])], initializers=[times]))
        self.assertEqual(self.explain(path, "--assert", "k in 0..3")["readbacks"], 0)
        self.assertEqual(self.asserted, {"k in 0..3": "checked on the device, where it raises an error"})
        x = np.float32([1, 3, 2, 0])
        self.data(0, [x], status="OUT_OF_RANGE k in 0..3")  # less the three largest the most is -3
        self.data(1, [x - 3], [x - 3])  # of the most, 0, none is summed
        self.verify(path, "--assert", "k in 0..3")

    def test_in_a_branch(self):
        branches = {name: helper.make_graph([node(op, inputs, [out], name=out, **more)], name, [], [value(out, FLOAT, None)])
                    for name, op, inputs, out, more in (("then_branch", "Concat", ["x", "x"], "twice", {"axis": 0}),
                                                        ("else_branch", "Neg", ["x"], "once", {}))}
        proto = model([node("If", ["flag"], ["z"], name="if", **branches), node("Neg", ["z"], ["y"], name="neg")],
                      [("x", ["n"])], [("y", ["m"])])
        proto.graph.input.append(value("flag", TensorProto.BOOL, []))
        path = self.save(proto)
        # What holds in a branch says nothing of the other one.
        self.explain(path, "--assert", "twice.shape[0] == 4")
        self.assertEqual((self.values["once"]["shape"], self.values["y"]["shape"]), ([{"expr": "n"}], [{"expr": "if_dim"}]))
        x = np.arange(3, dtype=np.float32)
        self.data(0, [x, np.bool_(False)], [x])
        self.data(1, [x, np.bool_(True)], status="OUT_OF_RANGE twice.shape[0] == 4")
        self.data(2, [x[:2], np.bool_(True)], [-np.concatenate([x[:2], x[:2]])])
        self.verify(path, "--assert", "twice.shape[0] == 4")

    #===--- Dims and extents ---===#

    def test_dims_of_inputs(self):
        nodes = [node("Concat", ["x", "y"], ["z"], axis=0, name="concat")]
        path = self.save(model(nodes, [("x", ["n"]), ("y", ["m"])], [("z", ["k"])]))
        flags = ["--assert", "n == 2 * m", "--assert", "m mod 2 == 0", "--assert", "y.shape[0] <= 8"]
        self.explain(path, *flags)
        self.assertEqual(self.values["z"]["shape"], [{"expr": "3 * m"}])
        self.assertEqual(set(self.asserted.values()), {"held against the inputs' dims"})
        x = np.arange(32, dtype=np.float32)
        self.data(0, [x[:8], x[:4]], [np.concatenate([x[:8], x[:4]])])
        for number, (n, m) in enumerate([(7, 4), (6, 3), (20, 10)], 1):
            self.data(number, [x[:n], x[:m]], status="INVALID_ARGUMENT")
        self.data(4, [x[:16], x[:8]], [np.concatenate([x[:16], x[:8]])])
        self.verify(path, *flags)

    def test_extents_of_results(self):
        nodes = [node("Concat", ["x", "y"], ["both"], axis=0, name="concat"), node("Neg", ["both"], ["z"], name="neg")]
        path = self.save(model(nodes, [("x", ["n"]), ("y", ["m"])], [("z", ["k"])]))
        flags = ["--assert", "both.shape[0] == 12", "--assert", '"z".shape[0] >= 12']
        self.explain(path, *flags)
        self.assertEqual(self.asserted, {flags[1]: "checked on the host", flags[3]: "follows from the model"})
        self.assertEqual(self.values["z"]["shape"], [12])
        x = np.arange(32, dtype=np.float32)
        self.data(0, [x[:8], x[:4]], [-np.concatenate([x[:8], x[:4]])])
        self.data(1, [x[:8], x[:5]], status="OUT_OF_RANGE both.shape[0] == 12")
        self.data(2, [x[:12], x[:0]], [-x[:12]])
        self.verify(path, *flags)

    def test_elements_by_dims(self):
        nodes = [node("Reshape", ["x", "shape"], ["y"], name="reshape")]
        proto = model(nodes, [("x", ["n", 2])], [("y", ["a", "b"])])
        proto.graph.input.append(value("shape", INT64, [2]))
        path = self.save(proto)
        flags = ["--value", "shape=[2, n]"]
        self.explain(path, *flags)
        self.assertEqual(self.values["y"]["shape"], [2, {"expr": "n"}])
        self.assertEqual(self.asserted, {"shape=[2, n]": "checked on the host"})
        self.assertEqual(self.values["shape"]["side"], "host")
        x = np.arange(6, dtype=np.float32).reshape(3, 2)
        self.data(0, [x, np.int64([2, 3])], [x.reshape(2, 3)])
        self.data(1, [x, np.int64([3, 2])], status="OUT_OF_RANGE shape=[2, n]")
        self.data(2, [x[:1], np.int64([2, 1])], [x[:1].reshape(2, 1)])
        self.verify(path, *flags)

    def test_what_is_not_checked(self):
        nodes = [node("NonZero", ["x"], ["found"], name="find"), node("Cast", ["found"], ["y"], to=FLOAT, name="cast")]
        path = self.save(model(nodes, [("x", ["n"])], [("y", [1, "k"])]))
        self.assertEqual(self.explain(path, "--assert", "found.shape[1] <= 3")["readbacks"], 0)
        self.assertIn("not checked: the device counts", self.asserted["found.shape[1] <= 3"])

    #===--- Messages ---===#

    def test_text_that_cannot_be_read(self):
        for flag, text, message in [
                ("--assert", "count <=", "expected an extent at 'count <=^'"),
                ("--assert", "count 3", "expected '==', '<=', '<', '>=', '>', 'in' or 'likely' at 'count ^3'"),
                ("--assert", "count in 1", "expected '..' at 'count in 1^'"),
                ("--assert", "x.shape[n] == 3", "expected an index from 0 on at 'x.shape[^n] == 3'"),
                ("--assert", "count == 3 4", "expected an operator or the end at 'count == 3 ^4'"),
                ("--value", "count=[1, 2", "expected ',' or ']' at 'count=[1, 2^'"),
                ("--value", "3", "expected the name of a value at '^3'"),
                ("--value", "count=[]", "has no elements"),
                ("--place", "count", "need REGEX=host or REGEX=device"),
                ("--place", "count=attic", "need REGEX=host or REGEX=device"),
                ("--place", "(=host", "no regular expression"),
                ("--place", "((((c{1,200}){1,200}){1,200}){1,200})=host", "is too large"),
                ("--place", "(" * 100000 + "=host", "is nested too deep"),
                ("--place", r"(c.*)\1=host", "has a back-reference")]:
            with self.subTest(text):
                self.assertIn(message, self.refused(2, self.save(filled()), flag, text))

    def test_names_that_the_model_does_not_have(self):
        path = self.save(filled())
        self.assertIn("no value and no dim 'cuont'; did you mean 'count'?", self.refused(2, path, "--assert", "cuont <= 3"))
        self.assertIn("--place: no value is called 'shpae'; did you mean 'shape'?",
                      self.refused(2, path, "--place", "shpae=host"))
        self.assertIn("no value and no dim 'whatever'", self.refused(2, path, "--value", "whatever=3"))

    def test_what_a_value_does_not_have(self):
        path = self.save(filled())
        self.assertIn("'x' has no integers", self.refused(2, path, "--assert", "x[0] <= 3"))
        self.assertIn("'x' has rank 1, and no extent 1", self.refused(2, path, "--assert", "x.shape[1] <= 3"))
        self.assertIn("'shape' has 1 elements, and none 1", self.refused(2, path, "--assert", "shape[1] <= 3"))
        self.assertIn("has 2 elements, but the value has 1", self.refused(8, path, "--value", "shape=[1, 2]"))

    def test_contradictions(self):
        path = self.save(filled())
        self.assertIn("contradicts the assertion 'n <= 3' (got n, which is in 4..9, need at most 3)",
                      self.refused(8, path, "--dim", "n=4..9", "--assert", "n <= 3"))
        self.assertIn("contradicts the assertion 'y.shape[0] == 4' (got 3, need 4)",
                      self.refused(8, path, "--value", "count=3", "--assert", "y.shape[0] == 4"))

        for text in ("count in 5..3", "n in 5..3"):
            self.assertIn(f"'{text}'", self.refused(8, path, "--assert", text))
        self.assertIn("'count >= 5' leaves no value (got at least 5, and at most 3)",
                      self.refused(8, path, "--assert", "count <= 3", "--assert", "count >= 5"))
        self.assertIn("'narrow=300' is beyond the element type", self.refused(8, self.save(small()), "--value", "narrow=300"))

    #===--- Pins ---===#

    def test_a_pin_that_forces_copies_says_so(self):
        nodes = [node("Neg", ["x"], ["a"], name="first"), node("Erf", ["a"], ["b"], name="middle"),
                 node("Neg", ["b"], ["y"], name="last")]
        path = self.save(model(nodes, [("x", ["n"])], [("y", ["n"])]))
        self.assertEqual(self.explain(path)["crossings"], [])
        explained = self.explain(path, "--place", "b=host")
        self.assertEqual((self.values["b"]["side"], self.values["b"]["reason"]), ("host", "pinned here"))
        self.assertEqual([(row["kind"], row["value"]) for row in explained["crossings"]], [("fetch", "a"), ("upload", "b")])
        for row in explained["crossings"]:
            self.assertEqual(row["remedy"], "leave b, which is pinned, to the cut")
        x = np.linspace(-2, 2, 40, dtype=np.float32)
        self.data(0, [x], [np.vectorize(math.erf)(x).astype(np.float32)])
        self.data(1, [x[:0]], [x[:0]])
        case, empty = self.verify(path, "--place", "b=host")
        self.assertEqual((empty["counters"]["d2h"], empty["counters"]["launch_uploads"]), (0, 0))
        counters = case["counters"]
        self.assertEqual((counters["d2h"], counters["launch_uploads"], counters["blocking_syncs"]), (1, 1, 1))

    def test_the_last_pin_that_matches_counts(self):
        path = self.save(filled())
        self.explain(path, "--place", ".*=device", "--place", "x|sum=host")
        self.assertEqual((self.values["x"]["side"], self.values["sum"]["side"], self.values["count"]["side"]),
                         ("host", "host", "device"))

    def test_a_pin_that_cannot_be(self):
        nodes = [node("Cast", ["x"], ["lengths"], to=INT64),
                 node("SplitToSequence", ["x", "lengths"], ["s"], name="sequence"),
                 node("SequenceAt", ["s", "first"], ["y"], name="at")]
        first = helper.make_tensor("first", INT64, [], [0])
        path = self.save(model(nodes, [("x", ["n"])], [("y", ["n"])], initializers=[first]))
        message = self.refused(8, path, "--place", "s=device")
        self.assertIn("tiny/sequence: value 's' of SplitToSequence cannot be on the device, where --place wants it, "
                      "but on the host: sequences, optionals and strings live there", message)

    #===--- Plans ---===#

    def test_a_plan_is_fed_back(self):
        path = self.save(filled())
        flags = ["--target", "cuda", "--assert", "n <= 8", "--value", "count=3", "--place", "x=host"]
        self.cameo("compile", path, *flags, "-o", "net", "--emit-plan", "plan.json")
        plan = read_report("explain", self.folder / "plan.json")["plan"]
        self.assertEqual(plan, {"assert": ["n <= 8"], "value": ["count=3"], "place": ["x=host"], "variants": {},
                                "sides": {"x": "host", "sum": "device", "count": "device", "y": "host"}})
        self.cameo("compile", path, "--target", "cuda", "--plan", "plan.json", "-o", "again", "--emit-plan", "again.json")
        self.assertEqual(read_report("explain", self.folder / "again.json")["plan"], plan)
        self.explain(path, "--plan", "plan.json")
        self.assertEqual((self.values["sum"]["side"], self.values["sum"]["reason"]), ("device", "pinned here"))
        # What is said now counts more.
        self.explain(path, "--plan", "plan.json", "--place", "x=device")
        self.assertEqual(self.values["x"]["side"], "device")

    def test_what_of_a_plan_fits_a_changed_model(self):
        path = self.save(filled())
        self.cameo("compile", path, "--target", "cuda", "--assert", "count <= 8", "--place", "cou.*=host", "--value", "shape=[3]",
                   "-o", "net", "--emit-plan", "plan.json")
        proto = filled()
        for one in proto.graph.node:
            for names in (one.input, one.output):
                names[:] = ["number" if name == "count" else "amount" if name == "shape" else name for name in names]
        done = self.cameo("compile", self.save(proto, "changed.onnx"), "--target", "cuda", "--plan", "plan.json", "-o", "changed")
        for warning in ("assertions that fit nothing in the model any more: 'count <= 8'",
                        "values that fit nothing in the model any more: 'shape=[3]'",
                        "pins that fit nothing in the model any more: 'cou.*=host'",
                        "sides of values that fit nothing in the model any more: 'count'"):
            self.assertIn(f"warning: the plan has {warning}", done.stderr)

    def test_files_that_are_no_plan(self):
        path = self.save(filled())
        self.refused(3, path, "--plan", "missing.json")
        plan = '{"plan": {"assert": [], "place": %s, "sides": {"x": "host"}, "value": []}}'
        for text, message in [("{", "--plan: "), ("{}", "is no plan"), ('{"plan": {"sides": {"x": "attic"}}}', "is no plan"),
                              ("[" * 1000000, "nests deeper than 32"), ('{"a":' * 1000000, "nests deeper than 32"),
                              (plan % json.dumps(["x=host"] * 2000), "too much in 'place'"),
                              (plan % json.dumps(["x" * 5000 + "=host"]), "too much in 'place'"),
                              (plan % json.dumps(["(x{1,99}){1,99}=host"]), "is too large"),
                              (plan % json.dumps([f"{'x' * 99}.{number}=host" for number in range(99)]), "too large together")]:
            (self.folder / "plan.json").write_text(text)
            self.assertIn(message, self.refused(2, path, "--plan", "plan.json"))
        # Brackets in names are none.
        (self.folder / "plan.json").write_text(plan % json.dumps(['x|\\["\\\\' + "[[]" * 40 + "=host"]))
        self.cameo("compile", path, "--target", "cuda", "--plan", "plan.json", "-o", "net")

    #===--- What the device has no kernel for ---===#

    def test_fallback(self):
        # The device has kernels for all that the host has: Pad reads its value where that is, and nothing falls back.
        nodes = [node("ReduceMax", ["x"], ["most"], keepdims=0, name="max"), node("Neg", ["x"], ["h"], name="neg"),
                 node("Pad", ["h", "pads", "most"], ["p"], name="pad"), node("Neg", ["p"], ["y"], name="last")]
        path = self.save(model(nodes, [("x", ["n"])], [("y", ["m"])], initializers=[ints("pads", 1, 2)]))
        explained = self.explain(path, "--fallback", "host")
        self.assertEqual((self.values["p"]["side"], explained["crossings"]), ("device", []))
        x = np.float32([3, -1, 2])
        self.data(0, [x], [np.float32([-3, 3, -1, 2, -3, -3])])
        for flags in ([], ["--fallback", "host"]):
            (case,) = self.verify(path, *flags)
            self.assertEqual((case["counters"]["d2h"], case["counters"]["h2d"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
