#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why explain says that values are where they are: chains and costs of small graphs, by hand.

Costs in nanoseconds (Dialect/ONNX/Analysis/Costs.h): a readback 50000, an input bound on the host 25000, an upload 8000,
an operator on the device 3000, on the host 100 and 5 for each element of its results.
"""
import unittest

from onnx import TensorProto, helper

from small import Case, model, read_report

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node = helper.make_node


def value(name, element, dims):
    return helper.make_tensor_value_info(name, element, dims)


def ints(name, *values, dims=None):
    return helper.make_tensor(name, INT64, [len(values)] if dims is None else dims, values)


def graph(name, nodes, outputs, inputs=()):
    return helper.make_graph(nodes, name, list(inputs), list(outputs))


class Reasons(Case):
    def explain(self, nodes, inputs, outputs, initializers=(), code=0):
        """Sets `values`, by name (what becomes extents is listed again behind itself), and `crossings`."""
        proto = model(nodes, [], [], initializers=initializers)
        proto.graph.input.extend(inputs)
        proto.graph.output.extend(outputs)
        path = self.save(proto)
        report = read_report("explain", self.cameo("explain", path, "--target", "cuda", "--json", "-", code=code).stdout)
        self.values = {row["name"]: row for row in reversed(report["values"])}
        self.crossings, self.late = report["crossings"], report["late_extents"]
        self.text = self.cameo("explain", path, "--target", "cuda", code=code).stdout

    def check(self, name, side, steps, host=None, device=None, reason=""):
        """`steps` are `Node:name operand` or `Node:name operand Class`, `extent symbol` or `Node:name end of graph`."""
        row = self.values[name]
        self.assertEqual(row["side"], side, row)
        self.assertEqual([self.step(step) for step in row.get("demand", [])], steps, row)
        self.assertEqual(row.get("cost_ns"), {"host": host, "device": device} if host else None, row)
        self.assertIn(reason, row["reason"])

    def step(self, step):
        if step["kind"] == "symbol":
            return f"extent {step['name']}"
        if step["kind"] == "yield":
            return f"{step['node']} end of {step['name']}"
        operand_class = "" if step["class"] == "Data" else " " + step["class"]
        return f"{step['node']} {step['name']}{operand_class}"

    def test_operand_classes(self):
        # Small values that five operands read, one of each class.
        nodes = [node("ReduceMax", ["x"], ["data"], keepdims=0, name="max"),
                 node("Mul", ["x", "data"], ["scaled"], name="mul"),
                 node("ReduceMin", ["x"], ["param"], keepdims=0, name="min"),
                 node("Clip", ["scaled", "param"], ["clipped"], name="clip"),
                 node("Tile", ["clipped", "host"], ["y"], name="tile"),
                 node("TopK", ["clipped", "bound"], ["top", "where"], name="topk"),
                 node("Expand", ["param", "one"], ["dims_only"], name="expand"),
                 node("EyeLike", ["dims_only"], ["eye"], name="eye")]
        inputs = [value("x", FLOAT, ["n"]), value("host", INT64, [1]), value("bound", INT64, [1])]
        outputs = [value("y", FLOAT, None), value("top", FLOAT, None), value("eye", FLOAT, [1, 1])]
        self.explain(nodes, inputs, outputs, [ints("one", 1, 1)])
        # An input that is bound on the host against a readback: 25000 < 50000.
        self.check("host", "host", ["extent host", "Tile:tile repeats Symbolic"], 25000, 50000)
        self.check("bound", "host", ["extent bound", "TopK:topk K HostBound"], 25000, 50000)
        self.check("data", "device", [], reason="nothing on the host reads it, and x is on the device")
        self.check("param", "device", [], reason="nothing on the host reads it, and x is on the device")
        self.check("dims_only", "device", [], reason="nothing on the host reads it, and param is on the device")
        self.check("x", "device", [], reason="nothing on the host reads it")
        self.assertEqual(self.crossings, [])

    def test_from_an_input_through_an_if(self):
        branches = {name: graph(name, [node(op, ["r"], [out], name=op.lower())], [value(out, FLOAT, [1])])
                    for name, op, out in (("then_branch", "Ceil", "up"), ("else_branch", "Floor", "down"))}
        nodes = [node("If", ["flag"], ["picked"], name="if", **branches),
                 node("Cast", ["picked"], ["count"], to=INT64, name="cast"),
                 node("ConstantOfShape", ["count"], ["y"], name="fill")]
        self.explain(nodes, [value("r", FLOAT, [1]), value("flag", BOOL, [])], [value("y", FLOAT, None)])
        end = ["Cast:cast input", "extent cast", "ConstantOfShape:fill input Symbolic"]
        # Ceil, Floor and Cast on the host (315) and two inputs; else r is read back, or what both branches make on the device.
        self.check("r", "host", ["Ceil:ceil X", "If:if end of then_branch", *end], 50315, 75315)
        self.check("up", "host", ["If:if end of then_branch", *end], 50315, 81105)
        self.check("down", "host", ["If:if end of else_branch", *end], 50315, 81105)
        self.check("picked", "host", end, 50315, 81105)
        self.check("flag", "host", ["If:if cond Host"], 50315, 75315)
        self.check("count", "host", end[1:], 50315, 84000)

    def test_through_a_loop(self):
        # A float that a loop halves, some times, decides an extent behind the loop.
        body = graph("body", [node("Identity", ["go"], ["on"], name="go_on"), node("Mul", ["s", "half"], ["next"], name="halve")],
                     [value("on", BOOL, []), value("next", FLOAT, [1])],
                     [value("i", INT64, []), value("go", BOOL, []), value("s", FLOAT, [1])])
        nodes = [node("Loop", ["times", "", "r"], ["last"], name="loop", body=body),
                 node("Cast", ["last"], ["count"], to=INT64, name="cast"),
                 node("ConstantOfShape", ["count"], ["y"], name="fill")]
        half = helper.make_tensor("half", FLOAT, [], [0.5])
        self.explain(nodes, [value("r", FLOAT, [1])], [value("y", FLOAT, None)], [ints("times", 3, dims=[]), half])
        end = ["Cast:cast input", "extent cast", "ConstantOfShape:fill input Symbolic"]
        # The input, the product three times and the cast once. On the device: the product three times, and a readback.
        host, device = 25000 + 3 * 105 + 105, 3 * 3000 + 50000 + 105
        self.check("r", "host", ["Loop:loop v_initial", *end], host, 50000 + 4 * 105)
        self.check("last", "host", end, host, device)
        self.check("next", "host", ["Loop:loop end of body", *end], host, device)

    def test_condition_of_a_loop(self):
        # Read back in every iteration, where it is computed: what it is compared to would be an input on the host.
        # The host runs the loop in the body.
        inner = graph("inner", [node("Identity", ["going"], ["goes"]), node("Softmax", ["t"], ["u"], name="softmax")],
                      [value("goes", BOOL, []), value("u", FLOAT, ["n"])],
                      [value("j", INT64, []), value("going", BOOL, []), value("t", FLOAT, ["n"])])
        body = graph("body", [node("Loop", ["two", "yes", "s"], ["next"], name="inner", body=inner),
                              node("ReduceMax", ["next"], ["most"], keepdims=0, name="max"),
                              node("Less", ["most", "limit"], ["on"], name="less")],
                     [value("on", BOOL, []), value("next", FLOAT, ["n"])],
                     [value("i", INT64, []), value("go", BOOL, []), value("s", FLOAT, ["n"])])
        nodes = [node("Loop", ["", "yes", "x"], ["y"], name="loop", body=body)]
        yes = helper.make_tensor("yes", BOOL, [], [True])
        two = helper.make_tensor("two", INT64, [], [2])
        self.explain(nodes, [value("x", FLOAT, ["n"]), value("limit", FLOAT, [])], [value("y", FLOAT, ["n"])], [yes, two])
        # Eight iterations, as their number is not known.
        host, device = 25000 + 8 * (50000 + 105), 8 * (50000 + 3000)
        self.check("limit", "device", ["Less:less B", "Loop:loop cond Host"], host, device)
        self.check("on", "device", ["Loop:loop cond Host"], host, device)
        self.check("most", "device", ["Less:less A", "Loop:loop cond Host"], reason="next has more than the 16")
        self.check("y", "device", [], reason="a loop carries it")
        (crossing,) = self.crossings
        self.assertEqual((crossing["value"], crossing["in_loop"], crossing["consumers"]), ("on", True, ["Loop:loop (cond, Host)"]))
        self.assertEqual(crossing["per_iterations"], 1)

    def test_a_loop_of_the_device(self):
        body = graph("body", [node("Mul", ["s", "s"], ["next"], name="square"),
                              node("ReduceMax", ["next"], ["most"], keepdims=0, name="max"),
                              node("Greater", ["most", "limit"], ["on"], name="greater")],
                     [value("on", BOOL, []), value("next", FLOAT, ["n"])],
                     [value("i", INT64, []), value("go", BOOL, []), value("s", FLOAT, ["n"])])
        nodes = [node("Loop", ["", "yes", "x"], ["y"], name="loop", body=body)]
        yes = helper.make_tensor("yes", BOOL, [], [True])
        self.explain(nodes, [value("x", FLOAT, ["n"]), value("limit", FLOAT, [])], [value("y", FLOAT, ["n"])], [yes])
        self.check("on", "device", [], reason="a loop carries it")
        self.assertEqual(self.crossings, [])

    def test_up_to_an_output(self):
        # From dims alone, and nobody asks: little work is the host's where it starts, and it stays there.
        nodes = [node("Shape", ["x"], ["dims"], name="shape"), node("Cast", ["dims"], ["float"], to=FLOAT, name="cast"),
                 node("Mul", ["float", "float"], ["y"], name="square")]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("y", FLOAT, [1])])
        self.check("dims", "both", [], reason="follows from dims")
        self.check("float", "host", [], 210, 6000)
        self.check("y", "host", [], 210, 3105)

    def test_costs_decide(self):
        nodes = [node("ReduceMax", ["x"], ["most"], keepdims=1, name="max"), node("Ceil", ["most"], ["up"], name="ceil"),
                 node("Cast", ["up"], ["count"], to=INT64, name="cast"),
                 node("ConstantOfShape", ["count"], ["y"], name="fill")]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("y", FLOAT, None)])
        end = ["Cast:cast input", "extent cast", "ConstantOfShape:fill input Symbolic"]
        # One readback whatever is cut; behind it an operator is cheaper on the host.
        self.check("most", "device", ["Ceil:ceil X", *end], reason="x has more than the 16 elements")
        self.check("up", "host", end, 50210, 53105)
        self.check("count", "host", end[1:], 50210, 56000)
        (crossing,) = self.crossings
        self.assertEqual((crossing["value"], crossing["producer"]), ("most", "ReduceMax:max"))
        self.assertEqual(crossing["consumers"], ["Ceil:ceil (X), for ConstantOfShape:fill (input, Symbolic)"])
        self.assertIn("x has more than", crossing["reason"])
        self.assertIn("for Ceil:ceil (X) > Cast:cast (input) > extent cast > ConstantOfShape:fill (input, Symbolic)\n", self.text)

    def test_readback_where_two_meet(self):
        nodes = [node("ReduceMax", ["x"], ["a"], keepdims=1, name="max"), node("ReduceMin", ["x"], ["b"], keepdims=1, name="min"),
                 node("Sub", ["a", "b"], ["d"], name="sub"), node("Cast", ["d"], ["count"], to=INT64, name="cast"),
                 node("ConstantOfShape", ["count"], ["y"], name="fill"), node("Greater", ["d", "zero"], ["any"], name="greater"),
                 node("Squeeze", ["any"], ["flag"], name="squeeze"),
                 node("If", ["flag"], ["z"], name="if", then_branch=graph("t", [node("Neg", ["x"], ["t"])], [value("t", FLOAT, ["n"])]),
                      else_branch=graph("e", [node("Abs", ["x"], ["e"])], [value("e", FLOAT, ["n"])]))]
        zero = helper.make_tensor("zero", FLOAT, [], [0])
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("y", FLOAT, None), value("z", FLOAT, ["n"])], [zero])
        # Sub on the device and one readback, three operators on the host; on the host two readbacks and four.
        self.check("d", "device", ["Cast:cast input", "extent cast", "ConstantOfShape:fill input Symbolic"], 100420, 53315)
        (crossing,) = self.crossings
        self.assertEqual(crossing["value"], "d")
        self.assertCountEqual(crossing["consumers"], ["Cast:cast (input), for ConstantOfShape:fill (input, Symbolic)",
                                                     "Greater:greater (A), for If:if (cond, Host)"])

    def test_all_that_a_readback_is_for(self):
        nodes = [node("ReduceMax", ["x"], ["k"], name="best"), node("ConstantOfShape", ["k"], ["a"], name="first"),
                 node("Add", ["k", "one"], ["more"], name="add"), node("ConstantOfShape", ["more"], ["b"], name="second")]
        self.explain(nodes, [value("x", INT64, ["n"])], [value("a", FLOAT, None), value("b", FLOAT, None)], [ints("one", 1)])
        (crossing,) = self.crossings
        self.assertEqual(crossing["consumers"],
                         ["extents, for ConstantOfShape:first (input, Symbolic)", "extents, for ConstantOfShape:second (input, Symbolic)"])
        self.check("k", "device", ["extent best", "ConstantOfShape:first input Symbolic"], reason="x has more than the 16")
        self.check("more", "both", ["ConstantOfShape:second input Symbolic"])

    def test_a_bound_is_enough(self):
        nodes = [node("ArgMax", ["x"], ["k"], name="best"), node("TopK", ["x", "k"], ["a", "i"], name="first"),
                 node("Add", ["k", "one"], ["more"], name="add"), node("TopK", ["x", "more"], ["b", "j"], name="second")]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("a", FLOAT, None), value("b", FLOAT, None)], [ints("one", 1)])
        self.assertEqual((self.crossings, self.late), ([], 2))
        self.check("k", "device", ["TopK:first K HostBound"], reason="x has more than the 16")
        # A kernel, and one price for both extents that stay on the device, against a readback and the price for the first.
        self.check("more", "device", ["TopK:second K HostBound"], 80105, 33000)
        self.assertIn("extents of outputs told behind the run: 2", self.text)

    def test_a_count_that_the_host_has_to_know(self):
        # A loop is run by the host, so the number of what is found is read back for it.
        body = helper.make_graph([node("Identity", ["go"], ["on"], name="on"), node("Neg", ["state"], ["next"], name="neg")], "body",
                                 [value("i", INT64, []), value("go", BOOL, []), value("state", FLOAT, ["n"])],
                                 [value("on", BOOL, []), value("next", FLOAT, ["n"])])
        nodes = [node("NonZero", ["x"], ["found"], name="find"), node("Shape", ["found"], ["shape"], name="shape", start=1),
                 node("Squeeze", ["shape"], ["count"], name="squeeze"), node("Loop", ["count", "", "x"], ["y"], name="loop", body=body)]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("y", FLOAT, ["n"]), value("found", INT64, None)])
        (crossing,) = self.crossings
        self.assertEqual((crossing["kind"], crossing["producer"], crossing["consumers"], crossing["blocking"]),
                         ("fetch", "NonZero:find", ["Loop:loop, which needs the count on the host"], True))

    def test_a_branch_that_the_device_chooses(self):
        # Nothing else of the loop waits, so that the device runs it.
        squared = graph("squared", [node("MatMul", ["state", "state"], ["square"])], [value("square", FLOAT, ["n", "n"])])
        negated = graph("negated", [node("Neg", ["state"], ["neg"])], [value("neg", FLOAT, ["n", "n"])])
        body = graph("body", [node("Identity", ["go"], ["on"]), node("ReduceSum", ["state"], ["sum"], keepdims=0, name="sum"),
                              node("Greater", ["sum", "limit"], ["large"], name="large"),
                              node("If", ["large"], ["next"], name="choose", then_branch=squared, else_branch=negated)],
                     [value("on", BOOL, []), value("next", FLOAT, ["n", "n"])],
                     [value("i", INT64, []), value("go", BOOL, []), value("state", FLOAT, ["n", "n"])])
        self.explain([node("Loop", ["trips", "", "x"], ["y"], name="loop", body=body)],
                     [value("trips", INT64, []), value("x", FLOAT, ["n", "n"])], [value("y", FLOAT, ["n", "n"])],
                     [helper.make_tensor("limit", FLOAT, [], [0.5])])
        (crossing,) = self.crossings
        self.assertEqual((crossing["producer"], crossing["blocking"], crossing["left_to_device"]),
                         ("ReduceSum:sum", False, True))
        self.assertIn("0 readbacks", self.text)
        self.assertIn("bytes, looked at on the device", self.text)
        self.assertNotIn("to remove it", self.text)

    def test_a_count_that_is_an_output(self):
        nodes = [node("NonZero", ["x"], ["found"], name="find"), node("Shape", ["found"], ["shape"], name="shape", start=1),
                 node("Squeeze", ["shape"], ["count"], name="squeeze")]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("count", INT64, []), value("found", INT64, None)])
        self.assertEqual(self.crossings, [])
        self.check("count", "device", [], reason="made of integers that stay on the device")

    def test_inexact(self):
        nodes = [node("ReduceMax", ["x"], ["most"], keepdims=1, name="max"), node("Exp", ["most"], ["e"], name="exp"),
                 node("Cast", ["e"], ["count"], to=INT64, name="cast"),
                 node("ConstantOfShape", ["count"], ["y"], name="fill")]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("y", FLOAT, None)])
        end = ["extent cast", "ConstantOfShape:fill input Symbolic"]
        self.check("e", "device", ["Cast:cast input", *end], reason="need not round it")
        self.check("count", "host", end, 50105, 53000)
        (crossing,) = self.crossings
        self.assertEqual((crossing["value"], crossing["consumers"]),
                         ("e", ["Cast:cast (input), for ConstantOfShape:fill (input, Symbolic)"]))
        self.assertIn("rounds alike", crossing["remedy"])

    def test_in_a_sequence(self):
        nodes = [node("Neg", ["x"], ["h"], name="neg"), node("SplitToSequence", ["h", "lengths"], ["s"], name="sequence"),
                 node("SequenceAt", ["s", "first"], ["y"], name="at")]
        # What no program comes of, pieces of which nobody knows how many there are, is explained as far as it goes.
        self.explain(nodes, [value("x", FLOAT, ["n"]), value("lengths", INT64, ["k"])], [value("y", FLOAT, ["n"])],
                     [ints("first", 0, dims=[])], code=5)
        self.check("s", "host", [], reason="sequences, optionals and strings live on the host")
        self.check("h", "device", ["SplitToSequence:sequence input"], reason="x is on the device")

    def test_long_chains(self):
        # The ends of it, and how much is between them.
        names = [f"v{i}" for i in range(101)]
        nodes = [node("ReduceMax", ["x"], ["v0"], keepdims=1, name="max"),
                 *(node("Ceil" if i % 2 else "Floor", [names[i], ], [names[i + 1]], name=f"n{i}") for i in range(100)),
                 node("Cast", ["v100"], ["count"], to=INT64, name="cast"), node("ConstantOfShape", ["count"], ["y"], name="fill")]
        self.explain(nodes, [value("x", FLOAT, ["n"])], [value("y", FLOAT, None)])
        row = self.values["v0"]
        self.assertEqual((len(row["demand"]), self.step(row["demand"][0]), self.step(row["demand"][-1])),
                         (16, "Floor:n0 X", "ConstantOfShape:fill input Symbolic"))
        self.assertEqual(row["demand_steps_skipped"], 103 - 16)


if __name__ == "__main__":
    unittest.main()
