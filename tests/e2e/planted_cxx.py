#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A C++ compiler that puts faults into what it compiles: planted_cxx.py VERSION COMPILER [FLAG...].

PLANTS lists where a text of the runtime or of generated code is replaced; a fault is there only where CAMEO_PLANTED names
it when the program runs, so one build has all of them. VERSION is what tells builds of other faults apart.
"""
import hashlib
import re
import subprocess
import sys
from pathlib import Path

PLANTED = """
#include <cstdlib>
#include <cstring>
inline bool planted(const char *name) {
  const char *fault = std::getenv("CAMEO_PLANTED");
  return fault && !std::strcmp(fault, name);
}
#line 1
"""

# Of a file, by the end of its path: what is there, and what stands there instead, once.
PLANTS = {
    "cuda/context.cpp": [
        (r"counters\.d2h \+= bytes > 0;", r'if (!planted("silent fetch")) counters.d2h += bytes > 0;'),
        (r"counters\.d2h_bytes \+= bytes;", r'counters.d2h_bytes += planted("short fetch") ? bytes - 1 : bytes;'),
    ],
    "cuda/bindings.cpp": [
        (r"const void \*source = t\.data;\n",
         r'''\g<0>  if (planted("second upload")) // counted by nobody
    call_.check(api::copy_to_device(target, source, static_cast<size_t>(bytes), order_.transfers()));
'''),
        (r"status context::done\(\) \{\n",
         r'''\g<0>  if (planted("silent wait"))
    cudaStreamSynchronize(compute.stream());
  void *more = nullptr;
  if (planted("silent allocation"))
    cudaMalloc(&more, 64);
  if (planted("phantom launch"))
    ++call_.device().launches;
'''),
    ],
    "cuda/results.cpp": [
        (r"  r\.finish\(\);\n",
         r'''\g<0>  static const error_slot none = {};
  if (planted("late upload"))
    api::copy_to_device(c.call_.device().slot, &none, sizeof(none), c.order_.transfers());
'''),
    ],
    "_kernels.cu": [
        (r"(?m)^( +read\()(\w+,)", r'\1planted("undeclared read") ? nullptr : \2'),
        (r"(?m)^( +write\()(\w+,)", r'\1planted("undeclared write") ? nullptr : \2'),
    ],
}


def version():
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]


def plant(source):
    for end, replacements in PLANTS.items():
        if not source.as_posix().endswith(end):
            continue
        text = source.read_text()
        for old, new in replacements:
            text, found = re.subn(old, new, text, count=1)
            if not found:
                sys.exit(f"error: {source.name} has no longer what a fault is put into: {old}")
        source.write_text(PLANTED + text)


if __name__ == "__main__":
    for word in sys.argv[3:]:
        if word.endswith((".cpp", ".cu")):
            plant(Path(word))
    sys.exit(subprocess.run(sys.argv[2:]).returncode)
