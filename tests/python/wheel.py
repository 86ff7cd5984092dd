#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel as a user meets it: made of the compiler that is built ($CAMEO), installed, and nothing else of Cameo around."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DIGITS = ROOT / "samples" / "digits" / "digits.onnx"
SCRIPT = f"""
import numpy, cameo_onnx
session = cameo_onnx.compile({str(DIGITS)!r}, cxxflags="-O0").session()
print(session.run({{"image": numpy.zeros((2, 1, 8, 8), numpy.float32)}})["digit"].shape, cameo_onnx.__file__)
"""


class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            dist, site = Path(folder) / "dist", Path(folder) / "site"
            subprocess.run([ROOT / "tools" / "wheel"], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "PYTHON": sys.executable, "DIST": str(dist)})
            wheel, = dist.iterdir()
            self.assertRegex(wheel.name, r"^cameo_onnx-[\d.]+-cp3\d+-(cp311|abi3)-manylinux_2_\d+_\w+\.whl$")
            self.assertLess(wheel.stat().st_size, 10 << 20)
            names = zipfile.ZipFile(wheel).namelist()
            for name in ("cameo_onnx/py.typed", "cameo_onnx/_core.pyi", "licenses/LICENSE", "licenses/NOTICE"):
                self.assertTrue([one for one in names if one.endswith(name)], name)
            metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
            extras = re.findall(r"^Provides-Extra: (\w+)$", zipfile.ZipFile(wheel).read(metadata).decode(), re.M)
            self.assertEqual(sorted(extras), ["backend", "ray", "score", "types"])
            # Nothing is taken along, since all else is on every machine of that tag.
            self.assertFalse([name for name in names if ".libs/" in name])

            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
                            "--no-deps", "--target", site, wheel], check=True)
            bare = {"PATH": "/usr/bin:/bin", "HOME": folder, "PYTHONPATH": str(site)}
            run = lambda *words: subprocess.run(words, check=True, capture_output=True, text=True, env=bare, cwd=folder).stdout
            for command in ("cameo", "cameo-onnx"):
                self.assertRegex(run(site / "bin" / command, "--version"), r"^cameo \d")
            self.assertRegex(run(sys.executable, "-c", SCRIPT), rf"^\(2,\) {re.escape(str(site))}/")


if __name__ == "__main__":
    unittest.main()
