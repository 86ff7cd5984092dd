# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit over this folder: RUN lines find cameo, cameo-opt, FileCheck, not and split-file on PATH.

%python is the interpreter that has onnx; a test that needs it says `REQUIRES: onnx`. `--param roundtrip=1` prints and
reads back every module that cameo-opt gets.
"""
import os

import lit.formats

config.name = "cameo"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cameo_binary, "tests")

config.environment["PATH"] = os.pathsep.join([config.cameo_tools, config.llvm_tools, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input-filter=all"

config.substitutions.append(("%python", config.test_python))
config.substitutions.append(("%models", os.path.join(config.test_source_root, "models")))
if lit_config.params.get("roundtrip"):
    config.substitutions.append((r"\bcameo-opt\b", "cameo-opt --verify-roundtrip"))

if os.path.exists(config.test_python):
    config.available_features.add("onnx")
if os.path.exists(config.nvcc):
    config.available_features.add("nvcc")
