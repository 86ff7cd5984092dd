#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One model through `cameo verify` with all of its data sets: verify.py CAMEO MODEL TARGET.

Fails unless verify says so itself and its JSON agrees data set by data set. On the CUDA targets the counters of every
run must also keep within the model's limits.json.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def fail(*lines):
    print(*lines, sep="\n")
    sys.exit(1)


def main():
    cameo, model, target = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    data_sets = sorted(model.parent.glob("test_data_set_*"))
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        # In sanitized builds the program's findings would be lost with its output.
        findings = dict(os.environ, ASAN_OPTIONS=f"log_path={scratch}/finding")
        done = subprocess.run([cameo, "verify", model, "--target", target, "--json", report],
                              capture_output=True, text=True, env=findings)
        if done.returncode != 0 or not report.exists():
            fail(f"exit {done.returncode}", done.stdout[-4000:], done.stderr[-4000:],
                 *(path.read_text()[:6000] for path in sorted(Path(scratch).glob("finding.*"))))
        result = json.loads(report.read_text())

    cases = result["cases"]
    if len(cases) != len(data_sets) or not result["passed"] or not all(case["passed"] for case in cases):
        fail(f"{len(data_sets)} data sets, but the report says", json.dumps(result, indent=1))

    limits_file = model.parent / "limits.json"
    limits = json.loads(limits_file.read_text()) if target != "cpu" and limits_file.exists() else {}
    beyond = [f"{case['data']}: {name} is {case['counters'][name]}, allowed {limit}"
              for case in cases for name, limit in limits.items() if case["counters"][name] > limit]
    if beyond:
        fail(*beyond)
    print(f"{model.stem} on {target}: {len(cases)} data sets, compile {result['compile_s']:.2f} s, "
          f"build {result['build_s']:.2f} s")


main()
