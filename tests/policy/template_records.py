#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds codegen_templates together: [--fix] CAMEO_TBLGEN. Every kernel of a header has a record that claims it for that
set, every record a kernel in the header of each set it claims; a header takes e.flag() where its records may raise;
docs/templates.md is what the records say, and --fix writes it."""
import json
import re
import subprocess
import sys

from tree import ROOT, report

TEMPLATES = ROOT / "codegen_templates"
REFERENCE = ROOT / "docs/templates.md"
SECTION = re.compile(r"(<!-- records -->\n).*(?=<!-- end of records -->)", re.S)
# A kernel takes params; what is CAMEO_INLINE is a part of one.
KERNEL = re.compile(r"^(?:template <[^;{]*>\s+)?void (\w+)\(exec &e,\s+const P &p\b", re.M)


def run(tblgen, backend):
    records = "".join(f'include "{path.name}"\n' for path in sorted((TEMPLATES / "records").glob("*.td")))
    return subprocess.run([tblgen, backend, f"-I{TEMPLATES / 'records'}", "-"], input=records, check=True,
                          capture_output=True, text=True).stdout


def declared(tblgen):
    """Set, header, name, and whether it may raise."""
    table = json.loads(run(tblgen, "--dump-json"))
    for name in table["!instanceof"]["KernelTemplate"]:
        for kernel_set in table[name]["sets"]:
            yield table[kernel_set["def"]]["name"], table[name]["header"], name, table[name]["mayRaise"]


def defined(kernel_sets):
    for kernel_set in kernel_sets:
        for path in sorted((TEMPLATES / kernel_set).glob("*.h")):
            for match in KERNEL.finditer(path.read_text()):
                yield kernel_set, path.name, match[1]


def findings(tblgen):
    rows = list(declared(tblgen))
    records = {tuple(row[:3]) for row in rows}
    kernels = set(defined({kernel_set for kernel_set, _, _ in records}))
    for path in sorted({(kernel_set, header) for kernel_set, header, _ in records}):
        raises = any(raised for kernel_set, header, _, raised in rows if (kernel_set, header) == path)
        if raises != ("e.flag()" in (TEMPLATES.joinpath(*path)).read_text()):
            yield f"codegen_templates/{'/'.join(path)}:1: mayRaise of its records is not what e.flag() says"
    for kernel_set, header, name in sorted(kernels - records):
        yield f"codegen_templates/{kernel_set}/{header}:1: no record declares {name}"
    for kernel_set, header, name in sorted(records - kernels):
        yield f"codegen_templates/{kernel_set}/{header}:1: does not define {name}, which a record claims"
    if "<!-- records -->" not in REFERENCE.read_text() or renewed(tblgen) != REFERENCE.read_text():
        yield "docs/templates.md:1: the section of records is stale: template_records.py --fix renews it"


def renewed(tblgen):
    section = run(tblgen, "-gen-template-reference")
    return SECTION.sub(lambda match: match[1] + section + "\n", REFERENCE.read_text())


if __name__ == "__main__":
    *options, tool = sys.argv[1:]
    if options == ["--fix"]:
        REFERENCE.write_text(renewed(tool))
    report(findings(tool))
