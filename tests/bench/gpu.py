#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/gpu packed for the emulator and run: gpu.py SCRATCH. What it writes, and that it convicts wrong outputs, limits
that are not kept and programs that crash; what needs a device is a SKIP."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path


SCRATCH = Path(sys.argv.pop(1)).resolve()
HERE = Path(__file__).resolve().parent
PACK = SCRATCH / "pack"


class Gpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(SCRATCH, ignore_errors=True)
        SCRATCH.mkdir(parents=True)
        compiler = "ccache g++" if shutil.which("ccache") else "g++"
        pack = [sys.executable, HERE.parents[1] / "bench" / "gpu" / "pack", PACK, "--target", "cuda-emu", "--cameo",
                os.environ["CAMEO"], "--models", "identity", "--suite", "3"]
        done = subprocess.run(pack, capture_output=True, text=True, env=dict(os.environ, CXX=compiler))
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)

    def bench(self, code=0, budget="200"):
        out = SCRATCH / "results.jsonl"
        out.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, PACK / "run", "--budget", budget, "--out", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return [json.loads(line) for line in out.read_text().splitlines()]

    def planted(self, path, change):
        """A run with a file of the pack changed, which is then put back."""
        path = PACK / path
        before = path.read_bytes()
        try:
            path.write_bytes(change(before))
            return [line for line in self.bench(code=1) if line["result"] == "FAILED"]
        finally:
            path.write_bytes(before)

    def test_all_is_well(self):
        lines = self.bench()
        results = {phase: {line["result"] for line in lines if line["phase"] == phase} for phase in
                   ("primitives", "models", "suite", "sanitizer", "timings", "constants")}
        self.assertEqual(results, {"primitives": {"passed"}, "models": {"passed"}, "suite": {"passed"}, "sanitizer": {"SKIP"},
                                   "timings": {"passed"}, "constants": {"SKIP"}})
        digits = [line for line in lines if line["item"].startswith("digits/") and line["phase"] == "models"]
        self.assertEqual(len(digits), 2)
        self.assertGreater(digits[0]["counters"]["launches"], 0)
        self.assertTrue(any(line["phase"] == "timings" and line["ms"] > 0 for line in lines))

    def test_wrong_output(self):
        data = Path("data/digits/test_data_set_0")
        fault, = self.planted(data / "output_1.raw", lambda raw: bytes([raw[0] ^ 1]) + raw[1:])
        self.assertEqual((fault["phase"], fault["item"]), ("models", "digits/test_data_set_0"))
        self.assertIn("output 1: 1 of 48 elements differ", fault["why"])

    def test_limits(self):
        path = next(PACK.glob("data/identity/*/expected.json")).relative_to(PACK)
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


if __name__ == "__main__":
    unittest.main()
