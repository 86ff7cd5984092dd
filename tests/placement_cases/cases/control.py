# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If, Loop and Scan: what is captured and carried keeps its side, conditions of the device cost little or nothing."""
import numpy as np
from declare import Data, Variant, case, device, host, ints, scalar
from graph import BOOL, FLOAT, INT64, STRING, Graph, normal, random
from onnx import helper

WIDTH = 8


def body_of(g, name, *carried):
    """A Loop's body with its counter, condition and carried values; the condition goes through."""
    body = g.sub(name)
    body.input(f"{name}_i", INT64, [])
    body.input(f"{name}_go", BOOL, [])
    for value, dtype, dims in carried:
        body.input(value, dtype, dims)
    return body


def keeps_going(body, name):
    body.output(body.op("Identity", f"{name}_go"), BOOL, [])


def branch(g, name, *results):
    """A branch whose results `(function, dtype, dims)` add to."""
    sub = g.sub(name)
    for make, dtype, dims in results:
        sub.output(sub.op("Identity", make(sub)), dtype, dims)
    return sub.proto()


def first_dim(g, value):
    return g.op("Gather", g.op("Shape", value), g.const([0]), axis=0)


@case(10, "a dim captured by the body of a Loop and by the branches of an If", "0/0", h2d=0)
def captured_dim():
    rng = random("captured_dim")
    g = Graph("captured_dim")
    g.input("x", FLOAT, ["n", 4])
    rows = first_dim(g, "x")
    body = body_of(g, "loop", ("state", FLOAT, [None, None]))
    keeps_going(body, "loop")
    turned = body.op("Reshape", body.op("Transpose", "state"), body.op("Concat", rows, body.const([4]), axis=0))
    body.output(body.op("Add", turned, body.const(0.5)), FLOAT, [None, None])
    g.op("Loop", g.const(3), g.const(True), "x", out="y", body=body.proto())
    g.output("y", FLOAT, ["n", 4])
    data = [Data({"x": normal(rng, n, 4)}, device("x")) for n in (3, 1, 50)]
    yield Variant(g.model(), data, name="Loop", sides={"x": "device", "y": "device"})

    g = Graph("captured_by_if")
    g.input("x", FLOAT, ["n", 4])
    g.input("flag", BOOL, [])
    rows = first_dim(g, "x")

    def shaped(first, last):
        return lambda s: s.op("Reshape", "x", s.op("Concat", *first(s), *last(s), axis=0))

    g.op("If", "flag", out="y",
         then_branch=branch(g, "then", (shaped(lambda s: [s.const([-1])], lambda s: [rows]), FLOAT, [None, None])),
         else_branch=branch(g, "else", (shaped(lambda s: [rows], lambda s: [s.const([-1])]), FLOAT, [None, None])))
    g.output(g.op("Relu", "y", out="z"), FLOAT, [None, None])
    data = [Data({"x": normal(rng, n, 4), "flag": scalar(flag, bool)}, {**device("x"), **host("flag")})
            for n, flag in [(3, True), (3, False), (1, True), (20, False)]]
    yield Variant(g.model(), data, name="If", sides={"x": "device", "flag": "host"})


@case(11, "an integer carried by a Loop and by a Scan, one more each time, ends a Slice", "0/0", h2d=0)
def carried_integer():
    rng = random("carried_integer")
    g = Graph("carried_integer")
    g.input("x", FLOAT, ["n"])
    g.input("trips", INT64, [])
    body = body_of(g, "loop", ("end", INT64, [1]), ("total", FLOAT, []))
    keeps_going(body, "loop")
    body.output(body.op("Add", "end", body.const([1]), out="next_end"), INT64, [1])
    part = body.op("Slice", "x", body.const([0]), "end", body.const([0]))
    body.output(body.op("Add", "total", body.op("ReduceSum", part, keepdims=0)), FLOAT, [])
    g.op("Loop", "trips", g.const(True), g.const([1]), g.const(0.0), out=["end_at", "sum"], body=body.proto())
    g.output("end_at", INT64, [1])
    g.output("sum", FLOAT, [])
    data = [Data({"x": normal(rng, n), "trips": scalar(trips)}, {**device("x"), **host("trips")})
            for n, trips in [(5, 4), (100, 7), (3, 0), (2, 6)]]
    yield Variant(g.model(), data, name="Loop", sides={"x": "device", "next_end": "host both"})

    g = Graph("carried_by_scan")
    g.input("x", FLOAT, ["n"])
    g.input("steps", FLOAT, ["t"])
    body = g.sub("scan")
    body.input("end", INT64, [1])
    body.input("step", FLOAT, [])
    body.output(body.op("Add", "end", body.const([1]), out="next_end"), INT64, [1])
    part = body.op("Slice", "x", body.const([0]), "end", body.const([0]))
    body.output(body.op("Mul", "step", body.op("ReduceSum", part, keepdims=0)), FLOAT, [])
    g.op("Scan", g.const([1]), "steps", out=["end_at", "sums"], body=body.proto(), num_scan_inputs=1)
    g.output("end_at", INT64, [1])
    g.output("sums", FLOAT, ["t"])
    data = [Data({"x": normal(rng, n), "steps": normal(rng, t)}, device("x", "steps"))
            for n, t in [(5, 4), (100, 7), (2, 6), (1, 1)]]
    yield Variant(g.model(), data, name="Scan", sides={"x": "device", "next_end": "host both"})


@case(12, "one operator with a result like a shape and one of data", "0/0", h2d=0)
def both_results():
    rng = random("both_results")
    g = Graph("split_shape")
    g.input("x", FLOAT, ["a", "b", 4])
    head, tail = g.op("Split", g.op("Shape", "x"), g.const([1, 2]), out=2, axis=0)
    scaled = g.op("Mul", "x", g.op("Cast", g.op("Gather", tail, g.const([1]), axis=0), to=FLOAT))
    g.output(g.op("Reshape", scaled, g.op("Concat", head, g.const([-1]), axis=0), out="y"), FLOAT, ["a", None])
    yield Variant(g.model(), [Data({"x": normal(rng, a, b, 4)}, device("x")) for a, b in [(2, 3), (1, 1), (9, 50)]],
                  name="Split")

    g = Graph("topk_of_shape")
    g.input("x", FLOAT, ["a", "b"])
    sizes = g.op("Shape", "x")
    _, order = g.op("TopK", sizes, g.const([2]), out=["unused", "order"], axis=0)
    table = g.const(normal(rng, 2, 3))
    g.output(g.op("Reshape", "x", g.op("Gather", sizes, order, axis=0), out="y"), FLOAT, [None, None])
    g.output(g.op("Gather", table, order, axis=0, out="rows"), FLOAT, [2, 3])
    yield Variant(g.model(), [Data({"x": normal(rng, *shape)}, device("x")) for shape in [(2, 3), (7, 1), (50, 20)]],
                  name="TopK")

    g = Graph("if_with_both")
    g.input("x", FLOAT, ["a", "b"])
    g.input("flag", BOOL, [])
    sizes = g.op("Shape", "x")
    results = [[(lambda s, at=at: s.op("Gather", sizes, s.const([at]), axis=0), INT64, [1]),
                (lambda s, op=op: s.op(op, "x"), FLOAT, ["a", "b"])] for at, op in [(0, "Neg"), (1, "Abs")]]
    count, bent = g.op("If", "flag", out=2, then_branch=branch(g, "then", *results[0]),
                       else_branch=branch(g, "else", *results[1]))
    g.output(g.op("Reshape", bent, g.op("Concat", count, g.const([-1]), axis=0), out="y"), FLOAT, [None, None])
    data = [Data({"x": normal(rng, *shape), "flag": scalar(flag, bool)}, {**device("x"), **host("flag")})
            for shape, flag in [((2, 3), True), ((2, 3), False), ((1, 9), True), ((30, 7), False)]]
    yield Variant(g.model(), data, name="If")

    g = Graph("loop_with_both")
    g.input("x", FLOAT, ["n"])
    body = body_of(g, "loop", ("count", INT64, [1]), ("state", FLOAT, ["n"]))
    keeps_going(body, "loop")
    body.output(body.op("Mul", "count", body.const([2])), INT64, [1])
    body.output(body.op("Mul", "state", body.const(0.5)), FLOAT, ["n"])
    count, state = g.op("Loop", g.const(3), g.const(True), g.const([1]), "x", out=2, body=body.proto())
    g.output(g.op("Reshape", state, g.op("Concat", count, g.const([-1]), axis=0), out="y"), FLOAT, [None, None])
    yield Variant(g.model(), [Data({"x": normal(rng, n)}, device("x")) for n in (8, 80, 160)], name="Loop")


@case(31, "If on a scalar of the device with cheap branches: a select", "0/0", h2d=0)
def select():
    rng = random("select")
    g = Graph("select")
    g.input("x", FLOAT, ["n", WIDTH])
    high = g.op("Greater", g.op("ReduceMean", "x", keepdims=0), g.const(0.0), out="high")
    g.op("If", high, out="y", then_branch=g.branch("then", FLOAT, "Neg", "x"),
         else_branch=g.branch("else", FLOAT, "Abs", "x"))
    g.output("y", FLOAT, ["n", WIDTH])
    data = [Data({"x": normal(rng, n, WIDTH) + np.float32(shift)}, device("x"))
            for n, shift in [(3, 2), (3, -2), (1, 2), (0, 0), (60, -1)]]
    yield Variant(g.model(), data, sides={"high": "device", "y": "device"})

    # Only the branch that is taken may raise: the other has the bad index as well.
    g = Graph("select_raising")
    g.input("x", FLOAT, ["n", WIDTH])
    g.input("row", INT64, [1])
    high = g.op("Greater", g.op("ReduceMean", "x", keepdims=0), g.const(0.0))
    rows = g.op("Add", "row", g.op("Cast", high, to=INT64))
    g.op("If", high, out="y", then_branch=branch(g, "then", (lambda s: s.op("Gather", "x", rows), FLOAT, [1, WIDTH])),
         else_branch=branch(g, "else", (lambda s: s.op("ReduceSum", "x", s.const([0])), FLOAT, [1, WIDTH])))
    g.output("y", FLOAT, [1, WIDTH])
    data = [Data({"x": normal(rng, n, WIDTH) + np.float32(shift), "row": ints(row)}, device("x", "row"), status=status)
            for n, shift, row, status in [(4, 3, 1, ""), (4, -3, 77, ""), (4, 3, 77, "OUT_OF_RANGE"), (4, -3, 0, "")]]
    yield Variant(g.model(), data, name="raising")


@case(32, "If on a scalar of the device with heavy branches", "1/1", h2d=0)
def heavy_branches():
    rng = random("heavy_branches")
    g = Graph("heavy_branches")
    g.input("x", FLOAT, ["n", 64])
    weights = [g.const(normal(rng, 64, 64, scale=0.1)) for _ in range(6)]

    def network(chosen, bend):
        def make(s):
            value = "x"
            for weight in chosen:
                value = s.op(bend, s.op("MatMul", value, weight))
            return value
        return make

    high = g.op("Greater", g.op("ReduceMean", "x", keepdims=0), g.const(0.0))
    g.op("If", high, out="y", then_branch=branch(g, "then", (network(weights[:3], "Relu"), FLOAT, ["n", 64])),
         else_branch=branch(g, "else", (network(weights[3:], "Tanh"), FLOAT, ["n", 64])))
    g.output("y", FLOAT, ["n", 64])
    data = [Data({"x": normal(rng, n, 64) + np.float32(shift)}, device("x")) for n, shift in [(3, 1), (3, -1), (40, 1)]]
    yield Variant(g.model(), data, limits={"d2h_bytes": 4})


@case(33, "exporters' idiom: squeeze the second dim if it is 1", "0/0", h2d=0)
def squeeze_if_one():
    rng = random("squeeze_if_one")
    for columns in (1, "c"):
        g = Graph("squeeze_if_one")
        g.input("x", FLOAT, ["n", columns])
        second = g.op("Gather", g.op("Shape", "x"), g.const(1), axis=0)
        value = g.op("If", g.op("Equal", second, g.const(1)),
                     then_branch=branch(g, "then", (lambda s: s.op("Squeeze", "x", s.const([1])), FLOAT, None)),
                     else_branch=branch(g, "else", (lambda s: s.op("Identity", "x"), FLOAT, None)))
        g.output(g.op("ReduceMax", g.op("Tanh", value), keepdims=0, out="y"), FLOAT, [])
        data = [Data({"x": normal(rng, n, c)}, device("x"))
                for n in (2, 7, 1) for c in ([1, 4] if columns == "c" else [columns])]
        yield Variant(g.model(), data, name=f"dim-{columns}")


@case(34, "four times the same network, the image carried", "0/0", h2d=0)
def repeated_network():
    rng = random("repeated_network")
    g = Graph("repeated_network")
    g.input("image", FLOAT, [1, 2, "h", "w"])
    weight = g.const(normal(rng, 2, 2, 3, 3, scale=0.3))
    body = body_of(g, "loop", ("state", FLOAT, [1, 2, "h", "w"]))
    keeps_going(body, "loop")
    body.output(body.op("Relu", body.op("Conv", "state", weight, pads=[1] * 4)), FLOAT, [1, 2, "h", "w"])
    g.op("Loop", g.const(4), g.const(True), "image", out="y", body=body.proto())
    g.output("y", FLOAT, [1, 2, "h", "w"])
    yield Variant(g.model(), [Data({"image": normal(rng, 1, 2, h, w)}, device("image"))
                              for h, w in [(4, 5), (1, 1), (20, 9)]], sides={"image": "device", "y": "device"})


@case(35, "Loop until a condition of the device is false", "0/0", h2d=0)
def until_device_says():
    rng = random("until_device_says")
    g = Graph("until_device_says")
    g.input("x", FLOAT, ["n"])
    body = body_of(g, "loop", ("state", FLOAT, ["n"]))
    grown = body.op("Mul", "state", body.const(2.0))
    largest = body.op("ReduceMax", grown, keepdims=0)
    body.output(body.op("Less", largest, body.const(1000.0)), BOOL, [])
    body.output(grown, FLOAT, ["n"])
    g.op("Loop", "", g.const(True), "x", out="y", body=body.proto())
    g.output("y", FLOAT, ["n"])
    data = []
    for n, start in [(3, 300), (50, 40), (7, 0.9)]:  # 2, 5, 11 iterations
        x = rng.uniform(0.5, 1, n).astype(np.float32)
        x[0] = 1
        data.append(Data({"x": x * np.float32(start)}, device("x")))
    yield Variant(g.model(), data)


@case(36, "a Loop that looks up strings, then an encoder on the device", "0/0", h2d=1)
def tokenizer_loop():
    rng = random("tokenizer_loop")
    words = ["a", "bee", "sea", "deep"]
    g = Graph("tokenizer_loop")
    g.input("words", STRING, ["n"])
    body = body_of(g, "loop")
    keeps_going(body, "loop")
    word = body.op("Gather", "words", "loop_i", axis=0)
    body.output(body.op("LabelEncoder", word, domain="ai.onnx.ml", keys_strings=words, values_int64s=range(4),
                        default_int64=0), INT64, [])
    count = g.op("Squeeze", g.op("Shape", "words"))
    ids = g.op("Loop", count, g.const(True), body=body.proto())
    table, weights = normal(rng, 4, WIDTH), normal(rng, WIDTH, 3)
    vectors = g.op("Gather", g.const(table), ids, axis=0)
    g.output(g.op("MatMul", vectors, g.const(weights), out="y"), FLOAT, ["n", 3])
    model = helper.make_model(g.proto(), ir_version=10,
                              opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 4)])
    yield Variant(model, [Data({"words": np.array(words[:n], object)}) for n in (2, 4, 1)],
                  oracle=lambda i: [table[[words.index(word) for word in i["words"]]] @ weights])


@case(37, "an image through If on a flag of the host, then a network", "0/0", h2d=0)
def flagged_image():
    rng = random("flagged_image")
    g = Graph("flagged_image")
    g.input("image", FLOAT, [1, 3, "h", "w"])
    g.input("flag", BOOL, [])
    mean = g.const(normal(rng, 1, 3, 1, 1))
    g.op("If", "flag", out="ready",
         then_branch=branch(g, "then", (lambda s: s.op("Mul", s.op("Sub", "image", mean), s.const(0.25)), FLOAT,
                                        [1, 3, "h", "w"])),
         else_branch=branch(g, "else", (lambda s: s.op("Identity", "image"), FLOAT, [1, 3, "h", "w"])))
    weight = g.const(normal(rng, 4, 3, 3, 3, scale=0.3))
    g.output(g.op("Conv", "ready", weight, pads=[1] * 4, out="y"), FLOAT, [1, 4, "h", "w"])
    data = [Data({"image": normal(rng, 1, 3, h, w), "flag": scalar(flag, bool)}, {**device("image"), **host("flag")})
            for h, w, flag in [(5, 6, True), (5, 6, False), (1, 1, True), (31, 17, False)]]
    yield Variant(g.model(), data, sides={"image": "device", "ready": "device", "flag": "host"})


@case(58, "If on a flag of the host gives one of two shapes, for a Reshape behind it", "0/0", h2d=0)
def chosen_shape():
    rng = random("chosen_shape")
    g = Graph("chosen_shape")
    for name in ("a", "b"):
        g.input(name, FLOAT, [f"{name}0", f"{name}1"])
    g.input("x", FLOAT, ["n"])
    g.input("flag", BOOL, [])
    shape = g.op("If", "flag", then_branch=branch(g, "then", (lambda s: s.op("Shape", "a"), INT64, [2])),
                 else_branch=branch(g, "else", (lambda s: s.op("Shape", "b"), INT64, [2])))
    g.output(g.op("Tanh", g.op("Reshape", "x", shape), out="y"), FLOAT, [None, None])
    data = [Data({"a": np.zeros(a, np.float32), "b": np.zeros(b, np.float32), "x": normal(rng, a[0] * a[1]),
                  "flag": scalar(flag, bool)}, {**device("a", "b", "x"), **host("flag")})
            for a, b, flag in [((2, 6), (3, 4), True), ((2, 6), (3, 4), False), ((0, 3), (9, 0), True), ((1, 40), (8, 5), False)]]
    yield Variant(g.model(), data)


@case(59, "Scan over a shape carries the product of the dims", "0/0", h2d=0)
def scanned_shape():
    rng = random("scanned_shape")
    g = Graph("scanned_shape")
    g.input("x", FLOAT, ["a", "b", "c"])
    body = g.sub("scan")
    body.input("product", INT64, [1])
    body.input("extent", INT64, [])
    product = body.op("Mul", "product", "extent")
    body.output(product, INT64, [1])
    g.op("Scan", g.const([1]), g.op("Shape", "x"), out="all", body=body.proto(), num_scan_inputs=1)
    g.output(g.op("Reshape", g.op("Neg", "x"), "all", out="y"), FLOAT, [None])
    yield Variant(g.model(), [Data({"x": normal(rng, *shape)}, device("x"))
                              for shape in [(2, 3, 4), (1, 1, 1), (0, 3, 2), (5, 7, 2)]], sides={"x": "device"})
