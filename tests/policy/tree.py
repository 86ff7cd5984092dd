# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of this project, and how a policy test reports: every finding is `path:line: what`, none is success."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = {".h", ".def", ".cpp", ".cu", ".cuh", ".td", ".S", ".c"}


def files(*suffixes):
    """Paths relative to the root: what git tracks or would; everything but build/ where there is no git."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        paths = [Path(line) for line in listed.stdout.splitlines() if (ROOT / line).exists()]
    else:
        paths = [p.relative_to(ROOT) for p in ROOT.rglob("*") if p.is_file()]
        paths = [p for p in paths if p.parts[0] not in ("build", ".venv", ".cuda", ".nvdisasm", ".docs") and "__pycache__" not in p.parts]
    # What fuzzers found is data, whatever it looks like.
    paths = [p for p in paths if p.parts[:3] != ("tests", "fuzz", "corpus")]
    return sorted(p for p in paths if not suffixes or p.suffix in suffixes)


def lines(path):
    """(number, text) of a text file; nothing for a binary one."""
    try:
        return list(enumerate((ROOT / path).read_text().splitlines(), 1))
    except UnicodeDecodeError:
        return []


def report(findings):
    findings = list(findings)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    sys.exit(1 if findings else 0)
