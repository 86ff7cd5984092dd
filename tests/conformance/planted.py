#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The harness itself under test: planted.py CAMEO SCRATCH. Faults are planted in what the compiler writes, in what it
answers, in what is expected, and in the lists; each has to be convicted, and to leave the cases beside it alone.
"""
import copy
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np
import onnx

import draws
import modes
import suite
import support
from build import Batch, Toolchain, generated
from harness import Harness
from outcome import Lists, Outcome, Verdict, entries, judge
from run_case import run_case

CAMEO, SCRATCH = Path(sys.argv[1]), Path(sys.argv[2])
HERE = Path(__file__).resolve().parent
CASES = {case.name: case for case in draws.mark(suite.load(SCRATCH), SCRATCH)}
OTHERS = {case.name: case for case in modes.make_cases(CASES.values(), SCRATCH)}
VICTIM, BYSTANDERS = "test_abs", ["test_neg", "test_add"]
# What an elementwise kernel of one operand does.
BODY = re.compile(r"y\[i\[0\]\] = \w+\(x\[i\[0\]\]\);")
# Case, what is replaced in its files by what, and how it has to end.
FAULTS = {
    "test_abs": (BODY, "y[i[0]] = x[i[0]];", "wrong"),
    "test_floor": (BODY, "y[i[0]] = floor(x[i[0]]) * 1.01f;", "wrong"),
    "test_ceil": (re.compile(r"(c\.output<float>\(out\[0\], \{)(\d+)"), r"\g<1>1\2", "wrong"),
    "test_cos": (BODY, "y[i[0]] = x[i[0]]", "build"),
    "test_sin": (BODY, "y[i[0]] = not_there(x[i[0]]);", "build"),
    "test_exp": (BODY, "__builtin_trap();", "run-signal-4"),
    "test_sqrt": (BODY, "__builtin_exit(7);", "run-exit-7"),
    "test_tanh": (BODY, "for (volatile int on = 1; on;) {}", "run-timeout"),
    "test_sign": (re.compile(r"return c\.done\(\);"), "return error_null_argument();", "run-INVALID_ARGUMENT"),
    "test_sigmoid": (re.compile(r"(y\[i\[0\]\] = \w+\(x\[i\[0\]\]\);)"), r"\1 y[60] = 1;", "fault"),
}


class Planted(Harness):
    """Alters what the compiler wrote."""

    def compile(self, cases):
        outcomes, folders = super().compile(cases)
        for name, (old, new, _) in FAULTS.items():
            altered = 0
            for path in folders[name].glob("*.cpp"):
                text, count = old.subn(new, path.read_text())
                path.write_text(text)
                altered += count
            assert altered, f"what is generated for {name} no longer has {old.pattern}"
        return outcomes, folders


class AlteredCode(unittest.TestCase):
    def test_each_is_convicted_and_nothing_else(self):
        cases = [CASES[name] for name in [*FAULTS, *BYSTANDERS]]
        outcomes = Planted(CAMEO, "cpu", SCRATCH, run_timeout=5).take(cases)
        for name, (_, _, kind) in FAULTS.items():
            self.assertEqual(outcomes[name].kind, kind, f"{name}: {outcomes[name].detail}")
        for name in BYSTANDERS:
            self.assertEqual(outcomes[name].kind, "pass", f"{name}: {outcomes[name].detail}")
        self.assertIn("not_there", outcomes["test_sin"].detail)
        self.assertEqual(sorted(judge(Lists(HERE), "cpu", outcomes, outcomes).broken), sorted(FAULTS))


class AlteredCompiler(unittest.TestCase):
    """A program in the compiler's place."""

    def take(self, script):
        fake = SCRATCH / "cpu" / f"fake_{self._testMethodName}"
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        outcomes = Harness(fake, "cpu", SCRATCH, compile_timeout=2).take([CASES[n] for n in [VICTIM, *BYSTANDERS]])
        self.assertEqual(set(outcomes), {VICTIM, *BYSTANDERS})
        self.assertEqual(judge(Lists(HERE), "cpu", outcomes, outcomes).broken, list(outcomes))
        return outcomes[VICTIM]

    def test_crash(self):
        self.assertEqual(self.take("kill -SEGV $$").kind, "signal-11")

    def test_internal_error(self):
        outcome = self.take("echo 'm.onnx: node/x: operand 3 is lost' >&2; exit 1")
        self.assertEqual(outcome.text(), "exit-1: operand N is lost")

    def test_refusal_of_what_passed(self):
        self.assertEqual(self.take("echo 'm.onnx: node: Add is not supported yet' >&2; exit 5").text(),
                         "exit-5: Add is not supported yet")

    def test_no_end(self):
        self.assertEqual(self.take("exec sleep 60").kind, "timeout")

    def test_nothing_written(self):
        self.assertEqual(self.take("exit 0").kind, "exit-0-without-files")


class AlteredExpectation(unittest.TestCase):
    """A case with other data than the suite's."""

    @classmethod
    def setUpClass(cls):
        case = CASES[VICTIM]
        _, folders = Harness(CAMEO, "cpu", SCRATCH).compile([case])
        tools = Toolchain("cpu", SCRATCH / "cpu")
        host, kernels, _ = generated(folders[VICTIM], case.identifier)
        tools.precompile("host", [host])
        tools.precompile("kernels", kernels)
        folder = SCRATCH / "cpu" / "altered_expectation"
        folder.mkdir(exist_ok=True)
        cls.program = Batch(tools, [case], folders).build(folder)

    def outcome(self, alter):
        case = copy.copy(CASES[VICTIM])
        data = CASES[VICTIM].data_sets()[0]
        case.data_sets = lambda: alter(*copy.deepcopy(data))
        return run_case(case, self.program, 60).kind

    def test_unaltered(self):
        self.assertEqual(self.outcome(lambda i, o: [(i, o)]), "pass")

    def test_value(self):
        self.assertEqual(self.outcome(lambda i, o: [(i, [o[0] + 1])]), "wrong")

    def test_one_value_of_the_second_data_set(self):
        def alter(inputs, outputs):
            other = outputs[0].copy()
            other[-1, -1, -1] += 1
            return [(inputs, outputs), (inputs, [other])]
        self.assertEqual(self.outcome(alter), "wrong")

    def test_type(self):
        self.assertEqual(self.outcome(lambda i, o: [(i, [o[0].astype("float64")])]), "wrong")

    def test_shape(self):
        self.assertEqual(self.outcome(lambda i, o: [(i, [o[0][None]])]), "wrong")

    def test_number_of_outputs(self):
        self.assertEqual(self.outcome(lambda i, o: [(i, [*o, *o])]), "wrong")

    def test_no_data(self):
        self.assertEqual(self.outcome(lambda i, o: []), "harness")

    def test_sequence(self):
        case = CASES["test_sequence_insert_at_back"]
        self.assertEqual(run_case(case, self.program, 60).kind, "uncarried")


class Judgement(unittest.TestCase):
    """Outcomes against lists."""

    def judge(self, outcomes, expected=(), known=(), wanted=("a",)):
        lists = Lists(SCRATCH / "no lists")
        lists.expected = {("a", "cpu"): text for text in expected}
        lists.known = {("a", "cpu"): kind for kind in known}
        return judge(lists, "cpu", wanted, outcomes)

    def test_no_outcome_is_no_pass(self):
        for expected in [(), ("exit-5",)]:
            verdict = self.judge({}, expected)
            self.assertEqual((verdict.missing, verdict.passed, verdict.is_good()), (["a"], 0, False))

    def test_compiled_is_no_pass(self):
        verdict = self.judge({"a": Outcome("compiles")})
        self.assertEqual((verdict.passed, verdict.compiled), (0, 1))

    def test_expected_refusal(self):
        self.assertEqual(self.judge({"a": Outcome("exit-5", "x: no")}, ["exit-5: no"]), Verdict(failed=1))

    def test_unexpected_refusal(self):
        self.assertFalse(self.judge({"a": Outcome("exit-5")}).is_good())

    def test_expected_defect_needs_a_reason(self):
        for kind in ["signal-11", "exit-1", "exit-2", "timeout", "build", "run-signal-6", "run-INTERNAL", "wrong", "fault"]:
            self.assertFalse(self.judge({"a": Outcome(kind)}, [kind]).is_good(), kind)
            self.assertTrue(self.judge({"a": Outcome(kind)}, [kind], [kind]).is_good(), kind)

    def test_reason_is_for_one_class(self):
        self.assertFalse(self.judge({"a": Outcome("signal-11")}, ["wrong"], ["wrong"]).is_good())

    def test_mended_is_told(self):
        self.assertEqual(self.judge({"a": Outcome("pass")}, ["exit-5"]), Verdict(mended=["a"], passed=1))

    def test_empty_reason(self):
        folder = SCRATCH / "lists_without_reason"
        folder.mkdir(exist_ok=True)
        (folder / "known_wrong.txt").write_text("a cpu wrong\n")
        with self.assertRaisesRegex(SystemExit, "no reason"):
            Lists(folder)

    def test_update_round_trip(self):
        folder = SCRATCH / "lists_updated"
        folder.mkdir(exist_ok=True)
        (folder / "expected.txt").write_text("a cpu exit-5: x\nb cpu,cuda-emu exit-5: y\nc cpu wrong\n")
        Lists(folder).update("cpu", {"a": Outcome("pass"), "b": Outcome("signal-11", "at 0x1"), "c": Outcome("compiles"),
                                     "d": Outcome("exit-6", "m.onnx: n/x: 'y' has 30 dims")})
        self.assertEqual(Lists(folder).expected, {
            ("b", "cpu"): "signal-11", ("b", "cuda-emu"): "exit-5: y", ("c", "cpu"): "wrong",
            ("d", "cpu"): "exit-6: '' has N dims"})


class Modes(unittest.TestCase):
    """What a mode makes of a case, and what it is held against."""

    def dims(self, name):
        graph = onnx.load(OTHERS[name].model).graph
        return {value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
                for value in [*graph.input, *graph.output]}, [i.name for i in graph.initializer]

    def test_open(self):
        self.assertEqual(self.dims("test_gather_0.open"), (
            {"data": [f"input0_dim{axis}" for axis in range(4)], "indices": ["input1_dim0"], "y": [0] * 4}, []))

    def test_open_but_axes(self):
        self.assertEqual(self.dims("test_slice_default_axes.open"), (
            {"x": ["input0_dim0", "input0_dim1", "input0_dim2"], "starts": [3], "ends": [3], "y": [0, 0, 0]}, []))

    def test_open_but_lists(self):
        self.assertEqual(self.dims("test_reshape_extended_dims.open"), (
            {"data": ["input0_dim0", "input0_dim1", "input0_dim2"], "shape": [4], "reshaped": [0, 0, 0, 0]}, []))

    def test_constant(self):
        self.assertEqual(self.dims("test_slice_default_axes.constant"),
                         ({"x": [20, 10, 5], "y": [20, 10, 1]}, ["starts", "ends"]))

    def test_constant_among_inputs_of_an_old_version(self):
        case = OTHERS["test_operator_addmm.constant"]
        model = case.load()
        self.assertEqual(len(case.data_sets()[0][0]), len(model.graph.input))
        self.assertEqual(len(model.graph.initializer), len(model.graph.input) - 1)

    def test_no_mode_of_what_it_does_not_change(self):
        self.assertNotIn("test_abs.constant", OTHERS)
        self.assertNotIn("test_constant.open", OTHERS)

    def test_relative_to_the_suite(self):
        case, expected = OTHERS["test_add.open"], {("test_add", "cpu"): "exit-5"}
        def counts(kind, expected=expected):
            return modes.is_relative(case, {"test_add": Outcome(kind)} if kind else {}, expected, "cpu")
        self.assertEqual([counts("pass"), counts("wrong", {}), counts(None), counts("compiles"), counts(None, {})],
                         [True, False, False, False, True])

    def test_wrong_numbers_are_convicted(self):
        names = ["test_abs.open", "test_add.constant"]
        class Altered(Harness):
            def compile(self, cases):
                outcomes, folders = super().compile(cases)
                path = folders["test_abs.open"] / f"{OTHERS['test_abs.open'].identifier}_kernels.cpp"
                path.write_text(re.sub(r"= abs\(", "= -abs(", path.read_text()))
                return outcomes, folders
        outcomes = Altered(CAMEO, "cpu", SCRATCH).take([OTHERS[name] for name in names])
        self.assertEqual([outcomes[name].kind for name in names], ["wrong", "pass"])


class Draws(unittest.TestCase):
    def draw(self, seed, share, ties=True):
        """Elements of which a share is kept, and which those are; where they are not tied, of another draw."""
        rng = np.random.default_rng(seed)
        kept, others = (rng.random((draws.COPIES, 3)) < share for _ in range(2))
        return [np.where(kept, np.float32(2), np.float32(0)), kept if ties else others]

    def test_other_numbers_pass(self):
        draws.compare_draws(self.draw(1, 0.3), self.draw(2, 0.3), 1e-3, 1e-7)

    def test_faults_are_convicted(self):
        for got in (self.draw(2, 0.35), self.draw(2, 0.3, ties=False), self.draw(2, 0.3)[:1],
                    [value[:-1] for value in self.draw(2, 0.3)], [value * 1.01 for value in self.draw(2, 0.3)]):
            with self.assertRaises(AssertionError):
                draws.compare_draws(self.draw(1, 0.3), got, 1e-3, 1e-7)

    def test_wrong_shares_are_convicted(self):
        class Altered(Harness):
            def compile(self, cases):
                outcomes, folders = super().compile(cases)
                for path in folders["test_bernoulli"].glob("*_kernels.cpp"):
                    right = path.read_text()
                    assert "(less(" in right, "the kernel compares a draw otherwise: plant the fault anew"
                    path.write_text(right.replace("(less(", "(!less("))
                return outcomes, folders
        names = ["test_bernoulli", "test_bernoulli_seed"]
        outcomes = Altered(CAMEO, "cpu", SCRATCH).take([CASES[name] for name in names])
        self.assertEqual([outcomes[name].kind for name in names], ["wrong", "random"])

    def test_what_draws(self):
        drawing = [name for name, case in CASES.items() if case.success == "random"]
        self.assertIn("test_training_dropout_default", drawing)
        self.assertNotIn("test_training_dropout_zero_ratio", drawing)
        self.assertNotIn("test_dropout_random", drawing)
        self.assertFalse(any(name.startswith("test_bernoulli.") for name in OTHERS))


class ShippedLists(unittest.TestCase):
    def test_names_and_targets(self):
        for name in ("expected.txt", "known_wrong.txt"):
            for case, target in entries(HERE / name):
                self.assertIn(case, {**CASES, **OTHERS}, name)
                self.assertIn(target, support.TARGETS, name)

    def test_defects_have_reasons(self):
        lists = Lists(HERE)
        for (name, target), text in lists.expected.items():
            outcome = Outcome(text.partition(":")[0])
            if outcome.is_defect():
                self.assertTrue(lists.excuses(name, target, outcome), f"{name} on {target}: {text}")

    def test_document(self):
        self.assertEqual(support.DOCUMENT.read_text(), support.format_support(CASES.values(), OTHERS.values(), Lists(HERE)),
                         "docs/support.md is not what the lists say: run.py --update")


class Command(unittest.TestCase):
    """run.py as CI calls it."""

    def run_it(self, *arguments):
        return subprocess.run([sys.executable, HERE / "run.py", "--cameo", CAMEO, "--scratch", SCRATCH, "--target", "cpu",
                               *arguments], capture_output=True, text=True)

    def test_good(self):
        done = self.run_it("^test_abs$")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 passed, 0 random, 0 failed, 0 only compiled, 0 missing, of 1", done.stdout)

    def test_bad(self):
        done = self.run_it("--cameo", os.devnull, "^test_abs$")
        self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_no_such_case(self):
        self.assertNotEqual(self.run_it("^no such case$").returncode, 0)

    def test_sample_is_seeded(self):
        first, second = (self.run_it("--sample", "1", "--seed", "7", "^test_(abs|sub|neg)$").stdout for _ in range(2))
        self.assertIn("1 passed, 0 random, 0 failed, 2 only compiled, 0 missing, of 3", first)
        self.assertEqual(first.splitlines()[0], second.splitlines()[0])
        self.assertIn("--seed 7", first)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
