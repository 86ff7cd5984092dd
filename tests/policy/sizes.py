#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of dims are formed in one place that checks them. Elsewhere in compiler/ and runtime/host/ a line that looks
like one is a finding; a line that cannot overflow says why in a comment `// checked: ...` on it or right above it."""
import re

from tree import files, lines, report

CHECKED = ("compiler/Support/CheckedSize", "compiler/Support/Checked", "runtime/include/cameo/extent.h")
PRODUCT = re.compile(r"std::multiplies|\*=\s*(?:dims?|d|extents?|shape|size)\b|\bdims?\[[^]]*\]\s*\*\s*\w*dims?\[")


def findings():
    for path in files(".h", ".cpp"):
        name = path.as_posix()
        if not name.startswith(("compiler/", "runtime/host/", "runtime/include/")) or name.startswith(CHECKED):
            continue
        above = ""
        for number, text in lines(path):
            if PRODUCT.search(text.split("//")[0]) and "// checked:" not in text and "// checked:" not in above:
                yield f"{path}:{number}: a raw product of dims: {text.strip()}"
            above = text


report(findings())
