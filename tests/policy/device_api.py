#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device runtime names the vendor's API in one file, which another vendor's would take the place of. Comments may, and
the emulator, which is that API."""
import re

from tree import files, lines, report

SHIM = "runtime/include/cameo/cuda/device_api.h"
FOLDERS = ("runtime/cuda/", "runtime/include/cameo/cuda/")
VENDOR = re.compile(r"\b(?:cuda[A-Z]\w*|__cuda\w*|cu[A-Z]\w+)\b|<cuda\w*\.h>")


def findings():
    for path in files(".h", ".cpp", ".cu"):
        name = path.as_posix()
        if not name.startswith(FOLDERS) or name == SHIM or "/emulator" in name:
            continue
        for number, text in lines(path):
            for found in VENDOR.findall(text.split("//")[0]):
                yield f"{path}:{number}: {found} belongs into {SHIM}"


report(findings())
