# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages that only a part of this one needs, and that its wheel names as extras."""
import importlib
from typing import Any

from ._errors import Error


def require(module: str, extra: str) -> Any:
    """The module, or an error that names the extra which brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Error(f"the package {module.split('.')[0]} is needed here ({error}): pip install 'cameo-onnx[{extra}]'",
                    "UNSUPPORTED") from None
