# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What results say of the machine and of what was measured on it."""
import json
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import onnx

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bench/versus"))
import models  # noqa: E402


def machine(cameo, threads):
    """(what compilers call this processor, its roofline), as `cameo bench --profile` has them in front of any model."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "roofline.onnx"
        onnx.save(models.mlp(8, 8), path)
        done = subprocess.run([cameo, "bench", path, "--profile", "--seconds", "0.01", "--threads", str(threads), "--json",
                               "-"], check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    return report["cpu"], report["roofline"]


def describe(roof):
    levels = ", ".join(f"{level['name']} {level['bytes_per_s'] / 1e9:.0f} GB/s" for level in roof["levels"])
    return f"{roof['flops_per_s'] / 1e9:.0f} GFLOP/s float32, {levels}"


def processor():
    text = Path("/proc/cpuinfo").read_text()
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.processor()


def commit():
    """What is measured; results that were just written make no other of it."""
    git = ["git", "-C", ROOT]
    name = subprocess.run([*git, "describe", "--always"], capture_output=True, text=True).stdout.strip()
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ".", ":!bench/results"], cwd=ROOT).returncode != 0
    return (name + "-dirty" if changed else name) or "unknown"
