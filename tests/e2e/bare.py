# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling for machines without heap, threads and files."""
import re
import subprocess
import sys

COMPILER = "arm-none-eabi-g++"
UNSUPPORTED = (5, 6)


def compile_bounded(cameo, model, folder, weights="extern"):
    """Compiles as `net` with a bound for each dim that is said to lack one; says why not, or nothing."""
    bounds = set()
    while True:
        command = [cameo, "compile", model, "-o", folder, "--name", "net", "--heap", "none", "--threads", "0", "--weights",
                   weights, *(f"--dim={dim}=1..16" for dim in sorted(bounds))]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return ""
        if done.returncode not in UNSUPPORTED:
            print(f"exit {done.returncode}\n{done.stderr[:2000]}")
            sys.exit(1)
        asked = set(re.findall(r"--dim (\S+?)=1\.\.N", done.stderr))
        if asked <= bounds:
            return done.stderr
        bounds |= asked
