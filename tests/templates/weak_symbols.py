#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weak_symbols.py NM OBJECT ISA: fails if OBJECT defines a weak symbol that does not name ISA.

One program may hold the same kernels built for several instruction sets. The linker keeps one of
equally named weak symbols, so any that is not in the templates' inline namespace of the ISA could
put AVX-512 code in front of a machine that has none.
"""
import subprocess
import sys

nm, path, isa = sys.argv[1:]
lines = subprocess.run([nm, path], check=True, capture_output=True, text=True).stdout.splitlines()
weak = [line.split()[-1] for line in lines if line.split()[-2] in ("W", "V", "u")]
bad = [name for name in weak if isa not in name]
if not weak:
    sys.exit(f"{path} has no weak symbols at all: is it the right file?")
if bad:
    sys.exit("weak symbols outside the ISA's namespace:\n" + "\n".join(bad))
