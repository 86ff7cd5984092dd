#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/gpu packed for the emulator and run: gpu.py SCRATCH. What it writes, and that it convicts wrong outputs, limits
that are not kept, weights that are no numbers and programs that crash; what needs a device is a SKIP. Where there is nvcc,
the same is packed for a device too, of which there may be none. Of the templates' tests one file is packed, another each
day (CAMEO_SEED), beside a small one."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path


SCRATCH = Path(sys.argv.pop(1)).resolve()
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "bench/versus"), str(ROOT / "bench/gpu"), str(ROOT / "tests")]
import models  # noqa: E402
import onnx  # noqa: E402
import share  # noqa: E402
import weights  # noqa: E402
from build import find_nvcc  # noqa: E402

# Programs of tests; what is measured; what only a device has.
TESTED, TIMED, MEASURED = {"primitives", "templates", "models", "suite"}, {"networks"}, {"constants", "sanitizer", "counters", "baselines"}

TESTS = sorted(file for file in (ROOT / "tests/templates").glob("*_test.cpp")
               if not file.name.startswith("cpu_") and file.stem != "records_test")
PACKED = [ROOT / "tests/templates/nonzero_test.cpp", random.Random(f"{share.SEED} templates").choice(TESTS)]


def pack(folder, target, *given):
    compiler = "ccache g++" if shutil.which("ccache") else "g++"
    command = [sys.executable, ROOT / "bench/gpu/pack", folder, "--target", target, "--models", "identity", "--suite", "3",
               "--networks", "none", "--files", SCRATCH / "mlp.onnx", "--templates", f"^({'|'.join(file.stem for file in PACKED)})$",
               "--cameo", os.environ["CAMEO"], *given]
    return subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, CXX=compiler))


def bench(folder, budget):
    """What a run says, and its lines."""
    out = SCRATCH / "results.jsonl"
    out.unlink(missing_ok=True)
    done = subprocess.run([sys.executable, folder / "run", "--budget", budget, "--out", out], capture_output=True, text=True)
    return done, [json.loads(line) for line in out.read_text().splitlines()]


def results_of(lines, phases):
    return {line["result"] for line in lines if line["phase"] in phases}


def setUpModule():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    onnx.save(models.MODELS["mlp"](), SCRATCH / "mlp.onnx")


class Emulator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pack = SCRATCH / "pack"
        done = pack(cls.pack, "cuda-emu")
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def bench(self, code=0, budget="200"):
        done, lines = bench(self.pack, budget)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return lines

    def planted(self, path, change):
        """A run with a file of the pack changed, which is then put back."""
        path = self.pack / path
        before = path.read_bytes()
        try:
            path.write_bytes(change(before))
            return [line for line in self.bench(code=1) if line["result"] == "FAILED"]
        finally:
            path.write_bytes(before)

    def test_all_is_well(self):
        lines = self.bench()
        self.assertEqual(results_of(lines, TESTED | TIMED), {"passed"})
        self.assertEqual(results_of(lines, MEASURED), {"SKIP"})
        self.assertEqual({line["phase"] for line in lines} - {"fingerprint"}, TESTED | TIMED | MEASURED)
        digits = [line for line in lines if line["item"].startswith("digits/") and line["phase"] == "models"]
        self.assertEqual(len(digits), 2)
        self.assertGreater(digits[0]["counters"]["launches"], 0)
        names = [line["item"] for line in lines if line["phase"] == "templates"]
        written = {name for file in PACKED for name in re.findall(r'TEST_CASE\("(.*?)"', file.read_text())}
        # Of one for several types there is a test case for each.
        self.assertEqual({next((name for name in written if case.startswith(name)), case) for case in names}, written)
        timed, = (line for line in lines if line["item"] == "mlp_32, all")
        self.assertGreater(timed["launches"], 0)
        self.assertLessEqual({"stream_us", "graph_us", "host_us"}, set(timed))
        steps = [line["name"] for line in lines if line["item"] == "mlp_32" and line["name"].startswith("step ")]
        self.assertEqual(len(steps), timed["launches"])

    def test_dry_run(self):
        done = subprocess.run([sys.executable, self.pack / "run", "--budget", "800", "--dry-run"], capture_output=True, text=True)
        seconds = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}
        self.assertEqual(list(seconds)[:4], ["fingerprint", "primitives", "templates", "networks"])
        self.assertAlmostEqual(sum(seconds.values()), 800)

    def test_weights(self):
        path = Path("data/mlp_32/weights.txt")
        self.assertIn(b"float ", (self.pack / path).read_bytes())
        fault, = self.planted(path, lambda text: b"\n".join(b" ".join([*line.split()[:3], b"1e38"]) if line.startswith(b"float") else line
                                                            for line in text.splitlines()))
        self.assertIn("output 0 is not finite", fault["why"])

    def test_what_does_not_start_is_built_there(self):
        """Of the archive, where it was unpacked."""
        folder = SCRATCH / "there"
        with tarfile.open(SCRATCH / "pack.tar.xz") as archive:
            archive.extractall(folder)
        (folder / "pack/bin/models").write_text("#!/bin/false\n")
        done, lines = bench(folder / "pack", "3000")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([line["item"] for line in lines if line["result"] == "rebuilt"], ["programs"])
        self.assertEqual(results_of(lines, TESTED | TIMED), {"passed"})

    def test_codes_are_made(self):
        """Matrices of words, which are no floats, do not travel either; what is left is small."""
        words = weights.describe("codes", [(0, "uint32", 2048), (8192, "int64", 1024)], bytes(16384))
        self.assertEqual((words[0].splitlines()[1].split()[:3], words[0].splitlines()[2]), (["word", "0", "2048"], "kept 8192 8192"))
        self.assertEqual(words[1], bytes(8192))
        size = sum(path.stat().st_size for path in (self.pack / "data/mlp_32").iterdir())
        self.assertLess(size, 20000)

    def test_wrong_output(self):
        data = Path("data/digits/test_data_set_0")
        fault, = self.planted(data / "output_1.raw", lambda raw: bytes([raw[0] ^ 1]) + raw[1:])
        self.assertEqual((fault["phase"], fault["item"]), ("models", "digits/test_data_set_0"))
        self.assertIn("output 1: 1 of 48 elements differ", fault["why"])

    def test_limits(self):
        path = next(self.pack.glob("data/identity/*/expected.json")).relative_to(self.pack)
        faults = self.planted(path, lambda text: text.replace(b'"h2d": 0', b'"h2d": -1'))
        self.assertIn("h2d is 0, allowed are -1", faults[0]["why"])

    def test_crash(self):
        path = Path("data/digits/test_data_set_1/request")
        fault = self.planted(path, lambda request: request.replace(b"input 1 ", b"input x ", 1))[0]
        self.assertIn("the program ended with", fault["why"])

    def test_deadline(self):
        lines = self.bench(budget="0.01")
        self.assertIn("deadline", {line["result"] for line in lines})
        self.assertNotIn("FAILED", {line["result"] for line in lines})

    def test_what_is_missing(self):
        done = subprocess.run([sys.executable, ROOT / "bench/gpu/pack", SCRATCH / "other", "--cameo", SCRATCH / "none"],
                              capture_output=True, text=True, env=dict(os.environ, NVCC="true"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("--cameo names the compiler", done.stderr)
        self.assertFalse((SCRATCH / "other").exists())


@unittest.skipUnless(find_nvcc(), "no nvcc")
class Device(unittest.TestCase):
    def test_up_to_the_device(self):
        folder = SCRATCH / "device"
        done = pack(folder, "cuda", "--arch", "90")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done, lines = bench(folder, "400")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if "no device" in done.stdout:
            self.assertEqual(results_of(lines, TESTED | TIMED | MEASURED), {"SKIP"})


if __name__ == "__main__":
    unittest.main()
