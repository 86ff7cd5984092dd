#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By which kernels a program runs, as `explain --kernels` says it."""
import json
import unittest

import numpy as np
from onnx import helper, numpy_helper

from small import Case, model, predict, read_report

node = helper.make_node


def weight(name, *dims):
    return numpy_helper.from_array(np.ones(dims, np.float32), name)


def convolutions(channels=64, size=56):
    """One of 3 x 3 taps, one of channels by themselves, one of a tap."""
    nodes = [node("Conv", ["x", "full"], ["h"], name="conv", pads=[1] * 4), node("Relu", ["h"], ["y"], name="relu"),
             node("Conv", ["y", "own"], ["z"], name="depthwise", pads=[1] * 4, group=channels),
             node("Conv", ["z", "tap"], ["out"], name="tap")]
    weights = [weight("full", channels, channels, 3, 3), weight("own", channels, 1, 3, 3), weight("tap", channels, channels, 1, 1)]
    return model(nodes, [("x", [1, channels, size, size])], [("out", None)], initializers=weights)


def attention(queries, size=64):
    nodes = [node("MatMul", ["q", "k"], ["scores"], name="scores"), node("Softmax", ["scores"], ["p"], name="softmax"),
             node("MatMul", ["p", "v"], ["y"], name="result")]
    return model(nodes, [("q", [4, queries, 64]), ("k", [4, 64, 256]), ("v", [4, 256, size])], [("y", None)])


class Kernels(Case):
    def explain(self, proto, target="cpu", *flags):
        """By nodes' names the first kernel that computes them, of those with variants the one that has these. Sets the text."""
        path = self.save(proto)
        report = read_report("explain", self.cameo("explain", path, "--target", target, *flags, "--kernels", "--json", "-").stdout)
        self.text = self.cameo("explain", path, "--target", target, *flags, "--kernels").stdout
        # Reversed and sorted: the last one stays.
        rows = sorted(reversed(report["kernels"]), key=lambda row: bool(row["ways"]))
        return {row["node"].partition(":")[2]: row for row in rows}

    def ways(self, kernel):
        return {way["name"]: way for way in kernel["ways"]}

    def test_convolutions_by_variants(self):
        kernels = self.explain(convolutions(size=112))
        taken = {name: [way for way in kernels[name]["ways"] if way["taken"]] for name in ("conv", "depthwise", "tap")}
        for name, ways in taken.items():
            self.assertEqual([way["function"] for way in ways], [kernels[name]["function"]], name)
        self.assertEqual([ways[0]["name"] for ways in taken.values()], ["conv_by_tiles_of_call", "conv_of_channels", "conv_as_defined"])
        self.assertEqual(taken["conv"][0]["choices"], {"size": 6})
        ways = self.ways(kernels["conv"])
        self.assertLess(taken["conv"][0]["picoseconds"], ways["conv_as_defined"]["picoseconds"])
        self.assertIn("groups > 1", ways["conv_of_channels"]["refused_by"])
        self.assertEqual(kernels["conv"]["nodes"], 2)  # with the Relu
        self.assertIn("    conv_of_channels: refused, it needs groups > 1", self.text)
        # Transformed weights are several times the size: by the compiler only where that saves more.
        self.assertRegex(self.text, r" us, \d+ % tile_fma, too little below what is taken")
        self.assertEqual(taken["depthwise"][0]["bound_by"], "fma")

    def test_ranges_of_open_sizes(self):
        proto = model([node("Conv", ["x", "w"], ["y"], name="conv", pads=[1] * 4)], [("x", ["n", 512, "h", "w"])], [("y", None)],
                      initializers=[weight("w", 512, 512, 3, 3)])
        path = self.save(proto)

        def rows(*flags):
            report = read_report("explain", self.cameo("explain", path, *flags, "--kernels", "--json", "-").stdout)
            return [row for row in report["kernels"] if row["ways"]]

        wide = rows()
        self.assertEqual([row["function"] for row in wide][:2], ["conv_blocked", "conv_winograd"])
        self.assertRegex(wide[0]["where"], r"^h \* w <= \d+$")
        self.assertRegex(wide[-1]["where"], r"^h \* w > \d+$")
        self.assertIn("conv_by_tiles_of_compiler", [way["name"] for row in wide for way in row["ways"] if way["taken"]])
        narrow = rows("--weights-budget", "1")
        self.assertEqual({way["refused_by"] for row in narrow for way in row["ways"] if way["name"] == "conv_by_tiles_of_compiler"},
                         {"fits_budget(4 * groups * size * size * (in_channels / groups) * stride[0] * stride[0] * align(out_channels / groups, 16))"})
        self.assertEqual(["where" in row for row in rows("--dim", "h=40", "--dim", "w=40")], [False])

    def test_variants_kept_by_a_plan(self):
        proto = model([node("Conv", ["x", "w"], ["y"], name="conv", pads=[1] * 4)], [("x", ["n", 512, "h", "w"])], [("y", None)],
                      initializers=[weight("w", 512, 512, 3, 3)])
        path = self.save(proto)
        self.cameo("explain", path, "--emit-plan", "plan.json", "--kernels")
        plan = self.folder / "plan.json"
        report = json.loads(plan.read_text())
        (kept,) = report["plan"]["variants"].values()
        self.assertEqual([kept[0]["variant"], "most" in kept[0], "most" in kept[-1]], ["conv_as_defined", True, False])

        def taken(*flags):
            found = read_report("explain", self.cameo("explain", path, "--plan", "plan.json", *flags, "--kernels", "--json", "-").stdout)
            return [(row.get("where"), way["name"], way["choices"]) for row in found["kernels"] for way in row["ways"] if way["taken"]]

        def keep(ranges, **others):
            report["plan"]["variants"] = {"Conv:conv": ranges, **others}
            plan.write_text(json.dumps(report))

        # The same program as without, and what the compiler would not have taken.
        for name, flags in (("a", []), ("b", ["--plan", "plan.json"])):
            self.cameo("compile", path, "-o", name, "--name", "net", "--no-runtime", *flags)
        self.assertEqual((self.folder / "a/net.cpp").read_text(), (self.folder / "b/net.cpp").read_text())
        small = {"variant": "conv_by_tiles_of_call", "choices": {"size": 4}}
        keep([{"variant": "conv_as_defined", "choices": {}, "most": 7}, small])
        self.assertEqual(taken(), [("h * w <= 7", "conv_as_defined", {}), ("h * w > 7", "conv_by_tiles_of_call", {"size": 4})])
        # Of constant extents that range alone.
        self.assertEqual(taken("--dim", "h=30", "--dim", "w=30"), [(None, "conv_by_tiles_of_call", {"size": 4})])
        keep([small], **{"Conv:gone": [small]})
        done = self.cameo("explain", path, "--plan", "plan.json")
        self.assertIn("the plan has variants of nodes that fit nothing in the model any more: 'Conv:gone'", done.stderr)
        for refused, why in (({"variant": "conv_of_channels", "choices": {}}, "which needs groups > 1 &&"),
                             ({"variant": "conv_as_defined", "choices": {"size": 4}}, "which there is no variant of, with these choices"),
                             ({"variant": "conv_by_magic", "choices": {}}, "which there is no variant of, with these choices")):
            keep([refused])
            done = self.cameo("compile", path, "-o", "c", "--plan", "plan.json", code=8)
            self.assertIn(f"conv: is to be computed by {refused['variant']} as the plan has it, {why}", done.stderr)
        for ranges in ([], [{"variant": "conv_as_defined"}], [dict(small, most=3)], [small, small], [dict(small, most=3), dict(small, most=2), small],
                       [dict(small, most="3"), small], "conv_as_defined", [dict(small, choices={"size": "4"})]):
            keep(ranges)
            self.assertIn("is no plan that --emit-plan has written", self.cameo("compile", path, "-o", "c", "--plan", "plan.json", code=2).stderr)

    def test_attention_in_one_call_or_not(self):
        kernel = self.explain(attention(16))["scores"]
        self.assertEqual((kernel["function"], [way["taken"] for way in kernel["ways"]]), ("attention", [True]))
        kernel = self.explain(attention(2))["softmax"]
        self.assertEqual(kernel["function"], "softmax")
        self.assertEqual([way["refused_by"] for way in kernel["ways"]], ["queries > 4"])

    def test_attention_on_a_device(self):
        kernel = self.explain(attention(16), "cuda")["scores"]
        self.assertEqual((kernel["function"], [way["taken"] for way in kernel["ways"]]), ("attention_tiles", [True]))
        kernel = self.explain(attention(16, size=63), "cuda")["softmax"]
        self.assertEqual([way["refused_by"] for way in kernel["ways"]], ["known(size) && multiple(size, 8) && size <= 128"])

    def test_what_a_device_calls_instead(self):
        proto = model([node("MatMul", ["a", "b"], ["c"], name="product")], [("a", [8, 64]), ("b", [64, 32])], [("c", None)])
        kernel = self.explain(proto, "cuda")["product"]
        self.assertEqual((kernel["in_place_of"], kernel["side"]), ("gemm", "device"))
        self.assertIn("in place of gemm", self.text)

    def test_what_factors_are_rounded_to(self):
        """On a device, of floats alone, by the words that round: of products, convolutions and attention."""
        product = model([node("MatMul", ["a", "b"], ["c"], name="product")], [("a", [8, 64]), ("b", [64, 32])], [("c", None)])
        for word in ("tf32", "bf16", "fp16"):
            kernel = self.explain(product, "cuda", "--precision", word)["product"]
            self.assertEqual((kernel["function"], kernel["factors"]), ("gemm_tiles", word))
            self.assertIn(f"gemm_tiles in place of gemm by factors rounded to {word}  MatMul:product", self.text)
        for proto, name in ((convolutions(), "conv"), (attention(16), "scores")):
            self.assertEqual(self.explain(proto, "cuda", "--precision", "tf32")[name]["factors"], "tf32")
        for flags in (("cuda",), ("cuda", "--precision", "exact"), ("cpu", "--precision", "tf32")):
            self.assertNotIn("factors", self.explain(product, *flags)["product"])
            self.assertNotIn("rounded", self.text)

    def test_times_that_are_predicted_of_a_device(self):
        """Of the function that each kernel becomes, which two calls may share. 36 keys are no attention."""
        nodes = [node("MatMul", ["x", "w"], ["a"], name="first"), node("Softmax", ["a"], ["b"], name="soft"),
                 node("MatMul", ["b", "v"], ["c"], name="second"), node("Neg", ["c"], ["y"], name="neg")]
        rng = np.random.default_rng(1)
        weights = [numpy_helper.from_array(rng.standard_normal(size).astype(np.float32), name) for name, size in zip("wv", ((64, 36), (36, 64)))]
        path = self.save(model(nodes, [("x", [8, 64])], [("y", None)], initializers=weights))
        flags = ("--target", "cuda", "--kernels", "--predicted", "times.json")
        predict(self.folder / "times.json", [])
        rows = read_report("explain", self.cameo("explain", path, *flags, "--json", "-").stdout)["kernels"]
        called = {row["node"]: row["called"] for row in rows}
        self.assertEqual({row["node"] for row in rows if "predicted" in row}, set())
        predict(self.folder / "times.json", [("H100", "90", {called["MatMul:first"]: (5.0, 2)}), ("A100", "80", {called["Softmax:soft"]: (3.0, 1)})])
        rows = read_report("explain", self.cameo("explain", path, *flags, "--json", "-").stdout)["kernels"]
        self.assertEqual({row["node"]: [(time["machine"], time["us"]) for time in row["predicted"]] for row in rows if "predicted" in row},
                         {"MatMul:first": [("H100", 2.5)], "Softmax:soft": [("A100", 3.0)],
                          **({"MatMul:second": [("H100", 2.5)]} if called["MatMul:second"] == called["MatMul:first"] else {})})
        text = self.cameo("explain", path, *flags).stdout
        self.assertIn("predicted of H100: 0.0070 ms with the gaps between kernels, 0.0010 at least", text)
        self.assertIn("    H100: 2.500 us, bound by memory\n", text)
        for refused in (("--target", "cuda", "--predicted", "times.json"), ("--target", "cpu", "--kernels", "--predicted", "times.json")):
            self.assertIn("lists none; add --kernels and --target cuda", self.cameo("explain", path, *refused, code=2).stderr)
        (self.folder / "times.json").write_text("[]")
        self.assertIn("times.json", self.cameo("explain", path, *flags, code=4).stderr)

    def test_rows_that_become_bytes_where_a_model_allows_it(self):
        def product(level):
            proto = model([node("MatMulNBits", ["x", "codes", "scales"], ["y"], name="product", domain="com.microsoft", K=64, N=8,
                                bits=4, block_size=32, accuracy_level=level)], [("x", ["n", 64])], [("y", None)],
                          initializers=[numpy_helper.from_array(np.full((8, 2, 16), 3, np.uint8), "codes"), weight("scales", 16)])
            proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
            return proto

        def function(level, target, *flags):
            return self.explain(product(level), target, *flags)["product"]["function"]
        self.assertEqual([function(level, "cpu") for level in range(5)], ["gemm_codes"] * 4 + ["gemm_codes_bytes"])
        self.assertEqual([function(4, "cpu", "--precision", how) for how in ("tf32", "strict", "exact")],
                         ["gemm_codes_bytes", "gemm_codes", "gemm_codes"])
        self.assertEqual(function(4, "cuda"), "gemm_codes_tiles")

    def test_a_loop_over_elements(self):
        kernel = self.explain(model([node("Neg", ["x"], ["y"], name="neg")], [("x", ["n"])], [("y", ["n"])]))["neg"]
        self.assertEqual((kernel.get("function"), kernel["ways"], kernel["type"]["shape"]), (None, [], [{"expr": "n"}]))
        self.assertIn("loop over elements  Neg:neg -> float32[n]", self.text)


if __name__ == "__main__":
    unittest.main()
