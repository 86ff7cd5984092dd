#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""verify and run: right data passes, wrong data fails and is located, builds are used again."""
import io
import os
import shutil
import subprocess
import sys
import time
import unittest
import zipfile
import xml.etree.ElementTree as xml
from pathlib import Path

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from small import CAMEO, Case, model, read_report


X = np.float32([[1, -2], [3, 4], [5, np.nan]])


class Verify(Case):
    def verify(self, *flags, code=0):
        report = self.folder / "report.json"
        self.cameo("verify", self.model, "--json", report, *flags, code=code)
        return read_report("verify", report)

    def test_right(self):
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("test_data_set_10", [X[:1]], [-X[:1]])
        self.save_data("test_data_set_2", [X[:0]], [-X[:0]])
        report = self.verify()
        self.assertTrue(report["passed"])
        self.assertEqual([c["data"] for c in report["cases"]],
                         ["test_data_set_0", "test_data_set_2", "test_data_set_10"])
        self.assertEqual(report["cases"][0]["status"]["code"], "OK")
        self.assertEqual(report["cases"][0]["outputs"][0]["name"], "y")
        self.assertEqual(report["cases"][0]["counters"]["h2d"], 0)
        self.assertLess(self.verify()["build_s"], 0.5)

    def test_wrong_element(self):
        wrong = -X
        wrong[1, 0] += 0.5
        self.save_data("test_data_set_0", [X], [wrong])
        report = self.verify(code=8)
        (output,) = report["cases"][0]["outputs"]
        self.assertEqual((output["passed"], output["worst_index"], output["max_abs"]), (False, [1, 0], 0.5))
        self.assertTrue(self.verify("--atol", "0.6")["passed"])

    def test_strings(self):
        node = helper.make_node("LabelEncoder", ["x"], ["y"], domain="ai.onnx.ml", keys_strings=["a", "b"], values_strings=["A", "ß"])
        proto = helper.make_model(helper.make_graph([node], "tiny", *(
            [helper.make_tensor_value_info(name, TensorProto.STRING, ["n"])] for name in "xy")), ir_version=10,
            opset_imports=[helper.make_opsetid("ai.onnx.ml", 4), helper.make_opsetid("", 21)])
        self.save(proto)
        folder = self.save_data("test_data_set_0", [], [])

        def write(name, *texts):
            (folder / name).write_bytes(numpy_helper.from_array(np.array(texts, object)).SerializeToString())

        write("input_0.pb", "b", "", "a")
        write("output_0.pb", "ß", "_Unused", "A")
        self.assertTrue(self.verify()["passed"])
        write("output_0.pb", "ß", "_Unused", "a")
        (output,) = self.verify(code=8)["cases"][0]["outputs"]
        self.assertIn("element 2 is 'A', need 'a'", output["problem"])

    def test_nan_must_be_where_it_is(self):
        self.save_data("test_data_set_0", [X], [np.nan_to_num(-X)])
        self.assertFalse(self.verify(code=8)["passed"])

    def test_wrong_shape(self):
        self.save_data("test_data_set_0", [X], [-X[:2]])
        (output,) = self.verify(code=8)["cases"][0]["outputs"]
        self.assertIn("float32[2, 2]", output["problem"])

    def test_data_is_read_as_the_model_declares_it(self):
        optional = helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
        proto = model([helper.make_node("OptionalHasElement", ["o"], ["y"], name="has")], [], [])
        proto.graph.input.append(helper.make_value_info("o", optional))
        proto.graph.output.append(helper.make_tensor_value_info("y", TensorProto.BOOL, []))
        self.save(proto)
        folder = self.save_data("test_data_set_0", [], [])
        (folder / "input_0.pb").write_bytes(numpy_helper.from_optional(X[0, :2], "o").SerializeToString())
        (folder / "output_0.pb").write_bytes(numpy_helper.from_array(np.bool_(True), "y").SerializeToString())
        # Taken for a tensor, an optional was "malformed"; what is missing is the operator.
        self.assertIn("OptionalHasElement", self.cameo("verify", self.model, code=5).stderr)

    def test_data_that_no_port_has(self):
        self.save_data("test_data_set_0", [X], [-X, -X])
        self.assertIn("output 1, but the model has 1", self.cameo("verify", self.model, code=2).stderr)

    def test_expected_status(self):
        folder = self.save_data("test_data_set_0", [np.zeros((2, 3))], [])
        (folder / "expect_status").write_text("INVALID_ARGUMENT\n")
        report = self.verify()
        self.assertEqual(report["cases"][0]["status"]["tensor"], "x")
        (folder / "expect_status").write_text("OUT_OF_RANGE\n")
        self.assertIn("INVALID_ARGUMENT", self.verify(code=8)["cases"][0]["problem"])

    def test_one_failure_does_not_hide_others(self):
        self.save_data("test_data_set_0", [np.zeros((2, 3))], [np.zeros((2, 3))])
        self.save_data("test_data_set_1", [X], [-X])
        self.assertEqual([c["passed"] for c in self.verify(code=8)["cases"]], [False, True])

    def test_chosen_data_repeated_at_an_odd_address(self):
        data = self.save_data("mine", [X], [-X])
        report = self.verify("--data", data, "--repeat", "3", "--space", "x=host,offset=4")
        self.assertEqual([c["data"] for c in report["cases"]], ["mine"])

    def counters(self, *flags):
        return [c["counters"] for c in self.verify(*flags)["cases"]]

    def repacks(self, *flags):
        return [c["repacks"] for c in self.counters(*flags)]

    def test_rows_that_lie_apart(self):
        """Of inputs and outputs, at pads and at strides; one repack each where no kernel takes them."""
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("test_data_set_1", [X[:1]], [-X[:1]])  # one row has nothing between rows
        self.save_data("test_data_set_2", [X[:0]], [-X[:0]])
        both = ["--space", "x=host,pad=2", "--space", "y=host,pad=3", "--repeat", "2"]
        for target in ("cpu", "cuda-emu"):
            self.assertEqual(self.repacks("--target", target, *both), [2, 0, 0])
        self.assertEqual(self.repacks(*both, "--strided-outputs"), [1, 0, 0])
        self.assertEqual(self.repacks("--space", "y=host,strides=9:4"), [1, 1, 0])

    def test_kernels_write_rows_where_the_caller_has_them(self):
        self.save_data("test_data_set_0", [X], [-X])
        on_device = ["--target", "cuda-emu", "--trace", "--space", "x=device", "--strided-outputs"]
        for where, repacks, launches in (("pad=3", 0, 1), ("strides=2:1", 0, 1), ("strides=7:1", 0, 1), ("strides=1:3", 1, 2)):
            (c,) = self.counters(*on_device, "--space", f"y=device,{where}")
            self.assertEqual((c["repacks"], c["launches"], c["d2h"], c["blocking_syncs"]), (repacks, launches, 0, 0), where)
        (c,) = self.counters(*on_device, "--space", "y=pinned,pad=1")  # down once, then apart on the host
        self.assertEqual((c["repacks"], c["d2h_outputs"], c["d2h"], c["blocking_syncs"]), (1, 1, 0, 0))

    def test_strides_that_no_output_can_have(self):
        folder = self.save_data("test_data_set_0", [X], [])
        (folder / "expect_status").write_text("INVALID_ARGUMENT\n")
        for strides, text in (("1:1", "stride 1 of dimension 1 lays elements over one another, need 3 or more"),
                              ("0:1", "stride 0 of dimension 0"), ("2:-1", "negative")):
            for target in ("cpu", "cuda-emu"):
                (case,) = self.verify("--target", target, "--strided-outputs", "--space", f"y=host,strides={strides}")["cases"]
                self.assertEqual(case["status"]["tensor"], "y")
                self.assertIn(text, case["status"]["message"])

    def test_a_place_that_cannot_be_read(self):
        self.save_data("test_data_set_0", [X], [-X])
        for where in ("y=host,strides=1", "y=host,strides=4:x", "y=host,pad=-1", "y=host,pad=1,strides=4:1", "y=attic",
                      "q=host", "y=host,offset=4", "x=host,rows=3"):
            self.assertIn("--space", self.cameo("verify", self.model, "--space", where, code=2).stderr)

    def test_streams_of_the_user(self):
        """Inputs come late and are spoilt early, outputs are read by their events; the host waits for nobody."""
        self.save_data("test_data_set_0", [X], [-X])
        for space in ("device", "pinned", "managed", "host"):
            (c,) = self.counters("--target", "cuda-emu", "--stream", "user", "--repeat", "3",
                                 "--space", f"x={space}", "--space", f"y={space}")
            self.assertEqual((c["blocking_syncs"], c["d2h"]), (0, 0), space)
        self.save_data("test_data_set_1", [X], [X])
        self.assertFalse(self.verify("--target", "cuda-emu", "--stream", "user", code=8)["cases"][1]["passed"])
        self.assertIn("a device", self.cameo("verify", self.model, "--stream", "user", code=2).stderr)

    def test_an_output_in_the_memory_of_its_input(self):
        """And a state that is handed on from run to run."""
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("test_data_set_1", [2 * X], [-2 * X])
        for flags in (["--target", "cpu"], ["--target", "cuda-emu", "--trace"], ["--target", "cuda-emu", "--space", "x=device"],
                      ["--target", "cuda-emu", "--space", "x=pinned", "--stream", "user"]):
            self.assertTrue(self.verify(*flags, "--in-place", "y=x", "--repeat", "2")["passed"], flags)
            self.assertFalse(self.verify(*flags, "--carry", "y=x", code=8)["cases"][1]["passed"], flags)
        first = ["--data", self.folder / "test_data_set_0", "--carry", "y=x", "--data"]
        carried, short = self.save_data("carried", [2 * X], [X]), self.save_data("short", [X[:1]], [-X[:1]])
        for flags in ([], ["--in-place", "y=x"]):
            self.assertTrue(self.verify(*first, carried, *flags)["passed"], flags)
        self.assertIn("not as long", self.verify(*first, short, code=8)["cases"][1]["problem"])
        for flag in ("--in-place", "--carry"):
            for wrong in ("x=x", "y=q", "y"):
                self.assertIn(flag, self.cameo("verify", self.model, flag, wrong, code=2).stderr)

    def test_a_second_model_on_the_outputs_of_the_first(self):
        other = self.save(model([helper.make_node("Relu", ["y"], ["z"], name="relu")], [("y", ["n", 2])], [("z", ["n", 2])]),
                          "other.onnx")
        chain = self.save_data("chain", [X], [np.where(X < 0, -X, X * 0)])
        then = ["--data", chain, "--then", other]
        for flags, repacks in ((["--target", "cpu"], 0), (["--space", "y=host,pad=1"], 2),
                               (["--space", "y=host,pad=1", "--strided-outputs"], 1),
                               (["--target", "cuda-emu", "--stream", "user"], 0),
                               (["--target", "cuda-emu", "--space", "y=device,pad=1", "--strided-outputs"], 1)):
            (c,) = self.counters(*then, *flags)
            self.assertEqual((c["repacks"], c["blocking_syncs"], c["d2h"]), (repacks, 0, 0), flags)
        # An output in pageable memory is waited for in between.
        (c,) = self.counters(*then, "--target", "cuda-emu", "--space", "y=host", "--space", "z=pinned")
        self.assertEqual((c["repacks"], c["blocking_syncs"], c["d2h"]), (0, 1, 0))
        same = self.save_data("same", [X], [X])
        self.assertTrue(self.verify("--data", same, "--then", self.model, "--connect", "y=x")["passed"])
        self.assertFalse(self.verify("--data", chain, "--then", self.model, "--connect", "y=x", code=8)["passed"])
        self.assertTrue(self.verify("--data", same, "--then", self.model, "--connect", "y=x", "--space", "then/y=host,pad=1")["passed"])
        self.assertIn("'x'", self.cameo("verify", self.model, "--data", same, "--then", self.model, code=2).stderr)
        for wrong in ("x=x", "y=q"):
            self.cameo("verify", self.model, "--data", same, "--then", self.model, "--connect", wrong, code=2)
        self.cameo("verify", self.model, "--data", same, "--connect", "y=x", code=2)

    def test_junit(self):
        self.save_data("test_data_set_0", [X], [-X])
        self.save_data("test_data_set_1", [X], [X])
        self.cameo("verify", self.model, "--junit", "report.xml", code=8)
        suite = xml.parse(self.folder / "report.xml").getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))

    def test_compilers_that_fail(self):
        """By themselves: exit 3. Over generated code, while they compile else: our bug."""
        self.save_data("test_data_set_0", [X], [-X])
        environment = dict(os.environ, CAMEO_CACHE=str(self.folder / "cache"))

        def build(script, code, *flags):
            compiler = self.folder / "c++"
            compiler.write_text(f"#!/bin/sh\n{script}\n")
            compiler.chmod(0o755)
            return self.cameo("verify", self.model, *flags, code=code, env=dict(environment, CXX=str(compiler))).stderr

        done = self.cameo("verify", self.model, code=3, env=dict(environment, CXX="no-such-compiler"))
        self.assertIn("no-such-compiler", done.stderr)
        done = self.cameo("verify", self.model, code=3, env=dict(environment, CXX="/bin/false"))
        self.assertRegex(done.stderr, r"'/bin/false .* -c .*' ended with exit 1: it says nothing")
        self.assertRegex(build("echo no licence >&2; echo call us >&2; exit 7", 3), r"/c\+\+ .* exit 7: no licence \| call us")
        self.assertIn("no-such-flag", build('exec g++ "$@"', 3, "--cxxflags=--no-such-flag"))
        self.assertIn("signal 15", build("kill -TERM $$", 3))
        wrong = build('case "$*" in *tiny*) echo "tiny.cpp:1: error: wrong" >&2; exit 1;; esac; exec g++ "$@"', 1, "--cxxflags=-O0")
        self.assertRegex(wrong, r"^cameo: the generated tiny\w*\.cpp does not compile: tiny.cpp:1: error: wrong; by '.*/c\+\+ ")

    def test_runner(self):
        """Started elsewhere: in another folder, and on another processor, as far as there is one."""
        self.save_data("test_data_set_0", [X], [-X])
        (self.folder / "board").mkdir()
        self.verify("--runner", "cp {} board/ && cd board && exec ./program-*")
        self.assertTrue(list((self.folder / "board").iterdir()))
        error = self.verify("--runner", "echo no board >&2; exit 9;", code=3)["error"]
        self.assertIn("ended with exit 9 without the program's answer: no board", error["message"])
        self.assertIn("without the program's answer", self.verify("--runner", "echo a greeting; {}", code=3)["error"]["message"])
        # What the program itself does is not the runner's: a crash is one.
        (case,) = self.verify("--runner", "{} | head -c 100; kill -9 $$;", code=8)["cases"]
        self.assertEqual(case["status"]["code"], "CRASHED")
        self.assertIn("is empty", self.cameo("verify", self.model, "--runner", "", code=2).stderr)
        if not (shutil.which("aarch64-linux-gnu-g++") and shutil.which("qemu-aarch64")):
            print("SKIP: no aarch64 (tools/setup --embedded)")
            return
        os.environ["CXX"] = "aarch64-linux-gnu-g++"
        self.addCleanup(os.environ.pop, "CXX")
        self.verify("--cxxflags=-O0", "--runner", "qemu-aarch64 -L /usr/aarch64-linux-gnu {}")

    def test_limits_of_programs(self):
        self.save_data("test_data_set_0", [X], [-X])
        self.verify()  # builds: the limits are those of compilers too
        endless = ["--repeat", "1000000000000", "--max-program-seconds", "1"]
        (case,) = self.verify(*endless, code=8)["cases"]
        self.assertIn("was ended after 1 s (--max-program-seconds)", case["problem"])
        filled = self.save(model([helper.make_node("ConstantOfShape", ["n"], ["y"])], [], [("y", ["k"])]), "filled.onnx")
        proto = onnx_model(filled)
        proto.graph.input.append(helper.make_tensor_value_info("n", TensorProto.INT64, [1]))
        self.save(proto, "filled.onnx")
        np.save(self.folder / "n.npy", np.int64([3]))
        self.cameo("run", filled, "--in", "n=n.npy")
        np.save(self.folder / "n.npy", np.int64([1 << 29]))
        done = self.cameo("run", filled, "--in", "n=n.npy", "--max-program-bytes", 100 << 20, code=8)
        self.assertIn("(--max-program-bytes)", done.stderr)
        compiler = self.folder / "c++"
        # What ends is all that it has started.
        compiler.write_text("#!/bin/sh\nsh -c 'sleep 60; touch late'\n")
        compiler.chmod(0o755)
        slow = dict(os.environ, CXX=str(compiler), CAMEO_CACHE=str(self.folder / "cache"))
        started = time.monotonic()
        data = self.folder / "test_data_set_0" / "input_0.pb"
        done = self.cameo("run", self.model, "--in", f"x={data}", "--max-program-seconds", "0.5", code=6, env=slow)
        self.assertIn("--max-program-seconds", done.stderr)
        self.assertLess(time.monotonic() - started, 30)

    def test_reports_of_failures(self):
        """Whatever fails, both reports are there and say what."""
        good = self.save_data("test_data_set_0", [X], [-X])
        (self.folder / "text.onnx").write_text("no model")
        unknown = self.save(model([helper.make_node("Whirl", ["x"], ["y"])], [("x", [2])], [("y", [2])]), "unknown.onnx")
        mixed = self.save(model([helper.make_node("Add", ["x", "z"], ["y"], name="sum")], [("x", [2]), ("z", [3])], [("y", [2])]),
                          "mixed.onnx")
        no_compiler = dict(os.environ, CXX="/bin/false", CAMEO_CACHE=str(self.folder / "cache"))
        for arguments, code, during, options in (
                (["missing.onnx"], 3, "read", {}), (["text.onnx", "--data", good], 4, "compile", {}),
                ([unknown, "--data", good], 5, "compile", {}), ([mixed, "--data", good], 4, "compile", {}), ([self.model, "--dim", "q=1"], 2, "compile", {}),
                ([self.model, "--data", "missing.npz"], 3, "read", {}), ([self.model, "--then", "text.onnx"], 4, "compile", {}),
                ([self.model], 3, "build", {"env": no_compiler})):
            with self.subTest(arguments):
                for name in ("report.json", "report.xml"):
                    (self.folder / name).unlink(missing_ok=True)
                done = self.cameo("verify", *arguments, "--json", "report.json", "--junit", "report.xml", code=code, **options)
                report = read_report("verify", self.folder / "report.json")
                line = done.stderr.rstrip("\n")
                where = {"where": "tiny/sum"} if arguments[0] == mixed else {}
                self.assertEqual(report["error"], {"exit": code, "message": line, "during": during, **where})
                self.assertEqual((report["passed"], report["cases"]), (False, []))
                suite = xml.parse(self.folder / "report.xml").getroot()
                self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")), ("1", "0", "1"))
                (case,) = suite
                self.assertEqual((case.get("name"), case.find("error").get("message")), (during, line))
        for verb, *given in (("run", "--in", f"x={good / 'input_0.pb'}"), ("bench", "--in", f"x={good / 'input_0.pb'}"),
                             ("build",)):
            done = self.cameo(verb, self.model, *given, "--json", "report.json", code=3, env=no_compiler)
            error = read_report(verb, self.folder / "report.json")["error"]
            self.assertEqual(error, {"exit": 3, "message": done.stderr.rstrip("\n")})

    def test_data_that_is_no_file(self):
        """Pipes would block, devices never end: refused as models are."""
        os.mkfifo(self.folder / "pipe")
        kinds = [("pipe", lambda path: path.symlink_to(self.folder / "pipe")),
                 ("zero", lambda path: path.symlink_to("/dev/zero")), ("folder", Path.mkdir)]
        for kind, make in kinds:
            for name in ("input_0.pb", "x.npy", "expect_status"):
                folder = self.save_data(f"{kind}-{name}", [X], [-X])
                (folder / name).unlink(missing_ok=True)
                make(folder / name)
                with self.subTest(kind, name=name):
                    done = self.cameo("verify", self.model, "--data", folder, code=3, timeout=60)
                    self.assertIn(f"{name}: is not a regular file", done.stderr)
        for kind, make in kinds[:2]:
            make(self.folder / f"{kind}.npz")
            done = self.cameo("verify", self.model, "--data", f"{kind}.npz", code=3, timeout=60)
            self.assertIn("is not a regular file", done.stderr)
            make(self.folder / f"{kind}.npy")
            self.cameo("run", self.model, "--in", f"x={kind}.npy", code=3, timeout=60)

    def test_worst_error_is_printed(self):
        near = -X
        near[1, 0] *= 1 + 5e-5
        self.save_data("test_data_set_0", [X], [near])
        self.save_data("test_data_set_1", [X], [-X])
        near, same, _ = self.cameo("verify", self.model).stdout.splitlines()
        self.assertRegex(near, r"^passed test_data_set_0: max abs 0\.00015, max rel 4\.99e-05 in y, "
                               r"0\.48 of tolerance 1e-05 \+ 0\.0001 \* \|expected\|$")
        self.assertEqual(same, "passed test_data_set_1: no element differs")
        done = self.cameo("verify", self.model, "--atol", "1e-6", "--rtol", "1e-6", code=8)
        self.assertIn("; tolerance 1e-06 + 1e-06 * |expected|", done.stdout)

    def test_data_of_numpy(self):
        """Folders of .npy and .npz archives, by the model's names or by number."""
        for number, names in enumerate((("x", "y"), ("input_0", "output_0"), ("x", "output_0"))):
            arrays = dict(zip(names, (X, -X)))
            folder = self.folder / f"data{number}"
            folder.mkdir()
            for name, array in arrays.items():
                np.save(folder / f"{name}.npy", array)
            np.savez(self.folder / f"data{number}.npz", **arrays)
            self.assertTrue(self.verify("--data", folder, "--data", f"data{number}.npz")["passed"])
            np.savez(self.folder / "wrong.npz", **{**arrays, names[1]: X})
            self.assertFalse(self.verify("--data", "wrong.npz", code=8)["passed"])

    def test_name_of_the_model_goes_before_a_number(self):
        node = helper.make_node("Sub", ["input_1", "input_0"], ["y"])
        self.model = self.save(model([node], [("input_1", [2]), ("input_0", [2])], [("y", [2])]))
        np.savez(self.folder / "data.npz", input_1=X[1], input_0=X[0], y=X[1] - X[0])
        self.assertTrue(self.verify("--data", "data.npz")["passed"])

    def test_types_that_numpy_lacks(self):
        """As ml_dtypes writes them, as integers of their size, and back through what `run` writes."""
        for name, bits, kind in (("bfloat16", 16, "<V2"), ("float8_e4m3fn", 8, "<V1"), ("float8_e5m2", 8, "<V1"), ("int4", 4, "|i1"),
                                 ("uint2", 2, "|u1"), ("float4_e2m1fn", 4, "<V1")):
            dtype = np.dtype(getattr(ml_dtypes, name))
            proto = model([helper.make_node("Transpose", ["x"], ["y"])], [], [])
            for side, value, dims in ((proto.graph.input, "x", ["n", 3]), (proto.graph.output, "y", [3, "n"])):
                side.append(helper.make_tensor_value_info(value, helper.np_dtype_to_tensor_dtype(dtype), dims))
            proto.opset_import[0].version, proto.ir_version = 25, 13
            path = self.save(proto, f"{name}.onnx")
            codes = np.arange(15, dtype=np.uint8).reshape(5, 3) % (1 << min(bits, 4))
            x = codes.astype(np.uint16 if bits == 16 else np.uint8).view(dtype)
            for number, given in enumerate((x, x.view(np.uint16 if bits == 16 else np.uint8))):
                with self.subTest(name, given=number):
                    np.savez(self.folder / "data.npz", x=given, y=np.ascontiguousarray(given.T))
                    self.cameo("verify", path, "--data", "data.npz")
                    np.save(self.folder / "x.npy", given)
                    self.cameo("run", path, "--in", "x=x.npy", "--out", "out", "--record", f"{name}{number}")
                    got = np.load(self.folder / "out" / "output_0.npy")
                    header = (self.folder / "out" / "output_0.npy").read_bytes()[:64]
                    self.assertIn(f"'descr': '{kind}'".encode(), header)
                    codes = got.view(np.uint16 if bits == 16 else np.uint8) & ((1 << bits) - 1)
                    np.testing.assert_array_equal(codes, x.T.view(codes.dtype) & ((1 << bits) - 1))
                    self.cameo("verify", path, "--data", f"{name}{number}")

    def test_protobuf_goes_before_numpy(self):
        folder = self.save_data("data", [X], [-X])
        np.save(folder / "output_0.npy", X)
        self.assertTrue(self.verify("--data", folder)["passed"])

    def test_data_of_numpy_refused(self):
        np.savez(self.folder / "good.npz", x=X, y=-X)
        good = (self.folder / "good.npz").read_bytes()
        np.savez_compressed(self.folder / "compressed.npz", x=X, y=-X)
        np.savez(self.folder / "stranger.npz", x=X, z=-X)
        np.savez(self.folder / "twice.npz", x=X, input_0=X, y=-X)
        np.savez(self.folder / "nothing.npz", x=X)
        np.savez(self.folder / "fortran.npz", x=np.asfortranarray(X), y=-X)
        (self.folder / "cut.npz").write_bytes(good[:-1])
        (self.folder / "damaged.npz").write_bytes(good.replace(X.tobytes(), (X + 1).tobytes(), 1))
        short = io.BytesIO()
        np.save(short, X)
        with zipfile.ZipFile(self.folder / "short.npz", "w") as archive:
            archive.writestr("x.npy", short.getvalue()[:-4])
        for name, code, word in (("compressed", 4, "compressed"), ("stranger", 2, "'z'"), ("twice", 2, "twice"),
                                 ("nothing", 2, "no output"), ("fortran", 4, "column-major"), ("cut", 4, "npz"),
                                 ("damaged", 4, "damaged"), ("short", 4, "shape"), ("missing", 3, "cannot be opened")):
            with self.subTest(name):
                self.assertIn(word, self.cameo("verify", self.model, "--data", f"{name}.npz", code=code).stderr)

    def test_archive_larger_than_its_file(self):
        np.savez(self.folder / "good.npz", x=X, y=-X)
        good = (self.folder / "good.npz").read_bytes()
        table = good.index(b"PK\1\2")
        end = good.index(b"PK\5\6")
        entry = good[table:good.index(b"PK\1\2", table + 4)]
        record = bytearray(good[end:])
        record[8:12] = (40).to_bytes(2, "little") * 2
        (self.folder / "many.npz").write_bytes(good[:table] + 40 * entry + record)
        self.assertIn("more than it holds", self.cameo("verify", self.model, "--data", "many.npz", code=4).stderr)

    def test_archives_that_lie(self):
        """Any byte of the structure changed: refused, or the change did not matter."""
        np.savez(self.folder / "good.npz", x=X[:1], y=-X[:1])
        good = (self.folder / "good.npz").read_bytes()
        table = good.index(b"PK\1\2")
        for position in [*range(0, 34), *range(table, len(good), 3)]:
            changed = bytearray(good)
            changed[position] ^= 0xff
            (self.folder / "changed.npz").write_bytes(changed)
            done = subprocess.run([CAMEO, "verify", self.model, "--data", self.folder / "changed.npz"],
                                  capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2, 4), f"byte {position}: {done.stderr}")

    def test_run_warns_of_guesses(self):
        done = self.cameo("run", self.model)
        self.assertEqual(done.stderr, "warning: input x is made up, as float32[1, 2]: guessed n = 1 (--dim or --in decide)\n")
        self.assertEqual(self.cameo("run", self.model, "--dim", "n=3").stderr, "")
        self.assertIn("guessed n = 2", self.cameo("run", self.model, "--dim", "n=2..3").stderr)

    def test_run_takes_dims_from_what_is_given(self):
        np.save(self.folder / "x.npy", X)
        path = self.save(model([helper.make_node("Add", ["x", "b"], ["y"])], [("x", ["n", 2]), ("b", ["n", "m"])],
                               [("y", ["n", 2])]), "sum.onnx")
        done = self.cameo("run", path, "--in", "x=x.npy")
        self.assertIn("[3, 2]", done.stdout)
        self.assertIn("guessed m = 1 ", done.stderr)

    def test_run_warns_of_nan(self):
        np.save(self.folder / "x.npy", X)
        done = self.cameo("run", self.model, "--in", "x=x.npy")
        self.assertEqual(done.stderr, "warning: output y holds NaN (1 of 6 elements)\n")
        np.save(self.folder / "x.npy", np.nan_to_num(X))
        self.assertEqual(self.cameo("run", self.model, "--in", "x=x.npy").stderr, "")

    def test_run_on_given_and_on_made_up_data(self):
        np.save(self.folder / "x.npy", X)
        self.cameo("run", self.model, "--in", "x=x.npy", "--out", "out", "--record", "recorded")
        np.testing.assert_array_equal(np.load(self.folder / "out" / "output_0.npy"), -X)
        proto = numpy_helper.to_array(onnx_tensor(self.folder / "out" / "output_0.pb"))
        np.testing.assert_array_equal(proto, -X)
        self.cameo("verify", self.model, "--data", "recorded")
        for out in ("a", "b"):
            self.cameo("run", self.model, "--dim", "n=5", "--seed", "7", "--out", out)
        first = np.load(self.folder / "a" / "output_0.npy")
        self.assertEqual(first.shape, (5, 2))
        np.testing.assert_array_equal(first, np.load(self.folder / "b" / "output_0.npy"))


def onnx_model(path):
    from onnx import ModelProto
    return ModelProto.FromString(path.read_bytes())


def onnx_tensor(path):
    from onnx import TensorProto
    return TensorProto.FromString(path.read_bytes())


if __name__ == "__main__":
    unittest.main()
