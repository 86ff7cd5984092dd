#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cameo bench: the report, the profile, what it refuses."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper

from small import CAMEO, Case, model, predict, read_report

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench/gpu"))
import build  # noqa: E402

# Quick to build and to run.
QUICK = ["--seconds", "0.02", "--cxxflags", "-O1"]
EMULATOR = ["--target", "cuda-emu"]
# Microseconds that sums of times by events are off by.
ROUNDED = 1
KEYS = {"schema", "model", "target", "cpu", "cxxflags", "emulated", "min_ms", "median_ms", "p99_ms", "runs", "threads", "arena_bytes",
        "arena_lower_bound", "weights_bytes", "text_bytes", "compile_s", "build_s"}


def layers():
    """Two products with a Softmax between them, which is no attention: keys are no multiple of 8. 3 values that are never
    all alive."""
    rng = np.random.default_rng(1)
    weights = [numpy_helper.from_array(rng.standard_normal(dims).astype(np.float32), name) for name, dims in (("v", (32, 36)), ("w", (36, 32)))]
    nodes = [helper.make_node("MatMul", ["x", "v"], ["a"], name="first"),
             helper.make_node("Softmax", ["a"], ["b"], name="soft"),
             helper.make_node("MatMul", ["b", "w"], ["y"], name="second")]
    return model(nodes, [("x", ["n", 32])], [("y", ["n", 32])], initializers=weights)


def growth(trips):
    """A loop of one kernel."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["again"]), helper.make_node("Exp", ["s"], ["t"], name="grow")], "body",
        [helper.make_tensor_value_info("k", 7, []), helper.make_tensor_value_info("go", 9, []),
         helper.make_tensor_value_info("s", 1, [400])],
        [helper.make_tensor_value_info("again", 9, []), helper.make_tensor_value_info("t", 1, [400])])
    return model([helper.make_node("Loop", ["trips", "", "x"], ["y"], body=body)], [("x", [400])], [("y", [400])],
                 initializers=[helper.make_tensor("trips", 7, [], [trips])])


def guarded_growth(trips):
    """The same while floats are small that the device counts in."""
    info = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Exp", ["s"], ["t"], name="grow"), helper.make_node("Add", ["n", "one"], ["m"], name="count"),
         helper.make_node("ReduceMax", ["m"], ["top"], keepdims=0), helper.make_node("Less", ["top", "most"], ["again"])], "body",
        [info("k", 7, []), info("go", 9, []), info("s", 1, [400]), info("n", 1, [400])],
        [info("again", 9, []), info("t", 1, [400]), info("m", 1, [400])])
    constants = [helper.make_tensor("one", 1, [], [1]), helper.make_tensor("most", 1, [], [trips])]
    return model([helper.make_node("Loop", ["", "", "x", "start"], ["y", "n_out"], body=body)], [("x", [400]), ("start", [400])],
                 [("y", [400])], initializers=constants)


class Bench(Case):
    def bench(self, *arguments, path=None):
        done = self.cameo("bench", path or self.model, *arguments, *QUICK, "--json", "-")
        return read_report("bench", done.stdout)

    def test_report(self):
        report = self.bench("--dim", "n=8", path=self.save(layers(), "layers.onnx"))
        self.assertEqual(set(report), KEYS)
        self.assertTrue(0 < report["min_ms"] <= report["median_ms"] <= report["p99_ms"], report)
        self.assertGreaterEqual(report["runs"], 3)
        self.assertEqual(report["threads"], 1)
        self.assertRegex(report["cpu"], r"^[a-z]")
        self.assertEqual(report["cxxflags"], "-O1")
        self.assertGreaterEqual(report["weights_bytes"], 2 * 32 * 36 * 4)
        self.assertGreater(report["text_bytes"], 100)

    def test_arena_follows_the_extents(self):
        path = self.save(layers(), "layers.onnx")
        few, many = (self.bench("--dim", f"n={n}", path=path) for n in (2, 200))
        for report, rows in ((few, 2), (many, 200)):
            # A product's result and its operand are alive at once, but for what is an output.
            self.assertGreaterEqual(report["arena_lower_bound"], rows * 32 * 4)
            self.assertGreaterEqual(report["arena_bytes"], report["arena_lower_bound"])
        # Without --dim the same code runs with the dim of what is given.
        np.save(self.folder / "x.npy", np.ones((200, 32), np.float32))
        given = self.bench("--in", f"x={self.folder / 'x.npy'}", path=path)
        self.assertEqual(given["arena_bytes"], many["arena_bytes"])
        self.assertEqual(given["arena_lower_bound"], many["arena_lower_bound"])

    def test_arena_of_late_sizes_is_not_known(self):
        proto = model([helper.make_node("NonZero", ["x"], ["i"]), helper.make_node("Cast", ["i"], ["f"], to=1),
                       helper.make_node("Softmax", ["f"], ["s"]), helper.make_node("Exp", ["s"], ["y"])],
                      [("x", ["n", 4])], [("y", [2, "m"])])
        report = self.bench("--dim", "n=4", path=self.save(proto, "late.onnx"))
        self.assertIsNone(report["arena_lower_bound"])

    def test_profile(self):
        report = self.bench("--dim", "n=8", "--profile", "--percentiles", "0,50,100", "--samples", "--trace", "trace.json",
                            "--node-data", "time.json", "--node-data", "flops=flops.json", path=self.save(layers(), "layers.onnx"))
        self.assertEqual(set(report), KEYS | {"profile", "roofline", "by_node", "percentiles", "samples_ms"})
        self.assertEqual(len(report["samples_ms"]), report["runs"])
        self.assertEqual([row["ms"] for row in report["percentiles"]],
                         [report["min_ms"], report["median_ms"], max(report["samples_ms"])])
        self.check_views(report)
        rows = {row["kernel"]: row for row in report["profile"]}
        self.assertEqual(set(rows), {"first", "soft", "second"})
        for name in ("first", "second"):
            self.assertEqual(rows[name]["flops"], 2 * 8 * 32 * 36)
        # Columns of a constant matrix come in blocks of 16.
        self.assertEqual([rows[name]["bytes"] for name in ("first", "second")],
                         [(8 * 32 + 32 * 48 + 8 * 36) * 4, (8 * 36 + 36 * 32 + 8 * 32) * 4])
        self.assertEqual(rows["soft"]["flops"], 0)
        for row in rows.values():
            self.assertEqual(row["calls"], 1)
            self.assertGreater(row["roofline"], 0)
            # A share of a roof that was measured on this machine, in the same process.
            self.assertLess(row["roofline"], 3)
        self.assertLessEqual(sum(row["ms"] for row in rows.values()), report["p99_ms"])
        roof = report["roofline"]
        self.assertGreater(roof["flops_per_s"], 1e9)
        self.assertEqual([level["name"] for level in roof["levels"]], ["L1", "L2", "L3", "memory"])
        self.assertTrue(all(level["bytes_per_s"] > 1e8 for level in roof["levels"]), roof)

    def check_views(self, report):
        """By node, as a trace and as node data it is the same run."""
        rows = {tuple(node["name"] for node in row["nodes"]): row for row in report["by_node"]}
        self.assertEqual(set(rows), {("first",), ("soft",), ("second",)})
        self.assertLessEqual(sum(row["ms"] for row in rows.values()), report["min_ms"] * 1.001)
        trace = json.loads((self.folder / "trace.json").read_text())
        thread, run, *kernels = trace["traceEvents"]
        self.assertEqual((thread["ph"], run["name"], trace["otherData"]["calls_left_out"]), ("M", "run", 0))
        self.assertEqual([event["args"]["nodes"] for event in kernels], ["MatMul:first", "Softmax:soft", "MatMul:second"])
        end = 0
        for event, row in zip(kernels, rows.values()):
            self.assertGreaterEqual(event["ts"], end)
            end = event["ts"] + event["dur"]
            self.assertAlmostEqual(event["dur"], row["ms"] * 1000)
        self.assertLessEqual(end, run["dur"])
        for name, key in (("time", "ms"), ("flops", "flops")):
            data = json.loads((self.folder / f"{name}.json").read_text())
            self.assertEqual({node: value["value"] for node, value in data["results"].items()},
                             {node: row[key] for (node,), row in rows.items()})
            self.assertEqual([stop["stop"] for stop in data["gradient"]], [0, 1])

    def test_a_kernel_of_several_nodes(self):
        """Two that are one function are told apart by their order, unless a branch decides."""
        nodes = [helper.make_node(op, [a], [b], name=op + b) for op, a, b in
                 (("Softmax", "x", "a"), ("Exp", "a", "b"), ("Softmax", "b", "c"), ("Exp", "c", "y"))]
        report = self.bench("--profile", path=self.save(model(nodes, [("x", [4, 32])], [("y", [4, 32])]), "twice.onnx"))
        shared = [row for row in report["profile"] if row["calls"] == 2]
        self.assertTrue(shared, report["profile"])
        for row in shared:
            apart = [each for each in report["by_node"] if each["kernel"] == row["kernel"]]
            self.assertEqual(([each["calls"] for each in apart], len({str(each["nodes"]) for each in apart})), ([1, 1], 2))

    def test_profile_counts_calls_of_a_loop(self):
        report = self.bench("--profile", path=self.save(growth(trips=5), "loop.onnx"))
        self.assertEqual([row["calls"] for row in report["by_node"] if row["nodes"][0]["name"].endswith("grow")], [5])
        self.assertIn(5, [row["calls"] for row in report["profile"] if "grow" in row["kernel"]], report["profile"])

    def test_text(self):
        text = self.cameo("bench", self.model, *QUICK, "--profile").stdout
        self.assertIn("100.0%  Neg:neg\n", text)
        for word in ("ms at least", "built with -O3 -O1", "roofline:", "GFLOP/s", " neg_1\n"):
            self.assertIn(word, text)
        self.assertIn("-march=native", self.cameo("bench", self.model, "--seconds", "0.01").stdout)

    def test_refusals(self):
        (self.folder / "times.json").write_text("{}")
        for flags in (["--profile"], ["--target", "cuda-emu"]):
            done = self.cameo("bench", self.model, *flags, "--predicted", "times.json", code=2)
            self.assertIn("--predicted", done.stderr)
        done = self.cameo("bench", self.model, *EMULATOR, "--profile", "--predicted", "times.json", code=4)
        self.assertIn("no list of machines", done.stderr)
        self.cameo("bench", self.model, "--seconds", "0", code=2)
        self.assertIn("time=FILE", self.cameo("bench", self.model, "--node-data", "speed=x.json", code=2).stderr)

    def test_profile_on_the_emulator(self):
        """Kernels by events, beside predicted times; what they move and compute is what the host's are told to."""
        path = self.save(layers(), "layers.onnx")
        predict(self.folder / "times.json", [("H100", "90", {"first": (2.5, 1), "soft": (1.5, 1)}), ("A100", "80", {"first": (5, 1)})])
        report = self.bench("--dim", "n=8", *EMULATOR, "--profile", "--predicted", "times.json", "--trace", "trace.json", path=path)
        self.assertEqual(set(report), KEYS | {"device", "predicted", "profile", "by_node"})
        self.assertTrue(report["emulated"])
        self.assertEqual(report["device"]["arch"], "sm_90")
        self.assertEqual(report["predicted"], {"machine": "H100", "ms": 0.007, "limit_ms": 0.001})
        rows = {row["kernel"]: row for row in report["profile"]}
        self.assertEqual({name: row.get("predicted_ms") for name, row in rows.items()}, {"first": 0.0025, "soft": 0.0015, "second": None})
        self.assertEqual({name: row["flops"] for name, row in rows.items()}, {"first": 2 * 8 * 32 * 36, "soft": 0, "second": 2 * 8 * 32 * 36})
        self.assertEqual({row["calls"] for row in rows.values()}, {1})
        trace = json.loads((self.folder / "trace.json").read_text())
        _, run, *kernels = trace["traceEvents"]
        self.assertEqual([event["args"]["nodes"] for event in kernels], ["MatMul:first", "Softmax:soft", "MatMul:second"])
        end = 0
        for event in kernels:
            self.assertGreater(event["dur"], 0)
            self.assertGreaterEqual(event["ts"], end - ROUNDED)
            end = event["ts"] + event["dur"]
        self.assertLessEqual(end, run["dur"] + ROUNDED)
        text = self.cameo("bench", path, "--dim", "n=8", *EMULATOR, *QUICK, "--profile", "--predicted", "times.json").stdout
        self.assertTrue(text.startswith("these are times of the emulator"), text)
        self.assertIn("predicted of H100: 0.0070 ms", text)
        self.assertRegex(text, r" 0\.0025  first\n")
        self.assertRegex(text, r" -  second\n")

    def test_predictions_for_other_devices_are_said(self):
        predict(self.folder / "times.json", [("A100", "80", {"neg_1": (5, 1)})])
        report = self.bench(*EMULATOR, "--profile", "--predicted", "times.json")
        self.assertNotIn("predicted", report)
        text = self.cameo("bench", self.model, *EMULATOR, *QUICK, "--profile", "--predicted", "times.json").stdout
        self.assertIn("only of A100 (sm_80)", text)

    def test_a_loop_of_the_device_is_profiled_by_its_kernels(self):
        """As often as they run, though without a profile the loop is a node of a graph."""
        np.save(self.folder / "start.npy", np.zeros(400, np.float32))
        report = self.bench(*EMULATOR, "--profile", "--in", "start=start.npy", path=self.save(guarded_growth(trips=5), "loop.onnx"))
        self.assertEqual([row["calls"] for row in report["by_node"] if row["nodes"] and row["nodes"][0]["name"] == "grow"], [5])

    # Without a CUDA toolkit programs for a device cannot be built.
    @unittest.skipUnless(build.find_nvcc(), "no nvcc")
    def test_without_a_device_it_is_built_and_says_so(self):
        """Where there is a device the same is a profile."""
        done = subprocess.run([CAMEO, "bench", self.model, "--target", "cuda", "--profile", *QUICK], capture_output=True, text=True,
                              env=dict(os.environ, NVCC=build.find_nvcc()))
        if done.returncode == 0:
            self.assertIn("kernels by events", done.stdout)
        else:
            self.assertEqual((done.returncode, done.stdout), (8, ""), done.stderr)
            self.assertRegex(done.stderr, "no CUDA driver|no device")

    # Without a CUDA toolkit programs for a device cannot be built.
    @unittest.skipUnless(build.find_nvcc(), "no nvcc")
    def test_a_device_that_is_too_old_is_said(self):
        """By a compiler that takes this machine's device for one of sm_75."""
        real, fake = Path(build.find_nvcc()).resolve(), self.folder / "bin/nvcc"
        fake.parent.mkdir()
        (self.folder / "include").symlink_to(real.parents[1] / "include")
        fake.write_text(f'#!/bin/bash\nexec {real} "${{@/-arch=native/-arch=sm_75}}"\n')
        fake.chmod(0o755)
        path, env = self.save(layers(), "layers.onnx"), dict(os.environ, NVCC=str(fake))
        done = self.cameo("bench", path, "--dim", "n=8", "--target", "cuda", *QUICK, code=5, env=env)
        self.assertIn("device is too old for; --precision exact", done.stderr)
        exact = subprocess.run([CAMEO, "bench", path, "--dim", "n=8", "--target", "cuda", "--precision", "exact", *QUICK],
                               capture_output=True, text=True, env=env)
        self.assertIn(exact.returncode, (0, 8), exact.stderr)

    def test_runs_that_fail_are_said(self):
        proto = model([helper.make_node("Gather", ["x", "i"], ["y"], name="pick")], [("x", ["n", 2])], [("y", ["m", 2])],
                      initializers=[helper.make_tensor("i", 7, [1], [5])])
        done = self.cameo("bench", self.save(proto, "gather.onnx"), *QUICK, code=8)
        self.assertIn("OUT_OF_RANGE", done.stderr)


if __name__ == "__main__":
    unittest.main()
