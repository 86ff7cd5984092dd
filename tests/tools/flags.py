#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Flags and exit codes."""
import os
import re
import subprocess
import unittest

from onnx import TensorProto, helper

from small import CAMEO, Case, model


class Flags(Case):
    def test_help_and_version(self):
        self.assertIn("compile", self.cameo("--help").stdout)
        self.assertIn("--target", self.cameo("compile", "--help").stdout)
        self.assertRegex(self.cameo("--version").stdout, r"^cameo \d+\.\d+\.\d+( \([0-9a-f]{12}(, changed)?\))?\n$")

    def test_manual_page(self):
        """Every flag of every verb, and nothing that troff would take for a command of its own."""
        page = self.cameo("--man").stdout
        self.assertEqual([line for line in page.splitlines()
                          if line.startswith((".", "'")) and not re.match(r"\.(TH|SH|SS|TP|B|I|RI)\b", line)], [])
        names = lambda rows: {name.partition("{")[0] for row in rows for name in row.split(",")}
        described = names(re.findall(r"^\\fB(.*?)\\fR", page.replace(r"\-", "-"), flags=re.M))
        for verb in re.findall(r"^\.SS (\w+)$", page, flags=re.M):
            self.assertEqual(names(re.findall(r"^  (-[^ \n]+)", self.cameo(verb, "--help").stdout, flags=re.M)) - described, set())

    def test_help_in_groups(self):
        for verb in ("compile", "inspect", "explain", "verify", "run", "bench", "build", "reduce", "check", "baseline", "diff", "ops"):
            text = self.cameo(verb, "--help").stdout
            self.assertIn(f"For example:\n  cameo {verb} ", text)
            if verb not in ("check", "ops"):
                titles = [text.index(f"\n{title}:\n") for title in ("Options", "Steering", "Limits and checks")]
                self.assertEqual(titles, sorted(titles), verb)
        # What a verb is for stands first.
        text = self.cameo("verify", "--help").stdout
        self.assertLess(text.index("--data"), text.index("--target"))

    def test_ops(self):
        rows = {line.split()[0]: line.split()[1] for line in self.cameo("ops").stdout.splitlines()}
        self.assertEqual((rows["Conv"], rows["Mish"], rows["Attention"]), ("1", "18", "23"))
        self.assertEqual([name for name in rows if name == "Yield" or name.startswith("own.")], [])
        text = self.cameo("ops", "conv").stdout
        for line in ("Conv: Convolution\n", "* C5: a bias has one element per output channel.\n", "\nattributes\n  auto_pad: ", "\noperands\n  X: tensor of "):
            self.assertIn(line, text)
        self.assertNotRegex(text, "Traits|MLIR|<|\n\n\n")
        self.assertIn("ms.Gelu: ", self.cameo("ops", "com.microsoft.gelu").stdout)
        self.assertIn("ml.Binarizer: ", self.cameo("ops", "ai.onnx.ml.Binarizer").stdout)
        for rewritten in ("Upsample", "ai.onnx.ml.CategoryMapper"):
            self.assertIn("the importer makes other operators of it", self.cameo("ops", rewritten).stdout)
        self.assertIn("did you mean 'Conv'", self.cameo("ops", "Convv", code=2).stderr)

    def test_usage(self):
        for arguments in ([], ["compile"], ["frobnicate"], ["compile", self.model, "--frobnicate"],
                          ["compile", self.model, "--target", "abacus"], ["compile", self.model, "--dim", "n"],
                          ["compile", self.model, "--dim", "n=4..2"], ["compile", self.model, "--dim", "q=4"],
                          ["compile", self.model, "--name", "class"], ["compile", self.model, "--name", "install"], ["compile", self.model, "--name", "a/b"],
                          ["compile", self.model, "--emit", "ir:nowhere"], ["compile", self.model, "--heap", "big"],
                          ["compile", self.model, "--target", "cuda", "--heap", "none"],
                          ["compile", self.model, "--target", "cuda", "--threads", "0"],
                          ["compile", self.model, "--target", "cuda-emu"], ["verify", self.model],
                          ["run", self.model, "--in", "q=x.npy"]):
            with self.subTest(arguments):
                self.cameo(*arguments, code=2)

    def test_words_of_precision(self):
        words = "bf16,fp16,tf32,fast,strict,exact"
        done = self.cameo("compile", self.model, "--precision", "fp8", code=2)
        self.assertIn(f"fp8 not in {{{words}}}", done.stderr)
        for word in words.split(","):
            self.cameo("compile", self.model, "--precision", word, "-o", "net")
            header = (self.folder / "net" / "tiny.h").read_text()
            self.assertEqual(f"--precision {word}" in header, word != "fast")

    def test_what_a_slip_may_mean(self):
        for arguments, near in ((["verfy", self.model], "'verify'"), (["complie", self.model], "'compile'"),
                                (["compile", self.model, "--freeze-initialisers"], "'--freeze-initializers' or '--no-freeze-initializers'"),
                                (["verify", "--thread", "2", self.model], "'--threads'"),
                                (["run", self.model, "--jsn=x"], "'--json'"), (["--verson"], "'--version'"),
                                (["compile", self.model, "--dim", "N=4"], None),
                                (["compile", self.batched(), "--dim", "bacth=4"], "'batch'"),
                                (["run", self.batched(), "--in", "imgae=x.npy"], "'image'")):
            with self.subTest(arguments):
                done = self.cameo(*arguments, code=2)
                if near:
                    self.assertRegex(done.stderr, rf"did you mean {near}( or '--in')?\?$")
        self.assertIn("cameo run --help lists what there is", self.cameo("run", self.model, "--frobnicate", code=2).stderr)
        self.assertIn("its dims are n", self.cameo("compile", self.model, "--dim", "other=4", code=2).stderr)

    def batched(self):
        return self.save(model([helper.make_node("Neg", ["image"], ["y"])], [("image", ["batch", 2])], [("y", ["batch", 2])]),
                         "batched.onnx")

    def test_dim_takes_one_word(self):
        self.cameo("compile", "--dim", "n=4", self.model, "-o", "net")

    def test_dim_reaches_the_shapes(self):
        ir = self.cameo("compile", self.model, "--dim", "n=4", "--emit", "ir:shape").stdout
        self.assertIn('#cameo.symbol<"n" in [4, 4]>', ir)

    def test_dim_is_shown(self):
        nodes = [helper.make_node("Concat", ["x", "z"], ["y"], axis=0)]
        path = self.save(model(nodes, [("x", ["n", 2]), ("z", ["m", 2])], [("y", ["k", 2])]), "both.onnx")
        inspected = self.cameo("inspect", path, "--dim", "n=4").stdout
        self.cameo("compile", path, "--dim", "n=4", "-o", "net")
        header, page = ((self.folder / "net" / name).read_text() for name in ("both.h", "README.md"))
        for text, mark in ((inspected, "float32{}"), (header, 'float {}'), (page, "`{}`")):
            for shape in ("[4, 2]", "[m, 2]", "[m + 4, 2]"):
                self.assertIn(mark.format(shape), text)

    def test_classes(self):
        unknown = model([helper.make_node("Frobnicate", ["x"], ["y"], name="a"),
                         helper.make_node("Whirl", ["y"], ["z"], name="b")], [("x", [2])], [("z", [2])])
        mismatch = model([helper.make_node("Add", ["x", "y"], ["z"], name="sum")], [("x", [2]), ("y", [3])],
                         [("z", [2])])
        self.cameo("compile", "missing.onnx", code=3)
        (self.folder / "text.onnx").write_text("no model")
        self.cameo("compile", "text.onnx", code=4)
        done = self.cameo("compile", self.save(unknown, "unknown.onnx"), code=5)
        self.assertIn("Frobnicate", done.stderr)
        self.assertIn("Whirl", done.stderr)
        done = self.cameo("compile", self.save(mismatch, "mismatch.onnx"), code=4)
        self.assertIn("tiny/sum", done.stderr)
        self.cameo("compile", self.model, "--max-nodes", "0", code=6)

    def test_no_heap_needs_bounds(self):
        nodes = [helper.make_node("MatMul", ["x", "y"], ["p"], name="product"), helper.make_node("Relu", ["p"], ["z"])]
        path = self.save(model(nodes, [("x", ["n", 2]), ("y", [2, "m"])], [("z", ["n", "m"])]), "open.onnx")
        done = self.cameo("compile", path, "-o", "net", "--heap", "none", "--dim", "m=3", code=5)
        self.assertIn("--dim n=1..N", done.stderr)
        self.assertIn("'z'", done.stderr.replace('"', "'"))
        self.assertNotIn("--dim m", done.stderr)
        done = self.cameo("compile", path, "-o", "net", "--heap", "none", code=5)
        self.assertIn("--dim m=1..N", done.stderr)
        self.assertFalse((self.folder / "net").exists())
        self.cameo("compile", path, "-o", "net", "--heap", "none", "--dim", "m=3", "--dim", "n=1..8")
        # An extent that is an element of an input is no dim.
        best = model([helper.make_node("TopK", ["x", "k"], ["z", "at"], name="best")], [("x", [2, 8])], [("z", [2, "most"])])
        best.graph.input.append(helper.make_tensor_value_info("k", TensorProto.INT64, [1]))
        path = self.save(best, "best.onnx")
        done = self.cameo("compile", path, "-o", "best", "--heap", "none", code=5)
        self.assertIn("an upper limit by --assert", done.stderr)
        self.assertNotIn("--dim", done.stderr)
        self.cameo("compile", path, "-o", "best", "--heap", "none", "--assert", "k[0] in 0..8")
        # What the run decides, no flag bounds.
        nodes = [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0), helper.make_node("Cast", ["s"], ["c"], to=7),
                 helper.make_node("Unsqueeze", ["c", "zero"], ["d"]),
                 helper.make_node("ConstantOfShape", ["d"], ["z"], name="fill")]
        zero = helper.make_tensor("zero", 7, [1], [0])
        path = self.save(model(nodes, [("x", [4])], [("z", ["k"])], initializers=[zero]), "late.onnx")
        self.assertIn("no flag bounds it", self.cameo("compile", path, "--heap", "none", code=5).stderr)

    def test_ranks_and_initializers(self):
        path = self.save(model([helper.make_node("Relu", ["x"], ["y"])], [("x", None)], [("y", None)]), "no_shape.onnx")
        self.assertIn("--rank x=R", self.cameo("inspect", path, code=5).stderr)
        self.assertIn("x: float32[x_0, x_1, x_2]", self.cameo("inspect", path, "--rank", "x=3").stdout)
        for wrong in ("x", "x=", "=3", "x=-1", "x=65"):
            self.assertIn("--rank", self.cameo("inspect", path, "--rank", wrong, code=2).stderr)
        self.assertIn("'z' names no input", self.cameo("inspect", path, "--rank", "z=1", code=2).stderr)
        # A count of the device is an input of its own, by a name that is free.
        path = self.save(model([helper.make_node("Relu", ["x"], ["n"]), helper.make_node("Relu", ["z"], ["y"])],
                               [("x", [1, "n"]), ("z", ["n", "k"])], [("n", [1, "n"]), ("y", ["n", "k"])]), "counted.onnx")
        shown = self.cameo("inspect", path, "--counted-dim", "n").stdout
        for line in ("x: float32[1, n_most]", "z: float32[n_most, k]", "n_1: int64[]"):
            self.assertIn(line, shown)
        self.assertIn("'k'", self.cameo("inspect", path, "--counted-dim", "k", code=5).stderr)
        self.assertIn("'q'", self.cameo("inspect", path, "--counted-dim", "q", code=2).stderr)
        # All initializers are inputs: constants, unless the user says otherwise.
        weight = helper.make_tensor("w", 1, [2], [1, 2])
        path = self.save(model([helper.make_node("Add", ["x", "w"], ["y"])], [("x", [2]), ("w", [2])], [("y", [2])],
                               initializers=[weight]), "listed.onnx")
        self.assertNotIn("w: float32", self.cameo("inspect", path).stdout)
        self.assertIn("w: float32[2]", self.cameo("inspect", path, "--no-freeze-initializers").stdout)
        done = self.cameo("compile", path, "--no-freeze-initializers", "-o", "kept")
        self.assertEqual(done.stderr, "")
        self.assertIn("--no-freeze-initializers", (self.folder / "kept" / "listed.h").read_text())

    def test_model_from_standard_input(self):
        done = subprocess.run([CAMEO, "compile", "-", "-o", self.folder / "net"], input=self.model.read_bytes(),
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "net" / "model.h").exists())

    def test_reader_that_goes_away(self):
        for output in ("/dev/full", None):
            read, write = os.pipe()
            os.close(read)
            with open(output or write, "wb") as stream:
                done = subprocess.run([CAMEO, "explain", self.model], stdout=stream, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 3, done.stderr)
            if output:
                os.close(write)

    def test_gates(self):
        # A sum of device data decides an extent: one readback.
        nodes = [helper.make_node("ReduceSum", ["x"], ["s"], keepdims=0), helper.make_node("Cast", ["s"], ["c"], to=7),
                 helper.make_node("Unsqueeze", ["c", "zero"], ["d"]),
                 helper.make_node("ConstantOfShape", ["d"], ["z"], name="fill")]
        zero = helper.make_tensor("zero", 7, [1], [0])
        path = self.save(model(nodes, [("x", ["n"])], [("z", ["k"])], initializers=[zero]), "readback.onnx")
        self.cameo("compile", path, "--target", "cuda", "--assert-readbacks", "1", "--emit", "ir:place")
        self.cameo("compile", path, "--assert-readbacks", "0", "--emit", "ir:place")
        for gate in (["--assert-readbacks", "0"], ["--assert-no-sync"]):
            done = self.cameo("compile", path, "--target", "cuda", "-o", "net", *gate, code=8)
            self.assertIn("1 values are read back", done.stderr)
        self.assertFalse((self.folder / "net").exists())


if __name__ == "__main__":
    unittest.main()
